#!/usr/bin/env bats
# libtreebench_xgboost answers XGBoost's calls with the real library's bits.

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    tests=$BATS_TEST_DIRNAME
    dropin=$(dirname "$TREEBENCH")/libtreebench_xgboost.so.0
    cc -std=c11 -O1 -o program "$tests/xgboost_program.c" -l:libxgboost.so.0
}

# Gives squared.json the objective $1, with the parameters that XGBoost wants in the file.
set_objective() {
    sed "s/\"name\":\"reg:squarederror\"/\"name\":\"$1\",\
\"poisson_regression_param\":{\"max_delta_step\":\"0.7\"},\
\"tweedie_regression_param\":{\"tweedie_variance_power\":\"1.5\"},\
\"aft_loss_param\":{\"aft_loss_distribution\":\"normal\",\"aft_loss_distribution_scale\":\"1\"},\
\"lambda_rank_param\":{\"num_pairsample\":\"1\",\"fix_list_weight\":\"0\"},\
\"softmax_multiclass_param\":{\"num_class\":\"3\"}/
s/\"base_score\": *\"[^\"]*\"/\"base_score\":\"2.5E-1\"/" squared.json >model.json
}

# Trees whose objective is $1.
make_model() {
    "$TREEBENCH" synth --depth 5 --features 20 --trees 70 --documents 10 --model made.json \
        --data made.txt >synth.out
    "$TREEBENCH" convert --model made.json --format xgboost --out squared.json 2>convert.err
    set_objective "$1"
}

# Trees of three classes, with missing values on both sides.
make_classes() {
    {
        printf '{"format": "treebench", "version": 1, "features": 3, "outputs": 3,\n'
        printf ' "base": [0.25, 0.25, 0.25], "trees": [\n'
        for tree in $(seq 0 29); do
            printf '  {"output": %d, "feature": [%d], "threshold": [%d.5], "left": [-1],' \
                $((tree % 3)) $((tree % 2)) $((tree % 5 - 1))
            printf ' "right": [-2], "value": [0.%d1, -0.%d3], "nan_left": [%d]}%s\n' "$tree" \
                $((tree % 7)) $((tree % 2)) "$([ "$tree" -eq 29 ] || echo ,)"
        done
        printf ']}\n'
    } >made.json
    "$TREEBENCH" convert --model made.json --format xgboost --out squared.json 2>convert.err
    set_objective "$1"
}

# The program prints the same with both libraries, and treebench answers.
same_bits() {
    ./program model.json >real.txt 2>real.err
    TREEBENCH_DROPIN_VERBOSE=1 LD_PRELOAD=$dropin ./program model.json >ours.txt 2>ours.err
    grep -q 'treebench: serves a model of' ours.err
    cmp real.txt ours.txt
    [ "$(wc -l <real.txt)" -gt 1000 ]
}

@test "values and margins have XGBoost's bits for each objective" {
    for objective in reg:squarederror binary:logistic binary:logitraw binary:hinge count:poisson \
        reg:gamma reg:tweedie survival:cox survival:aft rank:pairwise; do
        make_model "$objective"
        echo "$objective"
        same_bits
    done
}

@test "probabilities and classes have XGBoost's bits" {
    make_classes multi:softprob
    same_bits
    make_classes multi:softmax
    same_bits
}

@test "without the real library, the same answers" {
    make_model binary:logistic
    ./program model.json >real.txt 2>real.err
    cc -std=c11 -O1 -o alone "$tests/xgboost_program.c" "$dropin"
    TREEBENCH_XGBOOST=/no/such/library LD_LIBRARY_PATH=$(dirname "$dropin") \
        ./alone model.json >ours.txt
    cmp real.txt ours.txt
}

@test "without the real library, a call that is not served says what to do" {
    cc -std=c11 -O1 -o alone "$tests/xgboost_program.c" "$dropin"
    printf 'nothing' >model.json
    export TREEBENCH_XGBOOST=/no/such/library
    LD_LIBRARY_PATH=$(dirname "$dropin") run ./alone model.json
    [ "$status" -eq 1 ]
    [[ $output == *model.json* ]]
}
