#!/usr/bin/env bats
# What the compiler made of the walks over tables of nodes: each comparison of a document with a
# split is a jump, as in buschjaeger2018, not a conditional move.

setup() {
    build=$(dirname "${TREEBENCH:-build/treebench}")
    [ "$(uname -m)" = x86_64 ] || skip "knows x86-64 only"
    command -v objdump >/dev/null || skip "needs objdump"
    ! grep -qe -fsanitize "$build/flags" || skip "sanitizers add jumps of their own"
}

# Prints what is wrong with the kernels of an object, and how many there are.
check_walks() {
    objdump -d --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ <.*>:$/ {
        kernel = $2 ~ /^<walk_/ ? $2 : ""
        kernels += kernel != ""
        wants_jump = 0
    }
    kernel == "" { next }
    wants_jump && $2 !~ /^j/ { print kernel " does not jump on a comparison: " $0 }
    { wants_jump = $2 ~ /^v?u?comiss/ }
    $2 ~ /^cmov/ { print kernel " has a conditional move: " $0 }
    kernel !~ /_int/ && $2 ~ /comiss/ { compares++ }
    END {
        if (compares < kernels / 2)
            print "only " compares + 0 " comparisons of floats in " kernels " kernels"
        print kernels + 0 " kernels"
    }'
}

@test "native's kernels jump on every comparison" {
    run check_walks "$build/impls/framing/native.o"
    echo "$output"
    [ "$output" = "48 kernels" ]
}

@test "the kernels of native-folded and native-opt jump on every comparison" {
    run check_walks "$build/impls/framing/folded_nodes.o"
    echo "$output"
    [ "$output" = "48 kernels" ]
}

@test "a walk without jumps is found" {
    cat >"$BATS_TEST_TMPDIR/walk.c" <<'END'
struct node { unsigned feature; float split; unsigned left, right; };
unsigned walk_16_16(const struct node *n, const float *x) {
    unsigned i = 0;
    while (n[i].left)
        i = (&n[i].left)[!(x[n[i].feature] <= n[i].split)];
    return i;
}
END
    "${CC:-cc}" -O2 -c -o "$BATS_TEST_TMPDIR/walk.o" "$BATS_TEST_TMPDIR/walk.c"
    run check_walks "$BATS_TEST_TMPDIR/walk.o"
    echo "$output"
    [[ $output == *"does not jump on a comparison"* ]]
}
