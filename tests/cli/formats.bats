#!/usr/bin/env bats
# A small model of every format, which the fuzzers start from too: scored, and converted.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # The first document is the one whose scores are worked out by hand.
    printf '%s\n' '0 1:1 2:2 3:0.05 4:0 5:3' '0 1:-2 2:0.5 3:0.1 4:-1 5:0.1' \
        '0 1:0.5 2:-7e-3 3:1.5 4:2 5:-4' '0 1:9 2:nan 3:nan 4:nan 5:nan' '0 5:0' >data.txt
    "$TREEBENCH" convert --data data.txt --out data.cache
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    seeds=$BATS_TEST_DIRNAME/../fuzz/corpus
}

models=(json_model/stump.json jforests/two-trees.xml opttrees/two-trees.txt
    lightgbm/two-outputs.txt ranklib/forest.txt quickrank/two-trees.xml
    xgboost/two-trees.json xgboost_ubjson/two-trees.ubj xgboost_binary/two-trees.bin
    catboost/two-trees.json archforest/two-trees.json onnx/regressor.onnx
    catboost_binary/oblivious.cbm onnx/ensemble.onnx)

# Of float32 documents, which score the same in formats that compare doubles and in those that do not.
scores() {
    treebench score --model "$1" --data "${2:-data.txt}" $([[ ${2:-} == *.cache ]] || echo --first-feature 1 --missing zero)
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
    # a vote for class 1, one for class 0 | 0.25 + 2 + 4 | 2 * (32 + 0.25) + 0.5 | 4 + 16 + 32
    expected=(2 3.75 3.501 "1.25 4" 0.1499 3.125 12 12 10.401387 4.75 "1 1 0" 6.25 65 52)
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
        show
        [ "$status" -eq 0 ]
        scores converted.json
        [ "$output" = "$expected" ]
    done
}

# In XGBoost's format and ONNX leaves are float32, in QuickRank's thresholds and weights are.
@test "each format in those that are written: the same scores, or a reason why not" {
    for model in "${models[@]}"; do
        scores "$seeds/$model" data.cache
        echo "$output" >expected
        for format in lightgbm xgboost onnx quickrank; do
            rm -f converted
            treebench convert --model "$seeds/$model" --out converted --format "$format"
            if [ "$format" = quickrank ] && [ "$status" -ne 0 ]; then
                is_mistake "QuickRank's models"
                [ ! -e converted ]
                grep -Eq 'outputs|NaN goes left' <<<"$stderr"
                continue
            fi
            show
            [ "$status" -eq 0 ]
            scores converted data.cache
            echo "$output" >got
            nearly_same expected got
            treebench convert --model converted --out back.json
            show
            [ "$status" -eq 0 ]
        done
    done
}

@test "what a format cannot hold is said: the objective, and double leaves in XGBoost's" {
    treebench convert --model "$seeds/xgboost/two-trees.json" --out converted.json
    show
    [ "$status" -eq 0 ]
    [[ $stderr == "treebench: converted.json: the objective '"*"' was not written: scores are raw" ]]
    treebench convert --model "$seeds/ranklib/forest.txt" --out converted --format xgboost
    show
    [[ $stderr == "treebench: converted: "*" leaf values and base scores were rounded to float32, which is what XGBoost JSON has" ]]
    treebench convert --model "$seeds/json_model/stump.json" --out converted --format xgboost
    succeeds
    treebench convert --model "$seeds/ranklib/forest.txt" --out converted --format lightgbm
    succeeds
}

@test "convert: .onnx and .xml are written as what they are called" {
    for suffix in onnx xml; do
        treebench convert --model "$seeds/quickrank/two-trees.xml" --out converted.$suffix
        show
        [ "$status" -eq 0 ]
    done
    treebench info --model converted.onnx
    [[ $output == *"ONNX"* ]]
    [[ $(cat converted.xml) == "<"* ]]
    treebench convert --model "$seeds/quickrank/two-trees.xml" --out lightgbm.xml --format lightgbm
    show
    [ "$(head -n 1 lightgbm.xml)" = tree ]
}

@test "info: the format, the objective, the names" {
    treebench info --model "$seeds/xgboost/two-trees.json"
    succeeds
    grep -q "^format  *XGBoost JSON$" <<<"$output"
    grep -q "^objective  *[a-z]*:[a-z]*$" <<<"$output"
    treebench info --model "$seeds/ranklib/forest.txt"
    succeeds
    ! grep -q "^objective" <<<"$output"
    printf '%s\n' 'x,QID,label,a b' '1,7,u,2' '1,7,v,2' >table.csv
    treebench info --data table.csv
    succeeds
    grep -q "^queries  *1$" <<<"$output"
    grep -q "^column names  *x, a b$" <<<"$output"
    grep -q "^words  *of 'label', coded 0, 1, ... in sorted order$" <<<"$output"
}

@test "a file that is cut, or of another kind, is called so" {
    head -c 300 "$seeds/lightgbm/two-outputs.txt" >cut.txt
    treebench info --model cut.txt
    is_mistake "is the file cut?"
    head -c 60 "$seeds/onnx/regressor.onnx" >cut.onnx
    treebench info --model cut.onnx
    is_mistake "is the file cut?"
    printf 'PK\003\004a,b' >zip.csv
    printf '\377\376a\000,\000b\000\n\000' >utf16.csv
    printf 'a,b\n1,\0002\n' >nul.csv
    for option in --model --data; do
        treebench info "$option" zip.csv
        is_mistake "zip.csv:1: a zip archive; should be unpacked"
        treebench info "$option" utf16.csv
        is_mistake "utf16.csv:1: text in UTF-16; should be UTF-8"
    done
    treebench info --data nul.csv
    is_mistake "nul.csv:2:3: a NUL byte, should be text"
    : >empty.csv
    treebench info --data empty.csv
    is_mistake "no documents; should be LABEL [qid:N] FEATURE:VALUE ..., or a table"
}

@test "swapped --model and --data" {
    model="$seeds/lightgbm/two-outputs.txt"
    treebench score --model data.txt --data "$model"
    is_mistake "data.txt:1: not a model of a known format"
    [[ $stderr == *"; it looks like documents (SVMlight / LETOR text): should be --data's?" ]]
    treebench info --data "$model"
    is_mistake "; it looks like a model (LightGBM text): should be --model's?"
    treebench info --data "$seeds/opttrees/two-trees.txt"
    is_mistake "should be --model's?"
}
