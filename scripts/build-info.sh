#!/bin/sh
# Writes a C header with the commit, the compiler and the flags of the build. If nothing changed,
# the header is not touched, so that make rebuilds nothing.
# Usage: build-info.sh COMPILER FLAGS HEADER
set -eu
compiler=$1 flags=$2 header=$3
# An unpacked release has no .git. It must not report the commit of a repository around its folder.
GIT_CEILING_DIRECTORIES=$(dirname "$(pwd -P)")
export GIT_CEILING_DIRECTORIES
# A tarball made by `make dist` records its commit in the file COMMIT.
commit=$(git rev-parse --verify --quiet HEAD 2>/dev/null || cat COMMIT 2>/dev/null || echo unknown)
dirty=0
[ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || dirty=1
version=$($compiler --version 2>/dev/null | head -n 1)
mkdir -p "$(dirname "$header")"
cat >"$header.new" <<EOF
#define BUILD_COMMIT "$commit"
#define BUILD_DIRTY $dirty
#define BUILD_COMPILER "${version:-unknown}"
#define BUILD_FLAGS "$flags"
EOF
if cmp -s "$header.new" "$header"; then rm "$header.new"; else mv "$header.new" "$header"; fi
