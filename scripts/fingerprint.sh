#!/bin/sh
# Prints a hash of the machine code of each implementation of libtreebench: IMPL<TAB>HASH.
# Usage: fingerprint.sh BUILD   (make BUILD=... must have built it, possibly from another revision)
# Environment: STRIP and OBJDUMP for objects of another architecture.
#
# Equal hashes mean that both builds run the same code: same instructions, constants, strings and
# alignments, in every function that building a scorer or scoring can reach. Debug information,
# notes, names of functions and files, the compiler's name and the folder do not count. Compiler
# flags count as far as they change the code.
#
# References are not followed into these objects, because they cannot change how fast a scorer
# is: error texts (base/status), numbers and options read from text, and how files are written and
# compilers are run. Readers of models are not reached. The code that `codegen` compiles at run time
# counts through the strings from which its source is made.
#
# The precision depends on the compiler. With -ffunction-sections, as in the Makefile, single
# functions count. Older revisions were compiled without, so that whole object files count.
set -eu
here=$(dirname "$0")
: "${STRIP:=strip}" "${OBJDUMP:=objdump}"
[ $# -eq 1 ] || { echo "usage: fingerprint.sh BUILD" >&2; exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$scratch/objects" "$scratch/impls"
sh "$here/library-objects.sh" "$1" >"$scratch/list"
tar -cf "$scratch/objects.tar" -C "$1" -T "$scratch/list"
tar -xf "$scratch/objects.tar" -C "$scratch/objects"
(
    cd "$scratch/objects"
    xargs "$STRIP" --strip-debug <"$scratch/list"
    xargs "$OBJDUMP" -w -h -t -r -s <"$scratch/list"
) >"$scratch/dump"
awk -v out="$scratch/impls" \
    -v stop='^base/(status|options|number|process|cleanup|files/[a-z0-9_]+)\.o$' \
    -f "$here/fingerprint.awk" "$scratch/dump"
cd "$scratch/impls"
sha256sum -- * | awk '{ print $2 "\t" $1 }'
