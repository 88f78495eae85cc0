#!/usr/bin/env bats
# eval: metrics of a model's scores, and of scores in a file.
load common

setup_file() {
    make_inputs
    # The scores put the one relevant document of query 1 at rank 3, of query 2 at rank 1; query 3
    # has none.
    printf '%s\n' "0 qid:1 1:1" "0 qid:1 1:2" "1 qid:1 1:3" "2 qid:2 1:1" "0 qid:2 1:2" "0 qid:3 1:1" >ranked.txt
    printf '%s\n' 3 2 1 5 4 1 >ranked.scores
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "eval: scores of a file, worked out by hand" {
    treebench eval --data ranked.txt --scores ranked.scores --metric ndcg --metric ndcg@2 --metric map
    succeeds
    [ "${lines[0]}" = "documents    6" ]
    [ "${lines[1]}" = "queries      3, 1 of them without a relevant document" ]
    [ "${lines[2]}" = "ndcg         0.5" ]
    [ "${lines[3]}" = "ndcg@2       0.333333" ]
    [ "${lines[4]}" = "map          0.444444" ]
    [ "${#lines[@]}" -eq 5 ]
}

@test "eval: query sizes in a file of their own, and documents that convert writes with them" {
    treebench eval --data ranked.txt --scores ranked.scores
    succeeds
    expected=$output
    sed 's/qid:[0-9]* //' ranked.txt >bare.txt
    printf '%s\n' 3 2 1 >sizes
    treebench eval --data bare.txt --queries sizes --scores ranked.scores
    succeeds
    [ "$output" = "$expected" ]
    treebench convert --data bare.txt --queries sizes --out back.txt
    succeeds
    cmp ranked.txt back.txt
    treebench eval --data bare.txt --scores ranked.scores --metric ndcg
    is_mistake "the documents have no queries. Add qid:N"
    printf '%s\n' 3 4 >sizes
    treebench eval --data bare.txt --queries sizes --scores ranked.scores
    is_mistake "sizes:2: this query has 4 documents, but only 3 of the 6 documents of bare.txt are left"
    treebench eval --data ranked.txt --queries sizes --scores ranked.scores
    is_mistake "ranked.txt has queries of its own"
}

@test "eval: the convention for queries without relevant documents" {
    treebench eval --data ranked.txt --scores ranked.scores --metric ndcg --no-relevant one
    [ "${lines[2]}" = "ndcg         0.833333" ]
    treebench eval --data ranked.txt --scores ranked.scores --metric ndcg --no-relevant skip
    [ "${lines[2]}" = "ndcg         0.75" ]
    treebench eval --data ranked.txt --scores ranked.scores --no-relevant half
    is_mistake "'half' is not one of zero, one, skip"
}

@test "eval: a model gives what its scores in a file give" {
    "$TREEBENCH" score --model model.json --data data.txt --out scores.txt
    treebench eval --data data.txt --model model.json --metric rmse
    succeeds
    [[ ${lines[1]} == "rmse "* ]]
    expected=$output
    treebench eval --data data.txt --scores scores.txt --metric rmse
    succeeds
    [ "$output" = "$expected" ]
    treebench eval --data data.txt --model model.json --metric rmse --impl struct
    [ "$output" = "$expected" ]
}

@test "eval: without --metric, what fits the documents" {
    treebench eval --data ranked.txt --scores ranked.scores
    succeeds
    grep -q "^ndcg@10 " <<<"$output"
    printf '%s\n' "1 1:1" "0 1:2" >plain.txt
    printf '%s\n' 1 2 >plain.scores
    treebench eval --data plain.txt --scores plain.scores
    succeeds
    [ "${lines[1]}" = "accuracy     0.5" ]
    sed "s/^0/-1/" plain.txt >signs.txt
    treebench eval --data signs.txt --scores plain.scores
    [ "${lines[1]}" = "accuracy     0.5" ]
    sed "s/^0/2/" plain.txt >amounts.txt
    treebench eval --data amounts.txt --scores plain.scores
    [ "${lines[1]}" = "rmse         0" ]
    printf '%s\t%s\n' 1 2 3 4 >two.scores
    treebench eval --data plain.txt --scores two.scores
    succeeds
    [ "${lines[1]}" = "accuracy     0.5" ]
}

@test "eval: mistakes are one line" {
    treebench eval --data ranked.txt
    is_mistake "eval: --model FILE or --scores FILE is required"
    treebench eval --data ranked.txt --scores ranked.scores --model model.json
    is_mistake "--model and --scores cannot be used together"
    treebench eval --scores ranked.scores
    is_mistake "--data FILE is required"
    treebench eval --data - --scores -
    is_mistake "cannot both be standard input"
    treebench eval --data ranked.txt --scores ranked.scores --metric dcg
    is_mistake "unknown metric 'dcg'"
    treebench eval --data ranked.txt --scores ranked.scores --metric accuracy
    is_mistake "ranked.txt: document 3 (counted from 0) has label 2"
    treebench eval --data data.txt --model model.json --impl noop --metric rmse
    is_mistake "noop is a baseline"
}

@test "eval: a file of scores that does not fit is refused with its line" {
    printf '%s\n' 1 2 3 4 5 >few.scores
    treebench eval --data ranked.txt --scores few.scores
    is_mistake "few.scores: the file has 5 scores, but there are 6 documents"
    printf '%s\n' 1 2 3 4 5 6 7 >many.scores
    treebench eval --data ranked.txt --scores many.scores
    is_mistake "many.scores:7: the file has more scores than there are documents (6)"
    printf '%s\n' 1 2 x 4 5 6 >word.scores
    treebench eval --data ranked.txt --scores word.scores
    is_mistake "word.scores:3:"
    printf '1\n2\n\n4\n5\n6\n' >gap.scores
    treebench eval --data ranked.txt --scores gap.scores
    is_mistake "gap.scores:3:"
    printf '1\n2\n3\n4\t4\n5\n6\n' >wide.scores
    treebench eval --data ranked.txt --scores wide.scores
    is_mistake "wide.scores:4:"
    printf '1\n2\nnan\n4\n5\n6\n' >nan.scores
    treebench eval --data ranked.txt --scores nan.scores
    is_mistake "document 2 (counted from 0): the score is not a number"
    : >empty.scores
    treebench eval --data ranked.txt --scores empty.scores
    is_mistake "empty.scores: "
    treebench eval --data ranked.txt --scores nonesuch.scores
    is_mistake "nonesuch.scores"
    printf '1\n2\n3\n4\n5\n6' >open.scores
    treebench eval --data ranked.txt --scores open.scores
    succeeds
}
