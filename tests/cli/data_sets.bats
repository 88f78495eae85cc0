#!/usr/bin/env bats
# Documents as a binary cache, the catalogue of data sets, stand-ins and grown trees.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "documents converted to a cache have the same scores" {
    treebench convert --data data.txt --out data.cache
    succeeds
    treebench score --model model.json --data data.txt
    succeeds
    expected=$output
    treebench score --model model.json --data data.cache
    succeeds
    [ "$output" = "$expected" ]
    gzip -c data.cache >data.cache.gz
    treebench score --model model.json --data data.cache.gz
    succeeds
    [ "$output" = "$expected" ]
}

@test "a cache becomes text again" {
    treebench convert --data data.txt --out there.cache
    succeeds
    treebench convert --data there.cache --out back.txt
    succeeds
    cmp data.txt back.txt
}

@test "info describes documents without a model" {
    treebench info --data data.txt
    succeeds
    [[ $output == *"documents "*500*"features "*8* ]]
}

@test "a truncated or modified cache is an error, and leaves nothing behind" {
    treebench convert --data data.txt --out data.cache
    head -c 1000 data.cache >cut.cache
    treebench convert --data cut.cache --out never.txt
    is_mistake "cut.cache: the file is incomplete: the cache should have"
    cp data.cache altered.cache
    printf x | dd of=altered.cache bs=1 seek=3000 conv=notrunc status=none
    treebench convert --data altered.cache --out never.txt
    is_mistake "altered.cache: the checksum is wrong"
    [ ! -e never.txt ]
}

@test "convert takes one input, and a supported format" {
    treebench convert --model model.json --data data.txt --out never
    is_mistake "--model and --data cannot be used together"
    treebench convert --data data.txt --out never --format csv9
    is_mistake "cannot write documents as 'csv9'"
    treebench convert --out never
    is_mistake "--model"
    [ ! -e never ]
}

@test "the catalogue gives the source of a data set" {
    treebench list
    succeeds
    [[ $output == *"mslr-web10k"*"wine-quality"* ]]
    grep -q "^  planes  .*, tests categories$" <<<"$output"
    [[ $(grep "^  pred " <<<"$output") != *categories* ]]
    treebench list --data-set mslr-web10k
    succeeds
    [[ $output == *"page       https://www.microsoft.com/"*"terms      "*"rows       1200192"* ]]
    run ! grep -q ^forests <<<"$output"
    mkdir -p sets/satlog
    touch sets/satlog/sat.trn sets/satlog/sat.tst
    export TREEBENCH_DATA='' TREEBENCH_DATA_SETS=$PWD/sets
    TREEBENCH_DATA_SETS=$PWD/later treebench list --data-set adult
    succeeds
    treebench list --data-set adult
    succeeds
    grep -qx "forests    64 features (int), 8141 test rows, random split; here: missing" <<<"$output"
    treebench list --data-set satlog
    [[ ${lines[-1]} == "forests    36 features (int), 2000 test rows, published split; here: whole" ]]
    treebench list --data-set mslr
    is_mistake "unknown data set 'mslr'"
}

@test "a stand-in has the data set's features and a note, as text and as a cache" {
    treebench synth --like mq2008 --documents 300 --data standin.txt
    succeeds
    treebench synth --like mq2008 --documents 300 --data standin.cache
    succeeds
    treebench info --data standin.txt
    succeeds
    text=$output
    [[ $output == *"synthetic stand-in for mq2008, seed 1"*"documents "*300*"features "*46* ]]
    treebench info --data standin.cache
    succeeds
    [ "$output" = "$text" ]
    treebench convert --data standin.cache --out again.txt
    cmp standin.txt again.txt
}

@test "synth --more-of: queries get documents, and the note says how many are made up" {
    treebench synth --like mq2008 --documents 300 --data standin.txt
    treebench synth --more-of standin.txt --documents 50 --data more.txt
    succeeds
    treebench info --data more.txt
    succeeds
    [[ $output == *" are changed copies, seed 1, of: synthetic stand-in for mq2008, seed 1"* ]]
    [ "$(grep -c 'qid:' more.txt)" -eq $((50 * $(grep -o 'qid:[0-9]*' standin.txt | sort -u | wc -l))) ]
    treebench synth --more-of standin.txt --data more.txt
    is_mistake "--documents"
    treebench synth --more-of standin.txt --documents 1 --data less.txt
    is_mistake "there is nothing to add"
    [ ! -e less.txt ]
    treebench synth --more-of standin.txt --documents 50 --data standin.txt
    is_mistake "--more-of"
    treebench synth --like mq2008 --more-of standin.txt --data more.txt
    is_mistake "--more-of has no effect with --like"
}

@test "trees grown on documents have a note, and every implementation agrees" {
    treebench synth --like mq2008 --documents 300 --data standin.cache
    treebench synth --grow-on standin.cache --trees 7 --leaves 6 --model grown.json
    succeeds
    treebench info --model grown.json
    succeeds
    [[ $output == *"not trained"*"stand-in for mq2008"*"trees "*7* ]]
    treebench verify --model grown.json --data standin.cache --impl struct --impl vpred
    [ "$status" -eq 0 ]
}

@test "trees grow on a table without its label" {
    for i in $(seq 60); do echo "$i,$((i % 7)),$((i % 2))"; done >table.csv
    treebench synth --grow-on table.csv --label last --trees 20 --model grown.json
    succeeds
    treebench info --model grown.json
    [[ $output == *"features "*"2, of which"* ]]
}

@test "copies of a model have its scores" {
    treebench synth --copies-of model.json --trees 12 --model copies.json
    succeeds
    treebench info --model copies.json
    [[ $output == *"bagging copies of a model of 3 trees"*"trees "*12* ]]
    "$TREEBENCH" score --model model.json --data data.txt >one
    "$TREEBENCH" score --model copies.json --data data.txt >many
    paste one many | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-9) exit 1 }'
}

@test "synth rejects combinations of its modes" {
    treebench synth --like mq2008 --depth 3 --data never
    is_mistake "--depth has no effect with --like"
    treebench synth --grow-on data.txt --trees 3 --model never --data never
    is_mistake "--data has no effect with --grow-on"
    treebench synth --like mq2008 --label last --data never
    is_mistake "--label has no effect with --like"
    treebench synth --copies-of model.json --model never
    is_mistake "--trees"
    treebench synth --like mq2009 --data never
    is_mistake "unknown data set 'mq2009'. Did you mean mq2007?"
    treebench synth --copies-of model.json --trees 2 --model never
    is_mistake "2 trees were requested, but the model already has 3"
    [ ! -e never ]
}
