#!/bin/sh
# Runs the fuzzers, several at once, and prints the result of each. Seeds are in tests/fuzz/corpus.
# New inputs stay in BUILD/fuzz-corpus, and crashing inputs in BUILD/fuzz-crashes.
# Usage: fuzz.sh BUILD SECONDS [ONLY]
set -eu
build=$1 seconds=$2 only=${3:-}
crashes=$build/fuzz-crashes
mkdir -p "$crashes"
# Some fuzzers write a small file for every input, so temporary files should be in memory.
fast=/dev/shm
[ -w "$fast" ] || fast=${TMPDIR:-/tmp}
TMPDIR=$(mktemp -d "$fast/fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' INT TERM

# one.sh runs the fuzzer NAME and prints a line. If the fuzzer fails, it leaves TMPDIR/NAME.failed.
cat >"$TMPDIR/one.sh" <<'EOF_ONE'
build=$1 seconds=$2 crashes=$3 name=$4
found=$build/fuzz-corpus/$name log=$build/fuzz-$name.log
# Prints a number from the statistics that libFuzzer prints when it ends.
stat() {
    sed -n "s/^stat::$1: *//p" "$log" | tail -n 1
}
mkdir -p "$found"
result=ok
ASAN_OPTIONS=allocator_may_return_null=1 "$build/tests/fuzz/fuzz_$name" \
    -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$crashes/$name-" \
    "$found" "tests/fuzz/corpus/$name" >"$log" 2>&1 || result="FAILED: see $log"
[ "$result" = ok ] || : >"$TMPDIR/$name.failed"
echo "$name: $(stat number_of_executed_units) executions, $(stat peak_rss_mb) MB, $result"
EOF_ONE

for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    name=${name#fuzz_}
    [ -n "$only" ] && [ "$only" != "$name" ] || echo "$name"
done >"$TMPDIR/names"
[ -s "$TMPDIR/names" ] || { echo "fuzz.sh: no fuzzer '$only' in tests/fuzz" >&2; exit 2; }
xargs -P "$(nproc)" -n 1 sh "$TMPDIR/one.sh" "$build" "$seconds" "$crashes" <"$TMPDIR/names"
for failed in "$TMPDIR"/*.failed; do
    [ ! -e "$failed" ] || exit 1
done
