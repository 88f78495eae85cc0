#!/usr/bin/env bats
# scripts/names.awk: the check of `make lint` that harness/ names no implementation.

setup() {
    check=$PWD/scripts/names.awk
    cd "$BATS_TEST_TMPDIR"
}

check() {
    printf '%s\n' "$@" >code.c
    run awk -v names='struct-plus|vpred|planes' -f "$check" code.c
    [ "$status" -eq 0 ]
}

@test "comments and prose may name an implementation" {
    check '/* "vpred", and' ' * &impl_vpred */' 'f("the best of vpred and planes");' \
        '#include "impls/plain/pred_nodes.h"' 'my_impl_vpred = impl_vpred_count;'
    [ -z "$output" ]
}

@test "names, lists of them, patterns and symbols are found" {
    for code in '"vpred"' '"struct-plus,order=DSD"' '"vpred,v=8 planes"' '"planes-"' '"planes*"' \
        '&impl_struct_plus' '/* first */ "vpred"'; do
        check "$code"
        [ "$output" = "code.c:1:$code" ]
    done
}
