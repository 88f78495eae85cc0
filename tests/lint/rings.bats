#!/usr/bin/env bats
# scripts/rings.awk: the check for rings of includes that `make lint` makes.

setup() {
    check=$PWD/scripts/rings.awk
    cd "$BATS_TEST_TMPDIR"
}

# file NAME INCLUDE...
file() {
    name=$1
    shift
    : >"$name"
    for include in "$@"; do echo "#include \"$include\"" >>"$name"; done
}

@test "a chain, a file that includes its own header, and two that include each other are fine" {
    file a.h
    file a.c a.h b.h
    file b.h c.h
    file b.c b.h
    file c.h
    file c.c c.h b.h
    awk -f "$check" a.h a.c b.h b.c c.h c.c
}

@test "three that lead around to each other are found once, and what leads to them is not" {
    file a.h b.h
    file b.h
    file b.c c.h
    file c.h a.h
    file d.h a.h
    run awk -f "$check" a.h b.h b.c c.h d.h
    [ "$status" -eq 1 ]
    [ "${#lines[@]}" -eq 1 ]
    [[ $output == "a ring of 3 files:"* && $output != *" d"* ]]
}
