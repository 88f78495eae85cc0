#!/bin/sh
# A C compiler that does not optimise. Tests name it in TREEBENCH_CC, because most of them check what
# treebench has compiled, not how fast that is. If TREEBENCH_COMPILED is a folder, objects are kept
# there under a hash of flags and source, so that `make test` and `make san` share them.
set -eu
: "${TREEBENCH_COMPILED:=}"
object='' flags='' previous=''
for argument; do
    if [ "$previous" = -o ]; then object=$argument; else flags="$flags $argument"; fi
    previous=$argument
done
if [ ! -d "$TREEBENCH_COMPILED" ] || [ -z "$object" ] || [ "$previous" != - ]; then
    exec cc "$@" -O0
fi

source=$TREEBENCH_COMPILED/$$.c
trap 'rm -f "$source"' EXIT
{ echo "//$flags" && cat; } >"$source"
kept=$(sha256sum <"$source")
kept=$TREEBENCH_COMPILED/${kept%% *}
if ! cp "$kept" "$object" 2>/dev/null; then
    cc "$@" -O0 <"$source"
    cp "$object" "$source.o"
    mv "$source.o" "$kept"
fi
