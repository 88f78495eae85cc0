#!/usr/bin/env bats
# libtreebench_lightgbm answers LightGBM's calls: alone, and before the real library.
load ../cli/common

setup_file() {
    build=$(dirname "$TREEBENCH")
    export build
    tests=$BATS_TEST_DIRNAME
    real=${TREEBENCH_LIGHTGBM:-}
    export real
    ! grep -qe -fsanitize "$build/flags" || return 0 # setup skips
    cd "$BATS_FILE_TMPDIR" || return 1
    for program in lightgbm_score lightgbm_program; do
        cc -std=c11 -O1 -I"$tests/../.." -o "$program" "$tests/$program.c" \
            "$build/libtreebench_lightgbm.so.0" -Wl,-rpath,"$build" -pthread -lm
    done
    cc -std=c11 -shared -fPIC -o stand-in.so "$tests/lightgbm_stand_in.c"
    make_model "regression" >plain.txt
    printf '0.1,0.5\n0.15000000000000005,0.5\n3,nan\n-1,7\n' >rows.csv
}

setup() {
    ! grep -qe -fsanitize "$build/flags" || skip "a sanitizer's build"
    cd "$BATS_FILE_TMPDIR" || return 1
    # A library that does not exist: a real one that is installed stays out of these tests.
    export TREEBENCH_LIGHTGBM=/no/such/library.so
}

# Prints a model with the objective $1: 4 trees of 2 features, and ${2:-1} trees per iteration. $3
# is another line of its header.
make_model() {
    printf 'tree\nversion=v4\nnum_class=%d\nnum_tree_per_iteration=%d\nlabel_index=0\n' \
        "${2:-1}" "${2:-1}"
    printf 'max_feature_idx=1\n%s%s\nfeature_names=a b\nfeature_infos=[0:1] [0:1]\n' \
        "${1:+objective=}" "$1"
    [ -z "${3:-}" ] || echo "$3"
    for tree in 0 1 2 3; do
        printf '\nTree=%d\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\n' "$tree"
        printf 'threshold=0.15000000000000005 %d.5\ndecision_type=8 10\n' "$tree"
        printf 'left_child=1 -1\nright_child=-2 -3\nleaf_value=0.%d1 -0.3 0.7%d\n' "$tree" "$tree"
    done
    printf '\nend of trees\n'
}

# Predicts the rows, with the arguments of lightgbm_score after the model.
predict() {
    run --separate-stderr ./lightgbm_score "$@" <rows.csv
    show
}

# Are the numbers of the output, to 12 digits, what awk makes of the raw scores of the model?
follows() {
    ./lightgbm_score "$1" 1 0 -1 "" <rows.csv >raw.txt
    ./lightgbm_score "$1" 0 0 -1 "" <rows.csv | awk '{ printf "%.12g\n", $1 }' >predicted.txt
    awk "function sign(x) { return (x > 0) - (x < 0) }
        { x = \$1; y = \$2; printf \"%.12g\n\", $2 }" raw.txt >expected.txt
    diff expected.txt predicted.txt
}

@test "raw predictions are treebench's scores" {
    predict plain.txt 1 0 -1 ""
    [ "$status" -eq 0 ]
    "$TREEBENCH" score --model plain.txt --data rows.csv --out scores.txt 2>score.err
    diff <(awk '{ printf "%.17g\n", $1 }' scores.txt) - <<<"$output"
}

@test "predictions are LightGBM's function of the scores, for each objective" {
    for objective in regression regression_l1 huber fair quantile mape lambdarank rank_xendcg \
        custom ""; do
        make_model "$objective" >model.txt
        follows model.txt 'x'
    done
    for objective in "regression sqrt" "regression_l1 sqrt"; do
        make_model "$objective" >model.txt
        follows model.txt 'sign(x) * x * x'
    done
    for objective in poisson gamma tweedie; do
        make_model "$objective" >model.txt
        follows model.txt 'exp(x)'
    done
    make_model "binary sigmoid:2.5" >model.txt
    follows model.txt '1 / (1 + exp(-2.5 * x))'
    make_model cross_entropy >model.txt
    follows model.txt '1 / (1 + exp(-x))'
    make_model cross_entropy_lambda >model.txt
    follows model.txt 'log(1 + exp(x))'
    make_model "multiclass num_class:2" 2 >model.txt
    follows model.txt 'exp(x) / (exp(x) + exp(y))'
    make_model "multiclassova num_class:2 sigmoid:0.5" 2 >model.txt
    follows model.txt '1 / (1 + exp(-0.5 * x))'
}

@test "a random forest's predictions are averages, its raw scores are sums" {
    make_model regression 1 average_output >forest.txt
    follows forest.txt 'x / 4'
    ./lightgbm_score plain.txt 1 0 -1 "" <rows.csv | cmp - raw.txt
}

@test "leaf indices are the numbers of the file" {
    predict plain.txt 2 0 -1 ""
    [ "$output" = "0 0 0 0
0 0 0 0
1 1 1 1
2 2 2 2" ]
    predict plain.txt 2 1 2 ""
    [ "${lines[3]}" = "2 2" ]
}

@test "ranges of iterations are clipped as LightGBM clips them" {
    predict plain.txt 1 1 1 ""
    [ "${lines[0]}" = 0.11 ]
    predict plain.txt 1 3 100 ""
    [ "${lines[0]}" = 0.31 ]
    predict plain.txt 1 -5 1 ""
    [ "${lines[0]}" = 0.01 ]
    predict plain.txt 1 9 1 ""
    [ "${lines[0]}" = 0 ]
}

@test "all layouts of a document give the same predictions" {
    for objective in regression "binary sigmoid:1"; do
        make_model "$objective" >model.txt
        ./lightgbm_program model.txt 300 num_threads=2 >calls.txt
        # Mat by rows and by columns, Mats, CSR and CSC have the same documents.
        [ "$(grep -E '^(Mat doubles|Mat columns|Mats|CSR|CSC) type 0 iterations 0\+-1:' calls.txt |
            sed 's/.*: //' | sort -u | wc -l)" -eq 1 ]
        [ "$(grep -cE '^(SingleRow|Fast|CSR SingleRow) type 0' calls.txt)" -eq 120 ]
        [ "$(grep -E '^(SingleRow|Fast|CSR SingleRow) type 0' calls.txt | sed 's/.*: //' |
            uniq -c | awk '$1 % 3 != 0' | wc -l)" -eq 0 ]
    done
}

@test "documents of another width are refused, unless they are asked for" {
    printf '0.1\n3\n' >narrow.csv
    run ./lightgbm_score plain.txt 1 0 -1 "" <narrow.csv
    [ "$status" -eq 1 ]
    [[ $output == *"1 columns, but the model has 2 features"* ]]
    run ./lightgbm_score plain.txt 1 0 -1 "num_threads=1 predict_disable_shape_check=True" \
        <narrow.csv
    [ "$status" -eq 0 ]
    printf '0.1,0\n3,0\n' >wide.csv
    [ "$output" = "$(./lightgbm_score plain.txt 1 0 -1 "" <wide.csv)" ]
}

@test "what treebench does not serve fails without the real library, and says why" {
    predict plain.txt 3 0 -1 ""
    [ "$status" -eq 1 ]
    [[ $output == *"does not compute contributions"* ]]
    make_model "binary sigmoid:1" >model.txt
    predict model.txt 0 0 -1 pred_early_stop=true
    [ "$status" -eq 1 ]
    [[ $output == *pred_early_stop* ]]
    predict plain.txt 0 0 -1 num_threads=many
    [ "$status" -eq 1 ]
    [[ $output == *num_threads=many* ]]
    predict plain.txt 0 0 -1 "" change
    [ "$status" -eq 1 ]
    [[ $output == "change: LGBM_BoosterSetLeafValue: treebench does not serve this call, and \
LightGBM is missing (/no/such/library.so: "*"Set TREEBENCH_LIGHTGBM to"* ]]
    sed 's/^num_cat=0/&\nis_linear=1/' plain.txt >linear.txt
    predict linear.txt 0 0 -1 ""
    [ "$status" -eq 1 ]
    [[ $output == "model: linear.txt:"*"linear tree"* ]]
    make_model "surprise" >model.txt
    predict model.txt 0 0 -1 ""
    [ "$status" -eq 1 ]
    [[ $output == *"objective 'surprise' is unknown"* ]]
    predict missing.txt 0 0 -1 ""
    [ "$status" -eq 1 ]
    [[ $output == *missing.txt* ]]
}

@test "the real library gets what treebench does not serve" {
    export TREEBENCH_LIGHTGBM=$PWD/stand-in.so TREEBENCH_DROPIN_VERBOSE=1
    predict plain.txt 1 3 -1 ""
    [ "${lines[0]}" = 0.31 ]
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == *"plain.txt: 4 trees, 2 features: treebench"* ]]
    predict plain.txt 3 0 -1 ""
    [ "${lines[0]}" = 42 ]
    predict plain.txt 1 0 -1 "" change
    [ "${lines[0]}" = 42 ]
    predict plain.txt 9 0 -1 "" change
    [ "${lines[0]}" = "predict: the stand-in's error" ]
    sed 's/^num_cat=0/&\nis_linear=1/' plain.txt >linear.txt
    predict linear.txt 0 0 -1 ""
    [ "${lines[0]}" = 42 ]
    [[ $stderr == *"passed on: linear.txt:"* ]]
    # A file of which the real library reads another number of trees.
    sed '/^Tree=3/,/^$/d' plain.txt >three.txt
    predict three.txt 0 0 -1 ""
    [ "${lines[0]}" = 42 ]
    [[ $stderr == *"another number of trees"* ]]
}

@test "the library exports LightGBM's calls and nothing else" {
    nm -D --defined-only "$build/libtreebench_lightgbm.so.0" | awk '{ print $3 }' | sort >exported
    sed -n 's/^\(TEXT\|CALL\)([A-Z]*, \([A-Za-z_]*\),.*/\2/p' \
        "$BATS_TEST_DIRNAME/../../dropin/lightgbm/calls.def" | sort >declared
    [ "$(wc -l <declared)" -gt 90 ]
    diff declared exported
}

@test "predictions have LightGBM's bits (needs LightGBM)" {
    [ -n "$real" ] || skip "set TREEBENCH_LIGHTGBM to the path of LightGBM's library"
    unset TREEBENCH_LIGHTGBM
    cc -std=c11 -O1 -I"$BATS_TEST_DIRNAME/../.." -o linked \
        "$BATS_TEST_DIRNAME/lightgbm_program.c" "$real" -lm
    folder=$(dirname "$real")
    for objective in regression "regression sqrt" "binary sigmoid:2.5" "binary sigmoid:1.77002" poisson cross_entropy \
        cross_entropy_lambda "multiclass num_class:2" "multiclassova num_class:2 sigmoid:0.5"; do
        per_iteration=1
        [[ $objective != multi* ]] || per_iteration=2
        make_model "$objective" "$per_iteration" >model.txt
        LD_LIBRARY_PATH=$folder ./linked model.txt 500 num_threads=2 >real.txt
        LD_PRELOAD=$build/libtreebench_lightgbm.so.0 LD_LIBRARY_PATH=$folder \
            ./linked model.txt 500 num_threads=2 >ours.txt
        diff real.txt ours.txt
    done
}
