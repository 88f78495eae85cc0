#!/usr/bin/env bats
# scripts/relink.sh: other layouts of the library that was built.
load ../cli/common

setup_file() {
    make_inputs
}

setup() {
    command -v g++ >/dev/null || skip "no g++"
    build=$(dirname "$TREEBENCH")
    ! grep -qe -fsanitize "$build/flags" || skip "a sanitizer's build"
    relink=$BATS_TEST_DIRNAME/../../scripts/relink.sh
    cd "$BATS_TEST_TMPDIR"
}

addresses() {
    nm "$1" | grep -E ' (impl_qs|impl_struct|impl_auto|tb_score)$' | sort
}

@test "the same seed gives the same library, another seed another layout" {
    sh "$relink" "$build" 1 one.so
    sh "$relink" "$build" 1 again.so
    sh "$relink" "$build" 2 two.so
    cmp one.so again.so
    [ "$(nm one.so | grep -c ' impl_')" -eq "$(nm two.so | grep -c ' impl_')" ]
    addresses one.so >one
    addresses two.so >two
    [ "$(wc -l <one)" -ge 4 ]
    run ! diff one two
}

@test "it exports the same functions, and scores the same" {
    sh "$relink" "$build" 7 other.so
    nm -D --defined-only "$build/libtreebench.so.0" | awk '{ print $2, $3 }' | sort >before
    nm -D --defined-only other.so | awk '{ print $2, $3 }' | sort | diff before -
    readelf -d "$build/libtreebench.so.0" | grep -o '\(SONAME\|NEEDED\).*' | sort >before
    readelf -d other.so | grep -o '\(SONAME\|NEEDED\).*' | sort | diff before -
    for impl in qs planes object auto; do
        "$TREEBENCH" duet --base "$build/libtreebench.so.0" --head other.so --rounds 1 \
            --model "$BATS_FILE_TMPDIR/model.json" --data "$BATS_FILE_TMPDIR/data.txt" --impl "$impl"
    done
}

@test "a folder without a library is an error of one line" {
    mkdir empty
    run --separate-stderr sh "$relink" empty 1 out.so
    [ "$status" -eq 2 ]
    [ "$stderr" = "library-objects.sh: empty/objects does not exist: run make BUILD=empty" ]
    [ ! -e out.so ]
}

@test "a linker that fails is an error of one line" {
    run --separate-stderr sh "$relink" "$build" 1 no-such-folder/out.so
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
}
