#!/usr/bin/env bats
# Tables: words, names, queries, the number of columns, absent features.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    make_stump
    "$TREEBENCH" convert --model stump.xml --out plain.json
    # With names: x <= 0.5 ? 10 : (z <= 1.5 ? 20 : 30).
    sed 's/"base"/"feature_names": ["x", "y", "z"], "base"/' plain.json >named.json
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# The only note is that the columns of a table with a header are matched by position.
by_position() {
    show
    [ "$status" -eq 0 ] && [ "$stderr" = "treebench: $1: columns are taken by position, because $2 has no feature names" ]
}

@test "words are rejected in features that are scored, and in labels that eval uses" {
    printf 'x,y,z,label\n0,1,red,u\n1,1,blue,v\n' >words.csv
    for command in score verify compare eval; do
        treebench "$command" --model named.json --data words.csv
        is_mistake "words.csv:2:5: column 3 contains text ('red')"
    done
    sed 's/red/2/; s/blue/3/' words.csv >labels.csv
    treebench score --model plain.json --data labels.csv
    by_position labels.csv plain.json
    [ "$output" = $'10\n30' ]
    treebench eval --model plain.json --data labels.csv
    is_mistake "labels.csv:2:7: column 4 contains text ('u')"
}

@test "convert: a note names the feature names that a format cannot store" {
    for format in onnx quickrank; do
        treebench convert --model named.json --out unnamed --format $format
        show
        [ "$status" -eq 0 ]
        [[ ${stderr_lines[-1]} == "treebench: unnamed: feature names were not written, because "*" has none; columns are taken by position" ]]
        treebench convert --model plain.json --out unnamed --format $format
        [[ $stderr != *names* ]]
    done
    for format in treebench lightgbm xgboost; do
        treebench convert --model named.json --out named --format $format
        succeeds
        printf 'z,y,x\n1,0,1\n' >turned.csv
        treebench score --model named --data turned.csv
        [ "$output" = 20 ]
    done
}

@test "convert and train: words are coded in sorted order, with a note" {
    printf 'x,c\n1,red\n2,blue\n3,red\n' >one.csv
    printf 'x,c\n2,blue\n1,red\n' >two.csv
    for file in one two; do
        treebench convert --data $file.csv --label c --out $file.txt
        show
        [ "$status" -eq 0 ]
        [ "${stderr_lines[0]}" = "treebench: $file.csv: the text in 'c' was replaced by the codes 0, 1, ... in sorted order. Another file gets the same codes only if it has the same words" ]
        [ "${stderr_lines[1]}" = "treebench: $file.txt: SVMlight text has no column names; the columns became features 1 to 1" ]
    done
    [ "$(cat one.txt)" = $'1 1:1\n0 1:2\n1 1:3' ]
    [ "$(cat two.txt)" = $'0 1:2\n1 1:1' ]
    treebench train --learner cart --data one.csv --label c --out tree.json
    show
    [ "$status" -eq 0 ]
    [[ ${stderr_lines[0]} == *"one.csv: the text in 'c' was replaced"* ]]
}

@test "train: a table's names become the model's" {
    printf 'a,b,label\n1,0,0\n2,1,1\n3,0,2\n4,1,3\n' >train.csv
    printf 'b,id,a\n0,x,1\n1,y,2\n' >other.csv
    treebench train --learner cart --task regression --data train.csv --out tree.json
    treebench score --model tree.json --data other.csv
    show
    [ "$output" = $'0\n1' ]
    [[ $stderr == *"columns are matched by name with the features of tree.json, 1 left out" ]]
    sed '1s/.*/a,a,label/' train.csv >twice.csv
    treebench train --learner cart --task regression --data twice.csv --out tree.json
    treebench score --model tree.json --data twice.csv
    by_position twice.csv tree.json
    [ "$output" = $'0\n1\n2\n3' ]
}

@test "train: labels that count from 1" {
    printf 'x,c\n1,1\n2,2\n3,3\n' >from1.csv
    treebench train --learner cart --data from1.csv --label c --out tree.json
    show
    [ "$status" -eq 0 ]
    [[ $stderr == *"from1.csv: labels are 1 to 3, but classes are numbered from 0. The model also gets outputs for classes without documents"* ]]
    treebench train --learner cart --task regression --data from1.csv --label c --out tree.json
    [[ $stderr != *"labels are"* ]]
}

@test "a cache keeps names: its columns are matched by name like those of the table" {
    printf 'z,label,x,y\n2,10,0.5,-1\n1.5,20,0.6,7\n3,30,1,0\n' >mixed.csv
    treebench convert --data mixed.csv --out mixed.cache
    succeeds
    treebench score --model named.json --data mixed.cache
    show
    [ "$output" = $'10\n20\n30' ]
    [ "$stderr" = "treebench: mixed.cache: columns are matched by name with the features of named.json" ]
    sed 1s/y/q/ mixed.csv >some.csv
    "$TREEBENCH" convert --data some.csv --out some.cache
    treebench score --model named.json --data some.cache
    is_mistake "some.cache: the table has columns for some of the model's features, but not for 'y' (feature 1)"
}

@test "a cache of another version must be recreated" {
    printf '1 1:1\n' >one.txt
    "$TREEBENCH" convert --data one.txt --out old.cache
    printf '\001' | dd of=old.cache bs=1 seek=12 conv=notrunc status=none
    treebench info --data old.cache
    is_mistake "old.cache: the cache has version 1, but this program reads version 2"
}

@test "columns are matched by position only if their number is that of the features" {
    printf '1,2,3\n4,5,6\n' >three.csv
    treebench score --model plain.json --data three.csv
    succeeds
    printf '1,2,3,4\n4,5,6,7\n' >four.csv
    for command in score eval verify compare; do
        treebench "$command" --model plain.json --data four.csv
        is_mistake "four.csv: the table has 4 feature columns, but plain.json needs 3. Name the column of labels with --label"
    done
    treebench score --model plain.json --data four.csv --label last
    succeeds
    printf '1,2\n4,5\n' >two.csv
    treebench score --model plain.json --data two.csv
    is_mistake "two.csv: the table has 2 feature columns, but plain.json needs 3"
    "$TREEBENCH" convert --data four.csv --out four.cache
    treebench score --model plain.json --data four.cache
    is_mistake "four.cache: the table has 4 feature columns, but plain.json needs 3"
    treebench info --model plain.json --data four.csv
    succeeds
    # QuickRank's format does not store the number of features.
    treebench score --model stump.xml --data four.csv
    succeeds
    treebench score --model stump.xml --data two.csv
    is_mistake "two.csv: the table has 2 feature columns, but stump.xml needs at least 3"
}

@test "a table of one column is a table for a model of one feature" {
    # x <= 10 ? 1 : 2
    echo '{"format":"treebench","version":1,"features":1,"outputs":1,"base":[0],"trees":[{"output":0,
        "feature":[0],"threshold":[10],"left":[-1],"right":[-2],"value":[1,2]}]}' >one.json
    printf '%s\n' 1 5 15 19 >numbers
    for table in numbers "- <numbers"; do
        run --separate-stderr sh -c "$TREEBENCH score --model one.json --data $table"
        succeeds
        [ "$output" = $'1\n1\n2\n2' ]
    done
    { echo x && cat numbers; } >column.csv
    treebench score --model one.json --data column.csv
    by_position column.csv one.json
    [ "$output" = $'1\n1\n2\n2' ]
    # tune stores times: score would report what they come from.
    XDG_CACHE_HOME=$PWD/tuned
    for command in verify "compare --rounds 2 --impl struct" "tune --seconds 1" "blocking --measure none" \
        "score --impl qs"; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --model one.json --data numbers
        show
        [ "$status" -eq 0 ] && [[ $stderr != *"no features"* ]]
    done
    XDG_CACHE_HOME=$PWD/untuned
    # A label behind the feature, and the only feature is not a label.
    printf '%s\n' "1 1" "5 1" "15 2" "19 2" >labelled
    treebench eval --model one.json --data labelled --label last
    show
    [ "$status" -eq 0 ] && [ "${lines[1]}" = "rmse         0" ]
    treebench eval --model one.json --data numbers
    is_mistake "the documents have no labels"
    # SVMlight text stays SVMlight text.
    printf '%s\n' "1 1:1" 1 "2 1:15" >text
    treebench score --model one.json --data text
    succeeds
    [ "$output" = $'1\n1\n2' ]
}

@test "lines of one number are refused if nothing decides, and --data-format decides" {
    printf '%s\n' 1 5 15 19 >numbers
    for command in "score --model plain.json" "verify --model plain.json" "compare --model plain.json" \
        "tune --model plain.json" "eval --model plain.json" "convert --out never.cache" info \
        "train --learner cart --out never.json"; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --data numbers
        is_mistake "numbers: every line is one number. Add --data-format csv if this is a table of one column, or --data-format svmlight if these are labels without features"
    done
    treebench synth --grow-on numbers --trees 1 --model never.json
    is_mistake "numbers: every line is one number"
    [ ! -e never.cache ] && [ ! -e never.json ]
    treebench convert --data numbers --data-format csv --out column.csv
    succeeds
    cmp numbers column.csv
    treebench convert --data numbers --data-format svmlight --out labels.csv
    succeeds
    [ "$(head -n 2 labels.csv)" = $'label\n1' ]
    treebench score --model plain.json --data numbers --data-format svmlight
    show
    [ "$output" = $'10\n10\n10\n10' ]
    treebench score --model plain.json --data numbers --data-format csv
    is_mistake "numbers: the table has 1 feature columns, but plain.json needs 3"
    "$TREEBENCH" convert --data numbers --data-format csv --out numbers.cache
    treebench info --data numbers.cache --data-format csv
    is_mistake "numbers.cache: --data-format is for text, but the file is a cache"
    treebench info --model plain.json --data-format csv
    is_mistake "--data-format has no effect without --data FILE"
}

@test "spaces separate the fields of a table with a header, and of one with two columns" {
    printf 'x y z\n0 1 2\n 1  1 3 \n' >header
    printf '%s\n' "0 1 2" "1 1 3" >none
    for table in header none; do
        treebench score --model named.json --data $table
        show
        [ "$output" = $'10\n30' ]
    done
    printf '%s\n' "1 1" "2 0" >two
    treebench convert --data two --label last --out two.txt
    succeeds
    [ "$(cat two.txt)" = $'1 1:1\n0 1:2' ]
    # What could be something else is refused.
    printf '%s\n' "red big" "blue small" >words
    treebench convert --data words --out never.csv
    is_mistake "words:1: unknown data format"
    treebench convert --data words --data-format csv --out words.csv
    show
    [ "$status" -eq 0 ]
    [ "$(cat words.csv)" = $'1,0\n0,1' ]
}

@test "train: the columns of a validation table are matched by the names of the training table" {
    for i in $(seq 40); do echo "$((i / 10)),$((i % 3)),$i,$((i * 7 % 11))"; done >numbers
    { echo qid,label,a,b && cat numbers; } >train.csv
    treebench train --learner lambdamart --data train.csv --valid train.csv --trees 5 --out one.json
    show
    [ "$status" -eq 0 ]
    same=$output
    sed 's/\([^,]*,[^,]*\),\([^,]*\),\([^,]*\)/\1,\3,\2/; 1s/.*/qid,label,b,a/' train.csv >valid.csv
    treebench train --learner lambdamart --data train.csv --valid valid.csv --trees 5 --out two.json
    [ "$output" = "$same" ]
    { echo qid,label,c && cut -d , -f 1-3 numbers; } >narrow.csv
    treebench train --learner lambdamart --data train.csv --valid narrow.csv --trees 5 --out two.json
    show
    [ "$status" -eq 2 ]
    [[ ${stderr_lines[-1]} == "treebench: narrow.csv: the table has 1 feature columns, but train.csv has 2" ]]
}

@test "a column named qid holds the queries" {
    printf 'x,y,z,Qid,label\n0,0,0,1,0\n1,0,0,1,1\n1,0,2,2,1\n0,0,0,2,0\n' >ranked.csv
    treebench eval --model plain.json --data ranked.csv
    by_position ranked.csv plain.json
    [[ ${lines[1]} == "queries      2, "* ]]
    grep -q "^ndcg  *1$" <<<"$output"
    treebench convert --data ranked.csv --out ranked.txt
    [ "$stderr" = "treebench: ranked.txt: SVMlight text has no column names; the columns became features 1 to 3" ]
    [ "$(head -n 2 ranked.txt)" = $'0 qid:1 3:0\n1 qid:1 1:1' ]
    echo 4 >sizes
    treebench eval --model plain.json --data ranked.csv --queries sizes
    is_mistake "has queries of its own"
}

@test "--label is for tables only" {
    printf '1 1:1\n' >one.txt
    "$TREEBENCH" convert --data one.txt --out one.cache
    for file in one.txt one.cache; do
        treebench score --model plain.json --data "$file" --label rel
        is_mistake "$file: --label names a column of a table"
    done
}

@test "--first-feature 0 works in every command that reads documents" {
    printf '%s\n' '10 0:0.5 2:9' '20 0:1 2:1.5' >zero.txt
    treebench score --model plain.json --data zero.txt
    is_mistake "zero.txt:1:4: feature 0 is below 1, the number of the first feature"
    treebench score --model plain.json --data zero.txt --first-feature 0
    succeeds
    [ "$output" = $'10\n20' ]
    treebench eval --model plain.json --data zero.txt --first-feature 0
    [ "${lines[1]}" = "rmse         0" ]
    for command in "verify --impl struct" "compare --impl struct --rounds 2" info; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --model plain.json --data zero.txt --first-feature 0
        show
        [ "$status" -eq 0 ]
    done
    treebench convert --data zero.txt --first-feature 0 --out one.txt
    succeeds
    [ "$(cat one.txt)" = $'10 1:0.5 3:9\n20 1:1 3:1.5' ]
    treebench train --learner cart --task regression --data zero.txt --first-feature 0 --out tree.json
    [ "$status" -eq 0 ]
    for i in $(seq 60); do echo "0 0:$i 1:$((i % 7))"; done >many.txt
    treebench synth --grow-on many.txt --first-feature 0 --trees 2 --model grown.json
    succeeds
    treebench score --model plain.json --data zero.txt --first-feature 2
    is_mistake "--first-feature: '2' is not one of 0, 1"
}

@test "absent features with an XGBoost model are rejected without --missing" {
    model=$BATS_TEST_DIRNAME/../fuzz/corpus/xgboost/two-trees.json
    printf '%s\n' '0 2:3' >absent.txt
    printf '%s\n' '0 1:1 2:3' >whole.txt
    treebench score --model "$model" --data absent.txt
    is_mistake "absent.txt: some documents omit features, which XGBoost takes as missing"
    for missing in zero nan; do
        treebench score --model "$model" --data absent.txt --missing "$missing"
        succeeds
    done
    treebench score --model "$model" --data whole.txt
    succeeds
    printf '%s\n' '0 3:3' >absent.txt
    treebench score --model plain.json --data absent.txt
    succeeds
}

@test "eval: a ranking model and documents without queries" {
    printf '%s\n' tree version=v3 num_class=1 num_tree_per_iteration=1 label_index=0 max_feature_idx=0 \
        objective=lambdarank 'feature_names=a' 'feature_infos=[0:1]' '' 'Tree=0' num_leaves=2 num_cat=0 \
        split_feature=0 split_gain=1 threshold=0.5 decision_type=2 left_child=-1 right_child=-2 \
        'leaf_value=1 2' 'leaf_weight=1 1' 'leaf_count=1 1' internal_value=0 internal_weight=0 \
        internal_count=2 is_linear=0 shrinkage=1 '' '' 'end of trees' >rank.txt
    printf 'a,label\n0,1\n1,2\n' >grades.csv
    treebench eval --model rank.txt --data grades.csv
    show
    [ "${lines[1]}" = "rmse         0" ]
    [ "${stderr_lines[1]}" = "treebench: grades.csv: the documents have no queries (qid or --queries), so NDCG and MAP are not computed, although rank.txt was trained to rank ('lambdarank')" ]
    treebench eval --model rank.txt --data grades.csv --metric rmse
    [[ $stderr != *"queries"* ]]
}

@test "statistics of categories (CTR) are computed from the words of a table" {
    seeds=$BATS_TEST_DIRNAME/../fuzz/corpus
    printf 'f2,f0,f1\noak,0.4,red\nelm,0.6,red\nelm,,red\noak,0.6,blue\n' >words.csv
    printf '0.4,red,oak\n0.6,red,elm\n,red,elm\n0.6,blue,oak\n' >bare.csv
    for model in catboost/ctrs.json catboost_binary/ctrs.cbm; do
        for table in words.csv bare.csv; do
            treebench score --model "$seeds/$model" --data "$table"
            show
            [ "$status" -eq 0 ] && [ "$output" = $'7\n8\n8\n6' ]
            [[ $stderr == *"$table: 2 values are categories that did not occur in training"* ]]
        done
    done
    treebench verify --model "$seeds/catboost_binary/ctrs.cbm" --data words.csv --impl planes
    [ "$status" -eq 0 ]
    treebench info --model "$seeds/catboost_binary/ctrs.cbm" --data words.csv
    [[ $output == *"computed (CTR)            8"* && $output == *"3 in the file, the model has 3"* ]]
}

@test "statistics of categories (CTR) are rejected where documents are numbers" {
    cp "$BATS_TEST_DIRNAME/../fuzz/corpus/catboost/ctrs.json" .
    printf '0 1:1 2:1 3:1\n' >numbers.txt
    printf '0.4,1\n0.5,2\n' >narrow.csv
    treebench score --model ctrs.json --data numbers.txt --missing zero
    is_mistake "numbers.txt: contains numbers, but ctrs.json was trained on categories"
    treebench score --model ctrs.json --data narrow.csv
    is_mistake "narrow.csv: the table has 2 feature columns, but ctrs.json needs 3"
    treebench convert --model ctrs.json --out ctrs.onnx
    is_mistake "ctrs.onnx: the trees test statistics of categories (CTR)"
    [ ! -e ctrs.onnx ]
    treebench export --model ctrs.json --impl planes --out exported
    is_mistake "ctrs.json: the trees test statistics of categories (CTR)"
}
