#!/bin/sh
# Writes BUILD/treebench-VERSION.tar.gz. The tarball has all files that git tracks, as they are in
# this folder. It also has the commit, for builds without git. The same files give the same bytes.
# Usage: dist.sh VERSION BUILD
set -eu
version=$1 build=$2
# An unpacked tarball may lie in another repository, so git alone cannot tell whether this folder is
# a checkout.
if [ ! -e .git ] || ! commit=$(git rev-parse --verify --quiet HEAD); then
    echo "dist.sh: not a git checkout, and git lists the files to pack: run it in a clone" >&2
    exit 4
fi
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
    echo "dist.sh: the tarball has changes that are not committed" >&2

name=treebench-$version
mkdir -p "$build"
work=$(mktemp -d "$build/dist.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "$commit" >"$work/COMMIT"
git ls-files -z | tar -c --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
    --mode=go+rX,go-w --mtime="@$(git log -1 --format=%ct)" --transform="s|^|$name/|" \
    --file="$work/$name.tar" --null --files-from=- -C "$work" COMMIT
gzip -9n "$work/$name.tar"
mv "$work/$name.tar.gz" "$build"
echo "$build/$name.tar.gz"
