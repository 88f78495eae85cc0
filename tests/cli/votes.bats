#!/usr/bin/env bats
# Forests whose trees vote: info, score, eval, verify, convert, export.
load common

# Two trees of three classes: x0 <= 0.5 ? 1 : 2, where equal shares of 0 and 2 vote for 0 below
# x0 <= -1, and a tree that is one leaf and votes for class 2.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >forest.json <<'END'
[{"numSamples": 9, "isCategorical": "False", "feature": 0, "split": 0.5,
  "leftChild": {"numSamples": 7, "isCategorical": "False", "feature": 0, "split": -1,
    "leftChild": {"numSamples": 4, "prediction": [0.5, 0, 0.5]},
    "rightChild": {"numSamples": 3, "prediction": [0.2, 0.8, 0]}},
  "rightChild": {"numSamples": 2, "prediction": [0, 0, 1]}},
 {"numSamples": 9, "prediction": [0.1, 0.2, 0.7]}]
END
    printf '%s\n' "x,class" -2,0 0,1 1,2 >documents.csv
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "info: trees that vote remain one tree each" {
    treebench info --model forest.json
    succeeds
    grep -q "^trees  *2$" <<<"$output"
    grep -q "^outputs  *3$" <<<"$output"
    grep -q "^votes  *each tree adds 1 " <<<"$output"
    grep -q "^  by training documents  *0.89 mean$" <<<"$output"
}

@test "score: the votes of each class, with every implementation" {
    for impl in reference struct vpred codegen interleaved qs planes auto; do
        treebench score --model forest.json --data documents.csv --label class --impl "$impl" \
            --out scores.txt
        [ "$status" -eq 0 ]
        printf '1\t0\t1\n0\t1\t1\n0\t0\t2\n' | cmp - scores.txt
    done
}

@test "eval: the first class with the most votes is the prediction" {
    treebench eval --model forest.json --data documents.csv --label class
    [ "$status" -eq 0 ]
    grep -q "^accuracy  *1$" <<<"$output"
}

@test "verify: all implementations agree" {
    treebench verify --model forest.json
    show
    [ "$status" -eq 0 ]
    run ! grep -q differ <<<"$output"
}

@test "convert: votes stay votes in JSON and ONNX, and become trees elsewhere" {
    treebench score --model forest.json --data documents.csv --label class --out expected.txt
    treebench convert --model forest.json --out votes.json
    succeeds
    treebench info --model votes.json
    grep -q "^votes " <<<"$output"
    treebench convert --model forest.json --out votes.onnx
    succeeds
    treebench info --model votes.onnx
    grep -q "^votes " <<<"$output"
    treebench score --model votes.onnx --data documents.csv --label class --out scores.txt
    [ "$status" -eq 0 ]
    cmp expected.txt scores.txt
    for format in lightgbm xgboost; do
        treebench convert --model forest.json --out "votes.$format.txt" --format "$format"
        [ "$status" -eq 0 ]
        # shellcheck disable=SC2154 # bats sets it
        [[ $stderr == *"each tree was written once per class that it votes for"* ]]
        treebench score --model "votes.$format.txt" --data documents.csv --label class \
            --out scores.txt
        [ "$status" -eq 0 ]
        cmp expected.txt scores.txt
    done
}

@test "convert --as-outputs: one tree per class, and one output for two classes" {
    treebench convert --as-outputs --model forest.json --out outputs.json
    succeeds
    treebench info --model outputs.json
    grep -q "^trees  *4$" <<<"$output"
    run ! grep -q "^votes " <<<"$output"
    echo '[{"numSamples": 9, "prediction": [0.1, 0.9]}, {"numSamples": 9, "prediction": [0.3, 0.7]}]' \
        >two.json
    treebench convert --as-outputs --model two.json --out margins.json
    treebench info --model margins.json
    grep -q "^outputs  *1$" <<<"$output"
    treebench convert --as-outputs --model outputs.json --out again.json
    is_mistake "--as-outputs: the trees of outputs.json do not vote"
    treebench convert --as-outputs --data documents.csv --out documents.txt
    is_mistake "--as-outputs has no effect on documents"
}

@test "a leaf that votes for an unknown class is refused" {
    treebench convert --model forest.json --out votes.json
    sed 's/"value": \[0,1,2\]/"value": [0,1,3]/' votes.json >wrong.json
    run ! cmp -s votes.json wrong.json
    treebench info --model wrong.json
    is_mistake "wrong.json: tree 0, node 4: the leaf votes for 3, which is not a class (0 to 2)"
}

@test "export: the exported scorer counts votes" {
    rm -rf exported
    treebench export --model forest.json --out exported --name forest
    [ "$status" -eq 0 ]
    run make -s -C exported test
    show
    [ "$status" -eq 0 ]
}

@test "compare: implementations that get one tree per class are named" {
    for _ in 1 2 3 4 5 6 7 8; do
        tail -n 3 documents.csv
    done >rows
    { echo x,class && cat rows; } >more.csv
    treebench compare --model forest.json --data more.csv --label class --rounds 2 --placements 1 \
        --impl struct-plus --impl vpred --impl planes
    show
    [ "$status" -eq 0 ]
    [ "$(grep -c "scored one tree per class" <<<"$stderr")" -eq 1 ]
    grep -q "planes: scored one tree per class, because votes are not supported$" <<<"$stderr"
}
