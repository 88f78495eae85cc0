#!/bin/sh
# Builds the Debian packages of the last commit in BUILD/deb, and checks them with lintian.
# Usage: deb.sh VERSION BUILD
set -eu
version=$1 build=$2
for tool in dpkg-buildpackage lintian; do
    command -v "$tool" >/dev/null || {
        echo "deb.sh: $tool is missing: run sh scripts/deps.sh package" >&2
        exit 4
    }
done
tarball=$(sh scripts/dist.sh "$version" "$build")
rm -rf "$build/deb"
mkdir -p "$build/deb"
tar xzf "$tarball" -C "$build/deb"
cd "$build/deb/treebench-$version"
# A make around this one must not choose the build's folder or flags.
env -u MAKEFLAGS -u MAKEOVERRIDES -u BUILD dpkg-buildpackage -us -uc
cd ..
rm -rf "treebench-$version"
lintian --fail-on error,warning ./*.changes
ls "$PWD"/*.deb "$PWD"/*.dsc
