#!/usr/bin/env bats
# The suffix of an output selects the format, and - is standard output.
load common

setup_file() {
    make_inputs
    printf '%s\n' 'height,"a, b",qid,say so,label,weight' '1.5,-0.25,7,nan,1,1e-40' \
        '3,0.1,7,inf,0,2' '3e38,16777217,9,-inf,2,-0' >table.csv
    printf '%s\n' '1,2,3' '4,5,nan' >bare.csv
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "names: a table is written and read back as the same documents" {
    for table in table bare; do
        treebench convert --data $table.csv --out $table.cache
        succeeds
        treebench convert --data $table.cache --out again.csv
        succeeds
        treebench convert --data again.csv --out again.cache
        succeeds
        cmp $table.cache again.cache
    done
    treebench convert --data table.cache --out again.csv.gz
    succeeds
    [ "$(zcat again.csv.gz | head -n 2)" = $'label,qid,height,"a, b","say so",weight\n1,7,1.5,-0.25,nan,1e-40' ]
    # Text without names: features are numbered, and scored by position.
    treebench convert --data data.txt --out data.csv
    succeeds
    [ "$(head -n 1 data.csv)" = "label,f1,f2,f3,f4,f5,f6,f7,f8" ]
    treebench score --model model.json --data data.csv --out a
    treebench score --model model.json --data data.txt --out b
    cmp a b
}

@test "names: a table that would be misread is rejected" {
    treebench convert --data table.csv --label weight --out odd.cache
    treebench convert --data odd.cache --out odd.csv
    is_mistake "odd.csv: a CSV file cannot have a feature named 'label'"
    printf '%s\n' 'a,"5"""' '1,0' >quoted.csv
    treebench convert --data quoted.csv --out quoted.cache
    treebench convert --data quoted.cache --out odd.csv
    is_mistake "odd.csv: the name of column 2 contains a quote or a line break, which CSV cannot store"
    printf '%s\n' '7,label' '1,0' >numbers.csv
    treebench convert --data numbers.csv --label label --out numbers.cache
    treebench convert --data numbers.cache --out again.csv
    succeeds
    [ ! -e odd.csv ]
}

@test "names: the suffix selects the format, and .gz packs" {
    treebench convert --model model.json --out m.json.gz
    succeeds
    gzip -t m.json.gz
    zcat m.json.gz | cmp - <("$TREEBENCH" convert --model model.json --out -)
    treebench convert --model model.json --out m.xml.gz
    zcat m.xml.gz | grep -q "^<ranker>"
    treebench convert --data data.txt --out d.cache.gz
    treebench score --model m.json.gz --data d.cache.gz --out s.gz
    succeeds
    zcat s.gz | cmp - <("$TREEBENCH" score --model model.json --data data.txt)
    treebench convert --model model.json --out model
    succeeds
    cmp model model.json
}

@test "names: an unknown suffix is rejected before anything is read" {
    for name in m.ubj m.bin m.txt m.model.gz; do
        treebench convert --model model.json --out $name
        is_mistake "$name: no model format has the suffix ."
        [[ $stderr == *".json, .xml, .onnx"*"--format with one of treebench, "* ]]
    done
    for name in d.parquet d.tsv d.arff.gz; do
        treebench convert --data missing --out $name
        is_mistake "$name: no data format has the suffix ."
        [[ $stderr == *".csv or .cache"* ]]
    done
    treebench convert --model model.json --out m.ubj --format xgboost
    [ "$status" -eq 0 ]
    rm m.ubj
    for name in m.onnx m.ubj; do
        treebench synth --depth 2 --features 3 --model $name
        is_mistake "$name: this command writes models as treebench JSON only"
        treebench train --learner cart --data missing --out $name
        is_mistake "$name: this command writes models as treebench JSON only"
    done
    treebench synth --depth 2 --features 3 --data d.npz
    is_mistake "d.npz: no data format has the suffix .npz"
    [ -z "$(ls -- *.ubj *.bin *.onnx *.parquet *.tsv 2>/dev/null)" ]
}

@test "names: - is standard output" {
    treebench score --model model.json --data data.txt
    expected=$output
    treebench score --model model.json --data data.txt --out -
    succeeds
    [ "$output" = "$expected" ]
    "$TREEBENCH" convert --data data.txt --out - | "$TREEBENCH" convert --data - --out - --format csv |
        "$TREEBENCH" score --model model.json --data - --out - 2>/dev/null | cmp - <(echo "$expected")
    "$TREEBENCH" synth --depth 4 --features 8 --trees 3 --documents 500 --seed 3 --model - | cmp - model.json
    "$TREEBENCH" train --learner cart --task regression --data data.txt --out - | "$TREEBENCH" info --model - >info
    grep -q "^trees  *1$" info
    treebench synth --depth 4 --features 8 --model - --data -
    is_mistake "--model and --data cannot both be standard output"
    for command in "run --scale smoke" "map --scale smoke" "export --model model.json"; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --out -
        is_mistake "--out -: a folder cannot be standard output"
    done
    [ ! -e ./- ]
}
