#!/bin/sh
# Installs the packages of BUILD/deb in a fresh Debian, tries them, and checks that removing them
# leaves nothing. Needs root, a network and mmdebstrap. Usage: deb-test.sh BUILD
set -eu
build=$1
fail() {
    echo "deb-test.sh: $1" >&2
    exit 1
}
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing: run sh scripts/deps.sh package"
ls "$build"/deb/*.deb >/dev/null 2>&1 || fail "$build/deb has no packages: run make deb"
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
trap 'exit 1' HUP INT TERM

# What the packages depend on stays installed, so that what they leave can be told from it.
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --variant=apt \
    --include=gcc,libc6-dev,pkg-config,libcjson-dev,libexpat1-dev,zlib1g-dev,libgomp1 \
    "$suite" "$root"
mount -t proc proc "$root/proc"
mkdir "$root/packages"
cp "$build"/deb/*.deb examples/score.c "$root/packages"

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root sh -ec "$1"
}
files() {
    inside 'find / -xdev ! -path "/proc/*" ! -path "/var/lib/dpkg/*" ! -path "/var/lib/apt/*" \
        ! -path "/var/cache/*" ! -path "/var/log/*" ! -path "/tmp/*" ! -path "/packages/*" | sort'
}

files >"$root/packages/before"
inside 'apt-get install -q -y --no-install-recommends /packages/*.deb >/packages/log 2>&1' || {
    cat "$root/packages/log" >&2
    fail "the packages cannot be installed"
}
inside 'treebench --version && treebench demo' || fail "treebench does not run"
inside 'test -e /usr/share/man/man1/treebench.1.gz' || fail "the manual page is missing"
inside 'test -e /usr/share/bash-completion/completions/treebench' || fail "the completion is missing"
# shellcheck disable=SC2016
inside 'cd /tmp
    cc /packages/score.c $(pkg-config --cflags --libs treebench) -o score
    treebench synth --depth 2 --features 3 --model model.json
    echo "0.1 0.2 0.3" | ./score model.json' || fail "a program cannot be built with the library"
inside 'apt-get purge -q -y treebench "libtreebench*" >/packages/log 2>&1' ||
    fail "the packages cannot be removed"
files >"$root/packages/after"
diff "$root/packages/before" "$root/packages/after" || fail "removing the packages left files (>) or took some (<)"
echo "deb-test.sh: installed, tried and removed without a trace"
