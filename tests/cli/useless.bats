#!/usr/bin/env bats
# Options without effect are rejected with one line, not ignored.
load common

setup_file() {
    make_inputs
    "$TREEBENCH" convert --data data.txt --out data.cache
    "$TREEBENCH" convert --data data.txt --out data.csv
    "$TREEBENCH" score --model model.json --data data.txt --out scores
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# refuses "ARGUMENTS" "WORDS": treebench ARGUMENTS must fail with an error that contains WORDS.
refuses() {
    # shellcheck disable=SC2086 # a command and its options
    treebench $1
    is_mistake "$2"
}

@test "useless: options for text, with a table or a cache" {
    for data in data.csv data.cache; do
        for command in "score --model model.json" "eval --model model.json" "verify --model model.json" \
            "compare --model model.json" "tune --model model.json" "convert --out never.txt"; do
            refuses "$command --data $data --first-feature 1" "$data: --first-feature applies only to SVMlight text"
            refuses "$command --data $data --missing zero" "$data: --missing only applies to features that SVMlight text omits"
        done
        refuses "train --learner cart --data $data --first-feature 0 --out never.json" "$data: --first-feature applies only to SVMlight text"
        refuses "synth --grow-on $data --first-feature 0 --trees 1 --model never.json" "$data: --first-feature applies only to SVMlight text"
    done
    [ ! -e never.txt ] && [ ! -e never.json ]
}

@test "useless: options for documents or a model, without them" {
    for option in "--missing nan" "--first-feature 0" "--label last"; do
        for command in verify tune "convert --out never.json"; do
            refuses "$command --model model.json $option" "${option% *} has no effect without --data FILE"
        done
    done
    for option in "--first-feature 0" "--label last" "--queries data.txt"; do
        refuses "info --model model.json $option" "${option% *} has no effect without --data FILE"
    done
    refuses "convert --data data.txt --trees best --out never.txt" "--trees has no effect without --model FILE"
    [ ! -e never.txt ] && [ ! -e never.json ]
}

@test "useless: options for scoring, with scores from a file" {
    for option in "--impl qs" "--missing nan" "--trees best"; do
        refuses "eval --scores scores --data data.txt $option" "${option% *} has no effect with --scores FILE"
    done
    refuses "eval --scores scores --data data.txt --metric rmse --no-relevant one" \
        "--no-relevant has no effect on these metrics"
    treebench eval --scores scores --data data.txt --metric rmse
    succeeds
}

@test "useless: threads, parts of a map, and both ways to continue" {
    for command in score compare; do
        refuses "$command --model model.json --data data.txt --parallel trees" "--parallel has no effect without --threads N"
    done
    for command in run map; do
        refuses "$command --resume --again" "--resume and --again cannot be used together"
    done
    treebench map --scale smoke --out map
    refuses "report --run map --only asadi" "--only has no effect: map holds a map, not artefacts"
    refuses "report --run a --run b --run c --html d" "--run is given more than twice"
    refuses "report --run map --run map --html page.html" "--run map and --run map are the same folder"
}
