#!/usr/bin/env bats
# run and map without options: what there is to start, and nothing starts.
load common

setup() {
    mkdir -p "$BATS_TEST_TMPDIR/work"
    cd "$BATS_TEST_TMPDIR/work" || return 1
}

@test "plan: run and map start nothing without options" {
    for command in run map; do
        treebench $command
        succeeds
        [[ ${lines[0]} == "Nothing was started. "* ]]
        grep -qE "(takes|time on 2 cores)" <<<"$output"
        grep -qE "^  treebench $command --" <<<"$output"
        run ! grep -E '^.{101}' <<<"$output"
        [ -z "$(ls -A)" ]
    done
}

@test "plan: each scale has its cells" {
    for command in run map; do
        treebench $command
        for scale in smoke quick full; do
            grep -qE "^$scale +([0-9]+ +)?[1-9][0-9]* +[a-z0-9]" <<<"$output"
        done
    done
}

@test "plan: run counts the models that it trains: 100 for each fold of LETOR at full" {
    treebench run
    succeeds
    read -r _ _ models _ < <(grep '^full ' <<<"$output")
    [ "$models" -ge 5000 ]
    read -r _ _ models _ < <(grep '^smoke ' <<<"$output")
    [ "$models" -lt 500 ]
}

@test "plan: one option is enough to start" {
    treebench run --only no-such-artefact
    is_mistake "no-such-artefact"
    treebench map --scale huge
    is_mistake "huge"
}
