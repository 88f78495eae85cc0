#!/bin/sh
# Looks into the machine code of the predicated kernels: is every comparison of a document with a
# threshold free of jumps, and was everything unrolled? check-kernels.sh BUILD   (x86-64 only)
#
# Whatever its depth, an unrolled kernel has the few conditional jumps of its loop over documents,
# and a composed one those of its loops over levels; one that jumps on comparisons has one for each
# of its lanes and levels. A compiler that did not unroll shows by too few comparisons.
set -eu
build=$1
objects=
for name in pred vpred pred_heap vpred_heap; do
    objects="$objects $build/impls/pred/$name.o"
done
# shellcheck disable=SC2086 # a list of words
objdump -d --no-show-raw-insn $objects | awk '
function judge() {
    if (kernel == "")
        return
    kernels++
    split(kernel, word, "_")
    unrolled = kernel ~ /_levels/
    if (jumps > (unrolled ? 6 : 12)) {
        printf "%s %s: %d conditional jumps\n", object, kernel, jumps
        bad = 1
    }
    # None are counted where the compiler compares several documents by one vector instruction.
    steps = word[2] * (unrolled ? word[4] : 1)
    if (vector == 0 && compares < steps) {
        printf "%s %s: %d comparisons for %d steps\n", object, kernel, compares, steps
        bad = 1
    }
}
/file format/ { object = $1 }
/^[0-9a-f]+ <.*>:$/ {
    judge()
    kernel = $2
    gsub(/[<>:]/, "", kernel)
    if (kernel !~ /^walk_/)
        kernel = ""
    jumps = compares = vector = 0
}
$2 ~ /^j/ && $2 !~ /^jmp/ { jumps++ }
$2 ~ /comiss/ { compares++ }
$2 ~ /^v?cmp.*[ps]s$/ { vector++ }
END {
    judge()
    if (kernels == 0) {
        print "no kernel found"
        bad = 1
    }
    printf "%d kernels looked at\n", kernels
    exit bad
}'
