#!/bin/sh
# Measures how often a 95 % interval of `treebench compare` excludes 1 though both sides are the
# same code. It should be 5 % of the intervals.
# Usage: coverage.sh BUILD   (make has built it)
# Environment:
#   N           comparisons per kernel (default: 60)
#   KERNELS     some of: few large jit codegen library vqs (default: the first five)
#   BUSY        1: another process computes on another core meanwhile
#   ROUNDS, PLACEMENTS   options of compare (default: compare's own)
# Exit status: 0 the share of all is at most 7 %, 1 it is more, 2 an error, 4 the machine cannot.
#
# Each comparison is a process of its own, and kernels take turns. Each adds a line to
# BUILD/coverage/coverage.csv. A run that was stopped goes on where it was. Lines of another build
# of treebench, or with other settings, do not count.
#
# An implementation with parameters is compared with itself, with the default value of a parameter
# written out. One without parameters is measured beside `noop`, and the interval is that of the
# noise floor: compare measures the first implementation twice. --all-rounds keeps compare from
# stopping because `noop` is clearly faster.
set -eu
[ $# -eq 1 ] || { echo "usage: coverage.sh BUILD" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
: "${N:=60}" "${KERNELS:=few large jit codegen library}" "${BUSY:=0}" "${ROUNDS:=}" "${PLACEMENTS:=}"
treebench=$1/treebench
out=$1/coverage
results=$out/coverage.csv
busy=

fail() {
    echo "coverage.sh: $1" >&2
    exit "${2:-2}"
}

stop_busy() {
    [ -n "$busy" ] || return 0
    kill "$busy" 2>/dev/null || true
    wait "$busy" || true
}

# Sets what a kernel is: `documents`, `trees`, `leaves`, and the two sides `first` and `second`.
describe() {
    case $1 in
    few) documents=128 trees=100 leaves=32 first=qs second=qs,tau=all ;;
    large) documents=2000 trees=2000 leaves=64 first=vqs-avx2 second=vqs-avx2,store=whole ;;
    jit) documents=10000 trees=300 leaves=64 first=$jit second=$jit,sums=double ;;
    codegen) documents=10000 trees=100 leaves=32 first=codegen second=noop ;;
    library) documents=2000 trees=100 leaves=32 first=xgboost second=noop ;;
    vqs) documents=10000 trees=100 leaves=32 first=vqs-avx2 second=vqs-avx2,store=whole ;;
    *) fail "KERNELS: '$1' is none of few, large, jit, codegen, library, vqs" ;;
    esac
}

runs_here() {
    "$treebench" list --json | grep -q "\"name\":\"$1\".*\"runs_here\":true"
}

# Makes the files of a kernel, complete or not at all.
make_inputs() {
    describe "$1"
    runs_here "$first" || fail "$first does not run here: leave '$1' out of KERNELS" 4
    data=$out/$documents.cache model=$out/$documents-${trees}x$leaves.json
    if [ ! -e "$data" ]; then
        "$treebench" synth --like mslr-web10k --documents "$documents" --seed 5 --data "$out/new.cache"
        mv "$out/new.cache" "$data"
    fi
    if [ ! -e "$model" ]; then
        "$treebench" synth --grow-on "$data" --trees "$trees" --leaves "$leaves" --seed 3 \
            --model "$out/new.json"
        mv "$out/new.json" "$model"
    fi
}

# Starts a process that scores on the last core that is allowed, and keeps `compare` on the first.
start_busy() {
    command -v taskset >/dev/null || fail "BUSY=1 needs taskset: apt-get install util-linux" 4
    cores=$(taskset -pc $$ | sed 's/.*: //')
    one=${cores%%[-,]*} other=${cores##*[-,]}
    [ "$one" != "$other" ] || fail "BUSY=1 needs two cores" 4
    taskset -pc "$one" $$ >"$out/taskset.log"
    make_inputs large
    taskset -c "$other" "$treebench" compare --model "$model" --data "$data" --impl "$first" \
        --impl rowscan --rounds 100000 --placements 1000 --all-rounds >"$out/busy.log" 2>&1 &
    busy=$!
}

# Adds a line to the results. A line is written at once, so that a killed run leaves no half line.
compare() {
    make_inputs "$1"
    begin=$(date +%s)
    # shellcheck disable=SC2086 # options are words
    "$treebench" compare --model "$model" --data "$data" --impl "$first" --impl "$second" \
        --all-rounds --csv $options >"$out/compare.csv" 2>"$out/compare.log" ||
        fail "compare failed: $(tail -n 1 "$out/compare.log")"
    [ -z "$busy" ] || kill -0 "$busy" 2>/dev/null || fail "the busy process ended: see $out/busy.log"
    line=$(awk -f "$here/csv.awk" -f "$here/coverage-line.awk" -v kernel="$1" -v build="$build" \
        -v settings="$settings" -v cores="$(getconf _NPROCESSORS_ONLN)" -v second="$second" \
        -v seconds="$(($(date +%s) - begin))" \
        "$out/compare.csv") || fail "cannot read $out/compare.csv"
    echo "$line" >>"$results"
}

# Comparisons of a kernel that the results have.
count_done() {
    awk -F , -v kernel="$1" -v build="$build" -v settings="$settings" \
        '$1 == kernel && $2 == build && $3 == settings { n++ } END { print n + 0 }' "$results"
}

[ -x "$treebench" ] || fail "$treebench does not exist: run make"
case $N in '' | *[!0-9]* | 0) fail "N is not a number from 1 on: '$N'" ;; esac
trap stop_busy EXIT
trap 'exit 130' HUP INT TERM
mkdir -p "$out"
XDG_CACHE_HOME=$(cd "$out" && pwd)/cache # what codegen compiles
export XDG_CACHE_HOME
build=$(cksum <"$treebench" | cut -d ' ' -f 1)
settings="busy=$BUSY rounds=${ROUNDS:-default} placements=${PLACEMENTS:-default}"
options="${ROUNDS:+--rounds $ROUNDS} ${PLACEMENTS:+--placements $PLACEMENTS}"
jit=planes-jit
runs_here $jit || jit=planes-jit-avx2
for kernel in $KERNELS; do
    make_inputs "$kernel"
done
columns=kernel,build,settings,started,load,cpu,cores,hypervisor,system,commit,compiler
columns=$columns,implementation,rounds,placements,median_ns,ratio,ratio_low,ratio_high,seconds
[ -e "$results" ] || echo "$columns" >"$results"
[ "$BUSY" != 1 ] || start_busy

round=1
while [ "$round" -le "$N" ]; do
    for kernel in $KERNELS; do
        [ "$(count_done "$kernel")" -ge "$round" ] || compare "$kernel"
    done
    [ $((round % 10)) -ne 0 ] || echo "coverage.sh: $round of $N of each kernel" >&2
    round=$((round + 1))
done
awk -F , -f "$here/binomial.awk" -f "$here/coverage-report.awk" -v build="$build" \
    -v settings="$settings" -v kernels="$KERNELS" -v most="$N" "$results"
