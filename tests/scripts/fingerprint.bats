#!/usr/bin/env bats
# scripts/fingerprint.sh on a small library of the same form as libtreebench: two kernels that share
# a header and a helper, and `auto`, which refers to one of them.
bats_require_minimum_version 1.5.0

setup() {
    command -v gcc >/dev/null || skip "no gcc"
    scripts=$PWD/scripts
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/base" "$tree/library" "$tree/impls/plain"
    cd "$tree"
    cat >base/status.c <<'C'
const char *status_text(void) { return "an error"; }
C
    cat >impls/impl.h <<'C'
struct impl { const char *name; int (*score)(int); };
const char *status_text(void);
int helper(int x);
C
    cat >impls/plain/kernel.h <<'C'
/* a comment */
static inline int step(int x) { return 3 * x + STEP; }
C
    cat >impls/plain/helper.c <<'C'
#include "impls/impl.h"
int helper(int x) { return x ^ 5; }
int helper_of_nobody(int x) { return x ^ 6; }
C
    cat >impls/plain/first.c <<'C'
#include "impls/impl.h"
#define STEP 7
#include "impls/plain/kernel.h"
static int score_first(int x) { return x < 0 ? *status_text() : helper(step(x)); }
extern const struct impl impl_first;
const struct impl impl_first = {"first", score_first};
C
    cat >impls/plain/second.c <<'C'
#include "impls/impl.h"
#define STEP 9
#include "impls/plain/kernel.h"
static const int table[] = {1, 2, 3, 4};
static int score_second(int x) { return table[x & 3] + step(x); }
extern const struct impl impl_second_one;
const struct impl impl_second_one = {"second-one", score_second};
C
    cat >impls/plain/auto.c <<'C'
#include "impls/impl.h"
extern const struct impl impl_auto, impl_first;
static int score_auto(int x) { return impl_first.score(x); }
const struct impl impl_auto = {"auto", score_auto};
C
    cat >library/scorer.c <<'C'
#include "impls/impl.h"
extern const struct impl impl_first, impl_second_one, impl_auto;
static const struct impl *const registry[] = {&impl_first, &impl_second_one, &impl_auto};
const struct impl *impl_at(int i) { return registry[i]; }
C
    cat >library/treebench.c <<'C'
#include "impls/impl.h"
const struct impl *impl_at(int i);
int tb_score(const struct impl *impl, int x) { return impl->score(x) + 1; }
int tb_count(void) { return 3; }
int tb_first(int x) { return impl_at(0)->score(x); }
C
    export LC_ALL=C
}

# Compiles the tree into a folder as make does, and prints the fingerprints.
fingerprints() {
    build=$1
    shift
    for source in */*.c */*/*.c; do
        mkdir -p "$build/$(dirname "$source")"
        gcc -O2 -g -fPIC -ffunction-sections -fdata-sections "$@" -I. -c \
            -o "$build/${source%.c}.o" "$source"
        echo "$build/${source%.c}.o"
    done | xargs >"$tree/objects"
    mv "$tree/objects" "$build/objects"
    sh "$scripts/fingerprint.sh" "$build"
}

# The names of the implementations that a change makes different from those of the folder `before`.
changed() {
    fingerprints after "$@" | diff before.tsv - | sed -n 's/^> \([^\t]*\)\t.*/\1/p' | xargs
}

before() {
    fingerprints before >before.tsv
    [ "$(cut -f 1 before.tsv | xargs)" = "auto first second-one" ]
    [ "$(cut -f 2 before.tsv | grep -cxE '[0-9a-f]{64}')" -eq 3 ]
    [ "$(cut -f 2 before.tsv | sort -u | wc -l)" -eq 3 ]
}

@test "the same sources in another folder, with other debug information, give the same hashes" {
    before
    [ "$(changed)" = "" ]
    [ "$(changed -g0)" = "" ]
    mkdir elsewhere
    cp -r base library impls elsewhere
    cd elsewhere
    fingerprints "$PWD/deep/build" | diff ../before.tsv -
}

@test "a build folder that was moved has the same hashes" {
    before
    mv before moved
    sh "$scripts/fingerprint.sh" moved | diff before.tsv -
    mkdir under
    mv moved under/build
    sh "$scripts/fingerprint.sh" "$PWD/under/build" | diff before.tsv -
}

@test "comments, names of functions and names of files do not count" {
    before
    sed -i 's|a comment|another\n * comment|' impls/plain/kernel.h
    sed -i 's/score_second/renamed/; s/table/words/' impls/plain/second.c
    mv impls/plain/second.c impls/plain/other.c
    [ "$(changed)" = "" ]
}

@test "a change of a kernel changes it and what refers to it, and nothing else" {
    before
    sed -i 's/STEP 7/STEP 8/' impls/plain/first.c
    [ "$(changed)" = "auto first" ]
    sed -i 's/STEP 8/STEP 7/' impls/plain/first.c
    [ "$(changed)" = "" ]
    sed -i 's/{1, 2, 3, 4}/{1, 2, 3, 5}/' impls/plain/second.c
    [ "$(changed)" = "second-one" ]
}

@test "a change of a shared header or helper changes those that use it" {
    before
    sed -i 's/3 \* x/5 * x/' impls/plain/kernel.h
    [ "$(changed)" = "auto first second-one" ]
    sed -i 's/5 \* x/3 * x/' impls/plain/kernel.h
    sed -i 's/x ^ 5/x ^ 7/' impls/plain/helper.c
    [ "$(changed)" = "auto first" ]
    sed -i 's/x ^ 7/x ^ 5/; s/x ^ 6/x ^ 9/' impls/plain/helper.c
    [ "$(changed)" = "" ]
}

@test "texts of errors do not count; what a call runs before the kernel does" {
    before
    sed -i 's/an error/another error/' base/status.c
    sed -i 's/return 3;/return 4;/' library/treebench.c
    [ "$(changed)" = "" ]
    sed -i 's/(x) + 1/(x) + 2/' library/treebench.c
    [ "$(changed)" = "auto first second-one" ]
}

@test "a new member of struct impl counts only for implementations that set it" {
    before
    sed -i 's/(\*score)(int); }/(*score)(int); int more; }/' impls/impl.h
    [ "$(changed)" = "" ]
    sed -i 's/"second-one", score_second}/"second-one", score_second, 256}/' impls/plain/second.c
    [ "$(changed)" = "second-one" ]
}

@test "flags count as far as they change the code" {
    before
    [ "$(changed -Wall)" = "" ]
    [[ "$(changed -falign-functions=128)" == *first* ]]
    [ "$(changed -O0)" = "auto first second-one" ]
}

@test "sources that were compiled without sections for functions have hashes too" {
    fingerprints before -fno-function-sections -fno-data-sections >before.tsv
    sed -i 's/STEP 7/STEP 8/' impls/plain/first.c
    [ "$(changed -fno-function-sections -fno-data-sections)" = "auto first" ]
}

@test "a folder that is no build is an error of one line" {
    run --separate-stderr sh "$scripts/fingerprint.sh" "$tree/impls"
    [ "$status" -ne 0 ]
    [ "$output" = "" ]
    [ "$stderr" = "library-objects.sh: $tree/impls/objects does not exist: run make BUILD=$tree/impls" ]
}

@test "every implementation of libtreebench has a hash of its own" {
    cd "$scripts/.."
    sh scripts/fingerprint.sh "$(dirname "$TREEBENCH")" >"$BATS_TEST_TMPDIR/hashes"
    "$TREEBENCH" list --json |
        sed -n 's/^  {"name":"\([^"]*\)".*"kind":"\(traversal\|baseline\)".*/\1/p' | sort |
        diff - <(cut -f 1 "$BATS_TEST_TMPDIR/hashes" | sort)
    [ "$(cut -f 2 "$BATS_TEST_TMPDIR/hashes" | sort | uniq -d)" = "" ]
}

@test "fingerprint: another place in a table changes the implementation that reads it" {
    sed -i 's/table\[x & 3\]/table[2]/; s/static const int table/static volatile const int table/' impls/plain/second.c
    fingerprints one >one.tsv
    sed -i 's/table\[2\]/table[3]/' impls/plain/second.c
    fingerprints other >other.tsv
    [ "$(diff one.tsv other.tsv | grep -c '^>')" -eq 1 ]
    diff one.tsv other.tsv | grep -q '^> second-one'
}
