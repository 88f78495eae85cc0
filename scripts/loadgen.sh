#!/bin/sh
# Compares the percentiles of treebench's loop of single calls with those of MLPerf's LoadGen. Both
# time the same calls, and take turns after each: calls that spin for 10 us, and for 100 us.
# Usage: loadgen.sh BUILD FOLDER   (make has built BUILD; FOLDER is loadgen/ of mlcommons/inference)
# The copy in BUILD/loadgen is built by LoadGen's own CMakeLists.txt, which needs cmake and python3.
# Prints the medians over rounds: a burst of another program changes p99 of its round only, so many
# short rounds are better than a few long ones. Environment:
#   ROUNDS  rounds (default: 21)
#   LENGTH  seconds of a round (default: 0.5)
# Exit status: 0 all percentiles are within 2 %, 1 one is not, 2 an error.
set -eu
[ $# -eq 2 ] || { echo "usage: loadgen.sh BUILD FOLDER" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
: "${ROUNDS:=21}" "${LENGTH:=0.5}"
build=$1
out=$build/loadgen

fail() {
    echo "loadgen.sh: $1" >&2
    exit 2
}

[ -f "$2/loadgen.h" ] || fail "$2 has no loadgen.h. Name the folder loadgen of mlcommons/inference"
command -v cmake >/dev/null || fail "cmake is missing. Run: apt-get install cmake"

build_loadgen() {
    cmake -S "$out/source" -B "$out/build" -DCMAKE_BUILD_TYPE=Release &&
        cmake --build "$out/build" --target mlperf_loadgen
}
mkdir -p "$out/source" "$out/log"
cp -R "$2/." "$out/source" # CMake writes a header into its sources
build_loadgen >"$out/cmake.log" 2>&1 || fail "LoadGen could not be built. See $out/cmake.log"
# shellcheck disable=SC2086 # a command and its options
${CXX:-g++} -std=c++17 -O2 -I"$here" -isystem "$out/source" -o "$out/referee" \
    "$here/tests/harness/latency/referee.cc" "$build/libharness.a" "$build/librooms.a" \
    "$out/build/libmlperf_loadgen.a" -pthread -lm

# The median of column $2 of the lines of program $1.
median() {
    awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$out/rounds" | sort -n |
        awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

status=0
for ns in 10000 100000; do
    "$out/referee" "$ns" "$LENGTH" "$ROUNDS" "$out/log" >"$out/rounds"
    column=2
    for percentile in p50 p90 p99; do
        awk -v ns="$ns" -v name="$percentile" -v theirs="$(median loadgen $column)" \
            -v ours="$(median treebench $column)" 'BEGIN {
                printf "calls of %d ns, %s: LoadGen %d ns, treebench %d ns: %+.2f %%\n", ns, name,
                    theirs, ours, 100 * (ours / theirs - 1)
                exit ours > 1.02 * theirs || ours < 0.98 * theirs
            }' || status=1
        column=$((column + 1))
    done
done
exit $status
