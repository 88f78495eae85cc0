#!/usr/bin/env bats
# TREEBENCH_CPU hides instruction sets, so that one program tests the code for every processor.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "TREEBENCH_CPU: what needs a hidden instruction set does not run, and says so" {
    export TREEBENCH_CPU=-sse4.2,-neon
    "$TREEBENCH" list --json >all.json
    # All that needs some instruction set is hidden: AVX2 and AVX-512 are built on SSE4.2.
    run ! grep '"instructions":\["' <(grep '"runs_here":true' all.json)
    for name in vqs-avx2 vqs-neon; do
        grep -q "\"name\":\"$name\"" all.json || continue
        treebench score --model model.json --data data.txt --impl "$name"
        show
        [ "$status" -eq 4 ]
        [[ $stderr == *"$name: needs "* ]]
        # stdout may go to a file, so the reason is on stderr too.
        treebench compare --model model.json --data data.txt --rounds 2 --impl qs --impl "$name"
        show
        [ "$status" -eq 4 ]
        grep -q "^$name  *unsupported: " <<<"$output"
        [[ $stderr == "treebench: $name: needs "* ]]
        treebench verify --model model.json --impl qs --impl "$name"
        show
        [ "$status" -eq 4 ]
        grep -q "^$name  *cannot run here: " <<<"$output"
        [[ $stderr == "treebench: $name: needs "* ]]
    done
}

@test "TREEBENCH_CPU: auto gives the same scores by whatever is left" {
    "$TREEBENCH" score --model model.json --data data.txt --impl reference >expected
    for hidden in "" -avx512vbmi -avx512 -avx2 -sse4.2,-neon; do
        TREEBENCH_CPU=$hidden "$TREEBENCH" score --model model.json --data data.txt >scores
        cmp expected scores
    done
}

@test "TREEBENCH_CPU: doctor shows what is hidden" {
    treebench doctor --measure none
    features=$(sed -n 's/^ok  *instructions  *//p' <<<"$output")
    [ -n "$features" ]
    [ "$features" != none ] || skip "this processor has none of them"
    TREEBENCH_CPU=-sse4.2,-neon treebench doctor --measure none
    grep -q "^warning  instructions  *none; TREEBENCH_CPU hides $features$" <<<"$output"
    TREEBENCH_CPU="" treebench doctor --measure none
    grep -q "^ok  *instructions  *$features$" <<<"$output"
}

@test "TREEBENCH_CPU: an unknown name is a mistake of every command" {
    for list in -avx3 avx2 -avx2,sse -AVX2; do
        for command in list doctor --version "info --model model.json"; do
            # shellcheck disable=SC2086 # a command and its options
            TREEBENCH_CPU=$list treebench $command
            is_mistake "TREEBENCH_CPU: '"
        done
    done
}
