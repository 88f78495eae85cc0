#!/usr/bin/env bats
# scripts/coverage.sh with a treebench that makes intervals up, and once with the real one.
load ../cli/common

setup() {
    script=$PWD/scripts/coverage.sh
    cd "$BATS_TEST_TMPDIR"
    unset N KERNELS BUSY ROUNDS PLACEMENTS MAKEFLAGS
    mkdir build
}

# A treebench whose every third comparison excludes 1, alternately above and below.
make_stub() {
    cat >build/treebench <<'STUB'
#!/bin/sh
case $1 in
list)
    for name in qs vqs-avx2 planes-jit-avx2 codegen xgboost; do
        echo "  {\"name\":\"$name\",\"runs_here\":true},"
    done
    echo '  {"name":"planes-jit","runs_here":false},'
    ;;
synth)
    for file in "$@"; do
        case $file in *new.*) : >"$file" ;; esac
    done
    ;;
compare)
    echo "$*" >>calls
    case $* in *"--rounds 100000"*) echo $$ >busy; exec sleep 60 ;; esac
    [ ! -e broken ] || { echo "treebench: broken" >&2; exit 2; }
    number=$(wc -l <calls)
    noise=1,0.9,1.1 ratio=1,0.9,1.1
    case $((number % 6)) in
    0) noise=1.2,1.1,1.3 ratio=$noise ;;
    3) noise=0.8,0.7,0.9 ratio=$noise ;;
    esac
    case $* in *noop*) ratio=0.1,0.1,0.1 ;; *) noise=9,9,9 ;; esac
    machine='"CPU, ""fast""",,true,Linux,abc,true,gcc'
    echo "started,cpu,cores,hypervisor,kernel,commit,dirty,compiler,load,rounds,placements,noise_ratio,noise_low,noise_high,implementation,status,median_ns,ratio,ratio_low,ratio_high"
    echo "2026-01-01T00:00:0$((number % 10))Z,$machine,0.5,24,8,$noise,first,ok,5,1,,"
    echo "2026-01-01T00:00:0$((number % 10))Z,$machine,0.5,24,8,$noise,second,ok,5,$ratio"
    ;;
esac
STUB
    chmod +x build/treebench
}

coverage() {
    run --separate-stderr sh "$script" build
    show
}

# has_row KERNEL PAIRS EXCLUDED
has_row() {
    grep -qE "^$1 +$2 +$3 " <<<"$output"
}

@test "intervals that exclude 1 are counted, below and above, of variants and of noise" {
    make_stub
    N=6 KERNELS="few library" coverage
    [ "$status" -eq 1 ]
    has_row few 6 2
    has_row library 6 2
    grep -qF 'all           12          4    33.3 %  [9.9, 65.1]' <<<"$output"
    grep -q '^machine: CPU   fast , [0-9]* cores, virtual, Linux$' <<<"$output"
    grep -q '^build: commit abc+, gcc$' <<<"$output"
    [[ ${lines[-1]} == *": no" ]]
    [ "$(wc -l <build/coverage/coverage.csv)" -eq 13 ]
    [ "$(grep -c -e --all-rounds calls)" -eq 12 ]
}

@test "a share of at most 7 % is success" {
    make_stub
    N=2 KERNELS=jit coverage
    [ "$status" -eq 0 ]
    has_row jit 2 0
    grep -q 'planes-jit-avx2,sums=double' calls
}

@test "a stopped run goes on; other settings and other builds count for themselves" {
    make_stub
    touch broken
    N=3 KERNELS=few coverage
    [ "$status" -eq 2 ] && [ "$stderr" = "coverage.sh: compare failed: treebench: broken" ]
    rm broken calls
    N=1 KERNELS=few coverage
    N=4 KERNELS=few coverage
    has_row few 4 1
    [ "$(wc -l <calls)" -eq 4 ]
    N=2 KERNELS=few coverage
    has_row few 2 0
    [ "$(wc -l <calls)" -eq 4 ]
    ROUNDS=5 PLACEMENTS=5 N=1 KERNELS=few coverage
    has_row few 1 0
    [[ $(tail -n 1 calls) == *"--rounds 5 --placements 5" ]]
    echo >>build/treebench
    N=1 KERNELS=few coverage
    has_row few 1 1
    [ "$(wc -l <calls)" -eq 6 ]
}

@test "BUSY=1 computes on another core until the end" {
    needs_two_cores
    command -v taskset >/dev/null || skip "no taskset"
    make_stub
    BUSY=1 N=1 KERNELS=few coverage
    [ "$status" -eq 0 ]
    run ! kill -0 "$(cat busy)"
    grep -q 'busy=1' build/coverage/coverage.csv
}

@test "mistakes are one line" {
    coverage
    [ "$status" -eq 2 ] && [ "$stderr" = "coverage.sh: build/treebench does not exist: run make" ]
    make_stub
    N=x coverage
    [ "$status" -eq 2 ] && [ "$stderr" = "coverage.sh: N is not a number from 1 on: 'x'" ]
    KERNELS=fast coverage
    [ "$status" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == *"'fast' is none of"* ]]
    sed -i 's/codegen xgboost/codegen/' build/treebench
    KERNELS=library coverage
    [ "$status" -eq 4 ] && [[ $stderr == *"xgboost does not run here"* ]]
}

@test "it reads what compare prints" {
    ln -s "$TREEBENCH" build/treebench
    N=1 KERNELS="few codegen" ROUNDS=2 PLACEMENTS=1 coverage
    [ "$status" -le 1 ]
    has_row few 1 '[01]'
    has_row codegen 1 '[01]'
    grep -qF '2 rounds in 1 placements' <<<"$output"
    grep -qE '^few: qs; codegen: codegen$' <<<"$output"
}
