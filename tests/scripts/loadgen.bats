#!/usr/bin/env bats
# scripts/loadgen.sh: what it needs. LoadGen itself is not part of treebench.
bats_require_minimum_version 1.5.0

loadgen() {
    run --separate-stderr sh scripts/loadgen.sh "$@"
    echo "$stderr"
    [ "$status" -eq 2 ] && [ -z "$output" ]
}

@test "loadgen.sh names the folder that is missing" {
    loadgen build
    [ "$stderr" = "usage: loadgen.sh BUILD FOLDER" ]
    loadgen build tests
    [ "$stderr" = "loadgen.sh: tests has no loadgen.h. Name the folder loadgen of mlcommons/inference" ]
}
