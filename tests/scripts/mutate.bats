#!/usr/bin/env bats
# scripts/mutate.sh in a small project. Its sources and tests are lines of shell, and its Makefile
# joins them. Time is made up: `date` and `timeout` are scripts.

setup() {
    command -v git >/dev/null || skip "no git"
    scripts=$PWD/scripts
    export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    unset MAKEFLAGS MAKELEVEL GIT_DIR
    cd "$BATS_TEST_TMPDIR"
    mkdir scripts impls tests bin
    cp "$scripts"/mutate.sh "$scripts"/mutate-worker.sh scripts
    printf 'two=2\nthree=3 # three\n' >impls/a.c
    echo 'four=4' >impls/b.c
    printf '[ $two -eq 2 ]\n' >tests/test_two.c
    printf '[ $three -eq 3 ]\n' >tests/test_three.c
    printf 'while [ $four -ne 4 ]; do sleep 1; done\n' >tests/test_four.c
    printf 'false\n' >tests/test_broken.c
    cat >Makefile <<'MAKE'
$(BUILD)/tests/%: tests/%.c impls/a.c impls/b.c
	@mkdir -p $(@D)
	! grep error impls/a.c
	(echo '#!/bin/sh -e'; cat impls/a.c impls/b.c $<) >$@
	chmod +x $@
MAKE
    echo 'echo 2' >bin/nproc
    # Each look at the clock is 4 seconds after the one before.
    echo 'echo >>clock; echo $((4 * $(wc -l <clock)))' >bin/date
    # Notes the limits, and waits for so many seconds at most.
    echo 60 >patience
    cat >bin/timeout <<STUB
echo "\$3" >>$PWD/limits
shift 3
exec $(command -v timeout) "\$(cat $PWD/patience)" "\$@"
STUB
    for stub in bin/*; do
        sed -i '1i #!/bin/sh' "$stub"
        chmod +x "$stub"
    done
    PATH=$PWD/bin:$PATH
    git init -q .
    printf 'scratch\nclock\nlimits\npatience\n' >.gitignore
}

# Adds a record: FILE OLD NEW TESTS [REASON]
record() {
    printf 'file: %s\nold: %s\nnew: %s\ntests: %s\n' "$1" "$2" "$3" "$4" >>tests/mutations.txt
    [ $# -lt 5 ] || echo "survives: $5" >>tests/mutations.txt
    echo >>tests/mutations.txt
}

mutate() {
    run sh scripts/mutate.sh scratch "$@"
    echo "$output"
}

# Is there a line "$1: $2"?
verdict() {
    grep -qxF "$1: $2" <<<"$output"
}

@test "a change that a test notices is killed, and the sources stay as they are" {
    record impls/a.c two=2 two=9 "test_three test_two"
    record impls/a.c three=3 three=9 test_three
    mutate
    [ "$status" -eq 0 ]
    verdict "impls/a.c: two=2 -> two=9" "killed by test_two"
    verdict "impls/a.c: three=3 -> three=9" "killed by test_three"
    [ "${lines[-1]}" = "2 killed, 0 of them by their time; 0 survived with a reason, 0 to look at" ]
    grep -q two=2 impls/a.c
    [ "$(cat scratch/tree-*/impls/a.c | grep -c =9)" -eq 0 ]
}

@test "a change that survives fails, unless the table has a reason" {
    record impls/a.c two=2 two=9 test_three
    record impls/a.c '# three' '# 3' test_three 'a comment'
    record impls/a.c three=3 three=9 test_three 'is wrong'
    mutate
    [ "$status" -eq 1 ]
    verdict "impls/a.c: two=2 -> two=9" SURVIVED
    verdict "impls/a.c: # three -> # 3" "survived: a comment"
    verdict "impls/a.c: three=3 -> three=9" "killed by test_three, though the table says that it survives"
    [ "${lines[-1]}" = "0 killed, 0 of them by their time; 1 survived with a reason, 2 to look at" ]
}

@test "records that cannot be judged are named" {
    record impls/a.c three thirty test_two
    record impls/a.c two=2 error test_two
    record impls/b.c four=4 four=5 "test_two test_broken"
    mutate
    [ "$status" -eq 1 ]
    verdict "impls/a.c: three -> thirty" "STALE: the text is not there exactly once"
    verdict "impls/b.c: four=4 -> four=5" "UNUSABLE: test_broken fails without any change"
    grep -qx "impls/a.c: two=2 -> error: DOES NOT BUILD: see .*/scratch/build-of-2.log" <<<"$output"
    grep -q error scratch/build-of-2.log
    [ "${lines[-1]}" = "0 killed, 0 of them by their time; 0 survived with a reason, 3 to look at" ]
}

@test "a change that hangs is told apart, after a time in proportion to the test's own" {
    record impls/b.c four=4 four=5 test_four
    echo 3 >patience
    mutate
    [ "$status" -eq 0 ]
    verdict "impls/b.c: four=4 -> four=5" "killed by test_four: it did not end in 30 s"
    [ "$(echo $(cat limits))" = "600 30" ]
    [ "${lines[-1]}" = "1 killed, 1 of them by their time; 0 survived with a reason, 0 to look at" ]
}

@test "the quickest test of a record runs first" {
    record impls/a.c two=2 two=9 "test_three test_two"
    sh scripts/mutate.sh scratch
    echo 9 >scratch/seconds/test_three
    echo 1 >scratch/seconds/test_two
    rm -r scratch/claims limits && mkdir scratch/claims
    CC=cc CXX=c++ sh scripts/mutate-worker.sh judge "$PWD/scratch" 1
    [ "$(cat limits)" = 15 ]
}

@test "workers share no folder, and take a file each" {
    printf 'echo "$XDG_CACHE_HOME $TMPDIR" >>%s\ntouch "$TMPDIR/left"\n' "$PWD/folders" >>tests/test_two.c
    # The first of the two changes waits for the other, which another worker has to make.
    echo 'while [ $(wc -l <'"$PWD/folders"') -eq 2 ]; do sleep 0.1; done' >>tests/test_two.c
    echo folders >>.gitignore
    record impls/a.c three=3 three=9 test_two
    record impls/b.c four=4 four=4.0 test_two
    mutate
    [ "$(tail -n 2 folders | cut -d ' ' -f 1 | sort | uniq | wc -l)" -eq 2 ]
    [ "$(cut -d ' ' -f 2 folders | sort | uniq | wc -l)" -eq "$(wc -l <folders)" ]
    while read -r _ folder; do
        [ ! -e "$folder" ]
    done <folders
}

@test "only the changes of some files, and none of an unknown one" {
    record impls/a.c two=2 two=9 test_two
    record impls/b.c four=4 four=x test_four
    mutate a.c
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 2 ]
    mutate c.c
    [ "$status" -eq 2 ]
    [ "$output" = "mutate.sh: no change of a file 'c.c' in tests/mutations.txt" ]
}
