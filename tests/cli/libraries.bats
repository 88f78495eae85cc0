#!/usr/bin/env bats
# Other people's libraries as implementations.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "list and doctor tell which libraries are there" {
    treebench list --json
    succeeds
    grep -q '"name":"xgboost".*"kind":"library".*"library":"XGBoost [1-9].*libxgboost.so' <<<"$output"
    treebench doctor --measure none
    grep -qE "^ok  *xgboost  *XGBoost [1-9]" <<<"$output"
}

@test "verify: a library reaches the same leaves, and its sums are allowed rounding and no more" {
    treebench verify --model model.json --data data.txt --impl xgboost
    succeeds
    [[ ${lines[0]} =~ ^xgboost\ \ agrees:\ the\ same\ leaves.*largest\ difference\ [0-9.e-]+\ \( ]]
    [[ ${lines[1]} == "all 1 implementations agree with "* ]]
}

@test "score: a library's scores are the reference's within rounding, whatever the block" {
    treebench score --model model.json --data data.txt --impl reference --out reference.scores
    treebench score --model model.json --data data.txt --impl xgboost --out xgboost.scores
    succeeds
    paste reference.scores xgboost.scores |
        awk '{d = $1 - $2; if (d > 1e-5 || d < -1e-5) exit 1; n++} END {if (n != 500) exit 1}'
}

@test "compare: a library is given all documents in a call, or blocks" {
    treebench compare --model model.json --data data.txt --rounds 2 --impl xgboost --impl struct-plus
    succeeds
    grep -qE "^xgboost +[0-9.]+ " <<<"$output"
    treebench compare --model model.json --data data.txt --rounds 2 --block 7 --impl xgboost
    succeeds
}

@test "compare: a library with threads" {
    needs_two_cores
    treebench compare --model model.json --data data.txt --rounds 2 --block 7 --threads 2 --impl xgboost
    succeeds
}

@test "a library that is not there is told with a remedy, and left out unless asked for" {
    export TREEBENCH_LIGHTGBM=/nonexistent/lib.so
    treebench list --json
    succeeds
    grep -q '"name":"lightgbm".*"runs_here":false,"reason":".*/nonexistent/lib.so.*TREEBENCH_LIGHTGBM' <<<"$output"
    treebench doctor --measure none
    grep -A3 "^warning  lightgbm " <<<"$output" | grep -q TREEBENCH_LIGHTGBM
    treebench verify --model model.json
    run ! grep -q lightgbm <<<"$output"
    treebench verify --model model.json --impl lightgbm
    [ "$status" -eq 4 ]
    grep -q "^lightgbm  cannot run here: .*TREEBENCH_LIGHTGBM" <<<"$output"
    grep -q "^no implementation was verified; 1 cannot run on this machine$" <<<"$output"
    treebench compare --model model.json --data data.txt --rounds 2 --impl struct --impl lightgbm
    [ "$status" -eq 4 ]
    grep -q "^lightgbm  *unsupported: " <<<"$output"
}

@test "code made of one model is named by the user, and nothing that doctor misses" {
    unset TREEBENCH_TL2CGEN TREEBENCH_LLEAVES
    treebench list --json
    for name in tl2cgen lleaves; do
        grep -q "\"name\":\"$name\".*\"kind\":\"object\".*\"reason\":\"$name: no library is named. Set TREEBENCH_" <<<"$output"
    done
    treebench doctor --measure none
    run ! grep -qE "tl2cgen|lleaves" <<<"$output"
}

@test "verify: code made of one model agrees by its sums, and not with another model" {
    cat >object.c <<'END'
#include <math.h>
void forest_root(double *data, double *results, int begin, int end) {
    for (int i = begin; i < end; i++)
        results[i] = 0.1 + (data[i] <= 0.5 ? 0.7 : 1e-9);
}
END
    "${CC:-cc}" -shared -fPIC -o object.so object.c
    export TREEBENCH_LLEAVES=$PWD/object.so
    model='"format":"treebench","version":1,"features":1,"outputs":1,"base":[0]'
    leaf='{"output":0,"feature":[],"threshold":[],"left":[],"right":[],"value":[0.1]}'
    for value in 0.7 0.8; do
        tree='{"output":0,"feature":[0],"threshold":[0.5],"left":[-1],"right":[-2]'
        echo "{$model,\"trees\":[$leaf,$tree,\"value\":[$value,1e-9]}]}" >one.json
        treebench verify --model one.json --impl lleaves
        show
        if [ "$value" = 0.7 ]; then
            [ "$status" -eq 0 ]
            [[ ${lines[0]} == "lleaves  agrees"* ]]
        else
            [ "$status" -eq 1 ]
            [[ ${lines[0]} == "lleaves  differs: "* ]]
        fi
    done
}

@test "score: a library that fails gives no scores" {
    cc -shared -fPIC -o fake_lightgbm.so "$BATS_TEST_DIRNAME/../impls/peers/fake_lightgbm.c"
    export TREEBENCH_LIGHTGBM=$PWD/fake_lightgbm.so
    printf '1,2,3\n' >works.csv
    printf '999,2,3\n' >fails.csv
    treebench synth --depth 2 --features 3 --trees 1 --model small.json
    treebench score --model small.json --data works.csv --impl lightgbm
    succeeds
    treebench score --model small.json --data fails.csv --impl lightgbm
    is_mistake "lightgbm: the library failed or ran out of memory"
    [ -z "$output" ]
}

# --- TREEBENCH_XGBOOST ---------------------------------------------------------------------------

installed_xgboost() {
    { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | awk '/libxgboost\.so/ { print $NF; exit }'
}

@test "TREEBENCH_XGBOOST: a copy of the installed library under another path scores" {
    cp "$(installed_xgboost)" copy.so
    export TREEBENCH_XGBOOST=$PWD/copy.so
    treebench doctor --measure none
    grep -qE "^ok  *xgboost  *XGBoost [1-9][0-9.]*, " <<<"$output"
    run ! grep -q "libxgboost" <<<"$output"
    treebench verify --model model.json --data data.txt --impl xgboost
    succeeds
    treebench compare --model model.json --data data.txt --rounds 2 --impl xgboost --impl struct
    succeeds
    grep -qE "^xgboost: XGBoost [1-9][0-9.]*$" <<<"$output"
}

@test "TREEBENCH_XGBOOST: the named library scores, and its version is told" {
    cat >other.c <<'END'
static unsigned long shape[2] = {1, 1};
static float margins[100000];
void XGBoostVersion(int *a, int *b, int *c) { *a = 9, *b = 8, *c = 7; }
const char *XGBGetLastError(void) { return "no"; }
int XGBoosterCreate(void *d, unsigned long n, void **h) { (void)d, (void)n, *h = shape; return 0; }
int XGBoosterFree(void *h) { (void)h; return 0; }
int XGBoosterSetParam(void *h, const char *k, const char *v) { (void)h, (void)k, (void)v; return 0; }
int XGBoosterLoadModelFromBuffer(void *h, const void *b, unsigned long n) { (void)h, (void)b, (void)n; return 0; }
int XGBoosterPredictFromDense(void *h, const char *a, const char *c, void *m, const unsigned long **s,
                              unsigned long *n, const float **out) {
    (void)h, (void)a, (void)c, (void)m, *s = shape, *n = 2, margins[0] = 4.25f, *out = margins;
    return 0;
}
END
    "${CC:-cc}" -shared -fPIC -o other.so other.c
    export TREEBENCH_XGBOOST=$PWD/other.so
    treebench doctor --measure none
    grep -q "XGBoost 9.8.7, " <<<"$output"
    treebench list
    grep -q "found: XGBoost 9.8.7, .*other.so" <<<"$(tr '\n' ' ' <<<"$output" | tr -s ' ')"
    make_stump
    printf '1,2,3\n' >one.csv
    treebench score --model stump.xml --data one.csv --impl xgboost
    succeeds
    [ "$output" = 4.25 ]
}

@test "TREEBENCH_XGBOOST: what is not XGBoost is told in one line" {
    printf 'no library\n' >text.so
    TREEBENCH_XGBOOST=$PWD/text.so treebench score --model model.json --data data.txt --impl xgboost
    [ "$status" -eq 4 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "treebench: xgboost: $PWD/text.so: "*". Set TREEBENCH_XGBOOST to the path of a libxgboost.so"* ]]
    echo "void XGBoostVersion(int *a, int *b, int *c) { *a = *b = *c = 1; }" >half.c
    "${CC:-cc}" -shared -fPIC -o half.so half.c
    TREEBENCH_XGBOOST=$PWD/half.so treebench score --model model.json --data data.txt --impl xgboost
    [ "$status" -eq 4 ]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == "treebench: xgboost: $PWD/half.so has no function XGBGetLastError. Set TREEBENCH_XGBOOST "* ]]
    unset TREEBENCH_XGBOOST
    treebench verify --model model.json --data data.txt --impl xgboost
    succeeds
}

@test "run and report tell the versions of libraries: manifest, figure and page" {
    # The program finds configs beside the folder of its own file.
    mkdir -p own/build own/configs own/results
    cp "$TREEBENCH" own/build/treebench
    ln -sfn "$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/plots" own/plots
    cat >own/configs/libraries.json <<'END'
{"name": "libraries", "title": "Libraries", "source": "none", "seed": 1, "claims": [],
 "scales": {"smoke": {"depths": [3], "features": [8], "documents": [1024], "trials": 2, "rounds": 2}},
 "variants": {"xgboost": "a library", "pred": "PRED"},
 "figure": {"kind": "bars", "variants": ["xgboost", "pred"]}}
END
    mkdir -p own/results/reference
    echo "[]" >own/results/not-reproduced.json
    own/build/treebench run --scale smoke --only libraries --out versions
    own/build/treebench report --run versions
    tr -d ' \t\n' <versions/manifest.json | grep -qE '"libraries":\{"xgboost":"XGBoost[1-9][0-9.]*"\}'
    grep -qE ',1,"xgboost","a library \(XGBoost [1-9][0-9.]*\)",' versions/libraries.csv
    grep -q ',2,"pred","PRED",' versions/libraries.csv
    grep -qE '^\| Libraries \| XGBoost [1-9][0-9.]* \|$' versions/libraries.md
}

# The loader finds these files before the installed library.
@test "without XGBoost, training and scoring name the package, and other commands work" {
    for seed in 1 2; do
        echo "$seed qid:1 1:$seed"
        echo "0 qid:1 1:0"
    done >ranked.txt
    mkdir -p missing old
    : >missing/libxgboost.so.0
    : >missing/libxgboost.so
    LD_LIBRARY_PATH=$PWD/missing treebench train --learner lambdamart --data ranked.txt --trees 1 --out trained.json
    [ "$status" -eq 4 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: XGBoost: "*". Install the package libxgboost-dev" ]]
    LD_LIBRARY_PATH=$PWD/missing treebench score --model model.json --data data.txt --impl xgboost
    [ "$status" -eq 4 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: XGBoost: "*". Install the package libxgboost-dev" ]]
    LD_LIBRARY_PATH=$PWD/missing treebench score --model model.json --data data.txt
    succeeds
    echo "int nothing;" >old.c
    "${CC:-cc}" -shared -fPIC -o old/libxgboost.so.0 old.c
    LD_LIBRARY_PATH=$PWD/old treebench train --learner lambdamart --data ranked.txt --trees 1 --out trained.json
    [ "$status" -eq 4 ]
    [[ $stderr == "treebench: XGBoost: libxgboost.so.0 has no function XGB"*". Install a newer version" ]]
    treebench train --learner lambdamart --data ranked.txt --trees 1 --out trained.json
    succeeds
}
