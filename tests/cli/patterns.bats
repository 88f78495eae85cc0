#!/usr/bin/env bats
# --impl where it may be repeated: all values of parameters, patterns, all, and what is not there.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# The first words of the lines that verify or compare print for implementations.
named() {
    sed -n '/^implementation /d; s/^\([a-z][a-z0-9=,-]*\)  .*/\1/p' <<<"$output"
}

@test "patterns: verify checks all values of a name's parameters, and only given ones where they are" {
    treebench verify --model model.json --impl vpred
    succeeds
    [ "$(named | tr '\n' ' ')" = "vpred vpred,v=1 vpred,v=4 vpred,v=8 vpred,v=16 vpred,v=32 vpred,v=64 " ] ||
        [ "$(named | grep -c ,v=)" -ge 5 ]
    treebench verify --model model.json --impl vpred,v=8
    succeeds
    [ "$(named)" = vpred,v=8 ]
}

@test "patterns: verify and compare take patterns and all" {
    treebench verify --model model.json --impl 'pred*' --impl pred
    succeeds
    [ "$(named | grep -c -e '^pred$' -e '^pred-heap$')" -eq 2 ]
    [ "$(named | grep -vc '^pred')" -eq 0 ]
    treebench verify --model model.json
    all=$(named)
    treebench verify --model model.json --impl all
    succeeds
    [ "$(named)" = "$all" ]
    treebench verify --model model.json --impl '*,sums=float'
    [ "$(named | grep -vc ',sums=float$')" -eq 0 ]
    [ "$(named | wc -l)" -ge 2 ]
    treebench verify --model model.json --impl '*,sums=chain'
    [ "$(named | wc -l)" -ge 2 ]
    treebench compare --model model.json --data data.txt --rounds 2 --impl 'struct*' --impl 'vpred,v=8'
    succeeds
    [ "$(named | tr '\n' ' ')" = "struct struct-plus vpred,v=8 " ]
    treebench compare --model model.json --data data.txt --rounds 2 --impl all
    [ "$status" -eq 0 ] # the model has no counts of documents, and some tell
    grep -q "^noop " <<<"$output"
}

@test "patterns: what matches nothing is a mistake, before anything is read" {
    for command in "verify --model missing" "compare --model missing --data missing"; do
        for text in 'plaens*' 'pred*,sums=half*'; do
            # shellcheck disable=SC2086 # a command and its options
            treebench $command --impl "$text"
            is_mistake "--impl: '$text' matches no implementation. \`treebench list\` prints all"
        done
        # shellcheck disable=SC2086
        treebench $command --impl qs --impl vperd
        is_mistake "no implementation 'vperd': did you mean 'vpred'?"
    done
}

@test "patterns: what cannot run here ends alike in every command" {
    export TREEBENCH_CPU=-sse4.2,-neon
    lacked=$(implementations traversal false | tail -n 1)
    [ -n "$lacked" ]
    for impl in "$lacked" codegen; do
        for command in score verify compare eval; do
            TREEBENCH_CC=/nonexistent/cc treebench $command --model model.json --data data.txt --impl "$impl"
            show
            [ "$status" -eq 4 ]
        done
    done
    for command in "verify" "compare --rounds 2"; do
        # shellcheck disable=SC2086
        treebench $command --model model.json --data data.txt --impl qs --impl "$lacked"
        show
        [ "$status" -eq 4 ]
        # Patterns ask for what there is.
        # shellcheck disable=SC2086
        treebench $command --model model.json --data data.txt --impl qs --impl "${lacked%?}*" --impl 'struct'
        show
        [ "$status" -eq 0 ]
        # A name that a pattern matches too is still a name.
        # shellcheck disable=SC2086
        treebench $command --model model.json --data data.txt --impl qs --impl "${lacked%?}*" --impl "$lacked"
        show
        [ "$status" -eq 4 ]
    done
}
