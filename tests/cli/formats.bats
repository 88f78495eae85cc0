#!/usr/bin/env bats
# A small model of every format, which the fuzzers start from too: scored, and converted.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # The first document is the one whose scores are worked out by hand.
    printf '%s\n' '0 1:1 2:2 3:0.05 4:0 5:3' '0 1:-2 2:0.5 3:0.1 4:-1 5:0.1' \
        '0 1:0.5 2:-7e-3 3:1.5 4:2 5:-4' '0 1:9 2:nan 3:nan 4:nan 5:nan' '0 5:0' >data.txt
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    seeds=$BATS_TEST_DIRNAME/../fuzz/corpus
}

models=(json_model/stump.json jforests/two-trees.xml opttrees/two-trees.txt
    lightgbm/two-outputs.txt ranklib/forest.txt quickrank/two-trees.xml
    xgboost/two-trees.json xgboost_ubjson/two-trees.ubj xgboost_binary/two-trees.bin
    catboost/two-trees.json archforest/two-trees.json onnx/regressor.onnx)

scores() {
    treebench score --model "$1" --data data.txt
    show
    [ "$status" -eq 0 ]
}

# Are the lines of two files the same numbers, but for float32's last digit?
nearly_same() {
    paste "$1" "$2" | awk '{
        for (i = 1; i <= NF / 2; i++) {
            difference = $i - $(i + NF / 2)
            if (difference < 0) difference = -difference
            if (difference > 1e-6 * ($i < 0 ? 1 - $i : 1 + $i)) exit 1
        }
    }'
}

@test "the scores of the first document, by hand" {
    # leaf 2 | 3.5 / 2 + 2 | 3.5 + 0.001 | 1.25 and 4 | (-0.002 + 3) * 0.1 / 2 | 0.25 / 2 + 3
    # 0.5 + 1.5 + 10, twice | log(0.25 / 0.75) + 1.5 + 10 | 4 + 0.5 + 0.25
    # a vote for class 1, one for class 0 | 0.25 + 2 + 4
    expected=(2 3.75 3.501 "1.25 4" 0.1499 3.125 12 12 10.401387 4.75 "1 1 0" 6.25)
    for number in "${!models[@]}"; do
        scores "$seeds/${models[number]}"
        echo "${lines[0]}" >got
        echo "${expected[number]}" >wanted
        [ "$(wc -w <got)" -eq "$(wc -w <wanted)" ]
        nearly_same got wanted
    done
}

@test "each format as treebench's JSON: the same scores to the last digit" {
    for model in "${models[@]}"; do
        scores "$seeds/$model"
        expected=$output
        treebench convert --model "$seeds/$model" --out converted.json
        succeeds
        scores converted.json
        [ "$output" = "$expected" ]
    done
}

# In XGBoost's format leaves are float32, in QuickRank's thresholds and weights are.
@test "each format in those that are written: the same scores, or a reason why not" {
    for model in "${models[@]}"; do
        scores "$seeds/$model"
        echo "$output" >expected
        for format in lightgbm xgboost quickrank; do
            rm -f converted
            treebench convert --model "$seeds/$model" --out converted --format "$format"
            if [ "$format" = quickrank ] && [ "$status" -ne 0 ]; then
                is_mistake "QuickRank's models"
                [ ! -e converted ]
                grep -Eq 'outputs|NaN goes left' <<<"$stderr"
                continue
            fi
            succeeds
            scores converted
            echo "$output" >got
            nearly_same expected got
            treebench convert --model converted --out back.json
            succeeds
        done
    done
}
