#!/bin/sh
# Checks that the tests notice bugs. Makes each change of tests/mutations.txt in a copy of the tree,
# builds the copy, and runs the tests that the table names. docs/testing.md describes the table.
# Each processor has a worker with a copy of its own (scripts/mutate-worker.sh).
# Usage: mutate.sh SCRATCH [ONLY]   ONLY: only changes of files whose path contains this text
# Exit status 1: a change survived without a reason, does not apply, or does not build.
set -eu
mkdir -p "$1"
scratch=$(cd "$1" && pwd) only=${2:-}
table=tests/mutations.txt
tree=$scratch/tree-1 # the other workers' trees are copies
workers=$(nproc)
: "${CC:=gcc}" "${CXX:=g++}" "${TREEBENCH_DATA:=}"
export CC CXX TREEBENCH_DATA

# Writes each value of each record of the table to a file NUMBER.KEY, a line with the numbers of its
# records for each file that changes, and the names of all tests.
split_table() {
    rm -rf "$scratch/records"
    mkdir "$scratch/records"
    awk -v scratch="$scratch" -v only="$only" '
        /^#/ { next }
        /^$/ { inside = 0; next }
        !inside { inside = 1; number++ }
        {
            at = index($0, ": ")
            key = substr($0, 1, at - 1)
            text = substr($0, at + 2)
            output = scratch "/records/" number "." key
            print text >output
            close(output)
        }
        key == "file" && (chosen = only == "" || index(text, only)) {
            if (!(text in numbers)) files[++n_files] = text
            numbers[text] = numbers[text] " " number
        }
        key == "tests" && chosen {
            n = split(text, words, " ")
            for (i = 1; i <= n; i++) if (!seen[words[i]]++) tests = tests words[i] "\n"
        }
        END {
            for (i = 1; i <= n_files; i++) print files[i] numbers[files[i]] >(scratch "/deal")
            printf "%s", tests >(scratch "/tests")
            exit !n_files
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

copy_tree_to_workers() {
    number=1
    while [ "$number" -lt "$workers" ]; do
        number=$((number + 1))
        rm -rf "$scratch/tree-$number"
        cp -a "$tree" "$scratch/tree-$number"
    done
}

# Lets all workers do $1 at the same time.
work() {
    rm -rf "$scratch/claims"
    mkdir "$scratch/claims"
    seq "$workers" | xargs -P "$workers" -n 1 sh scripts/mutate-worker.sh "$1" "$scratch"
}

split_table || { echo "mutate.sh: no change of a file '$only' in $table" >&2; exit 2; }
copy_tree
# shellcheck disable=SC2046 # a list of words
make -C "$tree" -j"$workers" BUILD=build CC="$CC" CXX="$CXX" OPTIMISE=-O1 \
    $(sh scripts/mutate-worker.sh targets "$scratch" 1) >"$scratch/build.log" 2>&1 ||
    { tail -n 20 "$scratch/build.log" >&2; exit 2; }
copy_tree_to_workers
rm -rf "$scratch/seconds" "$scratch/verdicts"
mkdir "$scratch/seconds"
work time
work judge
awk '
    { n[$1]++ }
    END {
        printf "%d killed, %d of them by their time; %d survived with a reason, %d to look at\n",
            n["killed"] + n["late"], n["late"], n["stated"], n["wrong"]
        exit n["wrong"] > 0
    }' "$scratch/verdicts"
