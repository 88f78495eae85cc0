#!/usr/bin/env bats
# Scores and converts a small model of every format. The fuzzers start from the same models.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # The scores of the first document are computed by hand.
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
    catboost_binary/oblivious.cbm onnx/ensemble.onnx lightgbm_json/two-outputs.json)

# Documents are float32, so formats that compare doubles and formats that do not give equal scores.
scores() {
    treebench score --model "$1" --data "${2:-data.txt}" $([[ ${2:-} == *.cache ]] || echo --first-feature 1 --missing zero)
    show
    [ "$status" -eq 0 ]
}

# Are the lines of two files the same numbers, except for float32's last digit?
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
    # as lightgbm/two-outputs.txt, which LightGBM dumped
    expected=(2 3.75 3.501 "1.25 4" 0.1499 3.125 12 12 10.401387 4.75 "1 1 0" 6.25 65 52 "1.25 4")
    for number in "${!models[@]}"; do
        scores "$seeds/${models[number]}"
        echo "${lines[0]}" >got
        echo "${expected[number]}" >wanted
        [ "$(wc -w <got)" -eq "$(wc -w <wanted)" ]
        nearly_same got wanted
    done
}

@test "each format converted to treebench's JSON: the same scores to the last digit" {
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

# XGBoost and ONNX store leaves as float32, QuickRank thresholds and weights. QuickRank has one
# output and sends NaN right. LightGBM cannot test x <= 0.
@test "each format converted to each written format: the same scores, or a reason why not" {
    for model in "${models[@]}"; do
        scores "$seeds/$model" data.cache
        echo "$output" >expected
        for format in lightgbm xgboost onnx quickrank; do
            rm -f converted
            treebench convert --model "$seeds/$model" --out converted --format "$format"
            if [[ $format == @(quickrank|lightgbm) && $status -ne 0 ]]; then
                is_mistake "converted: "
                [ ! -e converted ]
                grep -Eq 'outputs, but QuickRank|NaN goes left, but QuickRank|LightGBM reads as 0' <<<"$stderr"
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

@test "notes name what a format cannot store: the objective, and double leaves in XGBoost's" {
    treebench convert --model "$seeds/xgboost/two-trees.json" --out converted.json
    show
    [ "$status" -eq 0 ]
    [[ $stderr == "treebench: converted.json: the objective '"*"' was not written; scores are raw" ]]
    treebench convert --model "$seeds/ranklib/forest.txt" --out converted --format xgboost
    show
    [[ $stderr == "treebench: converted: "*" leaf values and base scores were rounded to float32, because XGBoost JSON stores float32" ]]
    treebench convert --model "$seeds/json_model/stump.json" --out converted --format xgboost
    succeeds
    treebench convert --model "$seeds/ranklib/forest.txt" --out converted --format lightgbm
    succeeds
}

@test "convert: the suffixes .onnx and .xml select the format" {
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

@test "a truncated file, or one of another kind, is reported as such" {
    head -c 300 "$seeds/lightgbm/two-outputs.txt" >cut.txt
    treebench info --model cut.txt
    is_mistake "Is the file truncated?"
    head -c 60 "$seeds/onnx/regressor.onnx" >cut.onnx
    treebench info --model cut.onnx
    is_mistake "Is the file truncated?"
    printf 'PK\003\004a,b' >zip.csv
    printf '\377\376a\000,\000b\000\n\000' >utf16.csv
    printf 'a,b\n1,\0002\n' >nul.csv
    for option in --model --data; do
        treebench info "$option" zip.csv
        is_mistake "zip.csv:1: a zip archive. Unpack it"
        treebench info "$option" utf16.csv
        is_mistake "utf16.csv:1: text in UTF-16. Convert it to UTF-8"
    done
    treebench info --data nul.csv
    is_mistake "nul.csv:2:3: unexpected NUL byte"
    : >empty.csv
    treebench info --data empty.csv
    is_mistake "there are no documents"
}

@test "swapped --model and --data" {
    model="$seeds/lightgbm/two-outputs.txt"
    treebench score --model data.txt --data "$model"
    is_mistake "data.txt: not a model. It looks like documents (svmlight). Did you mean --data?"
    treebench info --data "$model"
    is_mistake ": not documents. It looks like a model (lightgbm). Did you mean --model?"
    treebench info --data "$seeds/opttrees/two-trees.txt"
    is_mistake "Did you mean --model?"
}

# 1,100 documents are whole blocks and a tail.
@test "CatBoost's oblivious trees: compiled planes score the same as the reference" {
    awk -v trees=50 -v features=8 -f "$BATS_TEST_DIRNAME/../../scripts/oblivious.awk" >oblivious.json
    treebench synth --depth 6 --features 8 --documents 1100 --data rows.cache
    treebench info --model oblivious.json
    [[ $output == *"leaves per tree             64.00 mean, 64 max"* ]]
    for model in oblivious.json "$seeds/catboost_binary/oblivious.cbm"; do
        data=rows.cache
        [ "$model" = oblivious.json ] || data=data.cache
        treebench score --model "$model" --data "$data" --impl reference
        expected=$output
        [ -n "$expected" ]
        for impl in planes-jit planes-jit-128 planes-jit-avx2; do
            treebench score --model "$model" --data "$data" --impl "$impl"
            [[ $stderr != *"$impl: needs "* ]] || continue
            show
            [ "$status" -eq 0 ] && [ "$output" = "$expected" ]
        done
    done
}
