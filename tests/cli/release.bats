#!/usr/bin/env bats
# What a release consists of: one version everywhere, and a tarball that builds without git.
load common

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    version=$(sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' library/treebench.h)
    name=treebench-$version
}

@test "the changelog and the citation have the version of the library's header" {
    [ "$(sed -n 's/^## \([0-9][0-9.]*\)$/\1/p' CHANGELOG.md | head -n 1)" = "$version" ]
    grep -q "^version: $version$" CITATION.cff
}

@test "make dist gives the same tarball twice, with one folder and nobody's name" {
    [ -e .git ] || skip "not a git checkout"
    make -s BUILD="$BATS_TEST_TMPDIR/one" dist
    make -s BUILD="$BATS_TEST_TMPDIR/two" dist
    cd "$BATS_TEST_TMPDIR"
    cmp "one/$name.tar.gz" "two/$name.tar.gz"
    [ "$(ls one)" = "$name.tar.gz" ]
    tar -tvf "one/$name.tar.gz" >files
    awk -v folder="$name/" '$2 != "0/0" || index($6, folder) != 1 { print; bad = 1 } END { exit bad }' \
        files
    grep -q " $name/LICENSE$" files
    grep -q " $name/harness/cli/main.c$" files
}

@test "the tarball builds the program without git, and the program knows its commit" {
    [ -e .git ] || skip "not a git checkout"
    commit=$(git rev-parse HEAD)
    make -s BUILD="$BATS_TEST_TMPDIR" dist
    cd "$BATS_TEST_TMPDIR"
    tar -xf "$name.tar.gz"
    # Objects that are there are newer than the files of the tarball: only what knows the commit is
    # compiled, but make still needs every file that the program is made of.
    mkdir "$name/build"
    tar -cf - -C "$(dirname "$TREEBENCH")" --exclude=./tests . | tar -xf - -C "$name/build"
    rm "$name/build/treebench"
    make -s -C "$name" BUILD=build build/treebench
    run "$name/build/treebench" --version
    show
    [ "$output" = "treebench $version (${commit:0:12})" ]
}

@test "make sbom names each library that the program is linked with, once, and gives it a version" {
    [ -e .git ] || skip "not a git checkout"
    command -v dpkg-query >/dev/null || skip "not on Debian"
    folder=$BATS_TEST_TMPDIR
    cp "$TREEBENCH" "$(dirname "$TREEBENCH")"/lib*.so.* "$folder"
    sh scripts/sbom.sh "$version" "$folder"
    cp "$folder/$name.spdx" "$folder/first"
    sh scripts/sbom.sh "$version" "$folder"
    cmp "$folder/first" "$folder/$name.spdx"
    sed -n 's/^PackageName: //p' "$folder/first" >"$folder/names"
    for package in treebench libc6 libcjson1 libexpat1 zlib1g; do
        [ "$(grep -cx "$package" "$folder/names")" -eq 1 ]
    done
    run ! grep -E '^PackageVersion: *$|^SPDXID: .*[^-.A-Za-z0-9]$' "$folder/first"
    [ "$(grep -c '^Relationship: SPDXRef-treebench DYNAMIC_LINK' "$folder/first")" -eq \
        $(($(wc -l <"$folder/names") - 1)) ]
    grep -q "vcs_commit=$(git rev-parse HEAD)$" "$folder/first"
}
