#!/usr/bin/env bats
# What cannot be written is an error that names the file and the reason. A limit on the size of
# files stands for a full disk, and /dev/full for one behind a device.
load common

setup_file() {
    make_inputs
    small_runs
    "$TREEBENCH" synth --depth 4 --features 8 --trees 60 --model large.json
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --out run >/dev/null
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# limited KIB COMMAND...: no file may become larger. BATS' own files are written by others.
limited() {
    run --separate-stderr bash -c \
        'trap "" XFSZ; { ulimit -f "$1" && shift && "$TREEBENCH" "$@"; } | cat; exit "${PIPESTATUS[0]}"' \
        limited "$@"
}

# One line: the file, what failed, and why.
tells() {
    show
    [ "$status" -eq 2 ] && [[ ${stderr_lines[-1]} == "treebench: $1: cannot "*": File too large" ]]
}

@test "full disk: every command names the file and the reason" {
    limited 1 score --model model.json --data data.txt --out scores
    tells scores
    limited 1 score --model large.json --data data.txt --out scores.gz
    tells scores.gz
    limited 1 convert --model large.json --out large.onnx
    tells large.onnx
    limited 1 convert --data data.txt --out data.cache
    tells data.cache
    limited 1 convert --data data.txt --out other.txt
    tells other.txt
    limited 1 synth --depth 4 --features 8 --trees 60 --model made.json
    tells made.json
    limited 1 train --learner random-forest --data data.txt --out trained.json
    tells trained.json
    limited 1 export --model model.json --out exported
    tells exported/model.h
    limited 4 run --scale smoke --only asadi2014-fig3 --out limited
    tells limited/rows.jsonl
    limited 4 map --scale smoke --out map
    tells map/rows.jsonl
    limited 1 report --run run
    tells run/asadi2014-fig3.csv
    [ ! -e scores ] && [ ! -e made.json ] && [ ! -e exported/model.h ]
    [ -z "$(find . -name '*.tmp.*')" ]
}

@test "full disk: the limit's signal ends nothing" {
    mkdir signal
    cd signal
    run --separate-stderr bash -c 'ulimit -f 1; exec "$TREEBENCH" "$@"' limited \
        convert --model ../large.json --out large.onnx
    tells large.onnx
    [ -z "$(ls)" ]
}

@test "full disk: a figure is whole or not there" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    limited 12 report --run run
    show
    [[ ${stderr_lines[-1]} == *"run/asadi2014-fig3.svg: cannot write: File too large" ]]
    [ ! -e run/asadi2014-fig3.svg ]
}

@test "full disk: what codegen writes" {
    XDG_CACHE_HOME=$PWD/codegen limited 1 score --model large.json --data data.txt --impl codegen --out scores
    show
    [ "$status" -eq 2 ]
    [ "${stderr_lines[-1]}" = "treebench: cannot create temporary files for the input and output of ${TREEBENCH_CC:-cc}: File too large" ]
}

@test "full disk: a device" {
    [ -e /dev/full ] || skip "no /dev/full here"
    for command in "score --model model.json --data data.txt --out" "convert --model model.json --out" \
        "convert --data data.txt --out" "synth --depth 3 --features 4 --data"; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command /dev/full
        is_mistake "/dev/full: cannot write: No space left on device"
    done
    for command in "score --model model.json --data data.txt" "info --model model.json" list \
        "verify --model model.json --impl qs" "eval --model model.json --data data.txt" --help; do
        run --separate-stderr sh -c '"$TREEBENCH" '"$command >/dev/full"
        is_mistake "standard output: No space left on device"
    done
}
