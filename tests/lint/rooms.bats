#!/usr/bin/env bats
# scripts/rooms.awk: the check of rooms that `make lint` makes.

bats_require_minimum_version 1.5.0

setup() {
    check=$PWD/scripts/rooms.awk
    cd "$BATS_TEST_TMPDIR"
    mkdir -p ground upper
    printf '# rooms\nground  what all use\nupper   what few use\n' >rooms.txt
    echo '#include "ground/a.h"' >upper/b.c
    echo '#include <stdio.h>' >ground/a.h
}

@test "includes of lower floors and of the own room are fine" {
    echo '#include "upper/c.h"' >>upper/b.c
    awk -f "$check" rooms.txt ground/a.h upper/b.c
}

@test "an include that goes up is found, with its line" {
    echo '#include "upper/c.h"' >>ground/a.h
    run awk -f "$check" rooms.txt ground/a.h upper/b.c
    [ "$status" -eq 1 ]
    [ "$output" = "ground/a.h:2: includes upper/c.h, but rooms.txt lists upper after ground" ]
}

@test "a folder that is not listed is found" {
    mkdir attic
    echo '#include "ground/a.h"' >attic/d.c
    run awk -f "$check" rooms.txt ground/a.h attic/d.c
    [ "$status" -eq 1 ]
    [[ $output == *"attic/d.c: the folder attic is not a room of rooms.txt"* ]]
}

@test "a room of more than 30 files is found" {
    for i in $(seq 31); do echo '#include <stdio.h>' >"upper/f$i.c"; done
    run awk -f "$check" rooms.txt upper/f*.c
    [ "$status" -eq 1 ]
    [[ $output == *"upper: more than 30 files"* ]]
}

@test "the rooms of the project pass" {
    cd "$OLDPWD"
    find $(sed '/^#/d; s/ .*//' rooms.txt) -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.cc' |
        xargs awk -f "$check" rooms.txt
}

@test "docs/architecture.md names what exists, and leaves the list of rooms to rooms.txt" {
    cd "$OLDPWD"
    grep -o '`[a-z_]*/[a-zA-Z0-9_/.-]*`' docs/architecture.md | tr -d '`' >"$BATS_TEST_TMPDIR/paths"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/paths")" -gt 20 ]
    while read -r path; do
        echo "$path"
        [ -e "$path" ]
    done <"$BATS_TEST_TMPDIR/paths"
    grep -q '(../rooms.txt)' docs/architecture.md
    run ! grep -E '^\| `(base|models|datasets|impls|harness)[a-z/]*`' docs/architecture.md
}
