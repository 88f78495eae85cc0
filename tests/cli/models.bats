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

# Tree 0 tests feature 0 at 1, then feature 1 at 5; tree 1 tests feature 1 at 2.
@test "info: false nodes, on paths and off them" {
    cat >false.json <<'END'
{"format": "treebench", "version": 1, "features": 2, "outputs": 1, "base": [0], "trees": [
{"output": 0, "feature": [0, 1], "threshold": [1, 5], "left": [1, -1], "right": [-3, -2], "value": [1, 2, 3]},
{"output": 0, "feature": [1], "threshold": [2], "left": [-1], "right": [-2], "value": [1, 2]}]}
END
    # One of three nodes is false; all three, although no path reaches the second; none; none.
    printf '%s\n' "1,4" "2,7" "0,2" "0,1" >four.csv
    treebench info --model false.json --data four.csv
    succeeds
    grep -q "^false nodes per tree  *0.50 mean over 4 documents, 33.3 % of the inner nodes$" <<<"$output"
    printf '%s\n' "1,4,9" >wide.csv
    treebench info --model false.json --data wide.csv
    succeeds
    grep -q "^false nodes per tree  *unknown: wide.csv: the table has 3 feature columns" <<<"$output"
    printf '%s\n' "1,a" "1,b" >words.csv
    treebench info --model false.json --data words.csv
    succeeds
    grep -q "^false nodes per tree  *unknown: words.csv: .* contains text$" <<<"$output"
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
