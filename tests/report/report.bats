#!/usr/bin/env bats
# The report as a page, in Chromium. run/ is a fixed run whose times of asadi2014-table2 are made up. It
# lacks panels and artefacts, and one of its rows has a reason that looks like markup.
load ../cli/common

# One browser runs all checks. Each test reads the result of one.
setup_file() {
    REPORT_MODULES=$(dirname "$TREEBENCH")/report-tests
    CHROMIUM=$(command -v chromium) || return 0
    [ -d "$REPORT_MODULES/node_modules" ] && command -v node >/dev/null || return 0
    export REPORT_MODULES CHROMIUM
    cp -r tests/report/run "$BATS_FILE_TMPDIR/run"
    page=$BATS_FILE_TMPDIR/report.html
    "$TREEBENCH" report --run "$BATS_FILE_TMPDIR/run" --html "$page" >"$page.printed" || [ $? -eq 1 ]
    cp -r tests/report/run "$BATS_FILE_TMPDIR/other"
    node tests/report/faster.mjs "$BATS_FILE_TMPDIR/other/rows.jsonl"
    "$TREEBENCH" report --run "$BATS_FILE_TMPDIR/run" --run "$BATS_FILE_TMPDIR/other" \
        --html "$BATS_FILE_TMPDIR/changes.html" >"$page.changes" || [ $? -eq 1 ]
    unset TREEBENCH_DATA TREEBENCH_DATA_SETS
    small_runs
    fast_clock
    "$TREEBENCH" run --scale smoke --only beyond-latency --out "$BATS_FILE_TMPDIR/beyond"
    "$TREEBENCH" report --run "$BATS_FILE_TMPDIR/beyond" --html "$BATS_FILE_TMPDIR/beyond.html"
    "$TREEBENCH" map --scale smoke --out "$BATS_FILE_TMPDIR/map"
    "$TREEBENCH" report --run "$BATS_FILE_TMPDIR/map" --html "$BATS_FILE_TMPDIR/map.html"
    "$TREEBENCH" submit --run "$BATS_FILE_TMPDIR/map" --out "$BATS_FILE_TMPDIR/atlas"
    sh scripts/atlas.sh "$TREEBENCH" "$BATS_FILE_TMPDIR/atlas" "$BATS_FILE_TMPDIR/atlas.html"
    unset LD_PRELOAD
    mkdir "$BATS_FILE_TMPDIR/results"
    timeout 200 node tests/report/report.mjs "$page" "$(tail -n 1 "$page.printed")" "$BATS_FILE_TMPDIR/results"
}

check() {
    [ -d "$BATS_FILE_TMPDIR/results" ] ||
        skip "chromium or playwright-core is missing: run sh scripts/deps.sh test, then make build/report-tests/installed"
    cat "$BATS_FILE_TMPDIR/results/$1"
    [ "$(cat "$BATS_FILE_TMPDIR/results/$1")" = ok ]
}

@test "the page opens without a request and without an error" {
    check opens
}

@test "what is not reproduced of the run's papers has a line each" {
    check missing
}

@test "CSV becomes a table, and Markdown becomes blocks" {
    check files
}

@test "the scoreboard counts the verdicts that report prints" {
    check scoreboard
}

@test "claims are filtered by verdict and by words, and show their values" {
    check claims
}

@test "rows are sorted by pointer and keyboard" {
    check sorts
}

@test "rows are filtered, and text with markup stays text" {
    check filters
}

@test "every link has a target" {
    check links
}

@test "a panel tells its values to the pointer and to the keyboard" {
    check values
}

@test "a strip shows the bounds, the paper's range and the intervals of a claim" {
    check strips
}

@test "the page is used by keyboard alone" {
    check keyboard
}

@test "synthetic data and stand-ins are marked wherever their numbers stand" {
    check origins
}

@test "two runs: what changed, and by how much" {
    check changes
}

@test "latencies: percentiles, rates, and what is published" {
    check latencies
}

@test "a map: the fastest at each point" {
    check map
}

@test "the atlas: who wins where" {
    check atlas
}

@test "a phone needs no horizontal scroll bar" {
    check phone
}

@test "the page prints" {
    check prints
}

@test "axe-core finds no serious violation, light or dark" {
    check accessible
}
