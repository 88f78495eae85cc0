#!/bin/sh
# A worker of mutate.sh, with a tree of its own.
# Usage: mutate-worker.sh targets|time|judge SCRATCH WORKER
#   targets  prints the make targets of all tests
#   time     runs tests in the unbroken tree, and notes how many seconds each takes
#   judge    makes changes, runs their tests and prints the verdicts
set -eu
job=$1 scratch=$2 worker=$3
tree=$scratch/tree-$worker records=$scratch/records
TREEBENCH=$tree/build/treebench XDG_CACHE_HOME=$tree/build/cache
export TREEBENCH XDG_CACHE_HOME

# Fails if another worker has claimed $1 in this round.
claim() {
    mkdir "$scratch/claims/$(echo "$1" | tr / _)" 2>/dev/null
}

# Prints the value of key $2 in record $1. Prints nothing if the record has no such key.
value() {
    [ ! -f "$records/$1.$2" ] || cat "$records/$1.$2"
}

# The file with the seconds that the test $1 takes. There is none if the test fails.
seconds_file() {
    echo "$scratch/seconds/$(echo "$1" | tr / _)"
}

# Prints the make targets of the tests $*. A bats file needs treebench and its libraries, and tests of
# the page need a browser.
targets() {
    for test in "$@"; do
        case $test in
        report/*) echo build/treebench build/report-tests/installed ;;
        *.bats*) echo build/treebench build/libtreebench.a build/libtreebench.so.0 ;;
        *) echo "build/tests/${test%@*}" ;;
        esac
    done
}

build() {
    make -C "$tree" BUILD=build CC="$CC" CXX="$CXX" OPTIMISE=-O1 "$@" >"$scratch/build-$worker.log" 2>&1
}

# Runs the test $1 for at most $2 seconds: a program or a bats file. An '@' may follow, with the
# program's argument or with a regular expression that selects tests of the bats file.
run_test() (
    cd "$tree"
    TMPDIR=$(mktemp -d) # a test that is stopped leaves files
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
    # A changed size may make the program ask for all memory. A browser and a sanitizer reserve more
    # addresses than there is memory.
    # shellcheck disable=SC3045 # dash, bash and busybox support ulimit -v
    case $1 in
    report/* | cli/exported.bats*) ;;
    *) ulimit -v 16777216 ;;
    esac
    case $1 in
    *.bats@*) set -- "$2" bats -f "${1#*@}" "tests/${1%@*}" ;;
    *.bats) set -- "$2" bats "tests/$1" ;;
    *@*) set -- "$2" "build/tests/${1%@*}" "${1#*@}" ;;
    *) set -- "$2" "build/tests/$1" ;;
    esac
    timeout -k 5 "$@"
) >"$scratch/test-$worker.log" 2>&1 </dev/null

time_tests() {
    while read -r test; do
        claim "$test" || continue
        begin=$(date +%s)
        ! run_test "$test" 600 || echo $(($(date +%s) - begin)) >"$(seconds_file "$test")"
    done <"$scratch/tests"
}

# Makes the change of record $1 in the tree. Fails unless the old text is in the file exactly once.
# If the record has `in`, the first old text from that line on is changed instead.
apply() (
    OLD=$(value "$1" old) NEW=$(value "$1" new) IN=$(value "$1" in)
    export OLD NEW IN
    file=$tree/$(value "$1" file)
    [ -f "$file" ] && awk '
        BEGIN { old = ENVIRON["OLD"]; into = ENVIRON["IN"]; here = into == "" }
        index($0, into) { here = 1 }
        here && (into == "" || !found) && (at = index($0, old)) {
            found++
            $0 = substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(old))
            if (index(substr($0, at + length(ENVIRON["NEW"])), old) && into == "") found++
        }
        { print }
        END { exit found != 1 }' "$file" >"$scratch/mutant-$worker" && cp "$scratch/mutant-$worker" "$file"
)

# Prints the tests $*, the quickest first. Fails, and prints the first that has no time, if any.
order_tests() {
    for test in "$@"; do
        [ -f "$(seconds_file "$test")" ] || { echo "$test"; return 1; }
    done
    for test in "$@"; do
        echo "$(cat "$(seconds_file "$test")") $test"
    done | sort -n | cut -d ' ' -f 2
}

# Makes the change of record $1, runs its tests and prints the verdict.
judge() {
    # shellcheck disable=SC2046 # a list of words
    tests=$(order_tests $(value "$1" tests)) || { echo "UNUSABLE: $tests fails without any change"; return; }
    apply "$1" || { echo "STALE: the text is not there exactly once"; return; }
    for test in $tests; do
        # shellcheck disable=SC2046 # a list of words
        if ! build $(targets "$test"); then
            cp "$scratch/build-$worker.log" "$scratch/build-of-$1.log"
            echo "DOES NOT BUILD: see $scratch/build-of-$1.log"
            return
        fi
        # A test of a change that never ends has to be stopped. A busy machine is allowed for.
        limit=$((10 + 5 * $(cat "$(seconds_file "$test")"))) status=0
        run_test "$test" "$limit" || status=$?
        case $status in
        0) ;;
        124 | 137) echo "killed by $test: it did not end in $limit s"; return ;;
        *) echo "killed by $test"; return ;;
        esac
    done
    echo survived
}

# Prints the verdict of record $1 in one line, and adds its kind to the list of verdicts.
report() {
    verdict=$(judge "$1") reason=$(value "$1" survives)
    case $reason,$verdict in
    ,killed*' s') kind=late ;;
    ,killed*) kind=killed ;;
    ,survived) kind=wrong verdict=SURVIVED ;;
    ,*) kind=wrong ;;
    *,survived) kind=stated verdict="survived: $reason" ;;
    *,killed*) kind=wrong verdict="$verdict, though the table says that it survives" ;;
    *) kind=wrong ;;
    esac
    echo "$kind" >>"$scratch/verdicts"
    echo "$(value "$1" file): $(value "$1" old) -> $(value "$1" new): $verdict"
}

# The changes of one file follow each other, so that little is built again.
judge_changes() {
    original=$scratch/original-$worker
    while read -r file numbers; do
        claim "$file" || continue
        cp "$tree/$file" "$original" 2>/dev/null || true
        for number in $numbers; do
            report "$number"
            [ ! -f "$tree/$file" ] || cmp -s "$original" "$tree/$file" || cp "$original" "$tree/$file"
        done
    done <"$scratch/deal"
}

case $job in
targets) while read -r test; do targets "$test"; done <"$scratch/tests" | sort -u ;;
time) time_tests ;;
judge) judge_changes ;;
esac
