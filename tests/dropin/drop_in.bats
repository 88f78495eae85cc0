#!/usr/bin/env bats
# treebench drop-in, the page about drop-in libraries, and their installation.
load ../cli/common

setup_file() {
    build=$(dirname "$TREEBENCH")
    source=$BATS_TEST_DIRNAME/../..
    export build source
    ! grep -qe -fsanitize "$build/flags" || return 0 # setup skips
    cd "$BATS_FILE_TMPDIR" || return 1
    treebench synth --depth 4 --features 3 --trees 20 --documents 10 --model m.json --data d.txt
    treebench convert --model m.json --format lightgbm --out model.txt
    cat >my-program.c <<'C'
#include <stdint.h>
int LGBM_BoosterCreateFromModelfile(const char *name, int *n_iterations, void **handle);
int LGBM_BoosterPredictForMat(void *handle, const void *data, int data_type, int32_t n_rows,
                              int32_t n_columns, int is_row_major, int type, int start, int number,
                              const char *parameters, int64_t *n_results, double *results);
int LGBM_BoosterSaveModel(void *handle, int start, int number, int type, const char *name);
int LGBM_BoosterSetLeafValue(void *handle, int tree, int leaf, double value);
int main(int argc, char **argv) {
    void *handle;
    int n_iterations;
    int64_t n_results;
    const float row[3] = {1, 2, 3};
    double result;
    if (LGBM_BoosterCreateFromModelfile("model.txt", &n_iterations, &handle))
        return 1;
    if (argc > 1)
        return LGBM_BoosterSaveModel(handle, 0, 0, 0, argv[1]) ||
               LGBM_BoosterSetLeafValue(handle, 0, 0, 0);
    return LGBM_BoosterPredictForMat(handle, row, 0, 1, 3, 1, 0, 0, -1, "", &n_results, &result);
}
C
    # Stands for LightGBM's library: it only has the names.
    sed 's/^int \(LGBM_[A-Za-z]*\).*/int \1(void); int \1(void) { return 7; }/; /^int LGBM/!d' \
        my-program.c >empty.c
    cc -shared -fPIC -o lib_lightgbm.so empty.c
    cc -o my-program my-program.c ./lib_lightgbm.so
    export TREEBENCH_LIGHTGBM=/no/such/library.so
}

setup() {
    ! grep -qe -fsanitize "$build/flags" || skip "a sanitizer's build"
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "drop-in --check lists a program's calls, and what becomes of each" {
    treebench drop-in --check ./my-program
    succeeds
    [ "$output" = "LightGBM, with LD_PRELOAD=libtreebench_lightgbm.so.0:
  LGBM_BoosterCreateFromModelfile               served
  LGBM_BoosterPredictForMat                     served
  LGBM_BoosterSaveModel                         passed on
  LGBM_BoosterSetLeafValue                      passed on, as is what follows for the model
Calls that are passed on need the real library. Without it, they fail." ]
}

@test "drop-in --check looks at libraries of the program too" {
    cc -shared -fPIC -o libinner.so my-program.c ./lib_lightgbm.so
    printf 'int main(void) { return 0; }\n' >outer.c
    cc -o outer outer.c -Wl,--no-as-needed -L. -linner -Wl,-rpath,"$PWD"
    treebench drop-in --check ./outer
    succeeds
    [[ $output == *"LGBM_BoosterPredictForMat "*served* ]]
}

@test "drop-in --check of a program whose calls are all served" {
    printf 'int LGBM_BoosterPredictForMat(void);\nint main(void) { return LGBM_BoosterPredictForMat(); }\n' >served.c
    cc -o served served.c ./lib_lightgbm.so
    treebench drop-in --check ./served
    succeeds
    [ "$(tail -n 1 <<<"$output")" = \
        "All its calls are served. Some of their parameters may be passed on." ]
}

@test "drop-in --check of what calls nothing, and of what is no program" {
    printf 'int main(void) { return 0; }\n' >outer.c
    cc -o nothing outer.c
    treebench drop-in --check ./nothing
    succeeds
    [[ $output == "./nothing is linked with none of the calls"* ]]
    treebench drop-in --check my-program.c
    is_mistake "my-program.c: not a program or a library"
    treebench drop-in --check missing
    is_mistake "missing: cannot be read"
    treebench drop-in
    is_mistake "give --check PROGRAM or --calls"
}

@test "the commands of docs/drop-in.md run, and treebench then answers the program" {
    PATH=$(dirname "$TREEBENCH"):$PATH
    export HOME=$PWD
    mkdir -p .local/lib
    ln -sf "$build/libtreebench_lightgbm.so.0" .local/lib
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$source/docs/drop-in.md" >commands
    [ "$(wc -l <commands)" -eq 2 ]
    run ./my-program
    [ "$status" -eq 1 ]
    run sh -e commands
    show
    [ "$status" -eq 0 ]
    [[ $output == *"treebench: LightGBM: model.txt: 20 trees, 3 features: treebench predicts"* ]]
}

@test "docs/drop-in.md has the calls that are not simply passed on" {
    treebench drop-in --calls
    succeeds
    [ "${#lines[@]}" -gt 90 ]
    # shellcheck disable=SC2016 # the backquotes are Markdown's
    grep '^| `' "$source/docs/drop-in.md" | tr -d '`|' | awk '{ $1 = $1 } 1' >page.txt
    printf '%s\n' "${lines[@]}" | awk '{ $1 = $1 } !/ passed on$/' | diff - page.txt
}

@test "make install installs the library, and a program can be linked with it" {
    root=$BATS_TEST_TMPDIR/root
    make -s -C "$source" -o all BUILD="$build" DESTDIR="$root" PREFIX=/usr install
    cc -o linked my-program.c -L"$root/usr/lib" -ltreebench_lightgbm -Wl,-rpath,"$root/usr/lib"
    ./linked
    run ./linked saved.txt
    [ "$status" -eq 1 ]
}
