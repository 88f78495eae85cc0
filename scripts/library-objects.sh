#!/bin/sh
# Prints the object files of libtreebench in a build folder, one path per line, relative to the
# folder. The build may be of an older revision, and the folder may have been moved.
# Usage: library-objects.sh BUILD
set -eu
build=$1
[ -r "$build/objects" ] || {
    echo "library-objects.sh: $build/objects does not exist: run make BUILD=$build" >&2
    exit 2
}
# The Makefile lists paths that begin with the BUILD of that time. What follows it exists here.
first=$(tr -s ' ' '\n' <"$build/objects" | grep -m 1 'base/[a-z_]*\.o$' || true)
prefix=${first%base/*}
if [ -z "$prefix" ] || [ ! -r "$build/library/treebench.o" ] || [ ! -r "$build/library/scorer.o" ]; then
    echo "library-objects.sh: $build has no objects of libtreebench: run make BUILD=$build" >&2
    exit 2
fi
# library/scorer.o is impls/scorer.o without the libraries that treebench is compared with.
echo library/scorer.o
tr -s ' ' '\n' <"$build/objects" | awk -v prefix="$prefix" '
    index($0, prefix) == 1 { $0 = substr($0, length(prefix) + 1) }
    /\.o$/ && !/^(export|harness)\// && $0 != "impls/scorer.o"'
