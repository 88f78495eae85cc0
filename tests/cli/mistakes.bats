#!/usr/bin/env bats
# One mistake of each kind, with every command that reads the kind of file: exit status 2 and one
# line on stderr that names the file or the option.
load common

setup_file() {
    make_inputs
    : >empty
    head -c "$(($(wc -c <model.json) / 2))" model.json >half.json
    printf '%s\n' "1 1:0.5" "1 1:0.5 1:x" >broken.txt
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# Every command that reads a model must reject this file with these words.
model_is_refused() {
    for command in info "convert --out never.json" "score --data data.txt" verify; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --model "$1"
        is_mistake "$1"
        [ ! -e never.json ]
    done
}

data_is_refused() {
    for command in info score verify; do
        treebench "$command" --model model.json --data "$1"
        is_mistake "$1"
    done
}

@test "a file that does not exist" {
    model_is_refused missing.json
    data_is_refused missing.txt
}

@test "a folder instead of a file" {
    mkdir -p folder
    model_is_refused folder
    data_is_refused folder
}

@test "an empty file" {
    model_is_refused empty
    [[ $stderr == *"empty: the file is empty"* ]]
    data_is_refused empty
}

@test "a model cut in half" {
    model_is_refused half.json
    [[ $stderr == *"half.json:"*"the file ends too early"*"Is it truncated?" ]]
}

@test "documents as a model, and a model as documents" {
    model_is_refused data.txt
    data_is_refused model.json
}

@test "a broken line is named" {
    data_is_refused broken.txt
    [[ $stderr == *"broken.txt:2:"* ]]
}

@test "an option that is unknown, incomplete, repeated or missing" {
    for command in info convert score verify synth; do
        treebench "$command" --modle model.json
        is_mistake "$command: unknown option '--modle': did you mean '--model'?"
        treebench "$command" --model
        is_mistake "--model needs an argument"
        treebench "$command" --model a --model b
        is_mistake "--model is given twice"
        treebench "$command" model.json
        is_mistake "unexpected argument 'model.json'"
    done
    treebench info
    is_mistake "info: give --model FILE, --data FILE or both"
    for command in "convert --out never" score verify; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command
        is_mistake "--model FILE is required"
    done
    treebench score --model model.json
    is_mistake "--data FILE is required"
    treebench convert --model model.json
    is_mistake "--out FILE is required"
}

@test "a value that is not one of the choices" {
    treebench score --model model.json --data data.txt --missing zeroes
    is_mistake "--missing: 'zeroes'"
    treebench score --model model.json --data data.txt --impl vpred,v=3
    is_mistake "vpred,v=3: v must be one of: 1 4 8"
    treebench compare --model model.json --data data.txt --impl qs --impl vpred,v=3
    is_mistake "vpred,v=3: v must be one of: 1 4 8"
    treebench score --model model.json --data data.txt --impl auto,sums=half
    is_mistake "auto,sums=half: sums must be one of: double float chain"
    treebench score --model model.json --data data.txt --impl vperd
    is_mistake "no implementation 'vperd': did you mean 'vpred'?"
}

@test "both inputs from standard input" {
    treebench score --model - --data -
    is_mistake "cannot both be standard input"
}

@test "an output in a folder that does not exist" {
    treebench score --model model.json --data data.txt --out nowhere/scores
    is_mistake "nowhere/scores: the folder nowhere does not exist"
    treebench convert --model model.json --out nowhere/model.json
    is_mistake "nowhere/model.json"
}

@test "an output that is an input, or another output" {
    cp data.txt before.txt
    ln -sf data.txt link.txt
    for out in data.txt ./data.txt link.txt; do
        treebench score --model model.json --data data.txt --out "$out"
        is_mistake "--out and --data are the same file ($out)"
        treebench convert --data data.txt --out "$out"
        is_mistake "--out and --data are the same file ($out)"
    done
    treebench score --model model.json --data data.txt --out model.json
    is_mistake "--out and --model are the same file (model.json)"
    treebench convert --model model.json --out model.json
    is_mistake "--out and --model are the same file (model.json)"
    treebench synth --depth 1 --features 2 --model never --data never
    is_mistake "--data and --model are the same file (never)"
    treebench synth --copies-of model.json --trees 2 --model model.json
    is_mistake "--model and --copies-of are the same file (model.json)"
    cmp data.txt before.txt
    [ ! -e never ]
}

@test "synth: nothing to write" {
    treebench synth --depth 1 --features 2
    is_mistake "nothing to write; give --model FILE, --data FILE or both"
}
