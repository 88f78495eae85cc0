#!/usr/bin/env bats
# scripts/regress.sh in repositories of two commits. Their Makefile does not compile: it takes what
# was built before, and `treebench` of some of them is a script that shows how it was called.
load ../cli/common

setup() {
    command -v git >/dev/null || skip "no git"
    project=$BATS_TEST_DIRNAME/../..
    built=$(dirname "$TREEBENCH")
    ! grep -qe -fsanitize "$built/flags" || skip "a sanitizer's build"
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
    unset MAKEFLAGS MAKELEVEL BUILD GIT_DIR
    repository=$BATS_TEST_TMPDIR/repository
    mkdir -p "$repository/scripts" "$repository/library"
    cd "$repository"
    cp "$project"/scripts/{regress,fingerprint,library-objects,relink}.sh scripts
    cp "$project"/scripts/fingerprint.awk scripts
    cp "$project"/library/treebench.map library
    # Links to everything that was built.
    cat >Makefile <<MAKE
\$(BUILD)/treebench \$(BUILD)/libtreebench.so.0: links
links:
	mkdir -p \$(BUILD)
	test -e \$(BUILD)/libtreebench.so.0 || { ln -sf "$built"/* \$(BUILD) && rm -f \$(BUILD)/fingerprints.tsv; }
	test ! -e broken
	test ! -e stub || cp --remove-destination stub \$(BUILD)/treebench
.PHONY: links
MAKE
    echo first >README
    git init -q -b main .
    commit first
    echo second >README
    commit second
}

commit() {
    git add .
    git -c user.name=a -c user.email=a@b commit -q -m "$1"
}

# Replaces treebench of the working tree by a script that prints its arguments.
show_arguments() {
    printf '#!/bin/sh\necho "$@"\nexit 3\n' >stub
    chmod +x stub
}

regress() {
    run --separate-stderr sh scripts/regress.sh "$@"
    show
}

fails_with() {
    [ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] || return 1
    [ "$stderr" = "regress.sh: $1" ]
}

@test "a commit that changes only documents is not timed, and exits with 0" {
    regress HEAD~1
    [ "$status" -eq 0 ]
    grep -q 'same code' <<<"$output"
    ! grep -q pairs <<<"$output" || return 1
    base=$XDG_CACHE_HOME/treebench/regress/$(git rev-parse HEAD~1)
    [ "$(cat "$base/README")" = first ]
    [ "$(cat "$base/COMMIT")" = "$(git rev-parse HEAD~1)" ]
    [ "$(git status --short)" = "?? build/" ]
    [ "$(git worktree list | wc -l)" -eq 1 ]
}

@test "the base stays in the cache, and what was not used for 30 days is removed" {
    regress HEAD~1
    base=$XDG_CACHE_HOME/treebench/regress/$(git rev-parse HEAD~1)
    touch "$base/kept"
    mkdir "$base/../old"
    touch -d '40 days ago' "$base/../old"
    touch -d '40 days ago' "$base"
    regress HEAD~1
    [ "$status" -eq 0 ]
    [ -e "$base/kept" ]
    [ ! -e "$base/../old" ]
    rm -rf "$XDG_CACHE_HOME"
    regress HEAD~1
    [ "$status" -eq 0 ]
}

@test "several runs at once do not disturb each other" {
    for i in 1 2 3 4; do
        cp -r "$repository" "$repository.$i"
        (cd "$repository.$i" && timeout 60 sh scripts/regress.sh HEAD~1 >out 2>err && echo done >status) &
    done
    wait
    for i in 1 2 3 4; do
        [ "$(cat "$repository.$i/status")" = done ]
    done
    [ "$(ls "$XDG_CACHE_HOME/treebench/regress")" = "$(git rev-parse HEAD~1)" ]
}

@test "options, layouts and the exit status are passed on; uncommitted changes are built" {
    show_arguments
    regress HEAD --impl 'vqs*' --json
    [ "$status" -eq 3 ]
    base=$XDG_CACHE_HOME/treebench/regress/$(git rev-parse HEAD)
    [[ $output == "regress --base $base/build-"*" --head $PWD/build --relink sh '$PWD/scripts/relink.sh' --impl vqs* --json" ]]
    CC=$(command -v gcc) regress HEAD
    [ "$(ls -d "$base"/build-*[0-9] | wc -l)" -eq 2 ]
}

@test "a revision that is missing in a shallow clone: the printed command brings it" {
    git branch other HEAD~1
    git tag v1 HEAD~1
    git clone -q --depth 1 "file://$repository" "$BATS_TEST_TMPDIR/shallow"
    cd "$BATS_TEST_TMPDIR/shallow"
    for base in origin/other v1 "$(git -C "$repository" rev-parse HEAD~1)" HEAD~1; do
        rm -rf ../clone
        cp -r . ../clone
        cd ../clone
        regress "$base"
        fetch=$(sed -n "s/.*: run '\(git fetch .*\)'$/\1/p" <<<"$stderr")
        fails_with "no revision '$base' in this clone: run '$fetch'"
        $fetch
        regress "$base"
        [ "$status" -eq 0 ]
        cd ../shallow
    done
}

@test "a revision that no fetch can bring, no revision, and no repository are one line" {
    regress nothing
    fails_with "no revision 'nothing'"
    regress
    fails_with "which revision to compare with? make regress BASE=REVISION"
    rm -rf .git
    regress HEAD
    [ "$status" -eq 2 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *"is not a git repository"* ]]
}

@test "a base that does not build is named, with its log" {
    touch broken
    commit broken
    regress HEAD
    [ "$status" -eq 2 ] && [ -z "$output" ]
    base=$XDG_CACHE_HOME/treebench/regress/$(git rev-parse HEAD)
    [[ ${stderr_lines[-1]} == "regress.sh: cannot build $base: "*"($base/build-"*".log)" ]]
}

@test "a clone's path is a word for the shell that links again, whatever it holds" {
    mv "$repository" "$BATS_TEST_TMPDIR/it's; touch ran #"
    cd "$BATS_TEST_TMPDIR/it's; touch ran #"
    # shellcheck disable=SC2016 # the stub expands it
    printf '%s\n' '#!/bin/sh' 'while [ "$1" != --relink ]; do shift; done' \
        'sh -c "$2 \"\$@\"" relink base 7 file' >stub
    chmod +x stub
    echo "echo \"relinked \$*\"" >scripts/relink.sh
    regress HEAD~1
    [ "$status" -eq 0 ]
    [ "$output" = "relinked base 7 file" ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -name ran)" ]
}
