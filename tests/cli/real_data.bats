#!/usr/bin/env bats
# The ensemble and the documents that the authors of asadi2014 published.
load common

setup() {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset: no real data"
    model=$TREEBENCH_DATA/models/opttrees.jforests.ensemble.xml
    data=$TREEBENCH_DATA/models/opttrees.features.mslr.dat
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "info: 100 trees of 8 leaves" {
    treebench info --model "$model" --data "$data"
    succeeds
    grep -q "^trees  *100$" <<<"$output"
    grep -q "^leaves per tree  *8.00 mean, 8 max$" <<<"$output"
    grep -q "^documents  *20$" <<<"$output"
}

@test "score: 20 scores, the same from the converted model" {
    treebench score --model "$model" --data "$data"
    succeeds
    [ "${#lines[@]}" -eq 20 ]
    expected=$output
    "$TREEBENCH" convert --model "$model" --out model.json
    treebench score --model model.json --data "$data"
    succeeds
    [ "$output" = "$expected" ]
}

@test "verify: all implementations agree" {
    treebench verify --model "$model" --data "$data"
    succeeds
    [[ ${lines[-1]} =~ ^all\ [0-9]+\ implementations\ agree ]]
}

# The figures were worked out by a second implementation, in awk.
@test "eval: LightGBM's own scores of MQ2008, in all three conventions" {
    gzip -cd "$TREEBENCH_DATA/models/mq2008.lmart100x31.raw-scores-on.mq2008-S5.txt.gz" >scores.txt
    for expected in zero:0.481098 one:0.808021 skip:0.714775; do
        treebench eval --data "$TREEBENCH_DATA/ltr/mq2008/S5.txt.gz" --scores scores.txt \
            --metric ndcg@10 --no-relevant "${expected%:*}"
        succeeds
        [ "${lines[1]}" = "queries      156, 51 of them without a relevant document" ]
        [ "${lines[2]}" = "ndcg@10      ${expected#*:}" ]
    done
}

@test "train and eval: LightGBM's ranking example, its query sizes in files of their own" {
    example=$TREEBENCH_DATA/ltr/lightgbm-rank-example
    treebench train --learner lambdamart --data "$example/rank.train.gz" \
        --queries "$example/rank.train.query" --valid "$example/rank.test.gz" \
        --valid-queries "$example/rank.test.query" --trees 20 --out ranker.json
    succeeds
    [[ $output == "validation ndcg@10 "*"0.7"* ]]
    treebench eval --model ranker.json --data "$example/rank.test.gz" \
        --queries "$example/rank.test.query"
    succeeds
    [ "${lines[1]}" = "queries      50, 0 of them without a relevant document" ]
    [[ $output == *"ndcg@10      0.7"* ]]
}
