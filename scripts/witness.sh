#!/bin/sh
# Times programs that the authors of asadi2014 published (OptTrees) and treebench's implementations
# of the same methods in turns, on the same trees and documents. Prints the ratios of the authors'
# times to ours. docs/comparisons.md has a run.
# Usage: witness.sh BUILD PROGRAMS...   (make has built BUILD; each PROGRAMS is a folder)
# A folder has some of the programs Object, Struct, StructPlus, VPred and CodeGen-TREESxLEAVES, as
# the reader has built them. This script neither fetches nor builds them. A first run writes
# BUILD/witness/TREESxLEAVES.xml, from which the authors' converter makes the code of CodeGen.
# Environment:
#   ROUNDS      rounds of each workload, 6 or more (default: 15)
#   WORKLOADS   TREESxLEAVES, with spaces between them (default: 100x32 1000x64)
#   DOCUMENTS   number of documents (default: 10000)
#   V           documents that VPred takes at once, V in VPred.h (default: 8)
# Exit status: 0 measured, 1 scores differ, 2 an error, 4 a folder has no program.
set -eu
[ $# -ge 2 ] || { echo "usage: witness.sh BUILD PROGRAMS..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
: "${ROUNDS:=15}" "${WORKLOADS:=100x32 1000x64}" "${DOCUMENTS:=10000}" "${V:=8}"
treebench=$1/treebench
out=$1/witness
documents=$out/$DOCUMENTS.txt
shift

fail() {
    echo "witness.sh: $1" >&2
    exit "${2:-2}"
}

# Sets `impl` to the implementation that does what $program does.
match() {
    case $program in
    Object) impl=object ;;
    Struct) impl=struct ;;
    StructPlus) impl=struct-plus ;;
    VPred) impl=vpred,v=$V ;;
    CodeGen) impl=codegen ;;
    esac
}

# The file of $program in the folder $1.
file_in() {
    case $program in
    CodeGen) echo "$1/CodeGen-$workload" ;;
    *) echo "$1/$program" ;;
    esac
}

has_program() {
    [ -x "$(file_in "$1")" ]
}

# write NAME COMMAND...: makes a file from the output of a command, complete or not at all.
write() {
    [ ! -e "$out/$1" ] || return 0
    name=$1
    shift
    "$@" >"$out/new"
    mv "$out/new" "$out/$name"
}

make_inputs() {
    trees=${workload%x*} leaves=${workload#*x}
    [ -e "$out/$DOCUMENTS.svm" ] || {
        "$treebench" synth --like mslr-web10k --documents "$DOCUMENTS" --seed 5 \
            --data "$out/new.svm"
        mv "$out/new.svm" "$out/$DOCUMENTS.svm"
    }
    write "$DOCUMENTS.txt" awk -v documents="$DOCUMENTS" -v features=136 \
        -f "$here/witness-documents.awk" "$out/$DOCUMENTS.svm"
    [ -e "$out/$workload.json" ] || {
        "$treebench" synth --grow-on "$documents" --trees "$trees" --leaves "$leaves" --seed 3 \
            --model "$out/new.json"
        mv "$out/new.json" "$out/$workload.json"
    }
    write "$workload.txt" awk -f "$here/witness-trees.awk" "$out/$workload.json"
    write "$workload.xml" awk -v xml=1 -f "$here/witness-trees.awk" "$out/$workload.json"
}

# Runs $program of the folder $1, with -print for scores.
run_theirs() {
    file=$(file_in "$1")
    shift
    case $program in
    CodeGen) "$file" "$documents" ;;
    *) "$file" -ensemble "$out/$workload.txt" -instances "$documents" -maxLeaves "$leaves" "$@" ;;
    esac >"$out/theirs" || fail "$file failed"
}

# Fails if the scores of $program in the folder $1 are not treebench's. The programs of CodeGen
# print only a checksum, which must be Struct's.
check_scores() {
    run_theirs "$1" -print
    if [ "$program" = CodeGen ]; then
        grep '^Ignore' "$out/theirs" >"$out/scores-theirs"
        program=Struct
        run_theirs "$1"
        program=CodeGen
        grep '^Ignore' "$out/theirs" >"$out/scores-ours"
    else
        grep -v ' ' "$out/theirs" | head -n "$DOCUMENTS" | awk '{ print $1 + 0 }' \
            >"$out/scores-theirs"
        "$treebench" score --model "$out/$workload.txt" --data "$documents" --impl "$impl" |
            awk '{ print $1 + 0 }' >"$out/scores-ours"
    fi
    cmp -s "$out/scores-theirs" "$out/scores-ours" ||
        fail "$(file_in "$1"): other scores than $impl on $workload.txt" 1
}

# Prints the time of the side $1 in ns per document.
time_side() {
    if [ "$1" = ours ]; then
        "$treebench" compare --model "$out/$workload.txt" --data "$documents" --impl "$impl" \
            --block step --clock wall --rounds 2 --placements 2 --json >"$out/ours" 2>"$out/log" ||
            fail "compare failed: $(tail -n 1 "$out/log")"
        sed -n 's/.*"median_ns":[^0-9]*\([0-9.e+]*\),/\1/p' "$out/ours"
    else
        run_theirs "$1"
        sed -n 's/^Time per instance (ns): *//p' "$out/theirs"
    fi
}

# Takes a sample of each side of $program in round $1. Each round begins with another side.
measure() {
    round=$1
    shift
    turn=$((round % $#))
    while [ "$turn" -gt 0 ]; do
        first=$1
        shift
        set -- "$@" "$first"
        turn=$((turn - 1))
    done
    for side in "$@"; do
        [ "$side" = ours ] || has_program "$side" || continue
        ns=$(time_side "$side")
        [ -n "$ns" ] || fail "$program, $side: no time"
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$workload" "$program" "$side" "$round" "$ns" "$impl" \
            >>"$out/samples.tsv"
    done
}

[ -x "$treebench" ] || fail "$treebench does not exist: run make"
case $ROUNDS in '' | *[!0-9]* | [0-5]) fail "ROUNDS is not a number from 6 on: '$ROUNDS'" ;; esac
mkdir -p "$out"
XDG_CACHE_HOME=$(cd "$out" && pwd)/cache # what codegen compiles
export XDG_CACHE_HOME
: >"$out/samples.tsv"
for workload in $WORKLOADS; do
    make_inputs
    programs=
    for program in Object Struct StructPlus VPred CodeGen; do
        match
        for folder in "$@"; do
            has_program "$folder" || continue
            check_scores "$folder"
            case $programs in *" $program "*) ;; *) programs="$programs $program " ;; esac
        done
    done
    [ -n "$programs" ] || fail "no program in $*: build what their README describes" 4
    round=1
    while [ "$round" -le "$ROUNDS" ]; do
        for program in $programs; do
            match
            measure "$round" "$@" ours
        done
        echo "witness.sh: $workload: round $round of $ROUNDS" >&2
        round=$((round + 1))
    done
done
awk -F '"' '/^\t\t+"(started|model|kernel|commit|compiler)":/ { print $2 ": " $4 }' "$out/ours"
awk -F '\t' -f "$here/binomial.awk" -f "$here/witness-report.awk" "$out/samples.tsv"
