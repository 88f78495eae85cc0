#!/usr/bin/env bats
# scripts/gate-power.sh in a small tree, with a treebench that makes verdicts up. Also checks that
# the plants of tests/plants fit the sources.
load ../cli/common

setup() {
    command -v git >/dev/null || skip "no git"
    command -v patch >/dev/null || skip "no patch"
    project=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    unset MAKEFLAGS MAKELEVEL BUILD GIT_DIR RUNS ONLY MINUTES OPTIONS JOBS
    repository=$BATS_TEST_TMPDIR/repository
}

# A repository whose library is a copy of its source, and whose treebench shows its arguments.
make_repository() {
    mkdir -p "$repository/scripts" "$repository/tests/plants" "$repository/build"
    cd "$repository"
    cp "$project"/scripts/{gate-power.sh,gate-power-line.awk,gate-power-report.awk,binomial.awk} scripts
    printf 'echo "kernel\t$(cksum <"$1/libtreebench.so.0")"\n' >scripts/fingerprint.sh
    printf 'cp "$1/libtreebench.so.0" "$3"; echo "layout $2" >>"$3"\n' >scripts/relink.sh
    printf 'build/libtreebench.so.0: kernel\n\tmkdir -p build\n\tcp kernel $@\n' >Makefile
    echo fast >kernel
    printf -- '--- a/kernel\n+++ b/kernel\n@@ -1 +1,2 @@\n fast\n+slow EVERY\n' \
        >tests/plants/slow.patch
    printf '# a table\nslow-5 slow 20 small 5 kernel\nslow-9 slow 9 small some kernel,other\n' \
        >tests/plants/plants.txt
    printf 'same relink - many-7 none kernel\n' >>tests/plants/plants.txt
    printf '/build/\n/build-*/\n' >.gitignore
    git init -q .
    cat >build/treebench <<'STUB'
#!/bin/sh
case $1 in
synth)
    for file in "$@"; do
        case $file in *new.*) : >"$file" ;; esac
    done
    exit
    ;;
esac
[ "$1" != list ] || { [ -e missing ] || printf "{\"name\":\"kernel\",\"runs_here\":true}\n"; echo "{\"name\":\"other\",\"runs_here\":true}"; exit; }
# treebench regress
options=$*
while [ "$1" != --base ]; do shift; done
base=$2
while [ "$1" != --head ]; do shift; done
head=$2
{
    echo "$options" | sed 's/.*--workloads [^ ]*power\///'
    cat "$base/libtreebench.so.0"
    tail -n 1 "$head/libtreebench.so.0"
    ls "$head" | tr '\n' ' '
} | tr '\n' ';' >>calls
echo >>calls
[ ! -e broken ] || { echo "treebench: broken" >&2; exit 2; }
verdict=none ratio=1.001 status=0 other=none
[ ! -e unclear ] || { verdict=unclear status=3; }
grep -q slow "$head/libtreebench.so.0" && { verdict=regression ratio=1.06 status=1; }
[ ! -e alarm ] || { verdict=layout other=regression; }
cell() {
    printf '{\n\t\t\t"implementation":\t"%s",\n\t\t\t"verdict":\t"%s",\n' "$1" "$2"
    printf '\t\t\t"ratio":\t{\n\t\t\t\t"value":\t%s,\n\t\t\t\t"low":\t1\n\t\t\t},\n' "$3"
    printf '\t\t\t"pairs":\t10,\n\t\t\t"layouts":\t3,\n\t\t\t"layout_ratio":\t{\n'
    printf '\t\t\t\t"value":\tnull,\n\t\t\t\t"low":\tnull\n\t\t\t},\n\t\t\t"seconds":\t1\n\t\t}'
}
printf '{\n\t"schema":\t1,\n\t"verdict":\t"regression",\n\t"seconds":\t2.5,\n\t"machine":\t{\n'
printf '\t\t"started":\t"2026-01-01T00:00:00Z",\n\t\t"cpu":\t{\n\t\t\t"model":\t"CPU, \\"fast\\"",\n'
printf '\t\t\t"cores":\t2\n\t\t},\n\t\t"kernel":\t"Linux",\n\t\t"build":\t{\n'
printf '\t\t\t"commit":\t"abc",\n\t\t\t"compiler":\t"gcc"\n\t\t}\n\t},\n\t"cells":\t['
cell kernel "$verdict" "$ratio"
printf ', '
cell third "$other" 9
printf ']\n}\n'
exit $status
STUB
    chmod +x build/treebench
}

gate_power() {
    run --separate-stderr sh scripts/gate-power.sh build
    show
}

# has_row PLANT SLOWER RATIO RUNS ALARMS
has_row() {
    grep -qE "^$1 +$2 +$3 +$4 +$5 " <<<"$output"
}

@test "alarms of each plant are counted; the tree is as before afterwards" {
    make_repository
    RUNS=3 gate_power
    [ "$status" -eq 0 ]
    has_row slow-5 '5 %' 1.060 3 3
    has_row slow-9 some 1.060 3 3
    has_row same none 1.001 3 0
    grep -q '^false alarms: 0 in 3 timed runs; with 95 % confidence at most 63.16 %$' <<<"$output"
    grep -q '^slowdowns of 5 % without an alarm: 0 in 3 runs; ' <<<"$output"
    grep -q '^machine: CPU .*fast.*, 2 cores, Linux$' <<<"$output"
    [ "$(cat kernel)" = fast ] && [ "$(cat build-power/tree/kernel)" = fast ]
}

@test "base is without the plant, head with it; relinked code has no fingerprints" {
    make_repository
    RUNS=2 MINUTES=1 OPTIONS="--margin 2" gate_power
    grep -qF 'small.json --minutes 1 --seed 100000 --json --margin 2;fast;slow 20;' calls
    grep -qF 'small.json --minutes 1 --seed 200000 --json --margin 2;fast;slow 9;' calls
    grep -qF 'many-7.json --minutes 1 --seed 200000 --json --impl kernel --margin 2;fast;layout 2;' calls
    [ "$(grep -c 'fingerprints.tsv' calls)" -eq 4 ]
    run ! grep 'layout .*fingerprints.tsv' calls
    grep -q '"block": 64' build-power/small.json
}

@test "a stopped run goes on; a changed plant, kernel or option starts again" {
    make_repository
    touch broken
    ONLY='slow-5' gate_power
    [ "$status" -eq 2 ]
    [ "${stderr_lines[-1]}" = "gate-power.sh: regress failed on slow-5: treebench: broken" ]
    rm broken calls
    [ "$(cat build-power/tree/kernel)" != fast ]
    RUNS=2 ONLY='slow-5' gate_power
    RUNS=3 ONLY='slow-[5] same' gate_power
    has_row slow-5 '5 %' 1.060 3 3
    [ "$(wc -l <calls)" -eq 6 ]
    RUNS=2 ONLY='slow-5' gate_power
    has_row slow-5 '5 %' 1.060 2 2
    [ "$(wc -l <calls)" -eq 6 ]
    RUNS=1 MINUTES=9 ONLY='slow-5' gate_power
    [ "$(wc -l <calls)" -eq 7 ]
    sed -i 's/slow EVERY/slower EVERY/' tests/plants/slow.patch
    RUNS=1 MINUTES=9 ONLY='slow-5' gate_power
    [ "$(wc -l <calls)" -eq 8 ]
    echo first >other
    sed -i 's/fast/faster/' tests/plants/slow.patch kernel
    RUNS=1 MINUTES=9 ONLY='slow-5' gate_power
    [ "$(wc -l <calls)" -eq 9 ]
    [[ $(tail -n 1 calls) == *";faster;slower 20;"* ]]
    has_row slow-5 '5 %' 1.060 1 1
}

@test "unclear verdicts, layouts and alarms of other implementations have columns of their own" {
    make_repository
    touch unclear
    RUNS=2 ONLY=same gate_power
    grep -qE '^same +none +1.001 +2 +0 +0.0 % +\[0.0, 84.2\] +0 +2 +0 +2.5$' <<<"$output"
    rm unclear
    touch alarm
    RUNS=2 MINUTES=3 ONLY=same gate_power
    grep -qE '^same +none +1.001 +2 +0 +0.0 % +\[0.0, 84.2\] +2 +0 +2 +2.5$' <<<"$output"
    grep -q '^alarms of implementations that did not change: 2$' <<<"$output"
}

@test "mistakes are one line" {
    make_repository
    ONLY='slow-5 fast*' gate_power
    [ "$status" -eq 2 ] && [ -z "$output" ]
    [ "$stderr" = "gate-power.sh: ONLY: no plant 'fast*' in tests/plants/plants.txt" ]
    RUNS=many gate_power
    [ "$status" -eq 2 ] && [ "$stderr" = "gate-power.sh: RUNS is not a number from 1 on: 'many'" ]
    echo other >kernel
    ONLY=slow-5 gate_power
    [ "$status" -eq 2 ] && [[ ${stderr_lines[-1]} == "gate-power.sh: slow.patch does not apply: see "* ]]
    rm build/treebench
    gate_power
    [ "$status" -eq 2 ] && [ "$stderr" = "gate-power.sh: build/treebench does not exist: run make" ]
}

@test "a plant in an implementation that does not run here is skipped" {
    make_repository
    touch missing
    echo 'free slow 3 small some -' >>tests/plants/plants.txt
    RUNS=1 gate_power
    [ "$status" -eq 0 ]
    [[ $stderr == *"gate-power.sh: slow-9 is skipped: kernel,other does not run here"* ]]
    [ "$(wc -l <calls)" -eq 1 ]
    grep -qE '^free ' <<<"$output"
    run ! grep -qE '^slow-9|^same' <<<"$output"
}

@test "each plant applies to the sources, changes what the table says, and names implementations" {
    cd "$project"
    sed '/^#/d' tests/plants/plants.txt >"$BATS_TEST_TMPDIR/table"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/table")" -ge 10 ]
    used=
    while read -r name patch every workload slower kernels rest; do
        echo "$name"
        [ -n "$kernels" ] && [ -z "$rest" ]
        [[ $workload =~ ^(small|many-[0-9]+)$ ]] && [[ $slower =~ ^([0-9]+|some|none)$ ]]
        for kernel in ${kernels//,/ }; do
            [ "$kernel" = - ] || "$TREEBENCH" list --json | grep -q "\"name\":\"$kernel\""
        done
        [ "$patch" != relink ] || continue
        used="$used $patch.patch"
        patch --dry-run -s -p1 <"tests/plants/$patch.patch"
        run grep -q '^+.*EVERY' "tests/plants/$patch.patch"
        if [ "$every" = - ]; then [ "$status" -eq 1 ]; else [ "$status" -eq 0 ]; fi
    done <"$BATS_TEST_TMPDIR/table"
    for patch in tests/plants/*.patch; do
        [[ "$used " == *" ${patch##*/} "* ]]
    done
}
