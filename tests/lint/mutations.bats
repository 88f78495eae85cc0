#!/usr/bin/env bats
# scripts/mutations.awk: the check of the table of mutations that `make lint` makes.

setup() {
    check=$PWD/scripts/mutations.awk
    table=$PWD/tests/mutations.txt
    cd "$BATS_TEST_TMPDIR"
    mkdir -p impls tests/impls tests/cli
    printf 'int f(int a) {\n    return a < 3;\n}\n' >impls/a.c
    touch tests/impls/test_a.c tests/cli/a.bats
}

record() {
    printf 'file: %s\nin: int f(\nold: %s\nnew: a <= 3\ntests: %s\n' "$1" "$2" "$3" >table.txt
}

@test "a record whose file, text and tests exist is fine" {
    record impls/a.c 'a < 3' 'impls/test_a impls/test_a@name cli/a.bats@a.word'
    awk -f "$check" table.txt
}

@test "a file that was moved is found" {
    record impls/b.c 'a < 3' impls/test_a
    run awk -f "$check" table.txt
    [ "$status" -eq 1 ]
    [ "$output" = "table.txt:1: impls/b.c does not exist" ]
}

@test "a line that was changed is found" {
    record impls/a.c 'a < 4' impls/test_a
    run awk -f "$check" table.txt
    [ "$status" -eq 1 ]
    [ "$output" = "table.txt:3: impls/a.c does not contain 'a < 4'" ]
}

@test "a test that was moved is found" {
    record impls/a.c 'a < 3' 'impls/test_a cli/b.bats@word'
    run awk -f "$check" table.txt
    [ "$status" -eq 1 ]
    [ "$output" = "table.txt:5: tests/cli/b.bats does not exist" ]
}

@test "the table of the project passes" {
    cd "${table%/tests/*}"
    awk -f "$check" tests/mutations.txt
}
