#!/usr/bin/env bats
# Artefacts of single calls: latency over percentile, and over the rate of calls.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" run --scale smoke --only beyond-latency --out run >said
    "$TREEBENCH" report --run run --html page.html
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "beyond: a table has the implementations, the empty call and what is published" {
    [ "$(cat said)" = "timed single calls of 10 models and rates; 0 were there before" ]
    grep -Fx "| percentile | auto | interleaved | XGBoost | empty call | published |" run/beyond-latency.md
    [ "$(grep -cE '^\| p99 \| [0-9.]+ \| [0-9.]+ \| ([0-9.]+|-) \| [0-9.]+ \| (0.80|1.60) \|$' run/beyond-latency.md)" -eq 2 ]
    grep -E '^\| p99\.9 (\| - )+\|$' run/beyond-latency.md
}

@test "beyond: a server has a line for each rate" {
    [ "$(grep -cE '^\| [0-9]+0 (\| ([0-9.]+|-|too slow) ){4}\|$' run/beyond-latency-server.md)" -eq 8 ]
}

@test "beyond: all variants and rates are drawn, and are on the page" {
    [ "$(wc -l <run/beyond-latency.csv)" -eq 41 ]        # 2 panels of 5 percentiles
    [ "$(wc -l <run/beyond-latency-server.csv)" -eq 33 ] # 8 rates
    if command -v gnuplot >/dev/null; then
        grep -q ">p99.9<" run/beyond-latency.svg
        grep -q ">calls per second<" run/beyond-latency-server.svg
    fi
    grep -qF '"figure":"latencies"' page.html
    grep -qF 'percentile,100,1,' page.html
}

@test "beyond: what was measured is not measured again" {
    cp -r run again
    "$TREEBENCH" run --scale smoke --only beyond-latency --out again --resume >resumed
    [ "$(cat resumed)" = "timed single calls of 0 models and rates; 10 were there before" ]
    sed -i '$d' again/latency.jsonl
    "$TREEBENCH" run --scale smoke --only beyond-latency --out again --resume >resumed
    [ "$(cat resumed)" = "timed single calls of 1 models and rates; 9 were there before" ]
}
