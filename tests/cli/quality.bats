#!/usr/bin/env bats
# Trained models in treebench run and report: on stand-ins where there is no data, trained once.
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export TREEBENCH_DATA_SETS=$BATS_TEST_TMPDIR/none
    mkdir none
}

smoke() {
    treebench run --scale smoke --only asadi2014-table3 --out run "$@"
    show
    [ "$status" -eq 0 ]
}

@test "without data sets, models are trained on stand-ins that say so; resume trains none again" {
    TREEBENCH_DATA='' smoke
    [ "${lines[0]}" = "trained and judged 16 models; 0 were there before" ]
    [ "${#lines[@]}" -eq 1 ]
    [ "$(wc -l <run/quality.jsonl)" -eq 16 ]
    [ "$(find run/models -name '*.json' | wc -l)" -eq 16 ]
    treebench report --run run
    show
    [ "$status" -ne 2 ]
    for set in mq2008 ohsumed mslr-web10k yahoo-c14-set1; do
        grep -q "\*\*trained on a synthetic stand-in for $set, seed 1\*\*" run/asadi2014-table3.md
    done
    [[ $output == *"MSLR: trained on a synthetic stand-in"* ]]
    grep -q "^Data sets .*: mq2008 stand-in; .*\.$" run/report.md

    # A line is lost, and one is torn; the models stay.
    touch -d 2001-01-01 run/models/*
    sed -i '$d' run/quality.jsonl
    cp run/quality.jsonl fifteen
    printf '{"schema":1,' >>run/quality.jsonl
    TREEBENCH_DATA='' smoke --resume
    [ "${lines[0]}" = "trained and judged 1 models; 15 were there before" ]
    [ "$(wc -l <run/quality.jsonl)" -eq 16 ]
    head -n 15 run/quality.jsonl | cmp - fifteen
    [ -z "$(find run/models -newermt 2002-01-01 -type f)" ]

    treebench run --scale smoke --only asadi2014-table3 --out run
    is_mistake "quality.jsonl: holds models already. Give --resume"
    [[ $stderr == *--resume*--again* ]]
    treebench run --scale quick --only asadi2014-table3 --out run --resume
    is_mistake "scale was"
}

@test "a folder of data that is not there is a mistake; resume refuses other data" {
    mkdir -p data/ltr/mq2008
    TREEBENCH_DATA=$PWD/nope treebench run --scale smoke --only asadi2014-table3 --out run
    is_mistake "TREEBENCH_DATA=$PWD/nope: this folder does not exist"
    TREEBENCH_DATA='' TREEBENCH_DATA_SETS=$PWD/nope treebench run --scale smoke \
        --only asadi2014-table3 --out run
    is_mistake "TREEBENCH_DATA_SETS=$PWD/nope: this folder does not exist"
    [ ! -e run ]

    TREEBENCH_DATA='' smoke
    grep -q '"mq2008":[[:space:]]*"stand-in"' run/manifest.json
    cp run/manifest.json before
    : >data/ltr/mq2008/S1.txt.gz
    TREEBENCH_DATA=$PWD/data treebench run --scale smoke --only asadi2014-table3 --out run
    is_mistake "Give --resume"
    cmp before run/manifest.json
    TREEBENCH_DATA=$PWD/data treebench run --scale smoke --only asadi2014-table3 --out run --resume
    is_mistake 'data was {"mq2008":"stand-in"'
    [[ $stderr == *'but is now {"mq2008":"real"'* ]]
}

@test "with data sets, models are trained on them; a sample says that it is one" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset: no real data"
    smoke
    "$TREEBENCH" report --run run || [ $? -ne 2 ]
    sed -n "/^### MQ2008/,/^| L/p" run/asadi2014-table3.md >head
    grep -q "Here: 2 folds, 4 models\.$" head
    grep -q "^Test queries without relevant documents: [0-9]* of [0-9]* ([0-9.]* %)\.$" head
    sed -n "/^### OHSUMED/,/^| L/p" run/asadi2014-table3.md | grep -q "Here: 2 folds\.$"
    grep -q "\*\*trained on a sample of MSLR-WEB30K" run/asadi2014-table3.md
    grep -q "\*\*trained on a synthetic stand-in for yahoo-c14-set1" run/asadi2014-table3.md
}
