#!/bin/sh
# Writes the C header that tells the program what it was built from; only when something changed.
# build-info.sh COMPILER FLAGS HEADER
set -eu
compiler=$1 flags=$2 header=$3
# A released tree without .git must not take the commit of a repository that it happens to lie in.
GIT_CEILING_DIRECTORIES=$(dirname "$(pwd -P)")
export GIT_CEILING_DIRECTORIES
# A tarball of make dist has its commit in a file.
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
