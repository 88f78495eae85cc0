#!/usr/bin/env bats
# export: what it writes compiles everywhere without a warning, and has treebench's scores.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >lightgbm.txt <<'MODEL'
tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=2
feature_names=a b c

Tree=0
num_leaves=3
num_cat=0
split_feature=1 0
threshold=0.5 -1.25
decision_type=2 8
left_child=1 -1
right_child=-3 -2
leaf_value=0.1 0.2 0.3

Tree=1
num_leaves=2
num_cat=0
split_feature=2
threshold=1e-40
decision_type=10
left_child=-1
right_child=-2
leaf_value=-7 1e22

end of trees
MODEL
    # Two outputs in any order, bases, an infinite threshold, NaN to the left, a tree that is one leaf.
    cat >outputs.json <<'MODEL'
{"format": "treebench", "version": 1, "features": 9, "outputs": 2, "base": [0.5,-1],
 "feature_names": ["x", "a */ b", "/* c", "\"d\"", "e\\", "@name@", "g\n", "Größe", "??/"], "trees": [
 {"output": 1, "feature": [8,0], "threshold": [0.1,"-inf"], "left": [1,-1], "right": [-3,-2],
  "nan_left": [1,0], "value": [1,2,3]},
 {"output": 0, "feature": [], "threshold": [], "left": [], "right": [], "value": [4.25]},
 {"output": 1, "feature": [8,8], "threshold": [0.1,"inf"], "left": [1,-1], "right": [-3,-2],
  "nan_left": [0,1], "value": [0.1,-0.0,0.7]}]}
MODEL
    echo '{"format": "treebench", "version": 1, "features": 1, "outputs": 1, "base": [0.25], "trees": [
 {"output": 0, "feature": [], "threshold": [], "left": [], "right": [], "value": [3]}]}' >leaf.json
    "$TREEBENCH" synth --depth 9 --features 20 --trees 3 --model large.json
    # A chain: as deep as it has nodes.
    cat >deep.json <<MODEL
{"format": "treebench", "version": 1, "features": 300, "outputs": 1, "base": [0.25], "trees": [
 {"output": 0, "feature": [$(seq -s, 0 299)], "threshold": [$(seq -s, 1 300)],
  "left": [$(seq -s, 1 299),-1], "right": [$(seq -s, -301 -2)], "value": [$(seq -s, 0 300)]}]}
MODEL
    # A balanced tree that tests sets of 60 categories: rewritten as plain tests it would be too large.
    awk 'BEGIN {
        for (i = 0; i < 63; i++) {
            cuts = ""
            for (k = 1; k <= 60; k++)
                if ((k * k * (i + 3) + 7 * i) % 5 < 2)
                    cuts = cuts (cuts == "" ? "" : ",") k - 0.5
            comma = i ? "," : ""
            features = features comma i % 5
            thresholds = thresholds comma "0"
            left = left comma (i < 31 ? 2 * i + 1 : 61 - 2 * i)
            right = right comma (i < 31 ? 2 * i + 2 : 60 - 2 * i)
            nan_left = nan_left comma i % 3 % 2
            sets = sets comma "[" (i % 4 == 1 ? "" : cuts) "]"
            values = values i / 7 ","
        }
        print "{\"format\": \"treebench\", \"version\": 1, \"features\": 6, \"outputs\": 1, \"base\": [0.25],"
        print "\"trees\": [{\"output\": 0, \"feature\": [" features "], \"threshold\": [" thresholds "],"
        print "\"left\": [" left "], \"right\": [" right "], \"nan_left\": [" nan_left "],"
        print "\"cuts\": [" sets "], \"value\": [" values "9]}]}"
    }' >categories.json
    "$TREEBENCH" synth --depth 5 --features 30 --trees 50 --model "50 trees.x.json"
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# compile COMPILER... OUTPUT NAME: the exported files NAME*.c of the folder NAME
compile() {
    "${@:1:$#-2}" -O1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -o "${*: -2:1}" "${*: -1}/${*: -1}.c" \
        "${*: -1}/${*: -1}_test.c"
}

# Every compiler that there is takes NAME, and the program says that all scores are right.
check_everywhere() {
    for compiler in "gcc -std=c99" "gcc -std=c11" "g++ -x c++ -std=c++11" "g++ -x c++ -std=c++17" \
        "clang -std=c99" "clang++ -x c++ -std=c++17"; do
        command -v "${compiler%% *}" >/dev/null || continue
        read -ra words <<<"$compiler"
        compile "${words[@]}" program "$1"
        "${words[@]}" -c -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -o bench.o "$1/$1_bench.c"
        run ./program
        echo "$compiler: $output"
        [ "$status" -eq 0 ]
        [[ $output == "$1: "*" rows have treebench's scores, bit for bit" ]]
    done
}

# Beside the system's headers, as a program of a user has them.
compiles_beside_headers() {
    cat >user.c <<USER
#include <$2.h>
#include <string.h>
#include <time.h>
int main(void) { return (int)time(NULL) * 0; }
USER
    gcc -Wall -Wextra -Werror -I "$1" -o user user.c "$1/$2.c"
    ./user
}

@test "export: hand-made and large models, on every compiler, as C and as C++" {
    for model in lightgbm.txt outputs.json leaf.json large.json categories.json; do
        treebench export --model "$model" --out "${model%.*}"
        succeeds
        [[ $output == *"_score, by planes; make -C ${model%.*} bench" ]]
        check_everywhere "${model%.*}"
    done
}

@test "export: a model whose categories cannot be rewritten as plain tests" {
    for impl in planes struct-plus; do
        treebench export --model categories.json --impl "$impl" --out "categories-$impl" --name categories
        succeeds
        rm -rf categories && mv "categories-$impl" categories
        compile gcc -std=c11 program categories
        run ./program
        [ "$status" -eq 0 ]
    done
    treebench verify --model categories.json --impl pred
    [[ $output == *"pred: does not support categories, and tree 0, node "*". Use planes, codegen or struct-plus"* ]]
}

@test "export: linked with -ffast-math, which flushes subnormal numbers to zero" {
    printf '%s\n' '0 2:0 3:1e-41' '0 2:0 3:2e-40' '0 1:-2 2:1 3:9e-41' '0 2:1 3:-1e-45' >tiny
    for impl in planes struct-plus; do
        treebench export --model lightgbm.txt --impl "$impl" --name real --out "tiny-$impl"
        succeeds
        "$TREEBENCH" score --model lightgbm.txt --data tiny >tiny.scores
        for flags in -O2 -ffast-math; do
            cc -O2 -c -Itiny-"$impl" "tiny-$impl/real.c" -o real.o
            cc "$flags" -O2 -Itiny-"$impl" "$BATS_TEST_DIRNAME/exported_scores.c" real.o -o tiny-scores -lm
            run ./tiny-scores tiny tiny.scores
            show
            [ "$status" -eq 0 ]
        done
    done
}

@test "export: the header has the names of the features in their order" {
    treebench export --model lightgbm.txt --out labelled
    succeeds
    grep -A 4 "values of a document, in their order" labelled/lightgbm.h
    [ "$(sed -n 's/^ \* \([0-9]: .*\)/\1/p' labelled/lightgbm.h)" = $'0: "a"\n1: "b"\n2: "c"' ]
    treebench export --model outputs.json --out odd
    grep -F ' * 1: "a \u002a/ b"' odd/outputs.h
    grep -F ' * 4: "e\u005c"' odd/outputs.h
    treebench export --model leaf.json --out unnamed
    [[ $(cat unnamed/leaf.h) != *"in their order"*0:* ]]
}

@test "export: without planes, by choice or because trees are deep" {
    treebench export --model outputs.json --name plain --impl struct-plus --out plain
    succeeds
    check_everywhere plain
    treebench export --model deep.json --out deep
    show
    [ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "treebench: deep.json: scores with struct-plus, because planes cannot be used: tree 0 has 301 leaves"* ]]
    [[ $output == *"by struct-plus"* ]]
    check_everywhere deep
    treebench export --model deep.json --impl planes --out planes
    is_mistake "has 301 leaves and is 300 deep: too deep to be cut into trees of at most 256 leaves"
    [ ! -e planes ]
}

@test "export: for machines without vector units: if-else blocks, and tables with likely paths first" {
    cp "$BATS_TEST_DIRNAME/../fuzz/corpus/archforest/two-trees.json" votes.json
    for impl in ifelse-opt native-opt; do
        for model in lightgbm.txt outputs.json leaf.json votes.json deep.json; do
            rm -rf small
            treebench export --model "$model" --impl "$impl" --out small --name small
            succeeds
            [[ $output == "small/small.c: small_score, by $impl, "*" bytes of "*"; make -C small bench" ]]
            check_everywhere small
        done
        # one tree for all classes: a vote, not a sum of as many trees as there are classes
        treebench export --model votes.json --impl "$impl" --out "votes-$impl" --name votes
        grep -q "N_TREES = 2 " "votes-$impl/votes.c"
        treebench export --model categories.json --impl "$impl" --out refused
        is_mistake "categories.json: "
        [ ! -e refused ]
    done
}

@test "export: --profile puts likely branches first" {
    printf '%s\n' "0 1:1" "0 1:1" "0 1:1 2:1 3:1" >likely.txt
    for impl in ifelse-opt native-opt; do
        treebench export --model lightgbm.txt --impl "$impl" --out "half-$impl" --name small
        treebench export --model lightgbm.txt --impl "$impl" --out small --name small --profile likely.txt
        show
        [ "$status" -eq 0 ]
        check_everywhere small
        rm -rf small
    done
    treebench export --model lightgbm.txt --out small --profile likely.txt
    is_mistake "--profile has no effect without --impl ifelse-opt or --impl native-opt"
}

@test "export: --max-bytes refuses what does not fit, with its size" {
    # 50 trees of 31 nodes of 12 bytes and 32 values of 8 bytes; where each tree and its values begin
    treebench export --model "50 trees.x.json" --impl native-opt --out fits --max-bytes 31800
    succeeds
    [[ $output == *", by native-opt, 31800 bytes of tables; "* ]]
    treebench export --model "50 trees.x.json" --impl native-opt --out tight --max-bytes 31799
    is_mistake "native-opt needs 31800 bytes of tables, more than --max-bytes 31799. Use fewer or smaller trees"
    [ ! -e tight ]
    treebench export --model "50 trees.x.json" --impl ifelse-opt --out tight --max-bytes 32000
    is_mistake "bytes of code and constants, more than --max-bytes 32000. Use --impl native-opt, or fewer"
    treebench export --model "50 trees.x.json" --out tight --max-bytes 99999999
    is_mistake "--max-bytes has no effect without --impl ifelse-opt or --impl native-opt"
}

# The size that ifelse-opt announces is about that of the compiled file.
@test "export: bytes of code" {
    [ "$(uname -m)" = x86_64 ] || skip "measured on x86-64"
    treebench export --model "50 trees.x.json" --impl ifelse-opt --out code --name code
    [[ $output =~ about\ ([0-9]+)\ bytes ]]
    expected=${BASH_REMATCH[1]}
    gcc -O3 -c -o code.o code/code.c
    found=$(size code.o | awk 'NR == 2 { print $1 }')
    echo "$found bytes, $expected expected"
    [ "$found" -gt $((expected * 7 / 10)) ] && [ "$found" -lt $((expected * 13 / 10)) ]
}

@test "export: its Makefile tests and measures" {
    treebench export --model "50 trees.x.json" --out bench
    succeeds
    [ "$(ls bench)" = "$(printf '%s\n' Makefile model_50_trees.c model_50_trees.h \
        model_50_trees_bench.c model_50_trees_test.c)" ]
    run make -C bench bench
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"rows have treebench's scores"*"1000 "*" ns "*" times"*"treebench tune --model 50 trees.x.json --batch 1,8"* ]]
    # The Makefile's -O3 finds what -O1 does not warn of.
    gcc -O3 -Wall -Wextra -Werror -c -o optimised.o bench/model_50_trees.c
}

@test "export: a test that would fail when a score is wrong" {
    treebench export --model lightgbm.txt --name wrong --out wrong
    sed -i 's/1e+\?22/2e22/' wrong/wrong.c
    compile gcc program wrong
    run ./program
    echo "$output"
    [ "$status" -eq 1 ]
    [[ $output == "wrong: row "*"expected 1"*e+22* ]]
}

@test "export: with the forms for other processors" {
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
@test "export: with AVX-512" {
    echo '#include <simde/x86/avx512.h>' | gcc -E -x c - >/dev/null 2>&1 || skip "needs SIMDe (libsimde-dev)"
    treebench export --model "50 trees.x.json" --name forest --out avx512
    printf '%s\n' "#define SIMDE_ENABLE_NATIVE_ALIASES" "#include <simde/x86/avx2.h>" \
        "#include <simde/x86/avx512.h>" "#include <simde/x86/gfni.h>" \
        "#define __mmask16 simde__mmask16" >avx512/simde.h
    sed -i 's/__builtin_cpu_supports("avx512[a-z]*")/1/g
        s/__builtin_cpu_supports("gfni")/1/g
        /^#include <immintrin.h>/d
        /^#pragma GCC \(target\|push_options\|pop_options\)/d' avx512/forest.c
    gcc -O1 -Wno-psabi -fwrapv -DFOREST_NO_AVX2 -include avx512/simde.h -o simulated \
        avx512/forest.c avx512/forest_test.c
    run ./simulated
    echo "$output"
    [ "$status" -eq 0 ]
    # Another first node, and the scores are others: it is the planes of 64 bytes that were looked at.
    awk '/separators_64\[\]/ { on = 1 } on && /^    / && !done { sub(/[0-9]+/, "0"); done = 1 } 1' \
        avx512/forest.c >avx512/wrong.c
    gcc -O1 -Wno-psabi -fwrapv -DFOREST_NO_AVX2 -include avx512/simde.h -o simulated \
        avx512/wrong.c avx512/forest_test.c
    run ./simulated
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "export: writes over its own files only" {
    treebench export --model lightgbm.txt --out own
    treebench export --model lightgbm.txt --out own
    succeeds
    echo "all:" >own/Makefile
    before=$(ls -l own)
    treebench export --model lightgbm.txt --out own
    is_mistake "own/Makefile: already exists and is not from treebench export"
    [ "$(ls -l own)" = "$before" ]
    # Another name would leave the first one's files.
    treebench export --model lightgbm.txt --out named --name first
    treebench export --model lightgbm.txt --out named --name second
    is_mistake "named/Makefile: this folder holds an export named first, whose files would stay. Give --name first or another --out"
    [ ! -e named/second.c ]
    treebench export --model lightgbm.txt --out named --name first --impl struct-plus
    succeeds
}

@test "export: two models of one name do not replace each other" {
    cp lightgbm.txt ranker.1.txt
    sed s/0.3/0.4/ lightgbm.txt >ranker.2.txt
    treebench export --model ranker.1.txt --out rankers
    succeeds
    before=$(cat rankers/*)
    treebench export --model ranker.2.txt --out rankers
    is_mistake "rankers/ranker.h: already exists, from an export of ranker.1.txt. Give --name ranker to overwrite it"
    [ "$(cat rankers/*)" = "$before" ]
    treebench export --model ranker.1.txt --out rankers
    succeeds
    treebench export --model ranker.2.txt --out rankers --name ranker
    succeeds
    grep -q "export from ranker.2.txt" rankers/ranker.h
}

@test "export: a name that would hide a header of the system" {
    names=$(sed -n "/headers\[\] = {/,/};/p" "$BATS_TEST_DIRNAME/../../export/names.c" | grep -o "\"[a-z0-9_]*\"" | tr -d "\"")
    [ "$(wc -w <<<"$names")" -ge 100 ]
    for name in $names Time; do
        treebench export --model lightgbm.txt --out hidden --name "$name"
        is_mistake "--name: '$name' would hide the system's header <$name.h>. Use another name, such as model_$name"
    done >/dev/null
    [ ! -e hidden ]
    cp lightgbm.txt time.txt
    treebench export --model time.txt --out hidden
    succeeds
    [[ $output == "hidden/model_time.c: model_time_score, "* ]]
    compiles_beside_headers hidden model_time
}

@test "export: the next step can be pasted into a shell" {
    treebench export --model lightgbm.txt --name it --out "it's a folder"
    succeeds
    next=${output#*; }
    [ "$next" = "make -C 'it'\\''s a folder' bench" ]
    run sh -c "${next% bench} -n"
    [ "$status" -eq 0 ]
}

@test "export: mistakes" {
    treebench export --model lightgbm.txt --out mistakes --name 3rd
    is_mistake "--name: '3rd' is not a C identifier"
    treebench export --model lightgbm.txt --out mistakes --impl qs
    is_mistake "--impl: 'qs' is not one of planes, struct-plus"
    treebench export --model lightgbm.txt --out lightgbm.txt
    is_mistake "--out: lightgbm.txt is a file; expected a folder"
    treebench export --model lightgbm.txt --out lightgbm.txt --impl qs
    is_mistake "export: --impl: 'qs' is not one of planes, struct-plus"
    treebench export --model nonesuch --out mistakes
    is_mistake "nonesuch"
    [ ! -e mistakes ]
}

# agree MODEL DOCUMENTS: the exported model gives the scores that `treebench score` prints
agree() {
    "$TREEBENCH" convert --data "$2" --out documents.txt
    "$TREEBENCH" score --model "$1" --data documents.txt --impl reference --out scores
    "$TREEBENCH" export --model "$1" --name real --out real
    for define in -DREAL_NO_AVX2 -DREAL_NO_AVX512; do
        gcc -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror "$define" -Ireal -o check real/real.c \
            "$BATS_TEST_DIRNAME/exported_scores.c"
        run ./check documents.txt scores
        echo "$1: $output"
        [ "$status" -eq 0 ]
    done
}

@test "export: real models on their documents, equal to the last bit" {
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

@test "export: every file may go into any program, and carries that licence's name" {
    treebench export --model lightgbm.txt --out licensed
    succeeds
    for file in licensed/*; do
        grep -qE '^(/\*|#) SPDX-License-Identifier: MIT-0( \*/)?$' "$file" || {
            echo "no licence in $file"
            return 1
        }
    done
}
