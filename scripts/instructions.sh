#!/bin/sh
# Counts the instructions of implementations by single steps, on small fixed workloads.
# Usage: instructions.sh write BUILD   puts the counts into results/baseline/instructions.csv
#        instructions.sh check BUILD   compares the counts with those of that file
# Environment:
#   IMPLS       only these implementations (default: all that run here)
#   WORKLOADS   some of: few more deep single (default: all)
#   BASELINE    another file
#   JOBS        processes that count at the same time, each some implementations (default: 2)
# Exit status: 0 done, 1 counts differ by more than 0.5 %, 2 an error, 4 the machine cannot
# single-step. If `check` cannot compare, it says so and exits with 0.
#
# Counts are compared only with those of the same compiler and processor. `write` replaces what
# it counts. It keeps counts of other compilers, and of implementations that do not run here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${BASELINE:=$here/../results/baseline/instructions.csv}" "${JOBS:=2}" "${IMPLS:=}"
: "${WORKLOADS:=few more deep single}"
tolerance=0.5 # per cent

fail() {
    echo "instructions.sh: $1" >&2
    exit "${2:-2}"
}

# Sets what a workload is. `single` has a call for each document, the others have one for each step
# of an implementation. `few` and `more` differ only in the number of trees.
describe() {
    block=
    case $1 in
    few) documents=64 trees=5 leaves=32 ;;
    more) documents=64 trees=15 leaves=32 ;;
    deep) documents=64 trees=10 leaves=64 ;;
    single) documents=2 trees=10 leaves=32 block=1 ;;
    *) fail "WORKLOADS: '$1' is none of few, more, deep, single" ;;
    esac
}

# Lists the implementations to count. `auto` is one of the others, and libraries are not ours.
list_impls() {
    if [ -n "$IMPLS" ]; then
        echo "$IMPLS" | tr ' ' '\n'
    else
        sed -n '/"kind":"traversal".*"runs_here":true/s/.*{"name":"\([^"]*\)","title".*/\1/p' "$1" |
            grep -vxE 'auto|reference'
    fi
}

# Counts the implementations of a list: count PROGRAM FOLDER WORKLOAD LIST. Makes
# WORKLOAD.LIST.rows in the folder.
count() {
    describe "$3"
    set -- "$1" "$2/quantiles.cache" "$2/$3.$4" "$(sed 's/^/--impl /' "$2/$4")"
    "$1" synth --like mslr-web10k --documents "$documents" --seed 6 --data "$3.cache" >/dev/null
    "$1" synth --grow-on "$2" --trees "$trees" --leaves "$leaves" --seed 3 \
        --model "$3.json" >/dev/null
    # shellcheck disable=SC2086 # options are a list of words
    "$1" compare --model "$3.json" --data "$3.cache" --rounds 2 --placements 1 $4 \
        --block "${block:-step}" --counters step --csv >"$3.rows" 2>"$3.notes" || exit_status=$?
    # 4: an implementation does not support the model.
    [ "${exit_status:=0}" -eq 0 ] || [ "$exit_status" -eq 4 ] || fail "$(cat "$3.notes")"
}

# Prints the processor: "x86_64 AuthenticAMD 25 17". On another one, the C library chooses other code,
# and implementations choose other sizes for blocks that fit into a cache.
processor() {
    echo "$(uname -m)$(awk -F ': ' '/^(vendor_id|cpu family|model|CPU implementer|CPU part)[ \t]*:/ {
        if (!seen[$1]++) printf " %s", $2 }' /proc/cpuinfo)"
}

# Prints a column of the first row of a table that `compare --csv` printed.
column() {
    awk -v column="$2" -f "$here/csv.awk" -f "$here/instructions-column.awk" "$1"
}

# Counts nearly nothing, to see what this build and this machine are.
probe() {
    "$program" synth --like mslr-web10k --documents 2000 --seed 5 \
        --data "$scratch/quantiles.cache" >/dev/null
    echo noop >"$scratch/noop"
    count "$program" "$scratch" single noop
    compiler=$(column "$scratch/single.noop.rows" compiler)
    architecture=$(processor)
    source=$(column "$scratch/single.noop.rows" counter_source)
    reason=$(column "$scratch/single.noop.rows" counter_reason)
}

count_all() {
    "$program" list --json >"$scratch/list"
    list_impls "$scratch/list" | split -e -n "r/$JOBS" - "$scratch/impls."
    for workload in $WORKLOADS; do
        describe "$workload" # refuses unknown ones
        (cd "$scratch" && printf "$workload %s\n" impls.*)
    done | xargs -P "$JOBS" -L 1 sh "$here/instructions.sh" count "$program" "$scratch" || exit 2
    for workload in $WORKLOADS; do
        for rows in "$scratch/$workload".impls.*.rows; do
            awk -v workload="$workload" -v architecture="$architecture" -f "$here/csv.awk" \
                -f "$here/instructions-rows.awk" "$rows" || fail "not everything could be counted"
        done
    done >"$scratch/counts.csv"
}

check() {
    if [ "$source" != step ]; then
        echo "instructions: skipped, because this machine cannot count: $reason"
    elif ! grep -qF "$compiler,$architecture," "$BASELINE"; then
        echo "instructions: skipped, because the baseline has no counts of $compiler on" \
            "$architecture"
    else
        count_all
        awk -v tolerance="$tolerance" -f "$here/csv.awk" -f "$here/instructions-check.awk" \
            "$BASELINE" "$scratch/counts.csv"
    fi
}

write() {
    [ "$source" = step ] || fail "$reason" 4
    count_all
    mkdir -p "$(dirname "$BASELINE")"
    [ -e "$BASELINE" ] || : >"$BASELINE"
    awk -f "$here/csv.awk" -f "$here/instructions-merge.awk" \
        "$scratch/list" "$scratch/counts.csv" "$BASELINE" >"$BASELINE.new"
    mv "$BASELINE.new" "$BASELINE"
}

case ${1:-} in
count)
    "$@"
    exit
    ;;
write | check) [ $# -eq 2 ] || fail "usage: instructions.sh write|check BUILD" ;;
*) fail "usage: instructions.sh write|check BUILD" ;;
esac
program=$2/treebench
[ -x "$program" ] || fail "$program: no such program. Build it with 'make'"
[ "$1" = write ] || [ -r "$BASELINE" ] || fail "$BASELINE: no such file. Make it with 'make instructions'"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
# Scorers that were compiled before must not change counts.
export XDG_CACHE_HOME="$scratch/cache"
probe
"$1"
