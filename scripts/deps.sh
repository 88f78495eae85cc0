#!/bin/sh
# Installs the packages that groups of make targets need, or prints the command that installs them.
# Usage: deps.sh GROUP...   groups: build test lint fuzz plot package
set -eu

# A nodejs that is not Debian's has npm and conflicts with Debian's npm.
npm_packages() {
    command -v node >/dev/null || echo nodejs
    command -v npm >/dev/null || echo npm
}

packages() {
    case $1 in
    build) echo gcc g++ make pkg-config libc6-dev libcjson-dev libexpat1-dev zlib1g-dev libzip-dev libpapi-dev libxgboost-dev opencl-c-headers valgrind ;;
    test)
        echo libcmocka-dev lld bats bzip2 curl unzip ocl-icd-libopencl1 pocl-opencl-icd slurm-wlm munge
        # tests/report drives a browser. Ubuntu has Chromium only as a snap, so the tests are skipped.
        ! grep -qx ID=debian /etc/os-release 2>/dev/null || echo chromium
        npm_packages
        # These packages emulate AVX-512 and arm64, so that every x86-64 machine can test all
        # kernels.
        [ "$(uname -m)" != x86_64 ] ||
            echo libsimde-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
        ;;
    lint)
        echo clang-format cppcheck shellcheck
        npm_packages
        ;;
    fuzz) echo clang libomp-dev libclang-rt-dev ;;
    plot) echo gnuplot-nox ;;
    package) echo build-essential debhelper lintian mmdebstrap ;;
    *)
        echo "deps.sh: unknown group '$1': build, test, lint, fuzz, plot or package" >&2
        exit 2
        ;;
    esac
}

installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

# make -j may run this script several times at once, but `apt-get update` fails while another
# apt-get runs. A lock makes the runs take turns. Each looks for missing packages only when it has
# the lock.
if command -v flock >/dev/null; then
    exec 9<"$0"
    flock 9
fi

missing=
for group in "$@"; do
    wanted=$(packages "$group")
    if ! command -v dpkg-query >/dev/null; then
        echo "deps.sh: this is not Debian or Ubuntu: install the contents of these packages by hand: $wanted" >&2
        continue
    fi
    for package in $wanted; do
        installed "$package" || missing="$missing $package"
    done
done
[ -n "$missing" ] || exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps.sh: missing:$missing; as root run: apt-get update && apt-get install$missing" >&2
        exit 4
    fi
    sudo=sudo
fi
echo "deps.sh: installing$missing"
# shellcheck disable=SC2086 # a list of words
if ! { $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -q -y --no-install-recommends $missing; }; then
    echo "deps.sh: could not install:$missing; run: apt-get update && apt-get install$missing" >&2
    exit 4
fi
