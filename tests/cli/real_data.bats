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

# The figures were computed with a second implementation, in awk.
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

@test "score and verify: a LightGBM model and its table, with names and gzipped or not" {
    model=$TREEBENCH_DATA/models/nyc_taxi.100.lleaves.lgbm.txt.gz
    table=$TREEBENCH_DATA/models/nyc_taxi.random1000.csv
    treebench score --model "$model" --data "$table"
    succeeds
    expected=$output
    gzip -cd "${model%.lgbm*}.raw-scores-on.random1000.txt.gz" >scores.txt
    paste scores.txt - <<<"$output" | awk '{ d = $1 - $2; if (d * d > 1e-24) exit 1 }'
    # Columns in the other order, a label among them, and missing values in all three ways.
    awk -F, 'NR == 1 { print "Column_4,Column_3,price,Column_2,Column_1,Column_0" }
        { gsub("nan", NR % 3 == 1 ? "" : NR % 3 == 2 ? "NA" : "nan"); print $5 "," $4 ",1," $3 "," $2 "," $1 }' \
        "$table" | gzip >turned.csv.gz
    treebench score --model "$model" --data turned.csv.gz --label price
    show
    [ "$output" = "$expected" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    treebench verify --model "$model" --data turned.csv.gz --label price --impl vpred --impl struct-plus
    [ "$status" -eq 0 ]
}

@test "eval: the accuracy of LightGBM's three classes" {
    model=$TREEBENCH_DATA/models/multiclass.120.lleaves.lgbm.txt.gz
    table=$TREEBENCH_DATA/models/multiclass.random1000.csv
    gzip -cd "${model%.lgbm*}.raw-scores-on.random1000.txt.gz" |
        awk '{ c = 0; for (i = 2; i <= NF; i++) if ($i + 0 > $(c + 1) + 0) c = i - 1; print NR % 4 ? c : (c + 1) % 3 }' >classes
    paste -d, classes "$table" >labelled.csv
    treebench eval --model "$model" --data labelled.csv --label 1
    succeeds
    [ "${lines[1]}" = "accuracy     0.75" ]
    treebench eval --model "$model" --data labelled.csv --label 1 --metric rmse
    is_mistake "rmse needs one output per document, but the scores have 3 outputs"
}

@test "a dump of XGBoost's trees is distinguished from its models" {
    treebench info --model "$TREEBENCH_DATA/models/rankeval-samples/XGBoost.model.txt"
    is_mistake 'XGBoost.model.txt:1: an XGBoost dump'
}
