#!/bin/sh
# Runs the checks of `make lint`. Usage: lint.sh PKG_CFLAGS BUILD
set -eu
pkg_cflags=$1 build=$2
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "lint.sh: this is not a git checkout, and git lists the files to check: run it in a clone" >&2
    exit 4
fi
# Lists files that match the patterns. Files that are not committed yet are checked too.
list() {
    git ls-files --cached --others --exclude-standard -- "$@"
}
list '*.c' '*.h' '*.cc' | xargs -P "$(nproc)" -n 100 clang-format --dry-run --Werror
# shellcheck disable=SC2086 # flags are a list of words
list '*.c' '*.cc' | xargs cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    -j "$(nproc)" -D_GNU_SOURCE -I. -I"$build/generated" $pkg_cflags
list '*.sh' .ci/run | xargs -P "$(nproc)" -n 10 shellcheck
list '*.c' '*.h' '*.cc' | grep -vE '^(tests|examples)/' >"$build/sources"
xargs awk -f scripts/rooms.awk rooms.txt <"$build/sources"
xargs awk -f scripts/rings.awk <"$build/sources"
awk -f scripts/mutations.awk tests/mutations.txt
# Notes are for people. Only files of old versions, which have nothing else, are read by their notes.
if grep -vE '^(base/origin\.[ch]|datasets/(cache|svmlight)\.c|models/formats/treebench_json\.c|harness/rows/row\.c|harness/quality/(quality_json|code_size)\.c)$' "$build/sources" |
    xargs grep -nE 'origin_of_[a-z]+_note|strstr\([^"]*"[^"]*(stand-in|synthetic|sample of|copies|grown|real)'; then
    echo "lint.sh: these lines decide by a note where data or trees come from; use the origin" >&2
    exit 1
fi
# Only harness/cli may print, and progress.c, which writes to the terminal.
if grep '\.c$' "$build/sources" | grep -vE '^harness/(cli/|instruments/progress\.c)' |
    xargs grep -nE '(^|[^a-z_"])(printf|puts|putchar|perror)\(|fprintf\(std(out|err)|fput[sc]\(.*, std(out|err)\)'; then
    echo "lint.sh: these lines print; hand the text to the caller, or take a stream" >&2
    exit 1
fi
# harness/ asks the registry by role or fact, so that a new implementation is one file and one line.
# Not checked are `auto` and `reference`, which are also sources of counters and members of JSON,
# and `object`, a type of JSON.
names=$(sed -n 's/^REGISTER(\(.*\))$/\1/p' impls/registry.def | tr _ - |
    grep -vxE 'auto|reference|object' | paste -sd '|' -)
if grep '^harness/.*\.[ch]$' "$build/sources" | xargs awk -v names="$names" -f scripts/names.awk |
    grep .; then
    echo "lint.sh: these lines name an implementation; ask the registry (impls/scorer.h)" >&2
    exit 1
fi
