#!/usr/bin/env bats
# scripts/jin2016-table5.sh on workloads that take a second. No time is asserted.

bats_require_minimum_version 1.5.0

table5() {
    SCALE=smoke OUT=$BATS_TEST_TMPDIR/out run --separate-stderr env "$@" \
        sh scripts/jin2016-table5.sh "$(dirname "$TREEBENCH")"
    echo "$output"
    echo "$stderr"
}

@test "table5: a line of times and a line of claims, beside the paper's numbers" {
    table5 ONLY=MQ10
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 9 ]
    [[ ${lines[2]} == "| MQ10 | 20 x 40 | "*" % ["*"] | DSD2, 0.47 % | DSD2, 0.14 % | "* ]]
    [[ ${lines[5]} =~ ^"| MQ10 | "((held|not held|unresolved)" | "){3}[0-9.]+" | " ]]
    [[ ${lines[8]} =~ ^"| MQ10 | "(all|[0-9]+)", "(all|[0-9]+)", "(all|[0-9.]+)" | "(all|[0-9]+)", "(all|[0-9]+)( "| "(-|-?[0-9.]+)){4}" |"$ ]]
    diff <(printf '%s\n' "${lines[0]}") <(head -n 1 "$BATS_TEST_TMPDIR/out/table5.md")
}

@test "table5: documents have the paper's features, and a measured workload is not measured again" {
    table5 ONLY=Y!10
    [ "$status" -eq 0 ]
    grep -q '"document_bytes":[[:space:]]*2816' "$BATS_TEST_TMPDIR/out/Y!10.json"
    sed -i 's/"trees":[[:space:]]*20/"trees":\t77/' "$BATS_TEST_TMPDIR/out/Y!10.json"
    table5 ONLY=Y!10
    [[ ${lines[2]} == "| Y!10 | 77 x 40 | "* ]]
}

@test "table5: an unknown scale is a mistake" {
    table5 SCALE=huge
    [ "$status" -eq 2 ]
    [[ $stderr == *"SCALE must be smoke, quick or full"* ]]
}
