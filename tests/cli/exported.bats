#!/usr/bin/env bats
# export: what it writes compiles everywhere without a warning, and has treebench's scores.
load common
load exported_models

setup_file() {
    make_export_models
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "exported: a model of several outputs, on every compiler, as C and as C++" {
    treebench export --model outputs.json --out outputs
    succeeds
    [[ $output == *"_score, by planes and rank-bytes; make -C outputs bench" ]]
    check_with outputs "gcc -std=c99 -O1" "g++ -x c++ -std=c++11" "clang -std=c99" \
        "clang++ -x c++ -std=c++17 -O1"
}

@test "exported: hand-made and large models" {
    for model in lightgbm.txt leaf.json large.json; do
        treebench export --model "$model" --out "${model%.*}"
        succeeds
        check_with "${model%.*}" "gcc -std=c99" "clang++ -x c++ -std=c++11"
    done
}

@test "exported: planes, rank-bytes or neither" {
    for impl in planes rank-bytes struct-plus; do
        rm -rf one
        treebench export --model outputs.json --name one --impl "$impl" --out one
        succeeds
        [[ $output == *"one_score, by $impl; "* ]]
        check_with one "clang -std=c99"
        check_with one "gcc -DONE_NO_AVX512 -DONE_NO_AVX2" \
            "gcc -fsanitize=address,undefined -fno-sanitize-recover=undefined"
    done
}

@test "exported: a model whose categories cannot be rewritten as plain tests" {
    treebench export --model categories.json --out categories
    show
    [ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: categories.json: scores with planes, because rank-bytes cannot be used: does not support categories, and tree 0, node "* ]]
    check_with categories "gcc -std=c99" "clang++ -x c++ -std=c++11"
    treebench export --model categories.json --impl struct-plus --out categories
    succeeds
    check_with categories "gcc -std=c11"
    treebench export --model categories.json --impl rank-bytes --out refused
    is_mistake "rank-bytes: does not support categories, and tree 0, node "
    [ ! -e refused ]
    treebench verify --model categories.json --impl pred
    [[ $output == *"pred: does not support categories, and tree 0, node "*". Use planes, codegen or struct-plus"* ]]
}

@test "exported: sets that are few plain tests, by rank-bytes too" {
    echo '{"format": "treebench", "version": 1, "features": 2, "outputs": 1, "base": [0], "trees": [
        {"output": 0, "feature": [0,1], "threshold": [0,3.5], "left": [1,-1], "right": [-3,-2],
         "nan_left": [1,0], "cuts": [[0.5,1.5,2.5,3.5,4.5,5.5,6.5,7.5,8.5,9.5,10.5],[]], "value": [1,2,4]}]}' >set.json
    treebench export --model set.json --out set
    succeeds
    [[ $output == *"_score, by planes and rank-bytes; "* ]]
    check_with set "gcc -std=c99"
}

@test "exported: sets that are many plain tests are left to planes" {
    awk 'BEGIN {
        for (i = 0; i < 400; i++) {
            cuts = ""
            for (k = 1; k <= 60; k++)
                cuts = cuts (k == 1 ? "" : ",") 2 * k + i
            print (i ? "," : "") "{\"output\": 0, \"feature\": [0], \"threshold\": [0], \"left\": [-1],"
            print "\"right\": [-2], \"nan_left\": [0], \"cuts\": [[" cuts "]], \"value\": [" i ",1]}"
        }
    }' >trees
    {
        echo '{"format": "treebench", "version": 1, "features": 1, "outputs": 1, "base": [0], "trees": ['
        cat trees
        echo ']}'
    } >many.json
    treebench export --model many.json --out many
    show
    [ "$status" -eq 0 ]
    [[ $stderr == *"scores with planes, because rank-bytes cannot be used: does not support categories, and without them the model has 24000 nodes instead of 400" ]]
}

@test "exported: linked with -ffast-math, which flushes subnormal numbers to zero" {
    printf '%s\n' '0 2:0 3:1e-41' '0 2:0 3:2e-40' '0 1:-2 2:1 3:9e-41' '0 2:1 3:-1e-45' >tiny
    "$TREEBENCH" score --model lightgbm.txt --data tiny --out tiny.scores
    for impl in planes rank-bytes struct-plus; do
        treebench export --model lightgbm.txt --impl "$impl" --name real --out "tiny-$impl"
        succeeds
        cc -O1 -c -Itiny-"$impl" "tiny-$impl/real.c" -o real.o
        for flags in -O0 -ffast-math; do
            cc "$flags" -Itiny-"$impl" "$BATS_TEST_DIRNAME/exported_scores.c" real.o -o tiny-scores -lm
            run ./tiny-scores tiny tiny.scores
            show
            [ "$status" -eq 0 ]
        done
    done
}

@test "exported: trees that are too deep for planes, and for rank-bytes" {
    treebench export --model deep.json --out deep
    show
    [ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: deep.json: scores with rank-bytes, because planes cannot be used: tree 0 has 301 leaves and is 300 deep: too deep to be cut into trees of at most 256 leaves" ]]
    [[ $output == *"by rank-bytes"* ]]
    check_with deep "gcc -std=c99" "clang++ -x c++ -std=c++11"
    treebench export --model deep.json --impl planes --out planes
    is_mistake "has 301 leaves and is 300 deep: too deep to be cut into trees of at most 256 leaves"
    [ ! -e planes ]
    treebench export --model deeper.json --out deeper
    show
    [ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 2 ]
    [[ ${stderr_lines[1]} == "treebench: deeper.json: scores with struct-plus, because rank-bytes cannot be used: tree 0 is too uneven: cut into subtrees of 64 leaves, it has more than 8 levels" ]]
    [[ $output == *"by struct-plus"* ]]
    check_with deeper "gcc -std=c99"
    treebench export --model deeper.json --impl rank-bytes --out refused
    is_mistake "rank-bytes: tree 0 is too uneven: cut into subtrees of 64 leaves, it has more than 8 levels"
    [ ! -e refused ]
}

@test "exported: with the forms for other processors" {
    treebench export --model "50 trees.x.json" --name forest --out forest
    for without in -DFOREST_NO_AVX512 "-DFOREST_NO_AVX512 -DFOREST_NO_AVX2"; do
        read -ra words <<<"$without"
        compile gcc "${words[@]}" program forest
        ./program
    done
    if command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
        compile aarch64-linux-gnu-gcc -static program forest
        qemu-aarch64 ./program
        compile aarch64-linux-gnu-gcc -DFOREST_NO_NEON -static program forest
        qemu-aarch64 ./program
    fi
}

# The processor need not have AVX-512: SIMDe has stand-ins, for which what asks for it goes.
@test "exported: with AVX-512: planes score many documents, and rank-bytes a few" {
    echo '#include <simde/x86/avx512.h>' | gcc -E -x c - >/dev/null 2>&1 || skip "needs SIMDe (libsimde-dev)"
    [ "$(uname -m)" = x86_64 ] || skip "needs x86-64"
    # simulate MODEL: the exported scorer with the stand-ins, in simulated/forest.c
    simulate() {
        rm -rf simulated
        "$TREEBENCH" export --model "$1" --name forest --out simulated
        sed -i 's/__builtin_cpu_supports("avx512[a-z]*")/1/g
            s/__builtin_cpu_supports("gfni")/1/g
            /^#include <immintrin.h>/d
            /^#pragma GCC \(target\|push_options\|pop_options\)/d' simulated/forest.c
    }
    # simulation SOURCE: runs the test of that scorer
    simulation() {
        gcc -Wno-psabi -fwrapv -D_GNU_SOURCE -DFOREST_NO_AVX2 -I"$BATS_TEST_DIRNAME/../.." \
            -Isimulated -include tests/impls/simulated_avx512.h -o program "$1" simulated/forest_test.c
        run ./program
        echo "$output"
    }
    simulate outputs.json
    simulation simulated/forest.c
    [ "$status" -eq 0 ]
    # Trees of two levels, and columns in three tables.
    "$TREEBENCH" synth --depth 7 --features 300 --trees 20 --model wide.json
    simulate wide.json
    simulation simulated/forest.c
    [ "$status" -eq 0 ]
    # Another first node, or other leaves, and the scores are others: it is the planes of 64 bytes that
    # many documents are scored by, and the bytes of ranks that one document is.
    awk '/separators_64\[\]/ { on = 1 } on && /^    / && !done { sub(/[0-9]+/, "0"); done = 1 } 1' \
        simulated/forest.c >wrong.c
    simulation wrong.c
    [ "$status" -eq 1 ]
    [[ $output != *"scored with 1 documents:"* ]]
    awk '/rank_exits\[\]/ { on = 1 } /^}/ { on = 0 } on { gsub(/{0x3f/, "{0x40") } 1' \
        simulated/forest.c >wrong.c
    simulation wrong.c
    [ "$status" -eq 1 ]
    [[ $output == *"scored with 1 documents:"* ]]
}

# agree MODEL DOCUMENTS: the exported model gives the scores that `treebench score` prints
agree() {
    "$TREEBENCH" convert --data "$2" --out documents.txt
    "$TREEBENCH" score --model "$1" --data documents.txt --impl reference --out scores
    "$TREEBENCH" export --model "$1" --name real --out real
    for define in -DREAL_NO_AVX2 -DREAL_NO_AVX512; do
        gcc -std=c11 "$define" -Ireal -o check real/real.c "$BATS_TEST_DIRNAME/exported_scores.c"
        run ./check documents.txt scores
        echo "$1: $output"
        [ "$status" -eq 0 ]
    done
}

@test "exported: real models on their documents, equal to the last bit" {
    [ -n "$TREEBENCH_DATA" ] || skip "TREEBENCH_DATA is unset: no real data"
    cd "$BATS_TEST_TMPDIR" || return 1
    agree "$TREEBENCH_DATA/models/mq2008.lmart100x31.lgbm.txt.gz" "$TREEBENCH_DATA/ltr/mq2008/S5.txt.gz"
    agree "$TREEBENCH_DATA/models/nyc_taxi.100.lleaves.lgbm.txt.gz" \
        "$TREEBENCH_DATA/models/nyc_taxi.random1000.csv"
    agree "$TREEBENCH_DATA/models/web30k.lmart259x127.ilmart.lgbm.txt.gz" \
        "$TREEBENCH_DATA/ltr/mslr-web30k-sample/fold1.test.txt.gz"
    agree "$TREEBENCH_DATA/models/multiclass.120.lleaves.lgbm.txt.gz" \
        "$TREEBENCH_DATA/models/multiclass.random1000.csv"
}
