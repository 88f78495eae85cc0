#!/usr/bin/env bats
# treebench run --shard and merge: every cell is measured once, also if a part was killed.
load common

setup_file() {
    small_runs
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

part() {
    number=$1
    shift
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --counters none --shard "$number/3" \
        --out "part$number" "$@"
}

cells() {
    sed -n 's/.*"cell":"\([0-9a-f]*\)".*/\1/p' "$1/rows.jsonl" | sort -u
}

@test "shards: three parts, one of them killed and continued, are the whole run" {
    timeout --foreground -s KILL 0.2 "$TREEBENCH" run --scale smoke --only asadi2014-fig3 \
        --counters none --shard 2/3 --out part2 >/dev/null || true
    part 1
    part 2 --again
    part 3
    treebench merge --run part1 --run part2 --run part3 --out whole
    succeeds
    [ "$output" = "merged 3 parts: 18 cells; 0 cells are missing" ]
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --counters none --out at-once
    diff <(cells whole) <(cells at-once)
    [ "$(wc -l <whole/rows.jsonl)" -eq "$(wc -l <at-once/rows.jsonl)" ]
    [ "$(cells part1 | wc -l)" -eq 6 ]
    [ "$(wc -l <whole/rows.csv)" -eq $(($(wc -l <whole/rows.jsonl) + 1)) ]
    run ! grep -q '"shard"' whole/manifest.json
    grep -q '"shard":.*"2/3"' part2/manifest.json
}

@test "shards: missing cells are told, and what two parts have counts once" {
    part 1
    part 2
    treebench merge --run part1 --run part2 --run part1 --out whole
    [ "$status" -eq 3 ]
    [ "$output" = "merged 3 parts: 12 cells; 6 cells are missing" ]
    [[ $stderr == *"6 results are in several parts. The first of each is used"* ]]
    treebench merge --run part1 --run part2 --out whole
    is_mistake "whole: exists already"
}

@test "shards: what lies beside the whole run is left alone" {
    part 1
    cp -r part1 other
    cp -r part1 own.merging
    ln -s other whole.merging
    for out in whole own; do
        treebench merge --run part1 --out $out
        [ "$status" -eq 3 ]
        [ "$(cells $out)" = "$(cells part1)" ]
    done
    diff -r part1 other
    diff -r part1 own.merging
    [ -L whole.merging ]
    ln -s other link
    treebench merge --run part1 --out link
    is_mistake "link: exists already"
    ln -s nowhere hanging
    treebench merge --run part1 --out hanging
    is_mistake "hanging: cannot give the finished folder this name"
    [ "$(find . -name "*.tmp.*")" = "" ]
}

@test "shards: the name of the whole run may end in a slash, and be in a new folder" {
    part 1
    treebench merge --run part1/ --out new/whole/
    [ "$status" -eq 3 ]
    [ "$(cells new/whole)" = "$(cells part1)" ]
    [ "$(ls new)" = whole ]
    [ "$(stat -c %a new/whole)" = "$(stat -c %a part1)" ]
}

@test "shards: parts of different runs are refused, and nothing is left" {
    part 1
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --counters none --clock wall --shard 2/3 \
        --out part2
    treebench merge --run part1 --run part2 --out whole
    is_mistake "part2: not a part of the same run"
    [[ $stderr == *"clock"* ]]
    [ ! -e whole ]
    [ -z "$(find . -name "whole*")" ]
    treebench merge --run part1 --run nowhere --out whole
    is_mistake "nowhere"
    [ -z "$(find . -name "whole*")" ]
}

@test "shards: maps are no parts of a run" {
    part 1
    sed -i 's/"configs":.*{/&"map": "0a1b",/' part1/manifest.json
    treebench merge --run part1 --out whole
    is_mistake "part1: holds a map. Only parts of a run are merged"
    [ -z "$(find . -name "whole*")" ]
}

@test "shards: models and sizes of code are divided by artefact, and merged" {
    "$TREEBENCH" run --scale smoke --only asadi2014-table3 --shard 1/2 --out part1
    "$TREEBENCH" run --scale smoke --only asadi2014-table3 --shard 2/2 --out part2
    treebench merge --run part1 --run part2 --out whole
    succeeds
    "$TREEBENCH" run --scale smoke --only asadi2014-table3 --out at-once
    [ "$(wc -l <whole/quality.jsonl)" -eq "$(wc -l <at-once/quality.jsonl)" ]
    [[ $output == *" models; 0 cells are missing" ]]
}

@test "shards: another division of the run is not continued" {
    part 1
    run -2 --separate-stderr "$TREEBENCH" run --scale smoke --only asadi2014-fig3 \
        --counters none --shard 1/2 --out part1 --resume
    [[ $stderr == *'shard was "1/3", but is now "1/2"'* ]]
}

@test "shards: what is no shard is a mistake" {
    for text in 0/3 4/3 2 x/y; do
        treebench run --scale smoke --shard "$text" --out part
        is_mistake "--shard: '$text' is not I/N"
    done
}
