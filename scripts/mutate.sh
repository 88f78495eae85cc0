#!/bin/sh
# Checks that the tests notice bugs. Makes each change of tests/mutations.txt in a copy of the tree,
# builds the copy, and runs the tests that the table names. docs/testing.md describes the table.
# Usage: mutate.sh SCRATCH [ONLY]   ONLY: only changes of files whose path contains this text
# Exit status 1: a change survived without a reason, does not apply, or does not build.
set -eu
scratch=$1 only=${2:-}
table=tests/mutations.txt
tree=$scratch/tree records=$scratch/records
: "${CC:=gcc}" "${CXX:=g++}" "${TREEBENCH_DATA:=}"
export TREEBENCH_DATA

# Prints the value of key $2 in record $1. Prints nothing if the record has no such key.
value() {
    [ ! -f "$records/$1.$2" ] || cat "$records/$1.$2"
}

# Writes each value of each record of the table to a file NUMBER.KEY.
split_table() {
    rm -rf "$records"
    mkdir -p "$records"
    awk -v folder="$records" '
        /^#/ { next }
        /^$/ { inside = 0; next }
        !inside { inside = 1; number++ }
        {
            at = index($0, ": ")
            file = folder "/" number "." substr($0, 1, at - 1)
            printf "%s\n", substr($0, at + 2) >file
            close(file)
        }' "$table"
}

# Copies the tree with all uncommitted changes. A file that did not change keeps its time, so that
# its object is not built again.
copy_tree() {
    mkdir -p "$tree"
    git ls-files --cached --others --exclude-standard | while read -r path; do
        [ ! -f "$path" ] || echo "$path"
    done | sort >"$scratch/wanted"
    (cd "$tree" && find . -path ./build -prune -o -type f -print | sed 's|^\./||' | sort) >"$scratch/there"
    comm -13 "$scratch/wanted" "$scratch/there" | while read -r path; do
        rm "$tree/$path"
    done
    while read -r path; do
        cmp -s "$path" "$tree/$path" || echo "$path"
    done <"$scratch/wanted" >"$scratch/changed"
    tar -cf - -T "$scratch/changed" | tar -xmf - -C "$tree"
}

build() {
    make -C "$tree" -j"$(nproc)" BUILD=build CC="$CC" CXX="$CXX" OPTIMISE=-O1 "$@" >"$scratch/build.log" 2>&1
}

# Prints the make targets of the tests $*. A bats file needs treebench and its libraries.
targets() {
    for test in "$@"; do
        case $test in
        *.bats*) echo build/treebench build/libtreebench.a build/libtreebench.so.0 ;;
        *) echo "build/tests/${test%@*}" ;;
        esac
    done
}

# Runs the test $1: a program or a bats file. An '@' may follow, with the program's argument or with
# a regular expression that selects tests of the bats file.
run_test() (
    cd "$tree"
    TREEBENCH=$PWD/build/treebench XDG_CACHE_HOME=$PWD/build/cache
    export TREEBENCH XDG_CACHE_HOME
    # A changed size may make the program ask for all memory.
    # shellcheck disable=SC3045 # dash, bash and busybox support ulimit -v
    ulimit -v 16777216
    case $1 in
    *.bats@*) timeout 300 bats -f "${1#*@}" "tests/${1%@*}" ;;
    *.bats) timeout 300 bats "tests/$1" ;;
    *@*) timeout 300 "build/tests/${1%@*}" "${1#*@}" ;;
    *) timeout 300 "build/tests/$1" ;;
    esac >"../test.log" 2>&1
)

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
        END { exit found != 1 }' "$file" >"$scratch/mutant" && cp "$scratch/mutant" "$file"
)

# Makes the change of record $1, runs its tests and prints the verdict.
judge() {
    for test in $(value "$1" tests); do
        case $broken in
        *" $test "*) echo "UNUSABLE: $test fails without any change"; return ;;
        esac
    done
    apply "$1" || { echo "STALE: the text is not there exactly once"; return; }
    # shellcheck disable=SC2046,SC2086 # lists of words
    if ! build $(targets $(value "$1" tests)); then
        echo "DOES NOT BUILD: see $scratch/build.log"
        return
    fi
    for test in $(value "$1" tests); do
        run_test "$test" || { echo "killed by $test"; return; }
    done
    echo survived
}

split_table
copy_tree
numbers=$(find "$records" -name '*.file' | sed 's|.*/||; s|\.file||' | sort -n)
selected=
for number in $numbers; do
    case $(value "$number" file) in
    *"$only"*) selected="$selected $number" ;;
    esac
done
[ -n "$selected" ] || { echo "mutate.sh: no change of a file '$only' in $table" >&2; exit 2; }

tests=$(for number in $selected; do value "$number" tests; done | tr ' ' '\n' | sort -u)
# shellcheck disable=SC2046,SC2086 # lists of words
build $(targets $tests) || { tail -n 20 "$scratch/build.log" >&2; exit 2; }
broken=" "
for test in $tests; do
    run_test "$test" || broken="$broken$test "
done

killed=0 stated=0 wrong=0
for number in $selected; do
    file=$(value "$number" file)
    cp "$tree/$file" "$scratch/original" 2>/dev/null || true
    verdict=$(judge "$number")
    [ ! -f "$tree/$file" ] || cmp -s "$scratch/original" "$tree/$file" || cp "$scratch/original" "$tree/$file"
    reason=$(value "$number" survives)
    case $verdict,$reason in
    killed*,) killed=$((killed + 1)) ;;
    killed*) verdict="$verdict, though the table says that it survives" wrong=$((wrong + 1)) ;;
    survived,) verdict=SURVIVED wrong=$((wrong + 1)) ;;
    survived,*) verdict="survived: $reason" stated=$((stated + 1)) ;;
    *) wrong=$((wrong + 1)) ;;
    esac
    echo "$file: $(value "$number" old) -> $(value "$number" new): $verdict"
done
echo "$killed killed, $stated survived with a reason, $wrong to look at"
[ "$wrong" -eq 0 ]
