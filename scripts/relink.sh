#!/bin/sh
# Links the shared library of a build folder again, with another layout of code and data: in an
# order of objects that SEED decides, with 0 to 4032 bytes between them. The same SEED gives the
# same file. Machine code does not change, but the times of kernels do, because other addresses
# compete for caches and branch predictors. `treebench regress --relink` uses it to tell slower code
# from an unlucky layout.
# Usage: relink.sh BUILD SEED OUT.so
# BUILD may be of an older revision. Environment: CXX (default: g++), NM, READELF.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${CXX:=g++}" "${NM:=nm}" "${READELF:=readelf}"
[ $# -eq 3 ] || { echo "usage: relink.sh BUILD SEED OUT.so" >&2; exit 2; }
build=$1 seed=$2 out=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

sh "$here/library-objects.sh" "$build" >"$scratch/list"
"$READELF" -d "$build/libtreebench.so.0" >"$scratch/dynamic" 2>"$scratch/log" ||
    { echo "relink.sh: $build/libtreebench.so.0 cannot be read: run make BUILD=$build" >&2; exit 2; }

# The objects that the library needs: those that define what others of them refer to.
(cd "$build" && xargs "$NM" -A -P -g) <"$scratch/list" >"$scratch/symbols"
awk '
    { sub(/:$/, "", $1) }
    $3 == "U" { wants[$1] = wants[$1] " " $2; next }
    $3 ~ /^[A-Z]$/ && !($2 in home) { home[$2] = $1 }
    END {
        queue[n = 1] = "library/treebench.o"
        taken[queue[1]]
        for (i = 1; i <= n; i++) {
            print queue[i]
            count = split(wants[queue[i]], names, " ")
            for (k = 1; k <= count; k++)
                if (names[k] in home && !(home[names[k]] in taken)) {
                    queue[++n] = home[names[k]]
                    taken[queue[n]]
                }
        }
    }' "$scratch/symbols" | LC_ALL=C sort >"$scratch/needed"

# Paddings are sums of these sizes, in units of 64 bytes.
for units in 1 2 4 8 16 32; do
    for section in text rodata data.rel.ro data; do
        case $section in
        text) flags=ax ;;
        rodata) flags=a ;;
        *) flags=aw ;;
        esac
        echo ".section .$section, \"$flags\""
        echo ".skip 64 * $units"
    done >"$scratch/pad$units.s"
    echo '.section .note.GNU-stack, ""' >>"$scratch/pad$units.s"
done
(cd "$scratch" && "$CXX" -c pad*.s)

# Park and Miller's generator. Every awk computes it exactly, unlike rand().
awk -v folder="$(cd "$build" && pwd)" -v pads="$scratch/pad" \
    -v state="$(printf '%s' "$seed" | cksum | cut -d ' ' -f 1)" '
    function random_below(n) {
        state = state * 16807 % 2147483647
        return int(state / 2147483647 * n)
    }
    BEGIN { state = state % 2147483646 + 1; for (i = 0; i < 8; i++) random_below(1) }
    { object[NR] = folder "/" $0 }
    END {
        for (i = NR; i > 1; i--) {
            j = 1 + random_below(i)
            swap = object[i]; object[i] = object[j]; object[j] = swap
        }
        for (i = 1; i <= NR; i++) {
            for (units = 1; units <= 32; units *= 2)
                if (random_below(2))
                    print pads units ".o"
            print object[i]
        }
    }' "$scratch/needed" >"$scratch/arguments"

# The libraries that it was linked with. The compiler adds its own ones.
sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' "$scratch/dynamic" |
    grep -v -e '^libc\.' -e '^libstdc++\.' -e '^libgcc_s\.' -e '^ld-linux' |
    sed 's/^/-l:/' >>"$scratch/arguments" || true
soname=$(sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p' "$scratch/dynamic")
"$CXX" -shared -pthread -Wl,-soname,"$soname" -Wl,--as-needed -Wl,--strip-debug \
    -Wl,--version-script="$here/../library/treebench.map" \
    -o "$scratch/linked.so" @"$scratch/arguments" 2>"$scratch/log" || {
    echo "relink.sh: the linker failed: $(grep -m 1 . "$scratch/log")" >&2
    exit 2
}
mv "$scratch/linked.so" "$out" 2>"$scratch/log" ||
    { echo "relink.sh: cannot write $out: $(cat "$scratch/log")" >&2; exit 2; }
