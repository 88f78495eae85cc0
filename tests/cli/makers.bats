#!/usr/bin/env bats
# Documents as users have them get the same scores as from the library that made the model.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    # x0 <= 0.15000000000000005 ? 10 : 20, as LightGBM writes midpoints.
    cat >stump.lgbm.txt <<'TXT'
tree
version=v4
num_tree_per_iteration=1
max_feature_idx=1
feature_names=a b
feature_infos=[0:1] [0:1]

Tree=0
num_leaves=2
num_cat=0
split_feature=0
threshold=0.15000000000000005
decision_type=8
left_child=-1
right_child=-2
leaf_value=10 20

end of trees
TXT
    sed 's/^threshold=.*/threshold=1700000000.5/; s/^num_leaves=2/num_leaves=3/
        s/^split_feature=.*/split_feature=0 0/; s/^threshold=.*/threshold=1700000000.5 1700000001.5/
        s/^decision_type=.*/decision_type=8 8/; s/^left_child=.*/left_child=-1 -2/
        s/^right_child=.*/right_child=1 -3/; s/^leaf_value=.*/leaf_value=10 20 30/' \
        stump.lgbm.txt >seconds.lgbm.txt
    # a in {red, 5th colour} ? 10 : 20
    sed 's/^feature_infos=.*/feature_infos=0:1:2 [0:1]/; s/^num_cat=0/num_cat=1/
        s/^threshold=.*/threshold=0/; s/^decision_type=.*/decision_type=1/
        s/^leaf_value=.*/&\ncat_boundaries=0 1\ncat_threshold=5/' stump.lgbm.txt >colours.lgbm.txt
    echo 'pandas_categorical:[["red", "green", "blue"]]' >>colours.lgbm.txt
    printf 'a,b\nred,0\ngreen,0\nblue,0\nmauve,0\n,0\n' >colours.csv
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

scores() {
    "$TREEBENCH" score "$@" 2>"$BATS_TEST_TMPDIR/notes" | tr '\n' ' '
}

@test "LightGBM compares doubles: a decimal near a midpoint goes where LightGBM sends it" {
    printf 'a,b\n0.15,0\n0.15000000000000005,0\n0.15000000000000008,0\n0.2,0\n' >decimals.csv
    [ "$(scores --model stump.lgbm.txt --data decimals.csv)" = "10 10 20 20 " ]
    printf '0 1:0.15 2:0\n0 1:0.15000000000000005 2:0\n0 1:0.15000000000000008 2:0\n' >decimals.svm
    [ "$(scores --model stump.lgbm.txt --data decimals.svm)" = "10 10 20 " ]
    printf 'a;b\n0,15;0\n0,15000000000000008;0\n' >commas.csv
    [ "$(scores --model stump.lgbm.txt --data commas.csv)" = "10 20 " ]
}

# LightGBM 4.6 trained the model, dumped it, and computed these scores.
@test "LightGBM's dump gives LightGBM's scores to the last bit" {
    printf '%s\n' heat,town,rain nan,1,0 -1.5,1,0 -1.5,0,2.5 0.30000000000000004,4,0 0.3,5,nan \
        1.9,11,0.5 1.9,12,-1 0,9.7,1e-36 0,-0.5,0 2,-1,3 nan,nan,nan -0.1,7,0.01 >weather.csv
    printf '%s\n' 2.4031095783299796 1.677814956729979 0.7320807494300885 2.4031095783299796 \
        2.4031095783299796 2.0544871310267205 2.0544871310267205 2.4031095783299796 \
        1.351859993782579 2.0544871310267205 1.351859993782579 1.351859993782579 >expected
    treebench score --model "$BATS_TEST_DIRNAME/../fuzz/corpus/lightgbm_json/categories.json" --data weather.csv
    show
    [ "$status" -eq 0 ]
    [ "$output" = "$(cat expected)" ]
}

@test "score --verbose counts the values that were placed" {
    printf 'a,b\n0.15,0.15\n0.5,0\n' >decimals.csv
    treebench score --verbose --model stump.lgbm.txt --data decimals.csv
    show
    [[ $stderr == *"1 values were adjusted"*"0 features were replaced"* ]]
}

@test "thresholds with no float32 between them: timestamps are distinguished, in text and caches" {
    printf 'a,b\n1700000000,0\n1700000001,0\n1700000002,0\n,0\n0,0\n' >seconds.csv
    [ "$(scores --model seconds.lgbm.txt --data seconds.csv)" = "10 20 30 30 10 " ]
    printf '0 1:1700000001 2:0\n0 2:0\n' >seconds.svm
    [ "$(scores --model seconds.lgbm.txt --data seconds.svm)" = "20 10 " ]
    # The cache has float32: the nearest of these seconds is 1700000000.
    "$TREEBENCH" convert --data seconds.csv --out seconds.cache
    [ "$(scores --model seconds.lgbm.txt --data seconds.cache)" = "10 10 10 30 10 " ]
    "$TREEBENCH" verify --model seconds.lgbm.txt --data seconds.csv
}

@test "treebench's JSON keeps a model's double thresholds" {
    "$TREEBENCH" convert --model seconds.lgbm.txt --out seconds.json
    "$TREEBENCH" convert --model stump.lgbm.txt --out stump.json
    printf 'a,b\n1700000000,0\n1700000001,0\n' >seconds.csv
    [ "$(scores --model seconds.json --data seconds.csv)" = "10 20 " ]
    printf 'a,b\n0.15,0\n' >decimals.csv
    [ "$(scores --model stump.json --data decimals.csv)" = "10 " ]
}

@test "pandas' categories: words become the codes that the model was trained with" {
    [ "$(scores --model colours.lgbm.txt --data colours.csv)" = "10 20 10 20 20 " ]
    "$TREEBENCH" convert --model colours.lgbm.txt --out colours.json
    [ "$(scores --model colours.json --data colours.csv)" = "10 20 10 20 20 " ]
    "$TREEBENCH" verify --model colours.lgbm.txt --data colours.csv
}

@test "pandas' categories that are numbers" {
    sed 's/^pandas_cat.*/pandas_categorical:[[10, 20, 30.5]]/' colours.lgbm.txt >numbers.lgbm.txt
    printf 'a,b\n10,0\n20.0,0\n30.5,0\n40,0\nnan,0\n' >numbers.csv
    [ "$(scores --model numbers.lgbm.txt --data numbers.csv)" = "10 20 10 20 20 " ]
}

@test "a column of codes is rejected if the model has the words" {
    printf 'a,b\n0,0\n1,0\n' >codes.csv
    treebench score --model colours.lgbm.txt --data codes.csv
    is_mistake "codes.csv:2:1: column 1 contains numbers ('0'), but the model's categories for this feature are text"
}

@test "pandas' lists that cannot be matched with features are rejected" {
    sed 's/^pandas_cat.*/pandas_categorical:[["a"],["b"]]/' colours.lgbm.txt >lists.lgbm.txt
    treebench info --model lists.lgbm.txt
    is_mistake "pandas_categorical has 2 lists for 1 categorical features"
}

@test "SVMlight text that LightGBM was trained on keeps its numbers" {
    sed 's/^feature_names=.*/feature_names=Column_0 Column_1/
        s/^feature_infos=.*/feature_infos=none [0:1]/; s/^split_feature=.*/split_feature=1/' \
        stump.lgbm.txt >text.lgbm.txt
    printf '0 1:0.1\n0 1:0.9\n' >text.svm
    treebench score --model text.lgbm.txt --data text.svm
    show
    [ "$output" = $'10\n20' ]
    [[ $stderr == *"text.svm: features are numbered from 0"* ]]
    [ "$(scores --model text.lgbm.txt --data text.svm --first-feature 1)" = "10 10 " ]
    # The highest number is the model's number of features: numbering may begin with 0 or 1.
    printf '0 1:0.1 2:0.1\n' >wide.svm
    treebench score --model text.lgbm.txt --data wide.svm
    is_mistake "Add --first-feature 1 or --first-feature 0"
}

@test "unclear numbers of features need --first-feature" {
    sed 's/^feature_names=.*/feature_names=Column_0 Column_1/' stump.lgbm.txt >unclear.lgbm.txt
    printf '0 1:0.1\n' >one.svm
    treebench score --model unclear.lgbm.txt --data one.svm
    is_mistake "one.svm: the feature numbers are 1 to 1, and the model has 2 features. It is unclear"
    [ "$(scores --model unclear.lgbm.txt --data one.svm --first-feature 0)" = "10 " ]
    printf '0 0:0.9 1:0.1\n' >zero.svm
    [ "$(scores --model unclear.lgbm.txt --data zero.svm)" = "20 " ]
    printf '0 1:0.9 2:0.1\n' >both.svm
    [ "$(scores --model unclear.lgbm.txt --data both.svm)" = "20 " ]
}

# --- the makers' own scores of real documents ------------------------------------------------------

# The rows whose scores differ from the maker's, for every implementation that verify checks.
differing() {
    model=$1 data=$2 expected=$3
    "$TREEBENCH" score --model "$model" --data "$data" --out "$BATS_TEST_TMPDIR/ours" 2>/dev/null
    gzip -dc "$expected" | paste - "$BATS_TEST_TMPDIR/ours" |
        awk '{ d = $1 - $2; if (d < 0) d = -d; n += d > 1e-12 } END { print n + 0, NR }'
}

maker() {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset"
    makers=$TREEBENCH_DATA/makers
    [ "$(differing "$makers/$1.lgbm.txt.gz" "${3:-$makers/$1.test.csv.gz}" \
        "$makers/$1.raw-scores.txt.gz")" = "0 $2" ]
}

@test "maker: wine_quality_red" { maker wine_quality_red.500x63 480; }
@test "maker: wine_quality_white" { maker wine_quality_white.500x63 1470; }
@test "maker: spambase" { maker spambase.500x63 1381; }
@test "maker: timestamps" { maker timestamps.100x31 1200; }
@test "maker: prices" { maker prices.200x31 1200; }
@test "maker: towns" { maker towns.100x31 1200; }
@test "maker: rank-example" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset"
    maker rank-example 768 "$TREEBENCH_DATA/ltr/lightgbm-rank-example/rank.test.gz"
}
@test "maker: logitraw" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset"
    cd "$TREEBENCH_DATA/makers"
    "$TREEBENCH" score --model logitraw.xgb.json --data logitraw.test.svm 2>/dev/null |
        awk 'NR == 1 && $1 > 0.0705 && $1 < 0.0715 { n++ } NR == 2 && $1 > 0.7595 && $1 < 0.7605 { n++ }
             END { exit n != 2 }'
}

# --- exported scorers ------------------------------------------------------------------------------

# exported_agrees MODEL TABLE SCORES [IMPL [SCORES OF FLOATS]]: exports a model and compares its scores
# of a table of doubles, and of the same numbers as float32.
exported_agrees() {
    rm -rf "$BATS_TEST_TMPDIR/real"
    "$TREEBENCH" export --model "$1" --name real --out "$BATS_TEST_TMPDIR/real" ${4:+--impl "$4"}
    gcc -std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -I"$BATS_TEST_TMPDIR/real" ${words:-} \
        -o "$BATS_TEST_TMPDIR/check" "$BATS_TEST_TMPDIR/real/real.c" \
        "$BATS_TEST_DIRNAME/exported_doubles.c" -lm
    run "$BATS_TEST_TMPDIR/check" "$2" "$3" ${5:+"$5"}
    echo "$1: $output"
    [ "$status" -eq 0 ]
}

@test "exported scorers decide doubles as LightGBM does" {
    printf 'a,b\n0.15,0\n0.15000000000000008,0\n0.2,0\n,0\n' >decimals.csv
    printf '10\n20\n20\n20\n' >decimals.scores
    exported_agrees stump.lgbm.txt decimals.csv decimals.scores
    exported_agrees stump.lgbm.txt decimals.csv decimals.scores struct-plus
    # Below 0.
    sed "s/^threshold=.*/threshold=-0.15000000000000005/" stump.lgbm.txt >negative.lgbm.txt
    printf 'a,b\n-0.15,0\n-0.1500000000000001,0\n' >negative.csv
    printf '20\n10\n' >negative.scores
    exported_agrees negative.lgbm.txt negative.csv negative.scores struct-plus
    # Coded features, and an infinity beyond all thresholds.
    printf 'a,b\n1700000000,0\n1700000001,0\n1700000002,0\n0,0\ninf,0\n' >seconds.csv
    printf '10\n20\n30\n10\n30\n' >seconds.scores
    printf '10\n10\n10\n10\n30\n' >floats.scores # as in tests/library/test_library_doubles.c
    exported_agrees seconds.lgbm.txt seconds.csv seconds.scores "" floats.scores
    exported_agrees seconds.lgbm.txt seconds.csv seconds.scores struct-plus floats.scores
    grep "Some thresholds of 1 of the features are closer together" "$BATS_TEST_TMPDIR/real/real.h"
    # Words of categories, and an unknown one.
    printf '10\n20\n10\n20\n20\n' >colours.scores
    words=-DWORDS exported_agrees colours.lgbm.txt colours.csv colours.scores
    # Letters that are not ASCII.
    sed 's/"blue"/"blå"/' colours.lgbm.txt >letters.lgbm.txt
    sed 's/blue/blå/' colours.csv >letters.csv
    words=-DWORDS exported_agrees letters.lgbm.txt letters.csv colours.scores
    sed 's/^pandas_cat.*/pandas_categorical:[[10, 20, 30.5]]/' colours.lgbm.txt >numbers.lgbm.txt
    printf 'a,b\n10,0\n20.0,0\n30.5,0\n,0\n10x,0\n' >numbers.csv
    printf '10\n20\n10\n20\n20\n' >numbers.scores
    words=-DWORDS exported_agrees numbers.lgbm.txt numbers.csv numbers.scores
    # A model that compares float32: values are rounded.
    printf '0 1:0.1 2:1\n0 1:5 2:3\n' >two.svm
    printf 'a,b\n0.1,1\n5,3\n' >two.csv
    "$TREEBENCH" synth --depth 3 --features 2 --trees 5 --model floats.json
    "$TREEBENCH" score --model floats.json --data two.svm --out two.scores
    exported_agrees floats.json two.csv two.scores
}

# two_classes N: a LightGBM model of 2 * N trees of 4 leaves, of seconds, ids and decimals. Neither
# seconds nor ids have a float32 between their thresholds.
two_classes() {
    awk -v n="$1" 'BEGIN {
        print "tree\nversion=v4\nnum_class=2\nnum_tree_per_iteration=2\nmax_feature_idx=2"
        print "feature_names=seconds id part\nfeature_infos=[0:1] [0:1] [0:1]"
        for (i = 0; i < 2 * n; i++) {
            print "\nTree=" i "\nnum_leaves=4\nnum_cat=0\nsplit_feature=0 1 2"
            printf "threshold=%.1f %.1f %.17g\n", 1700000000.5 + i * 37 % 101, 9007199254740.5 + i * 17 % 61, i * 7 % 50 / 50
            print "decision_type=" (i % 2 ? "8 10 8" : "10 8 10")
            print "left_child=1 -1 -2\nright_child=2 -3 -4"
            print "leaf_value=" i + 0.1, 1 / (i + 1), (-i), i * i
        }
        print "\nend of trees"
    }'
}

@test "exported scorers place float32 as they place doubles, if features became ranks" {
    two_classes 40 >classes.lgbm.txt
    awk 'BEGIN {
        print "seconds,id,part"
        for (i = 0; i < 1300; i++)
            printf "%s,%.1f,%.2f\n", i % 11 ? sprintf("%d", 1699999990 + i % 130 * (i % 3 ? 1 : 5)) : "", 9007199254700 + i % 97 * (i % 2 ? 1 : 64.5), i % 55 / 50
    }' >classes.csv
    "$TREEBENCH" score --model classes.lgbm.txt --data classes.csv --out classes.scores
    "$TREEBENCH" convert --data classes.csv --out classes.cache
    "$TREEBENCH" score --model classes.lgbm.txt --data classes.cache --out floats.scores
    [ "$(paste classes.scores floats.scores | awk '$1 != $3 || $2 != $4' | wc -l)" -gt 100 ]
    for impl in "" struct-plus native-opt; do
        exported_agrees classes.lgbm.txt classes.csv classes.scores "$impl" floats.scores
    done
    grep "Some thresholds of 2 of the features are closer together" "$BATS_TEST_TMPDIR/real/real.h"
    # A placed document would be placed again, so there is no function for it. Its test knows.
    [ -z "$(grep real_place "$BATS_TEST_TMPDIR/real/real.h")" ]
    make -s -C "$BATS_TEST_TMPDIR/real" test CFLAGS=-O1
    gcc -fsyntax-only -Wall -Wextra -Werror "$BATS_TEST_TMPDIR/real/real_bench.c"
}

@test "exported scorers of the makers' models give the makers' scores" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset"
    for name in wine_quality_red.500x63 timestamps.100x31 prices.200x31; do
        gzip -dc "$TREEBENCH_DATA/makers/$name.test.csv.gz" >"$BATS_TEST_TMPDIR/table.csv"
        gzip -dc "$TREEBENCH_DATA/makers/$name.raw-scores.txt.gz" >"$BATS_TEST_TMPDIR/scores"
        exported_agrees "$TREEBENCH_DATA/makers/$name.lgbm.txt.gz" "$BATS_TEST_TMPDIR/table.csv" \
            "$BATS_TEST_TMPDIR/scores"
    done
    gzip -dc "$TREEBENCH_DATA/makers/towns.100x31.test.csv.gz" >"$BATS_TEST_TMPDIR/table.csv"
    gzip -dc "$TREEBENCH_DATA/makers/towns.100x31.raw-scores.txt.gz" >"$BATS_TEST_TMPDIR/scores"
    words=-DWORDS exported_agrees "$TREEBENCH_DATA/makers/towns.100x31.lgbm.txt.gz" \
        "$BATS_TEST_TMPDIR/table.csv" "$BATS_TEST_TMPDIR/scores"
}

# --- what would silently get wrong scores ----------------------------------------------------------

@test "a cache or SVMlight text is rejected if the model lists its categories" {
    for suffix in cache svm; do
        "$TREEBENCH" convert --data colours.csv --out "colours.$suffix" 2>/dev/null
        treebench score --model colours.lgbm.txt --data "colours.$suffix"
        is_mistake "colours.$suffix: contains numbers, but colours.lgbm.txt was trained on categories"
    done
}

@test "unknown categories are counted, truth values may be written in upper or lower case" {
    treebench score --model colours.lgbm.txt --data colours.csv
    show
    [[ $stderr == *"1 values are not categories that the model knows"* ]]
    sed 's/^pandas_cat.*/pandas_categorical:[[false, true]]/; s/^cat_threshold=.*/cat_threshold=2/' \
        colours.lgbm.txt >truth.lgbm.txt
    printf 'a,b\nTrue,0\ntrue,0\nFALSE,0\n' >truth.csv
    [ "$(scores --model truth.lgbm.txt --data truth.csv)" = "10 10 20 " ]
    sed 's/^cat_threshold=.*/cat_threshold=1/' truth.lgbm.txt >false.lgbm.txt
    [ "$(scores --model false.lgbm.txt --data truth.csv)" = "20 20 10 " ]
}

@test "a column of truth values is 1 and 0, placed like other numbers" {
    printf 'a,b\nTRUE,0\nFALSE,0\n,0\n' >truth.csv
    [ "$(scores --model stump.lgbm.txt --data truth.csv)" = "20 10 20 " ]
    sed 's/^threshold=.*/threshold=0.5 0.5000000000000001/' seconds.lgbm.txt >halves.lgbm.txt
    [ "$(scores --model halves.lgbm.txt --data truth.csv)" = "30 10 30 " ]
    "$TREEBENCH" verify --model halves.lgbm.txt --data truth.csv
    printf 'a,b\nTRUE,0\n1,0\n' >mixed.csv
    treebench score --model stump.lgbm.txt --data mixed.csv
    is_mistake "mixed.csv:2:1: column 1 contains both numbers and truth values ('TRUE')"
}

@test "a cache for a model that compares doubles gives a note" {
    printf 'a,b\n0.15,0\n' >decimals.csv
    "$TREEBENCH" convert --data decimals.csv --out decimals.cache
    treebench score --model stump.lgbm.txt --data decimals.cache
    show
    [ "$output" = 20 ]
    [[ $stderr == *"decimals.cache: a cache stores float32, but stump.lgbm.txt compares doubles"* ]]
}

@test "names that differ only in case are rejected" {
    printf 'B,A\n0.1,0.2\n' >case.csv
    treebench score --model stump.lgbm.txt --data case.csv
    is_mistake "case.csv: the name of column 'A' differs from a feature of stump.lgbm.txt only in upper and lower case"
}

@test "numbers beyond float32: scored like doubles, or rejected as too large" {
    printf 'a,b\n1e39,0\n-1e300,0\n' >large.csv
    [ "$(scores --model stump.lgbm.txt --data large.csv)" = "20 10 " ]
    "$TREEBENCH" synth --depth 3 --features 2 --trees 5 --model floats.json
    treebench score --model floats.json --data large.csv
    is_mistake "large.csv:2:1: '1e39' is too large for float32"
}
