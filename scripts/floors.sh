#!/bin/sh
# Prints the table of docs/floors.md: what implementations execute for a document and a tree.
# Usage: floors.sh BUILD
# IMPLS names the implementations (default: all traversals that run here).
# Counts are differences between a model of 200 trees and one of 100, so the cost of a call and of
# reading documents is left out. Callgrind counts, which does not know AVX-512.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
program=$1/treebench
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
# Scorers that were compiled before and settings of the user must not change counts.
export XDG_CONFIG_HOME="$scratch/config" XDG_CACHE_HOME="$scratch/cache"

: "${IMPLS:=$("$program" list --json |
    sed -n '/"kind":"traversal".*"runs_here":true/s/.*{"name":"\([^"]*\)","title".*/\1/p' |
    grep -vxE 'auto|reference|.*(avx512|vbmi).*|planes-jit|rank-bytes')}"
"$program" synth --like mslr-web10k --documents 2000 --seed 5 --data "$scratch/q.cache" >/dev/null
"$program" synth --like mslr-web10k --documents 512 --seed 6 --data "$scratch/d.cache" >/dev/null
for trees in 100 200; do
    "$program" synth --grow-on "$scratch/q.cache" --trees "$trees" --leaves 64 --seed 3 \
        --model "$scratch/m.json" >/dev/null
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$program" compare --model "$scratch/m.json" --data "$scratch/d.cache" --rounds 2 \
        --placements 1 --block 512 $(printf -- '--impl %s ' $IMPLS) --counters callgrind --csv \
        >"$scratch/$trees.csv" 2>"$scratch/notes" || [ $? -eq 4 ] || {
        cat "$scratch/notes" >&2
        exit 2
    }
done
awk -f "$here/csv.awk" -f "$here/floors.awk" "$scratch/100.csv" "$scratch/200.csv"
