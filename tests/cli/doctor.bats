#!/usr/bin/env bats
# doctor. What it finds is the machine's; that it says so, and how, is not.
load common

@test "doctor: each line is a finding about a thing that measuring needs" {
    treebench doctor
    [ -z "$stderr" ]
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    run ! grep -vE "^((ok|warning|missing) | {24}[^ ])" <<<"$output"
    run ! grep -E "^.{101}" <<<"$output"
    treebench doctor
    for thing in CPU instructions cores load caches governor "wall clock" "CPU clock" counters compiler valgrind gnuplot; do
        grep -qE "^(ok|warning|missing)  *$thing  *[^ ]" <<<"$output"
    done
}

@test "doctor: a compiler that does not run is named with a remedy, and exit status 4" {
    TREEBENCH_CC=/nonexistent/cc treebench doctor
    [ "$status" -eq 4 ]
    grep -A1 "^missing  *compiler  *'/nonexistent/cc' does not run" <<<"$output" | grep -q TREEBENCH_CC
}

@test "doctor: without gnuplot there is a warning only" {
    run env PATH=/nonexistent TREEBENCH_CC="$(type -P true)" "$TREEBENCH" doctor
    [ "$status" -eq 0 ]
    [[ $output == *"warning  gnuplot "*"apt-get install gnuplot-nox"* ]]
}
