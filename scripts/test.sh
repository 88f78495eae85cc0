#!/bin/sh
# Runs every test program and every bats file of tests/, several at once, and counts the tests.
# Usage: test.sh BUILD
# Environment:
#   TREEBENCH_DATA  the folder of real data. Without it, tests on real data are skipped.
#   SKIP            parts of paths, separated by spaces. Test files with such a path do not run.
set -eu
build=$1
logs=$build/test-logs
# Tests write, run and flush many small files, so these should be in memory. Containers often have
# little of it there, or run no programs from it.
fast=/dev/shm
findmnt -bno AVAIL,OPTIONS --target "$fast" | tail -n 1 |
    awk '/noexec/ || $1 < 4e9 { exit 1 } END { exit !NR }' || fast=${TMPDIR:-/tmp}
rm -rf "$logs"
mkdir -p "$logs"
TMPDIR=$(mktemp -d "$fast/test-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' INT TERM
TREEBENCH=$(cd "$build" && pwd)/treebench
XDG_CACHE_HOME=$(cd "$build" && pwd)/cache # tests must not use the trees that the user compiled
: "${TREEBENCH_DATA:=}" "${SKIP:=}"
TREEBENCH_CC=$PWD/tests/fast-compiler.sh
: "${POCL_CACHE_DIR:=$TMPDIR/pocl}" # where the driver of OpenCL keeps what it has compiled
mkdir -p "$POCL_CACHE_DIR"
OMP_WAIT_POLICY=passive # threads of other tests need the cores on which idle threads would spin
export TREEBENCH TREEBENCH_CC POCL_CACHE_DIR XDG_CACHE_HOME TREEBENCH_DATA OMP_WAIT_POLICY
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0" # used by `make san`
[ -n "$TREEBENCH_DATA" ] || echo "test.sh: TREEBENCH_DATA is not set: tests on real data are skipped" >&2
[ -z "$SKIP" ] || echo "test.sh: test files whose path has one of these parts do not run: $SKIP" >&2

# one.sh runs one test file. Writes the output in TAP, and an exit status other than 0, to a log.
cat >"$logs/one.sh" <<'EOF'
logs=$1 test=$2
log=$logs/$(echo "$test" | tr / _).tap
case $test in
*.bats) bats --tap "$test" >"$log" 2>&1 ;;
*) CMOCKA_MESSAGE_OUTPUT=tap "$test" >"$log" 2>&1 ;;
esac || echo "# $test: exit status $?" >>"$log"
EOF
# Bats files come first because the slowest tests are among them, and the quick tests of base last.
{
    find tests -name "*.bats" | sort
    find tests -name "test_*.c" | sed "s|.*|$build/&|; s|\.c$||" | sort -r
} | {
    set --
    for part in $SKIP; do
        set -- "$@" -e "$part"
    done
    if [ $# -gt 0 ]; then grep -vF "$@"; else cat; fi
} | xargs -P "$(nproc)" -n 1 sh "$logs/one.sh" "$logs"

passed=0 failed=0 skipped=0
for log in "$logs"/*.tap; do
    # cmocka marks skipped tests as "not ok ... # SKIP".
    s=$(grep -ciE "^(not )?ok .*# *skip" "$log" || true)
    p=$(grep -E "^ok " "$log" | grep -civE "# *skip" || true)
    f=$(grep -E "^not ok " "$log" | grep -civE "# *skip" || true)
    if grep -q ': exit status' "$log"; then
        [ "$f" -gt 0 ] || f=1
    fi
    [ "$f" -eq 0 ] || { echo "--- $log"; cat "$log"; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
