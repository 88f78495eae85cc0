#!/usr/bin/env bats
# What the program says about itself.
load common

@test "--help and help list the commands, with exit status 0" {
    treebench --help
    succeeds
    [[ $output == "usage: treebench COMMAND"* ]]
    grep -q "^  score  *score documents" <<<"$output"
    expected=$output
    # what other commands run stands apart, last
    awk '/^[A-Z].*:$/ { title = $1 }
        / (pass|duet) / && /^  / { last += title == "Plumbing:" }
        title == "Plumbing:" && /^  / { count++ }
        END { exit !(last == 2 && count == 2) }' <<<"$output"
    treebench help
    succeeds
    [ "$output" = "$expected" ]
}

@test "-h is --help, for the program and for every command" {
    expected=$("$TREEBENCH" --help)
    treebench -h
    succeeds
    [ "$output" = "$expected" ]
    expected=$("$TREEBENCH" score --help)
    treebench score --model m -h
    succeeds
    [ "$output" = "$expected" ]
}

@test "no command is a mistake, and says what there is" {
    treebench
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == "usage: treebench COMMAND"* ]]
}

@test "every command has a help with usage, options and an example" {
    names=$("$TREEBENCH" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
    [ "$(wc -w <<<"$names")" -ge 6 ]
    for name in $names; do
        treebench "$name" --help
        succeeds
        [[ $output == "usage: treebench $name "* ]]
        grep -q "^  --help  *print this" <<<"$output"
        grep -qE "^(Example:)? +treebench $name" <<<"$output"
        awk 'length > 80 { exit 1 }' <<<"$output"
        direct=$output
        treebench help "$name"
        [ "$output" = "$direct" ]
    done
}

@test "--version prints the version of the library's header and a commit" {
    treebench --version
    succeeds
    version=$(sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../library/treebench.h")
    [[ $output == "treebench $version ("* ]]
    [[ $output =~ \([0-9a-z]+ ]]
}

@test "an unknown command is one line, with the nearest name" {
    treebench scoer
    is_mistake "unknown command 'scoer': did you mean 'score'?"
    treebench gibberish-that-is-near-nothing
    is_mistake "unknown command"
    [[ $stderr != *"did you mean"* ]]
    treebench --versoin
    is_mistake "the first argument must be a command, not '--versoin'"
    treebench help scoer
    is_mistake "did you mean 'score'?"
}

@test "a full disk is not passed over" {
    [ -e /dev/full ] || skip "no /dev/full here"
    run --separate-stderr sh -c '"$TREEBENCH" list >/dev/full'
    is_mistake "standard output"
}

@test "every command stops at an option that it does not know" {
    names=$("$TREEBENCH" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
    for name in $names; do
        treebench "$name" --no-such-option
        [ -z "$output" ]
        is_mistake "no-such-option"
    done
}
