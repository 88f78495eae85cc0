#!/usr/bin/env bats
# Learning from files: documents in, a model out that the other commands read.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # Class 1 where the first feature is over 50; 20 queries of 10 documents.
    awk 'BEGIN {
        for (row = 0; row < 200; row++) {
            x = (row * 37) % 101; y = (row * 53) % 97
            printf "%d qid:%d 1:%d 2:%d\n", (x > 50), int(row / 10) + 1, x, y
        }
    }' >train.txt
    head -n 100 train.txt >valid.txt
    sed 's/qid:[0-9]* //' train.txt >plain.txt
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "cart finds the rule" {
    treebench train --learner cart --data plain.txt --out cart.json
    succeeds
    treebench eval --model cart.json --data plain.txt --metric accuracy
    succeeds
    [ "${lines[1]}" = "accuracy     1" ]
    treebench info --model cart.json
    succeeds
    grep -q "^leaves per tree  *2.00 mean, 2 max$" <<<"$output"
}

@test "forests: trees, depth and seed are what was asked for, threads change nothing" {
    for learner in random-forest extra-trees; do
        treebench train --learner "$learner" --data plain.txt --trees 9 --depth 3 --seed 4 \
            --out one.json
        succeeds
        treebench train --learner "$learner" --data plain.txt --trees 9 --depth 3 --seed 4 \
            --threads 3 --out three.json
        succeeds
        cmp one.json three.json
        treebench info --model one.json
        grep -q "^trees  *9$" <<<"$output"
        grep -qE "^depth .* [1-3] max$" <<<"$output"
        treebench verify --model one.json
        [ "$status" -eq 0 ]
    done
}

@test "classification: a vote per tree, or sums of shares" {
    sed 's/^0 /-1 /' plain.txt >signs.txt
    for data in plain.txt signs.txt; do
        treebench train --learner random-forest --data "$data" --trees 5 --out votes.json
        [ "$status" -eq 0 ]
        treebench info --model votes.json
        grep -q "^votes " <<<"$output"
        grep -q "^outputs  *2$" <<<"$output"
        treebench eval --model votes.json --data "$data"
        grep -q "^accuracy  *1$" <<<"$output"
    done
    treebench train --learner random-forest --sum-shares --data plain.txt --trees 5 --out shares.json
    succeeds
    treebench info --model shares.json
    grep -q "^outputs  *1$" <<<"$output"
    run ! grep -q "^votes " <<<"$output"
    treebench train --learner cart --task regression --sum-shares --data plain.txt --out never.json
    is_mistake "--sum-shares has no effect on regression"
    treebench train --learner lambdamart --sum-shares --data train.txt --out never.json
    is_mistake "--sum-shares is not supported by lambdamart"
}

@test "regression: the mean label far from the step" {
    treebench train --learner random-forest --task regression --data plain.txt --trees 5 \
        --out regression.json
    succeeds
    treebench eval --model regression.json --data plain.txt --metric rmse
    succeeds
    awk -v rmse="${lines[1]#rmse }" 'BEGIN { exit !(rmse < 0.1) }'
}

@test "lambdamart: early stopping, and a model that ranks" {
    treebench train --learner lambdamart --data train.txt --valid valid.txt --trees 50 \
        --patience 10 --leaves 4 --out ranker.json
    succeeds
    [[ $output =~ ^validation\ ndcg@10\ +1,\ after\ [0-9]+\ of\ [0-9]+\ trees$ ]]
    treebench eval --model ranker.json --data train.txt --metric ndcg@10
    succeeds
    [ "${lines[2]}" = "ndcg@10      1" ]
}

@test "lambdamart: much memory is told, and training that lacks it is refused" {
    treebench synth --like yahoo-c14-set1 --documents 20000 --data wide.cache
    treebench train --learner lambdamart --data wide.cache --trees 1 --leaves 64 --out wide.json
    [ "$status" -eq 0 ]
    [[ $stderr == *"training takes up to 0.6 GB of memory besides the documents"* ]]
    [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -lt 110000000 ] ||
        skip "more than 110 GB of memory are available"
    grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || ulimit -v 4000000 # if it is not refused
    treebench train --learner lambdamart --data wide.cache --leaves 65536 --out never.json
    is_mistake "wide.cache: training takes up to 114.9 GB more memory, and "
    [ ! -e never.json ]
}

@test "lambdamart: query sizes in files of their own give the model that qid: gives" {
    sed 's/qid:[0-9]* //' valid.txt >plain-valid.txt
    yes 10 | head -n 20 >train.sizes
    yes 10 | head -n 10 >valid.sizes
    treebench train --learner lambdamart --data train.txt --valid valid.txt --trees 5 --out qid.json
    succeeds
    treebench train --learner lambdamart --data plain.txt --queries train.sizes \
        --valid plain-valid.txt --valid-queries valid.sizes --trees 5 --out sizes.json
    succeeds
    cmp qid.json sizes.json
    treebench train --learner lambdamart --data plain.txt --queries valid.sizes --out never.json
    is_mistake "valid.sizes:10: the queries have 100 documents together, but plain.txt has 200"
    treebench train --learner lambdamart --data plain.txt --queries train.sizes --out train.sizes
    is_mistake "--out"
}

@test "a table, its label named; its rows need no queries" {
    { echo "class,x,y" && sed 's/qid:[0-9]* //; s/ [12]:/,/g' train.txt; } >table.csv
    treebench train --learner cart --data table.csv --label class --out table.json
    succeeds
    treebench train --learner cart --data plain.txt --out cart.json
    grep -q '"feature_names": *\["x", *"y"\]' table.json
    grep -v feature_names table.json | cmp - cart.json
    treebench train --learner cart --data table.csv --out unlabelled.json
    is_mistake "table.csv: the documents have no labels, which learning needs"
}

@test "what is learned from a stand-in says so" {
    treebench synth --like mq2008 --documents 300 --data standin.cache
    treebench train --learner cart --depth 3 --data standin.cache --out standin.json
    succeeds
    treebench info --model standin.json
    grep -q "^note  *learned from synthetic stand-in for mq2008" <<<"$output"
}

@test "mistakes are one line each, and leave no model" {
    try() {
        treebench train --out never.json "${@:2}"
        is_mistake "$1"
        [ ! -e never.json ]
    }
    try "train: --learner NAME is required" --data plain.txt
    try "--learner: 'cat' is not one of lambdamart, cart, random-forest, extra-trees: did you" \
        --learner cat --data plain.txt
    try "--leaves is not supported by cart" --learner cart --leaves 4 --data plain.txt
    try "--trees is not supported by cart" --learner cart --trees 4 --data plain.txt
    try "--valid is not supported by extra-trees" --learner extra-trees --valid v --data plain.txt
    try "--depth is not supported by lambdamart" --learner lambdamart --depth 4 --data train.txt
    try "--patience has no effect without --valid FILE" --learner lambdamart \
        --patience 4 --data train.txt
    try "--queries is not supported by cart" --learner cart --data plain.txt --queries q
    try "--valid-queries has no effect without --valid FILE" --learner lambdamart \
        --data train.txt --valid-queries q
    try "--task: 'rank' is not one of classification, regression" --learner cart --task rank \
        --data plain.txt
    try "--depth" --learner cart --depth 0 --data plain.txt
    try "--leaves" --learner lambdamart --leaves 1 --data train.txt
    try "absent.txt" --learner cart --data absent.txt
    try "plain.txt: the documents have no queries, which LambdaMART needs" --learner lambdamart \
        --data plain.txt
    try "plain.txt: the documents have no queries, which LambdaMART needs" --learner lambdamart \
        --data train.txt --valid plain.txt
    sed 's/^1/0.5/' plain.txt >halves.txt
    try "halves.txt: document " --learner cart --data halves.txt
}

@test "lambdamart ranks MQ2008 as well as LambdaMART does" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset: no real data"
    fold=$TREEBENCH_DATA/ltr/mq2008
    gzip -cd "$fold/S1.txt.gz" "$fold/S2.txt.gz" "$fold/S3.txt.gz" >mq2008.txt
    treebench train --learner lambdamart --data mq2008.txt --valid "$fold/S4.txt.gz" --trees 60 \
        --patience 20 --out mq2008.json
    succeeds
    treebench eval --model mq2008.json --data "$fold/S5.txt.gz" --metric ndcg@10
    succeeds
    awk -v ndcg="${lines[2]#ndcg@10 }" 'BEGIN { exit !(ndcg > 0.46 && ndcg < 0.52) }'
    # Leaf by leaf: level by level, XGBoost makes trees that are less than 7 deep in the mean.
    treebench info --model mq2008.json
    grep -q "^leaves per tree  *31.00 mean, 31 max$" <<<"$output"
    awk '$1 == "depth" { deep = $2 > 7 } END { exit !deep }' <<<"$output"
}

@test "train does not write the model over its documents" {
    cp plain.txt mine.txt
    treebench train --learner cart --data mine.txt --out mine.txt
    is_mistake "--out"
    cmp plain.txt mine.txt
    cp train.txt held.txt
    treebench train --learner lambdamart --data train.txt --valid held.txt --out held.txt
    is_mistake "--out"
    cmp train.txt held.txt
}

@test "synth gives labels that can be learned, and are the same for the same seed" {
    for seed in 1 2; do
        treebench synth --depth 4 --features 20 --documents 2000 --seed "$seed" --data "made$seed.txt"
        succeeds
    done
    treebench synth --depth 4 --features 20 --documents 2000 --seed 1 --data again.txt
    succeeds
    cmp made1.txt again.txt
    treebench train --learner extra-trees --task regression --data made1.txt --trees 20 --depth 8 \
        --out learned.json
    succeeds
    # On documents that it has not seen, better than the mean label.
    treebench eval --model learned.json --data made2.txt --metric rmse
    succeeds
    awk -v rmse="${lines[1]#rmse }" '{ n++; sum += $1; squares += $1 * $1 }
        END { exit !(rmse < 0.8 * sqrt(squares / n - (sum / n) ^ 2)) }' made2.txt
}
