#!/bin/sh
# The checks of `make lint`. lint.sh PKG_CFLAGS BUILD
set -eu
pkg_cflags=$1 build=$2
git ls-files '*.c' '*.h' '*.cc' | xargs clang-format --dry-run --Werror
# shellcheck disable=SC2086 # flags are a list of words
git ls-files '*.c' '*.cc' | xargs cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr \
    --enable=warning,performance,portability --suppress=missingIncludeSystem \
    -j "$(nproc)" -D_GNU_SOURCE -I. -I"$build/generated" $pkg_cflags
git ls-files '*.sh' .ci/run | xargs shellcheck
