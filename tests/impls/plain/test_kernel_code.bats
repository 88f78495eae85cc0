#!/usr/bin/env bats
# What the compiler made of the predicated kernels.

setup() {
    build=$(dirname "${TREEBENCH:-build/treebench}")
    [ "$(uname -m)" = x86_64 ] || skip "knows x86-64 only"
    command -v objdump >/dev/null || skip "needs objdump"
    ! grep -qe -fsanitize "$build/flags" || skip "sanitizers add jumps of their own"
}

@test "no kernel of pred and vpred jumps on a comparison, and all are unrolled" {
    run sh scripts/check-kernels.sh "$build"
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a kernel that jumps on comparisons is found" {
    mkdir -p "$BATS_TEST_TMPDIR/impls/plain"
    cat >"$BATS_TEST_TMPDIR/walk.c" <<'END'
struct node { unsigned feature; float threshold; unsigned index[2]; };
#define STEP if (x[n[i].feature] <= n[i].threshold) { hits[0]++; i = n[i].index[0]; } \
             else { hits[1] += 3; i = n[i].index[1]; }
unsigned walk_1_lanes_8_levels(const struct node *n, const float *x, volatile int *hits) {
    unsigned i = 0;
    STEP STEP STEP STEP STEP STEP STEP STEP
    return i;
}
END
    for name in pred vpred pred_heap vpred_heap; do
        "${CC:-cc}" -O2 -c -o "$BATS_TEST_TMPDIR/impls/plain/$name.o" "$BATS_TEST_TMPDIR/walk.c"
    done
    run sh scripts/check-kernels.sh "$BATS_TEST_TMPDIR"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == *"8 conditional jumps"* ]]
}
