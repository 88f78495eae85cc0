#!/bin/sh
# Runs the fuzzers one after the other, from their seeds in tests/fuzz/corpus, and says how each went.
# fuzz.sh BUILD SECONDS [ONLY]   new finds stay in BUILD/fuzz-corpus, crashing inputs in BUILD/fuzz-crashes
set -eu
build=$1 seconds=$2 only=${3:-}
crashes=$build/fuzz-crashes
mkdir -p "$crashes"

# A number that libFuzzer prints at its end.
stat() {
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

ran=0 failed=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    [ -z "$only" ] || [ "$only" = "$name" ] || continue
    found=$build/fuzz-corpus/$name log=$build/fuzz-$name.log
    mkdir -p "$found"
    result=ok
    ASAN_OPTIONS=allocator_may_return_null=1 "$build/tests/fuzz/fuzz_$name" \
        -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="$crashes/$name-" \
        "$found" "tests/fuzz/corpus/$name" >"$log" 2>&1 || result="FAILED: see $log"
    ran=$((ran + 1))
    [ "$result" = ok ] || failed=$((failed + 1))
    echo "$name: $(stat number_of_executed_units "$log") executions," \
        "$(stat peak_rss_mb "$log") MB, $result"
done
[ "$ran" -gt 0 ] || { echo "fuzz.sh: no fuzzer '$only' in tests/fuzz" >&2; exit 2; }
[ "$failed" -eq 0 ]
