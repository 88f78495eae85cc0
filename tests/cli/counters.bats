#!/usr/bin/env bats
# compare --counters, and the pass that callgrind watches.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

needs_valgrind() {
    valgrind -q --tool=none "$TREEBENCH" --version >/dev/null 2>&1 ||
        skip "valgrind is not there, or this build does not run under it"
}

# The table of counts: what compare prints behind the empty line.
count() {
    local counters=$1
    shift
    "$TREEBENCH" compare --model model.json --data data.txt --rounds 2 --counters "$counters" \
        "$@" | sed '1,/^$/d'
}

# The number of COUNTER (a column's name) of IMPL, from the table on standard input.
value_of() {
    awk -v impl="$1" -v counter="$2" '
        $1 == "implementation" { for (i = 1; i <= NF; i++) if ($i == counter) column = i }
        $1 == impl && column { print $column }'
}

@test "callgrind: two runs give equal counts, whatever the environment" {
    needs_valgrind
    local impls=(--impl reference --impl struct-plus --impl codegen --impl vpred --impl bwqs)
    count callgrind "${impls[@]}" >first
    TREEBENCH_TEST_NOISE=$(head -c 3000 /dev/zero | tr '\0' x) count callgrind "${impls[@]}" >second
    cat first
    diff first second
    [ "$(grep -cE "^(reference|struct-plus|codegen|vpred|bwqs) +[0-9]" first)" -eq 5 ]
}

@test "callgrind: counts are labelled simulated, and have no cycles" {
    needs_valgrind
    count callgrind --impl reference >table
    grep -q "by callgrind; simulated: I1 and D1 32 KiB" table
    grep -q "^reference: callgrind does not simulate cycles$" table
    run ! grep -q "^implementation.* cycles" table
    grep -q "^per document and tree, " table
    grep -qE "^implementation +instructions +branches +mispredicted +L1-accesses +L1-misses" table
    value_of reference LL-misses <table | grep -qxE "0\.000|<0\.001" # by where memory happens to lie
}

@test "callgrind: only the pass is counted" {
    needs_valgrind
    # 3 trees of 4 decisions: a conditional branch for each, and a few for the loops around them.
    count callgrind --impl reference --impl noop >table
    cat table
    awk -v i="$(value_of reference instructions <table)" -v b="$(value_of reference branches <table)" \
        -v nothing="$(value_of noop instructions <table)" \
        'BEGIN { exit !(b >= 4 && b < 40 && i > b && i < 400 && nothing < i / 2) }'
}

@test "callgrind: without valgrind there are no counts but a reason" {
    treebench_path=$(type -P true)
    run env PATH=/nonexistent TREEBENCH_CC="$treebench_path" "$TREEBENCH" compare \
        --model model.json --data data.txt --impl reference --rounds 2 --counters callgrind
    show
    [ "$status" -eq 0 ]
    [[ $output == *"reference: valgrind cannot be run. Install it (apt-get install valgrind)"* ]]
    [[ $output != *simulated* ]]
}

# Skips if the system allows no single steps. A step takes up to 50 us, so there are few documents.
needs_steps() {
    allow_tracing
    "$TREEBENCH" synth --depth 4 --features 8 --trees 3 --documents 100 --seed 3 \
        --model model.json --data few.txt
    "$TREEBENCH" compare --model model.json --data few.txt --rounds 2 --counters step --impl noop \
        >"$BATS_TEST_TMPDIR/tried"
    if grep -qE "ptrace: |only on x86-64" "$BATS_TEST_TMPDIR/tried"; then
        skip "$(grep -E "ptrace: |only on x86-64" "$BATS_TEST_TMPDIR/tried")"
    fi
}

steps() {
    "$TREEBENCH" compare --model model.json --data few.txt --rounds 2 --counters step "$@" |
        sed '1,/^$/d'
}

@test "step: two runs give equal counts, whatever the environment" {
    needs_steps
    local impls=(--impl vpred --impl codegen --impl 'planes*')
    steps "${impls[@]}" >first
    TREEBENCH_TEST_NOISE=$(head -c 3000 /dev/zero | tr '\0' x) steps "${impls[@]}" >second
    cat first
    diff first second
    grep -q "^per document and tree, on average over a pass of 100 documents, by step$" first
    grep -qxE "implementation +instructions" first
    grep -qE "^planes +[0-9]+\.[0-9]+$" first
    grep -qx -- "--counters step: single steps count only instructions" first
    run ! grep -qE " -$" first
}

@test "step: counts agree with callgrind's within 0.1 %" {
    needs_steps
    needs_valgrind
    local impls=(--impl vpred --impl struct-plus)
    steps "${impls[@]}" >stepped
    "$TREEBENCH" compare --model model.json --data few.txt --rounds 2 --counters callgrind \
        "${impls[@]}" | sed '1,/^$/d' >simulated
    for impl in vpred struct-plus; do
        awk -v a="$(value_of $impl instructions <stepped)" \
            -v b="$(value_of $impl instructions <simulated)" \
            'BEGIN { exit !(a > 0 && a < 1.001 * b && b < 1.001 * a) }'
    done
}

@test "step: rows and JSON name the source" {
    needs_steps
    "$TREEBENCH" compare --model model.json --data few.txt --rounds 2 --counters step --impl noop \
        --csv >noop.csv
    cat noop.csv
    grep -q ",step," noop.csv
}

@test "step: with several threads nothing is counted, and that is said" {
    needs_two_cores
    count step --impl reference --threads 2 >table
    cat table
    [[ "$(cat table)" == *"counters cover one thread only. Measure with --threads 1 to count" ]]
}

@test "step: signals end the counted program too, and remove its files" {
    needs_steps
    "$TREEBENCH" synth --depth 8 --features 8 --trees 100 --seed 3 --model slow.json
    mkdir -p temporary
    for signal in TERM:143 HUP:129 INT:130; do
        TMPDIR=$PWD/temporary env --default-signal "$TREEBENCH" compare --model slow.json \
            --data data.txt --rounds 2 --impl pred --counters step >/dev/null 2>&1 3>&- &
        program=$!
        for _ in $(seq 600); do
            child=$(cut -d ' ' -f 1 "/proc/$program/task/$program/children")
            [ -z "$child" ] || break
            sleep 0.1
        done
        [ -n "$child" ]
        sleep 0.5 # it is being stepped
        kill -s "${signal%:*}" "$program"
        timeout 60 tail --pid="$program" -s 0.1 -f /dev/null || kill -9 "$program"
        code=0
        wait "$program" || code=$?
        [ "$code" -eq "${signal#*:}" ]
        run ! kill -0 "$child"
        [ -z "$(ls temporary)" ]
    done
}

@test "pass --step: scores without a tracer too" {
    treebench pass --model model.json --data data.txt --impl vpred,v=4 --documents 100 --step
    succeeds
    [[ $output == "100 documents, 4 lanes, "*" bytes" ]]
}

# Instructions by a processor's own counters, against those that are simulated.
agrees_with_callgrind() {
    needs_valgrind
    count "$1" --impl struct-plus >hardware
    counted=$(value_of struct-plus instructions <hardware)
    [ -n "$counted" ] || skip "$(grep "^struct-plus: " hardware)"
    awk -v a="$counted" -v b="$(count callgrind --impl struct-plus |
        value_of struct-plus instructions)" 'BEGIN { exit !(a < 1.01 * b && b < 1.01 * a) }'
}

@test "perf and callgrind agree on instructions within 1 %" {
    agrees_with_callgrind perf
}

@test "PAPI and callgrind agree on instructions within 1 %" {
    agrees_with_callgrind papi
}

@test "with several threads nothing is counted, and that is said" {
    needs_two_cores
    count callgrind --impl reference --threads 2 >table
    cat table
    [ "$(cat table)" = "reference: counters cover one thread only. Measure with --threads 1 to count" ]
}

@test "pass: scores without valgrind too, and refuses more documents than there are" {
    treebench pass --model model.json --data data.txt --impl vpred,v=4 --documents 100
    succeeds
    [[ $output == "100 documents, 4 lanes, "*" bytes" ]]
    printed=$output
    treebench pass --model model.json --data data.txt --impl vpred,v=4 --documents 100 --block 50 --team
    succeeds
    [ "$output" = "$printed" ]
    treebench pass --model model.json --data data.txt --documents 501
    is_mistake "--documents"
}

@test "a source of counts that does not exist is a mistake" {
    treebench compare --model model.json --data data.txt --counters abacus
    is_mistake "--counters: 'abacus' is not one of auto, perf, papi, callgrind, step, none"
    treebench run --counters abacus --out "$BATS_TEST_TMPDIR/run"
    is_mistake "--counters: 'abacus' is not one of auto, perf, papi, callgrind, step, none"
}

@test "why nothing is counted is said of --counters, not of an implementation" {
    needs_two_cores
    treebench compare --model model.json --data data.txt --rounds 2 --impl reference --impl auto \
        --threads 2 --counters auto
    show
    [ "$status" -eq 0 ]
    [ "$(grep -c "^--counters auto: counters cover one thread" <<<"$output")" -eq 1 ]
    run ! grep -qE "^(auto|reference): " <<<"$output"
}
