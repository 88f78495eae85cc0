#!/usr/bin/env bats
# libtreebench_xgboost answers XGBoost's calls with the real library's bits.
load ../cli/common

setup_file() {
    build=$(dirname "$TREEBENCH")
    tests=$BATS_TEST_DIRNAME
    dropin=$build/libtreebench_xgboost.so.0
    export build tests dropin
    ! grep -qe -fsanitize "$build/flags" || return 0 # setup skips
    cd "$BATS_FILE_TMPDIR" || return 1
    # The header comes with the library.
    [ -e /usr/include/xgboost/c_api.h ] || return 0
    for program in xgboost_program xgboost_train; do
        cc -std=c11 -O1 -o "$program" "$tests/$program.c" -l:libxgboost.so.0 -pthread -lm
    done
    cc -std=c11 -O1 -o alone "$tests/xgboost_program.c" "$dropin" -Wl,-rpath,"$build" -pthread
}

setup() {
    ! grep -qe -fsanitize "$build/flags" || skip "a sanitizer's build"
    cd "$BATS_FILE_TMPDIR" || return 1
}

needs_xgboost() {
    [ -e xgboost_program ] || skip "XGBoost is not installed"
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

# The program prints the same with both libraries, and treebench answers. $1 is the model.
same_bits() {
    ./xgboost_program "$@" >real.txt 2>real.err
    TREEBENCH_DROPIN_VERBOSE=1 LD_PRELOAD=$dropin ./xgboost_program "$@" >ours.txt 2>ours.err
    cmp real.txt ours.txt
    [ "$(wc -l <real.txt)" -gt 1000 ]
    grep -q "treebench: XGBoost: $1: .*: treebench predicts" ours.err
}

@test "values and margins have XGBoost's bits for each objective" {
    needs_xgboost
    for objective in reg:squarederror binary:logistic binary:logitraw binary:hinge count:poisson \
        reg:gamma reg:tweedie survival:cox survival:aft rank:pairwise; do
        make_model "$objective"
        echo "$objective"
        same_bits model.json
    done
}

@test "probabilities and classes have XGBoost's bits" {
    needs_xgboost
    make_classes multi:softprob
    same_bits model.json
    make_classes multi:softmax
    same_bits model.json
}

@test "models with random parameters have XGBoost's bits, also where calls are passed on" {
    needs_xgboost
    for seed in 3 10 12 13 24 31 37 39; do # the quickest of the first 40
        echo "$seed"
        same_bits "$(./xgboost_train "$seed" .)" more
    done
}

@test "what is trained in the program, or has parameters of its own, is XGBoost's" {
    needs_xgboost
    LD_PRELOAD=$dropin ./xgboost_train 6 . >trained
    cp "$(cat trained)" ours.model
    ./xgboost_train 6 .
    cmp "$(cat trained)" ours.model
}

@test "without the real library, the same answers" {
    needs_xgboost
    make_model binary:logistic
    ./xgboost_program model.json >real.txt 2>real.err
    TREEBENCH_XGBOOST=/no/such/library ./alone model.json >ours.txt
    cmp real.txt ours.txt
}

@test "without the real library, a call that is not served says what to do" {
    needs_xgboost
    printf 'nothing' >model.json
    export TREEBENCH_XGBOOST=/no/such/library
    run ./alone model.json
    [ "$status" -eq 1 ]
    [[ $output == *"not a model of XGBoost"* ]]
    run ./alone missing.json
    [ "$status" -eq 1 ]
    [[ $output == *missing.json* ]]
    make_model binary:logistic
    cat >leaves.c <<'C'
#include <stdio.h>
#include <xgboost/c_api.h>
int main(void) {
    BoosterHandle booster;
    DMatrixHandle matrix;
    const float x[20] = {0}, *values;
    bst_ulong n;
    if (XGBoosterCreate(NULL, 0, &booster) || XGBoosterLoadModel(booster, "model.json") ||
        XGDMatrixCreateFromMat(x, 1, 20, 0, &matrix))
        return 2;
    if (XGBoosterUpdateOneIter(booster, 0, matrix) == 0)
        return 3;
    puts(XGBGetLastError());
    if (XGBoosterPredict(booster, matrix, 2, 0, 0, &n, &values) == 0)
        return 4;
    puts(XGBGetLastError());
    return XGBoosterPredict(booster, matrix, 0, 0, 0, &n, &values);
}
C
    cc -o leaves leaves.c "$dropin" -Wl,-rpath,"$build"
    run ./leaves
    show
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "XGBoosterUpdateOneIter: treebench does not serve this call, and XGBoost is \
missing (/no/such/library: "*"Set TREEBENCH_XGBOOST to"* ]]
    [[ ${lines[1]} == "XGBoosterPredict: treebench does not serve this call"* ]]
}

@test "another version of XGBoost gets all calls" {
    needs_xgboost
    make_model reg:squarederror
    cat >other.c <<'C'
#include <stdint.h>
void XGBoostVersion(int *major, int *minor, int *patch) { *major = 9, *minor = 7, *patch = 4; }
int XGBoosterCreate(void *const *d, uint64_t n, void **out) { return *out = &d, (void)n, 0; }
int XGBoosterLoadModel(void *handle, const char *name) { return 0; }
int XGBoosterGetNumFeature(void *handle, uint64_t *out) { return *out = 4242, 0; }
int XGBoosterPredict(void) { return 0; }
C
    cc -w -shared -fPIC -o other.so other.c
    cat >count.c <<'C'
#include <xgboost/c_api.h>
int main(void) {
    BoosterHandle booster;
    bst_ulong n;
    return XGBoosterCreate(NULL, 0, &booster) || XGBoosterLoadModel(booster, "model.json") ||
           XGBoosterGetNumFeature(booster, &n) || n != 4242;
}
C
    cc -o count count.c "$dropin" -Wl,-rpath,"$build"
    TREEBENCH_DROPIN_VERBOSE=1 TREEBENCH_XGBOOST=$PWD/other.so run ./count
    show
    [ "$status" -eq 0 ]
    [[ $output == *"treebench only follows XGBoost 1.7"* ]]
}

@test "the library exports XGBoost's calls and nothing else" {
    nm -D --defined-only "$dropin" | awk '{ print $3 }' | sort >exported
    sed -n 's/^[A-Z]*([A-Z]*, \([A-Za-z_]*\),.*/\1/p' "$tests/../../dropin/xgboost/calls.def" |
        sort >declared
    [ "$(wc -l <declared)" -gt 70 ]
    diff declared exported
    needs_xgboost
    sed -n 's/^XGB_DLL .*[ *]\(XG[A-Za-z_]*\)(.*/\1/p' /usr/include/xgboost/c_api.h |
        sort -u >header
    [ "$(comm -13 declared header | wc -l)" -eq 0 ]
}
