#!/usr/bin/env bats
# synth, info, convert and list.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "synth: the same seed gives the same files, another seed others" {
    make=(synth --depth 4 --features 8 --trees 3 --documents 500)
    treebench "${make[@]}" --seed 3 --model same.json --data same.txt
    succeeds
    cmp same.json model.json
    cmp same.txt data.txt
    treebench "${make[@]}" --seed 4 --model other.json --data other.txt
    succeeds
    run ! cmp -s other.json model.json
    run ! cmp -s other.txt data.txt
}

@test "synth: either file may be left out, but not both" {
    treebench synth --depth 2 --features 4 --model only.json
    succeeds
    treebench synth --depth 2 --features 4 --data only.txt
    succeeds
    [ "$(wc -l <only.txt)" -eq 1024 ]
    treebench synth --depth 2 --features 4
    is_mistake "nothing to write; give --model FILE, --data FILE or both"
}

@test "synth: what is out of range is refused before anything is written" {
    for wrong in "--depth 21 --features 4" "--depth -1 --features 4" "--depth 2 --features 0" \
        "--depth two --features 4" "--depth 2 --features 4 --trees 0" \
        "--depth 2 --features 4 --documents 0" "--depth 2 --features 4 --seed 1.5"; do
        # shellcheck disable=SC2086 # a list of words
        treebench synth $wrong --model refused.json
        is_mistake "is not an integer from"
        [ ! -e refused.json ]
    done
}

@test "info: the shape of the model and of the documents" {
    treebench info --model model.json --data data.txt
    succeeds
    grep -q "^trees  *3$" <<<"$output"
    grep -q "^leaves per tree  *16.00 mean, 16 max$" <<<"$output"
    grep -q "^depth  *4.00 mean, 4 max$" <<<"$output"
    grep -q "^decisions per tree  *4.00 " <<<"$output"
    grep -q "^documents  *500$" <<<"$output"
    grep -q "^queries  *0$" <<<"$output"
}

@test "info: labels and queries" {
    printf '%s\n' "2 qid:1 1:0.5" "0 qid:1 2:1" "4 qid:7 8:1" >queries.txt
    treebench info --model model.json --data queries.txt
    succeeds
    grep -q "^documents  *3$" <<<"$output"
    grep -q "^queries  *2$" <<<"$output"
    grep -q "^labels  *0 to 4$" <<<"$output"
}

@test "convert: JSON to JSON changes no byte, and the model may be gzipped" {
    treebench convert --model model.json --out copy.json
    succeeds
    cmp copy.json model.json
    gzip -c model.json >model.json.gz
    treebench convert --model=model.json.gz --out=copy.json --format=treebench
    succeeds
    cmp copy.json model.json
}

@test "convert: a format that nobody writes is refused, and leaves no file" {
    treebench convert --model model.json --out copy.xyz --format xyz
    is_mistake "xyz"
    [ ! -e copy.xyz ]
}

@test "list: implementations with their parameters, and formats" {
    treebench list
    succeeds
    grep -q "^  reference " <<<"$output"
    grep -q "^  vpred .*asadi2014" <<<"$output"
    grep -q "^  *v (.* 8 .*; default .*):" <<<"$output"
    grep -q "^  treebench " <<<"$output"
    grep -q "^  svmlight " <<<"$output"
}
