#!/bin/sh
# Checks the machine code of the predicated kernels on x86-64. No kernel may jump on the comparison
# of a document with a threshold, and the compiler must have unrolled all loops that the source asks
# for.
# Usage: check-kernels.sh BUILD
#
# An unrolled kernel of any depth has only the few conditional jumps of its loop over documents. A
# composed kernel also has those of its loops over levels. A kernel that jumps on comparisons has a
# jump for each lane and level. Too few comparisons show that the compiler did not unroll.
set -eu
build=$1
objects=
for name in pred vpred pred_heap vpred_heap; do
    objects="$objects $build/impls/plain/$name.o"
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
    # If the compiler compares several documents by one vector instruction, the number of
    # comparisons is not checked.
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
