#!/usr/bin/env bats
# asadi2014's figures: which forms of OBJECT and STRUCT are measured, and what latency is.
load common

# Whether the claims hold does not matter here.
report() {
    local status=0
    "$TREEBENCH" report --run "$1" >"$1/claims" || status=$?
    [ "$status" -ne 2 ]
}

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    small_runs
    "$TREEBENCH" run --scale smoke --only asadi2014-fig2 --out fig2
    report fig2
    unset TREEBENCH_DATA TREEBENCH_DATA_SETS
    "$TREEBENCH" run --scale smoke --only asadi2014-fig5 --out fig5
    report fig5
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# How many claims of Fig. 2 have these words and name this pair of variants.
judged() {
    grep -A1 "asadi2014-fig2: .*$1" fig2/claims | grep -c "($2 / $3, d="
}

@test "asadi2014-fig2: both forms of OBJECT and both heaps of STRUCT are timed" {
    for variant in '"object","params":""' '"object","params":"virtual=1"' \
        '"struct","params":""' '"struct","params":"scatter=1"'; do
        [ "$(grep -c "\"impl\":$variant,.*\"status\":\"ok\"" fig2/rows.jsonl)" -eq 18 ]
    done
    grep '^| d | .*| OBJECT | OBJECT (virtual) | STRUCT | STRUCT (aged heap) | STRUCT+ |' \
        fig2/asadi2014-fig2.md
}

@test "asadi2014-fig2: STRUCT+ is judged against a fresh and an aged heap" {
    for words in "does not improve significantly on STRUCT" "significantly faster than STRUCT"; do
        [ "$(judged "$words" struct struct-plus)" -eq 1 ]
        [ "$(judged "$words" struct,scatter=1 struct-plus)" -eq 1 ]
    done
}

@test "asadi2014-fig2: no claim is about OBJECT with virtual methods" {
    grep -q "(object / " fig2/claims
    run ! grep "virtual" fig2/claims
}

@test "asadi2014-fig2: the key has the label of every variant" {
    command -v gnuplot || skip "needs gnuplot"
    for label in OBJECT "OBJECT (virtual)" STRUCT "STRUCT (aged heap)" STRUCT+ CODEGEN PRED; do
        [ "$(grep -cF "<text>$label</text>" fig2/asadi2014-fig2.svg)" -eq 1 ]
    done
}

@test "asadi2014-fig5: (a) has a barrier after each step, and is latency; (b) is throughput" {
    needs_two_cores
    for impl in 'codegen","params":""' 'vpred","params":"v=16"'; do
        grep "\"impl\":\"$impl" fig5/rows.jsonl >rows
        grep '"threads":2,"parallel":"trees","barrier":"step",.*"status":"ok"' rows
        grep '"threads":2,"parallel":"documents","barrier":"",.*"status":"ok"' rows
    done
    sed -n '/^### (a)/,/^|/p' fig5/asadi2014-fig5.md | grep "after each step"
    run ! grep "after each step" <(sed -n '/^### (b)/,$p' fig5/asadi2014-fig5.md)
}

@test "asadi2014-fig5: claims about more threads than cores are not measured" {
    [ "$(nproc)" -lt 8 ] || skip "needs fewer than 8 cores"
    for words in "VPRED's latency is 70 % lower" "Adding more threads than 4" "5 times that of one"; do
        grep -A1 "^not measured asadi2014-fig5: .*$words" fig5/claims | grep "not measured: threads = .*16"
    done
}

@test "asadi2014-fig4: STRUCT on an aged heap is beside STRUCT, and judged as STRUCT is" {
    config=$BATS_TEST_DIRNAME/../../configs/asadi2014-fig4.json
    grep -q '"variants": \["object", "struct", "struct,scatter=1", "struct-plus",' "$config"
    for id in struct-plus-near-struct-letor struct-plus-beats-struct; do
        grep -A4 "\"id\": \"$id\"," "$config" | grep '"slow": "struct",'
        grep -A4 "\"id\": \"$id-aged\"," "$config" | grep '"slow": "struct,scatter=1",'
    done
}
