#!/usr/bin/env bats
# tune, and what auto makes of it. No time is asserted.
load common

setup_file() {
    make_inputs
}

# The stored times of calls of so many documents. (They are a formula times a factor each time they are stored: a little is
# added, so that what lies between two numbers of 6 digits is not rounded now up, now down.)
measured() {
    tr -d "\t\n" <"$stored" | grep -o "\"documents\":$1,\"ns\":[^}]*" |
        awk -F "[:,]" '{ printf "%s documents %.6g ns %s s\n", $2, $4 * (1 + 1e-9), $6 }' | sort
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

@test "tune: a ranking for each size of a call, a choice, what it saves, and where it is stored" {
    treebench tune --model model.json --data data.txt --batch 8,1 --seconds 30
    succeeds
    grep -q "^1 document a call: " <<<"$output"
    grep -q "^8 documents a call: " <<<"$output"
    [ "$(grep -cE "^  struct-plus +[0-9]" <<<"$output")" -eq 2 ]
    [ "$(grep -c codegen <<<"$output")" -eq 0 ]
    grep -q "^auto, by the documents of a call:" <<<"$output"
    grep -q "guessed beyond calls of 8: add a larger size to --batch" <<<"$output"
    [ "$(grep -cE "^ +[18] .* \[.*\] of .*; saves .* % \[.*\] of " <<<"$output")" -eq 2 ]
    stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
    [[ $stored == "$XDG_CACHE_HOME"/treebench/auto-*.json ]]
    [ -s "$stored" ]
}

@test "tune: documents are made where there are none, and are said to be; JSON" {
    treebench tune --model model.json --batch 4 --seconds 1
    succeeds
    [[ ${lines[0]} == *"(made up: each value a random threshold of its feature"* ]]
    treebench tune --model model.json --batch 4 --seconds 1 --json
    succeeds
    for key in documents_per_call ranking ratio_to_best auto_against costs step_ns stored; do
        grep -q "\"$key\":" <<<"$output"
    done
}

@test "tune: fewer documents than a call has are repeated" {
    head -n 5 data.txt >few.txt
    treebench tune --model model.json --data few.txt --batch 16 --seconds 1
    succeeds
    [[ ${lines[0]} == *"16 documents (5 documents, repeated)"* ]]
}

@test "tune: nothing is stored of several threads" {
    needs_two_cores
    head -n 5 data.txt >few.txt
    treebench tune --model model.json --data few.txt --batch 16 --threads 2 --seconds 1
    succeeds
    [[ ${lines[0]} == *"16 documents (5 documents, repeated)"*"wall clock"*"2 threads"* ]]
    grep -q "^nothing stored: auto chooses by times of one thread, and these are of 2$" <<<"$output"
    [ ! -e "$XDG_CACHE_HOME/treebench" ] || [ -z "$(find "$XDG_CACHE_HOME/treebench" -name "auto-*")" ]
    treebench tune --model model.json --data few.txt --batch 16 --threads 2 --seconds 1 --json
    grep -qE '"stored":[[:space:]]+null' <<<"$output"
}

@test "score without --impl takes what tune stored, and says what it cannot use" {
    treebench score --model model.json --data data.txt --impl reference
    succeeds
    expected=$output
    treebench score --model model.json --data data.txt
    succeeds
    [ "$output" = "$expected" ]
    treebench tune --model model.json --data data.txt --batch 1,100 --seconds 1
    stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
    treebench score --model model.json --data data.txt
    succeeds
    [ "$output" = "$expected" ]
    truncate -s 100 "$stored"
    treebench score --model model.json --data data.txt
    show
    [ "$status" -eq 0 ] && [ "$output" = "$expected" ]
    [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == "treebench: $stored:"*"taken as not there"* ]]
    for command in verify compare; do
        treebench $command --model model.json --data data.txt --impl auto
        [[ $stderr == *"treebench: $stored:"*"taken as not there"* ]]
    done
}

@test "score --verbose: what auto chose, and by which costs, on stderr" {
    treebench score --model model.json --data data.txt
    succeeds
    expected=$output
    treebench score --model model.json --data data.txt --verbose
    show
    [ "$status" -eq 0 ] && [ "$output" = "$expected" ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: auto: "*" documents; by default costs (treebench tune"* ]]
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1
    head -n 1 data.txt >one.txt
    treebench score --model model.json --data one.txt --verbose
    [[ $stderr == "treebench: auto: "*" for 1 document; by times that treebench tune stored" ]]
    treebench score --model model.json --data data.txt --verbose --impl qs
    [ "$stderr" = "treebench: qs" ]
    treebench score --model model.json --data data.txt --verbose --impl vpred,v=4
    [ "$stderr" = "treebench: vpred,v=4" ]
}

@test "tune: a run with less time leaves the times of a longer one, size by size" {
    treebench tune --model model.json --data data.txt --batch 1,8 --seconds 2
    succeeds
    [[ $output != *"earlier run"* ]]
    stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
    treebench tune --model model.json --data data.txt --batch 1,8 --seconds 2
    [[ $output != *"earlier run"* ]]
    ones=$(measured 1) eights=$(measured 8)
    [[ $ones == *" 1 s"* ]]
    treebench tune --model model.json --data data.txt --batch 1,32 --seconds 1
    succeeds
    grep -q "^calls of 1 documents: the times of an earlier run, which took longer, stay" <<<"$output"
    grep -q "^calls of 8 documents: the times of an earlier run stay$" <<<"$output"
    [ "$(measured 1)" = "$ones" ]
    [ "$(measured 8)" = "$eights" ]
    [ -n "$(measured 32)" ]
    treebench tune --model model.json --data data.txt --batch 1 --seconds 2
    [[ $output != *"calls of 1 documents"* ]]
    [ "$(measured 1)" != "$ones" ]
    [ "$(measured 8)" = "$eights" ]
    treebench score --model model.json --data data.txt
    succeeds
}

@test "tune: made-up documents leave the times of real ones, and real ones replace theirs" {
    treebench tune --model model.json --batch 1,8 --seconds 2
    succeeds
    [[ $output != *"earlier run"* ]]
    stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1
    succeeds
    [[ $output != *"calls of 1 documents"* ]]
    real=$(measured 1)
    treebench tune --model model.json --batch 1,8 --seconds 2
    succeeds
    grep -q "^calls of 1 documents: the times of an earlier run, which had real documents, stay$" <<<"$output"
    [ "$(measured 1)" = "$real" ]
}

@test "tune: mistakes" {
    for batch in 0 1,,2 1, x 1000001 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
        treebench tune --model model.json --batch "$batch"
        is_mistake "--batch: "
    done
    treebench tune --model model.json --seconds 0
    is_mistake "--seconds: '0'"
    treebench tune
    is_mistake "--model FILE is missing"
    unset HOME XDG_CACHE_HOME
    treebench tune --model model.json --batch 1 --seconds 1
    is_mistake "no folder for what tune measures"
}
