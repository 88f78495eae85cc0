#!/usr/bin/env bats
# export: the command, the files that it writes, and its small scorers. exported.bats has the others.
load common
load exported_models

setup_file() {
    make_export_models
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
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

@test "export: for machines without vector units: if-else blocks, and tables with likely paths first" {
    cp "$BATS_TEST_DIRNAME/../fuzz/corpus/archforest/two-trees.json" votes.json
    for impl in ifelse-opt native-opt; do
        for model in lightgbm.txt outputs.json leaf.json votes.json deep.json; do
            rm -rf small
            treebench export --model "$model" --impl "$impl" --out small --name small
            succeeds
            [[ $output == "small/small.c: small_score, by $impl, "*" bytes of "*"; make -C small bench" ]]
            case $model in
            outputs.json | votes.json) check_everywhere small ;;
            *) check_with small "gcc -std=c99" ;;
            esac
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
        check_with small "gcc -std=c99"
        rm -rf small
    done
    treebench export --model lightgbm.txt --out small --profile likely.txt
    is_mistake "--profile has no effect without --impl ifelse-opt or --impl native-opt"
}

# CatBoost's files have hashes of categories, and no words.
@test "export: no function for categories whose words are unknown" {
    treebench export --model "$BATS_TEST_DIRNAME/../fuzz/corpus/catboost_binary/categories.cbm" --out hashes
    succeeds
    [ -z "$(grep _category hashes/*)" ]
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
    fast_clock
    # The Makefile's -O3 finds what other tests do not warn of.
    run make -C bench bench CFLAGS="-O3 -Wall -Wextra -Werror"
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"rows have treebench's scores"*"1000 "*" ns "*" times"*"treebench tune --model 50 trees.x.json --batch 1,8"* ]]
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
    names=$(sed -n "/headers\[\] = {/,/};/p" "$BATS_TEST_DIRNAME/../../export/export.c" | grep -o "\"[a-z0-9_]*\"" | tr -d "\"")
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
    is_mistake "--impl: 'qs' is not one of planes, rank-bytes, struct-plus"
    treebench export --model lightgbm.txt --out lightgbm.txt
    is_mistake "--out: lightgbm.txt is a file; expected a folder"
    treebench export --model lightgbm.txt --out lightgbm.txt --impl qs
    is_mistake "export: --impl: 'qs' is not one of planes, rank-bytes, struct-plus"
    treebench export --model nonesuch --out mistakes
    is_mistake "nonesuch"
    [ ! -e mistakes ]
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
