#!/usr/bin/env bats
# scripts/instructions.sh: writes counts, and finds those that have changed.
load ../cli/common

setup() {
    script=$PWD/scripts/instructions.sh
    build=$(dirname "$TREEBENCH")
    cd "$BATS_TEST_TMPDIR"
    export BASELINE=$BATS_TEST_TMPDIR/instructions.csv IMPLS="struct-plus noop" WORKLOADS=single
}

# Writes the baseline, or skips the test on machines that cannot single-step.
write() {
    run sh "$script" write "$build"
    show
    [ "$status" -ne 4 ] || skip "$output"
    [ "$status" -eq 0 ]
}

# Changes a number of a column of rows of an implementation.
change() {
    awk -F , -v OFS=, -v impl="$1" -v column="$2" -v factor="$3" \
        '$4 == impl { $column = int($column * factor) } { print }' "$BASELINE" >"$BASELINE.changed"
    mv "$BASELINE.changed" "$BASELINE"
}

check() {
    run sh "$script" check "$build"
    show
}

@test "what was written is found again, to the instruction" {
    write
    cat "$BASELINE"
    [ "$(head -n 1 "$BASELINE")" = "compiler,architecture,workload,implementation,documents,trees,instructions,per_document_and_tree" ]
    [ "$(cut -d , -f 3-6 "$BASELINE" | sed 1d)" = "single,noop,2,10
single,struct-plus,2,10" ]
    cp "$BASELINE" first
    write
    diff first "$BASELINE"
    check
    [ "$status" -eq 0 ]
    [ "$output" = "instructions: 0 of 2 counts differ from the baseline by more than 0.5 %" ]
}

@test "a count that differs fails, with the command that accepts it" {
    write
    change struct-plus 7 0.98
    check
    [ "$status" -eq 1 ]
    [[ $output == "struct-plus on single: "*" instructions, +2."*" % against "* ]]
    [[ $output == *"1 of 2 counts differ"*"run 'make instructions'"* ]]
    change struct-plus 7 1.1
    check
    [ "$status" -eq 1 ]
    [[ $output == *" instructions, -7."* ]]
    change struct-plus 6 2
    check
    [ "$status" -eq 1 ]
    [[ $output == *"the baseline counted another workload"* ]]
}

@test "counts of another compiler are kept, and not compared" {
    write
    sed 's/^[^,]*,x/another compiler,x/; s/^[^,]*,a/another compiler,a/' "$BASELINE" >other
    sed '1d' other >only
    { head -n 1 "$BASELINE"; cat only; } >"$BASELINE.new"
    mv "$BASELINE.new" "$BASELINE"
    check
    [ "$status" -eq 0 ]
    [[ $output == "instructions: skipped, because the baseline has no counts of "* ]]
    write
    [ "$(grep -c "^another compiler," "$BASELINE")" -eq 2 ]
    [ "$(wc -l <"$BASELINE")" -eq 5 ]
}

@test "implementations that are gone leave the baseline, and new ones are named" {
    write
    sed 's/,noop,/,gone,/' "$BASELINE" >changed
    mv changed "$BASELINE"
    check
    [ "$status" -eq 0 ]
    [[ $output == *"noop on single: not in the baseline. Add it by 'make instructions'"* ]]
    [[ $output == *"0 of 1 counts differ"* ]]
    write
    run ! grep ",gone," "$BASELINE"
    grep -q ",noop," "$BASELINE"
}

@test "mistakes are refused" {
    IMPLS=nonesuch
    run sh "$script" write "$build"
    show
    [[ $status -eq 2 || $status -eq 4 ]]
    [ ! -e "$BASELINE" ]
    run sh "$script" check "$build"
    [ "$status" -eq 2 ]
    [[ $output == *"no such file. Make it with 'make instructions'" ]]
    WORKLOADS=none
    run sh "$script" write "$build"
    [[ $status -eq 2 || $status -eq 4 ]]
    run sh "$script"
    [ "$status" -eq 2 ]
    run sh "$script" write nowhere
    [[ $output == *"nowhere/treebench: no such program. Build it with 'make'" ]]
}
