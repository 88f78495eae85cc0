#!/usr/bin/env bats
# The Debian packages, without building them: scripts/deb-test.sh installs them (make deb-test).

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
}

@test "deb: the package has the library's version" {
    version=$(sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' library/treebench.h)
    [[ $(head -n 1 debian/changelog) == "treebench ($version) "* ]]
}

@test "deb: every file that is installed belongs to one package" {
    root=$BATS_TEST_TMPDIR/root
    make -s -o all BUILD="$(dirname "$TREEBENCH")" DESTDIR="$root" PREFIX=/usr \
        LIBDIR=/usr/lib/x86_64-linux-gnu install
    cd "$root"
    find . ! -type d | sed 's|^\./||' | sort >../files
    [ "$(wc -l <../files)" -gt 10 ]
    for list in "$BATS_TEST_DIRNAME"/../../debian/*.install; do
        while read -r pattern; do
            # shellcheck disable=SC2086 # the pattern is expanded
            find $pattern ! -type d
        done <"$list"
    done | sort >../packaged
    diff ../files ../packaged
}

@test "deb: the symbols have the versions of the library's map" {
    sed -n 's/^\(TREEBENCH_\([0-9.]*\)\) {/ (symver)\1 \2/p' library/treebench.map >"$BATS_TEST_TMPDIR/map"
    diff "$BATS_TEST_TMPDIR/map" <(tail -n +2 debian/libtreebench0.symbols)
}

@test "deb: a package whose libraries lie elsewhere is found by pkg-config and CMake" {
    make -s -o all BUILD="$(dirname "$TREEBENCH")" DESTDIR="$BATS_TEST_TMPDIR" PREFIX=/usr \
        LIBDIR=/usr/lib/x86_64-linux-gnu install
    grep -qx 'libdir=/usr/lib/x86_64-linux-gnu' \
        "$BATS_TEST_TMPDIR/usr/lib/x86_64-linux-gnu/pkgconfig/treebench.pc"
    config=$BATS_TEST_TMPDIR/usr/lib/x86_64-linux-gnu/cmake/treebench/treebench-config.cmake
    grep -q 'treebench_lib}/\.\./\.\."' "$config"
    [ -e "$(dirname "$config")/../../../../include/treebench.h" ]
}
