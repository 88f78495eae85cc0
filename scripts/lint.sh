#!/bin/sh
# The checks of `make lint`. lint.sh PKG_CFLAGS BUILD
set -eu
pkg_cflags=$1 build=$2
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "lint.sh: not a git checkout, and git says which files to check: run it in a clone" >&2
    exit 4
fi
# What is not yet committed is checked too.
list() {
    git ls-files --cached --others --exclude-standard -- "$@"
}
list '*.c' '*.h' '*.cc' | xargs clang-format --dry-run --Werror
# shellcheck disable=SC2086 # flags are a list of words
list '*.c' '*.cc' | xargs cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    -j "$(nproc)" -D_GNU_SOURCE -I. -I"$build/generated" $pkg_cflags
list '*.sh' .ci/run | xargs shellcheck
