#!/usr/bin/env bats
# tune, and what auto makes of it. No time is asserted.
load common

setup_file() {
    make_inputs
    fast_clock
    export TREEBENCH_XGBOOST=/nonexistent # its calls are slow, and one test needs it
}

# What is stored of calls of so many documents.
measured() {
    tr -d "\t\n" <"$stored" | grep -o "\"documents\":$1,[^}]*}" | tr "{}" ",," | tr , "\n" | sort
}

# What auto takes for so many documents, with and without tuning.
choice() {
    head -n "$1" data.txt >first.txt
    "$TREEBENCH" score --model model.json --data first.txt --impl "$2" --verbose 2>&1 >/dev/null
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
}

@test "tune: a ranking for each size of a call, a choice, what it saves, and where it is stored" {
    treebench tune --model model.json --data data.txt --batch 8,1 --seconds 50
    show
    [ "$status" -eq 0 ]
    grep -q "^1 document a call: " <<<"$output"
    grep -q "^8 documents a call: " <<<"$output"
    [ "$(grep -cE "^  struct-plus +[0-9]" <<<"$output")" -eq 2 ]
    [ "$(grep -c codegen <<<"$output")" -eq 0 ]
    # Screening ranks by its own rounds: what is not sampled was over 1.5 times its best.
    [ "$(grep -cE "screened: +(0|1\.[0-4])" <<<"$output")" -eq 0 ]
    grep -q "^auto, by the documents of a call:" <<<"$output"
    grep -qE "^  1: .* for 1 document$" <<<"$output"
    grep -qE "^  8: .* 8 documents$" <<<"$output"
    grep -q "^  other sizes: as without tuning" <<<"$output"
    [ "$(grep -cE "^  auto,costs=default +[0-9]" <<<"$output")" -eq 2 ]
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
    for key in documents_per_call ranking ratio_to_best auto_against choice source stored; do
        grep -q "\"$key\":" <<<"$output"
    done
}

@test "tune: few documents are resampled" {
    head -n 5 data.txt >few.txt
    treebench tune --model model.json --data few.txt --batch 16 --seconds 1
    succeeds
    [[ ${lines[0]} == *"20000 documents (resampled: 5 given, "* ]]
    head -n 1 data.txt >one.txt
    treebench tune --model model.json --data one.txt --batch 1 --seconds 1
    succeeds
    [[ ${lines[0]} == *"20000 documents (1 given and repeated, which branch predictors learn: give more)"* ]]
}

@test "tune: what refuses the model is listed, whatever the sizes" {
    "$TREEBENCH" synth --depth 7 --features 8 --trees 1 --documents 5 --seed 3 --model deep.json --data few.txt
    treebench tune --model deep.json --data few.txt --batch 1,8 --seconds 2
    succeeds
    grep -q "^not measured:$" <<<"$output"
    grep -qE "^  vqs-.* has 128 leaves" <<<"$output"
}

@test "tune: nothing is stored of several threads" {
    needs_two_cores
    head -n 5 data.txt >few.txt
    treebench tune --model model.json --data few.txt --batch 16 --threads 2 --seconds 1
    succeeds
    [[ ${lines[0]} == *"20000 documents (resampled: 5 given, "*"wall clock"*"2 threads"* ]]
    grep -q "^nothing stored: auto uses times of one thread, and these are of 2 threads$" <<<"$output"
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
    [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == "treebench: $stored:"*"auto ignores the stored times"* ]]
    for command in verify compare; do
        treebench $command --model model.json --data data.txt --impl auto
        [[ $stderr == *"treebench: $stored:"*"auto ignores the stored times"* ]]
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
    grep -qx '"seconds":1' <<<"$ones"
    grep -qx '"source":"resampled"' <<<"$ones"
    treebench tune --model model.json --data data.txt --batch 1,32 --seconds 1
    succeeds
    grep -q "^calls of 1 documents: kept the times of an earlier run, which had better documents or more time (--fresh replaces them)$" <<<"$output"
    grep -q "^calls of 8 documents: kept the times of an earlier run$" <<<"$output"
    diff <(echo "$ones") <(measured 1)
    diff <(echo "$eights") <(measured 8)
    [ -n "$(measured 32)" ]
    treebench tune --model model.json --data data.txt --batch 1 --seconds 2
    succeeds
    [[ $output != *"calls of 1 documents"* ]]
    [ "$(measured 1)" != "$ones" ]
    diff <(echo "$eights") <(measured 8)
    treebench score --model model.json --data data.txt
    succeeds
}

@test "tune: times of more telling documents stay: given, resampled, made up" {
    "$TREEBENCH" synth --depth 1 --features 8 --trees 2200 --documents 5 --seed 3 --model many.json --data few.txt
    stay="^calls of 1 documents: kept the times of an earlier run, which had better documents or more time"
    for source in "made up" resampled data; do
        case $source in
        "made up") data=() ;;
        resampled) data=(--data few.txt) ;;
        data) data=(--data data.txt) ;;
        esac
        treebench tune --model many.json "${data[@]}" --batch 1 --seconds 1
        succeeds
        [[ $output != *"earlier run"* ]]
        stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
        [[ $(measured 1) == *'"source":"'$source'"'* ]]
    done
    data=$(measured 1)
    for lesser in "" few.txt; do
        treebench tune --model many.json ${lesser:+--data "$lesser"} --batch 1 --seconds 2
        succeeds
        grep -q "$stay" <<<"$output"
        [ "$(measured 1)" = "$data" ]
    done
}

@test "tune --fresh: what is stored is ignored and replaced, all sizes of it" {
    treebench tune --model model.json --data data.txt --batch 1,8 --seconds 2
    succeeds
    stored=$(sed -n 's/^stored for auto in //p' <<<"$output")
    ones=$(measured 1)
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1 --fresh
    succeeds
    [[ $output != *"earlier run"* ]]
    [ "$(measured 1)" != "$ones" ]
    grep -qx '"seconds":1' <<<"$(measured 1)"
    [ -z "$(measured 8)" ]
}

@test "tune: of sizes that were not measured, auto does as without tuning" {
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1
    succeeds
    for docs in 64 200; do
        tuned=$(choice $docs auto) untuned=$(choice $docs auto,costs=default)
        echo "$tuned / $untuned"
        tuned=${tuned#treebench: auto: } untuned=${untuned#treebench: auto,costs=default: }
        [ "${tuned%;*}" = "${untuned%;*}" ]
        [[ $tuned == *"; by default costs (treebench tune measured other sizes)" ]]
        [[ $untuned == *"; by default costs (treebench tune measures them here)" ]]
    done
}

@test "tune: a folder that cannot be written: the report, and a note of why nothing is stored" {
    export XDG_CACHE_HOME=/dev/null/cache
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1
    show
    [ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: the times were not stored for auto: /dev/null: "*"XDG_CACHE_HOME"* ]]
    grep -q "^1 document a call: " <<<"$output"
    grep -q "^measured together: auto" <<<"$output"
    grep -q "^nothing stored: /dev/null: " <<<"$output"
    [[ $output != *"stored for auto in"* ]]
    treebench tune --model model.json --data data.txt --batch 1 --seconds 1 --json
    [ "$status" -eq 0 ]
    grep -qE '"stored":[[:space:]]+null' <<<"$output"
    grep -qE '"not_stored":[[:space:]]+"/dev/null: ' <<<"$output"
    unset HOME XDG_CACHE_HOME
    treebench tune --model model.json --batch 1 --seconds 1
    [ "$status" -eq 0 ]
    [ "$stderr" = "treebench: the times were not stored for auto: no folder for tune's times. Set XDG_CACHE_HOME or HOME to an absolute path" ]
}

@test "tune: a small model of many features or outputs takes little memory" {
    ! grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || skip "a sanitizer reserves address space"
    make_stump
    sed 's/>0 2</>0 60000</' stump.xml >wide.xml
    (
        ulimit -v 1500000
        "$TREEBENCH" tune --model wide.xml --batch 1,100000 --seconds 1 >wide.out
    )
    grep -q "^calls of 100000 documents: not measured, because their documents need too much memory$" wide.out
    grep -q "^stored for auto in " wide.out
    treebench tune --model wide.xml --batch 100000
    is_mistake "--batch: a call of 100000 documents would take 24.0 GB, at most 0.3 are supported"
}

@test "tune: mistakes" {
    for batch in 0 1,,2 1, x 1000001 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17; do
        treebench tune --model model.json --batch "$batch"
        is_mistake "--batch: "
    done
    treebench tune --model model.json --seconds 0
    is_mistake "--seconds: '0'"
    treebench tune
    is_mistake "--model FILE is required"
}

@test "tune: the library of the model's maker is in the table, however short the time" {
    unset TREEBENCH_XGBOOST
    implementations library true | grep -qx xgboost || skip 'no XGBoost'
    "$TREEBENCH" convert --model model.json --out xgboost.json --format xgboost
    # When the documents are there, the time is over.
    treebench tune --model xgboost.json --data <(sleep 0.2 && cat data.txt) --batch 1,64,256 --seconds 1
    succeeds
    [ "$(grep -cE "^ +256 .*; saves .* of xgboost" <<<"$output")" -eq 1 ]
    late=$(sed -n 's/: there was no time. Increase --seconds$//p' <<<"$output")
    [[ $late != *auto,costs=default* && $late != *xgboost* ]]
}
