#!/usr/bin/env bats
# scripts/datasets.sh, with files of its own in place of the network.
load common

setup() {
    script=$BATS_TEST_DIRNAME/../../scripts/datasets.sh
    cd "$BATS_TEST_TMPDIR" || return 1
    export TREEBENCH_DATA_SETS=$BATS_TEST_TMPDIR/sets
    unset TREEBENCH_DATA_SETS_FROM
    mkdir published
}

script() {
    run --separate-stderr sh "$script" "$@"
    show
}

# An archive as Yahoo's: one archive in another. Two documents in each of its three files.
publish_yahoo() {
    for part in train valid test; do
        printf '1 qid:1 1:0.5\n0 qid:1 700:1\n' >"set1.$part.txt"
    done
    tar -cjf ltrc_yahoo.tar.bz2 set1.*.txt
    tar -czf published/dataset.tgz ltrc_yahoo.tar.bz2
    rm -f set1.*.txt ltrc_yahoo.tar.bz2
}

@test "what a person must fetch is named, with the page, the terms and the place" {
    script mslr-web10k
    [ "$status" -eq 2 ]
    [[ $output == *"the online agreement"* ]]
    [[ $stderr == *"Open https://www.microsoft.com/"*"put MSLR-WEB10K.zip into $TREEBENCH_DATA_SETS/mslr-web10k"* ]]
}

@test "an unknown data set is a mistake" {
    script mslr
    [ "$status" -eq 2 ]
    [[ $stderr == *"unknown data set 'mslr'"* ]]
    script
    [ "$status" -eq 2 ]
    [[ $stderr == *"usage: datasets.sh NAME"* ]]
    run --separate-stderr sh "$script" --help
    [ "$status" -eq 0 ]
    [[ $output == *"datasets.sh NAME "* ]]
    run --separate-stderr sh "$script" --all
    [ "$status" -eq 2 ]
    [[ $stderr == *"no option '--all'"* ]]
}

@test "a file with a wrong checksum is refused" {
    echo "not the archive" >published/istella-letor.tar.gz
    TREEBENCH_DATA_SETS_FROM=file://$PWD/published script istella
    [ "$status" -eq 1 ]
    [[ $stderr == *"istella-letor.tar.gz: its sha256 is "*", not d45899d9"* ]]
}

@test "documents are fetched, unpacked, converted and counted" {
    publish_yahoo
    TREEBENCH_DATA_SETS_FROM=file://$PWD/published script yahoo-c14-set1
    [ "$status" -eq 1 ]
    [[ $output == *"dataset.tgz: no checksum is known"* ]]
    [[ $stderr == *"6 documents in all files, but the catalogue has 709877: this is not the whole data set"* ]]
    for part in train valid test; do
        treebench info --data "sets/yahoo-c14-set1/set1.$part.cache"
        succeeds
        [[ $output == *"documents "*2*"features "*700* ]]
    done
    # Once unpacked nothing is fetched again, and a cache that is newer than its text stays.
    rm -r published sets/yahoo-c14-set1/dataset.tgz
    touch -r sets/yahoo-c14-set1/set1.test.cache stamp
    script yahoo-c14-set1
    [ "$status" -eq 1 ]
    [[ $output != *fetch* ]]
    [ ! sets/yahoo-c14-set1/set1.test.cache -nt stamp ]
}

@test "an archive that is cut is refused" {
    publish_yahoo
    mkdir -p sets/yahoo-c14-set1
    head -c 100 published/dataset.tgz >sets/yahoo-c14-set1/dataset.tgz
    script yahoo-c14-set1
    [ "$status" -eq 1 ]
    [[ $stderr == *"dataset.tgz: could not be unpacked"* ]]
}

@test "a broken document is named, and makes no cache" {
    mkdir -p sets/yahoo-c14-set1
    for part in train valid test; do
        echo "1 qid:1 1:x" >"sets/yahoo-c14-set1/set1.$part.txt"
    done
    script yahoo-c14-set1
    [ "$status" -eq 1 ]
    [[ $stderr == *"set1.train.txt:1:11: 'x' is not a value for feature 1"* ]]
    [ ! -e sets/yahoo-c14-set1/set1.train.cache ]
}

@test "what is not there is said so" {
    TREEBENCH_DATA_SETS_FROM=file://$PWD/published script letter
    [ "$status" -eq 2 ]
    [[ $stderr == *"could not fetch file://"*"fetch it by hand into"* ]]
    [ ! -e sets/letter/letter+recognition.zip ]
}

@test "a table is converted with its column of labels" {
    mkdir -p sets/letter
    printf 'T,2,8\nI,5,12\nT,4,11\n' >sets/letter/letter-recognition.data
    script letter
    [ "$status" -eq 1 ]
    [[ $stderr == *"3 documents in all files, but the catalogue has 20000"* ]]
    treebench info --data sets/letter/letter-recognition.data.cache
    succeeds
    [[ $output == *"documents "*3*"features "*2*"labels "*"0 to 1"* ]]
}

@test "what treebench cannot read is unpacked, and its label named" {
    echo "word" >review.txt
    tar -czf published/aclImdb_v1.tar.gz review.txt
    TREEBENCH_DATA_SETS_FROM=file://$PWD/published script imdb
    [ "$status" -eq 0 ]
    [ -f sets/imdb/review.txt ]
    [[ $output == *"cannot read it. The label: the folder, pos or neg"* ]]
}

@test "real data: the bank's table comes out complete" {
    [ -n "${TREEBENCH_DATA:-}" ] || skip "TREEBENCH_DATA is unset"
    cp "$TREEBENCH_DATA/tabular/bank-additional.zip" published/bank+marketing.zip
    TREEBENCH_DATA_SETS_FROM=file://$PWD/published script bank
    [ "$status" -eq 0 ]
    [[ $output == *"bank-additional.bank-additional-full.csv.cache" ]]
}
