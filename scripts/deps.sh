#!/bin/sh
# Installs what a group of make targets needs, or names it where it cannot.
# deps.sh GROUP...   groups: build test lint fuzz plot
set -eu

packages() {
    case $1 in
    build) echo gcc g++ make pkg-config libc6-dev libcjson-dev libexpat1-dev zlib1g-dev libpapi-dev ;;
    test) echo libcmocka-dev bats ;;
    lint) echo clang-format cppcheck shellcheck ;;
    fuzz) echo clang libomp-dev "$(fuzz_runtime)" ;;
    plot) echo gnuplot-nox ;;
    *)
        echo "deps.sh: unknown group '$1': build, test, lint, fuzz or plot" >&2
        exit 2
        ;;
    esac
}

# libFuzzer and the sanitizers' runtime are packaged by clang version on Debian.
fuzz_runtime() {
    version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
    echo "libclang-rt-${version:-14}-dev"
}

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

missing=
for group in "$@"; do
    if ! command -v dpkg-query >/dev/null; then
        echo "deps.sh: not Debian or Ubuntu: install by hand what these packages hold: $(packages "$group")" >&2
        continue
    fi
    for package in $(packages "$group"); do
        installed "$package" || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: missing:$missing; as root run: apt-get install$missing" >&2
        exit 4
    fi
    sudo=sudo
fi
echo "deps.sh: installing$missing"
# shellcheck disable=SC2086 # a list of words
if ! { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing; }; then
    echo "deps.sh: could not install:$missing; run: apt-get update && apt-get install$missing" >&2
    exit 4
fi
