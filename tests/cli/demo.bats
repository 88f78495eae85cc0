#!/usr/bin/env bats
# demo: a table with nothing at hand. What it measures is not judged here, only what it prints.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    mkdir work
    (cd work && "$TREEBENCH" demo >../demo.txt 2>../errors.txt) || {
        cat demo.txt errors.txt
        return 1
    }
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# The line of an implementation: it has a time, a ratio, and scores that are equal.
has_time() {
    cat demo.txt
    grep -qE "^$1 .* [0-9]+ +[0-9]+\.[0-9]x  equal( in float32)?$" demo.txt
}

@test "demo times a plain walk, QuickScorer, and the implementation for most documents" {
    has_time struct-plus
    has_time qs
    has_time auto
    grep -qE "^struct-plus .* 1\.0x  equal$" demo.txt
}

@test "demo times the libraries that are installed, and no others" {
    for library in xgboost lightgbm onnxruntime; do
        if implementations library true | grep -qx "$library"; then
            has_time "$library"
        else
            [ "$(grep -c "^$library " demo.txt)" -eq 0 ]
        fi
    done
}

@test "demo states what it scored, and ends with the next command" {
    grep -q "grown at random" demo.txt
    grep -q "reference traversal" demo.txt
    [[ $(tail -n 1 demo.txt) == "  treebench tune "* ]]
}

@test "demo needs and leaves no files" {
    [ -z "$(ls -A work)" ]
}

@test "demo takes no options and no files" {
    treebench demo model.json
    is_mistake "model.json"
    treebench demo --trees 5
    is_mistake "--trees"
}
