#!/usr/bin/env bats
# blocking. No time is asserted.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" synth --like mq2008 --documents 300 --data data.txt
    "$TREEBENCH" synth --grow-on data.txt --trees 40 --leaves 8 --model model.json
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

blocking() {
    treebench blocking --model model.json --rounds 2 --measure none "$@"
}

@test "blocking: candidates, a choice that is confirmed, and how to use it" {
    blocking --data data.txt
    succeeds
    [[ ${lines[0]} == "struct-plus: 40 trees in 40 units of "*" bytes; 150 documents of 192 bytes"* ]]
    [[ ${lines[1]} == "caches of one core: L1 "*"(c2, c3, c4 typical); lambda 1" ]]
    [[ ${lines[2]} == "c2, c3, c4: latency of L2, L3 and memory, divided by that of L1; lambda: accesses to a unit per access to a document" ]]
    [[ ${lines[4]} == "blocks of d documents and s units that fit, if a share mu = 0.5 of each is used: L1 d = "*"; L2 d = 150, s = 40; L3 d = 150, s = 40" ]]
    grep -qx "T: predicted cost of all data accesses, divided by that of the documents if all were in L1" <<<"$output"
    [ "$(grep -cE "^(times:|choice|DS takes).* ns per document and tree$" <<<"$output")" -eq 3 ]
    grep -qE "^[* ] -       DS +[0-9.]+ +[0-9.]+  \[" <<<"$output"
    [ "$(grep -c "^\* " <<<"$output")" -eq 1 ]
    grep -qE "^(to use it: --order [DS]+|no order is measurably faster than DS)" <<<"$output"
}

@test "blocking: JSON has the keys of docs/blocking.md" {
    blocking --data data.txt --docs 100 --json --exhaustive
    succeeds
    sed -n '/^### JSON/,$p' "$BATS_TEST_DIRNAME/../../docs/blocking.md" |
        grep '^|' | cut -d'|' -f2 | grep -o '`[a-z_0-9]*`' | tr -d '`' >keys.txt
    [ "$(wc -l <keys.txt)" -ge 20 ]
    while read -r key; do
        echo "$key"
        grep -q "\"$key\":" <<<"$output"
    done <keys.txt
    grep -qE '"documents":[[:space:]]*100' <<<"$output"
    grep -qE '"points":[[:space:]]*[0-9]{2}' <<<"$output"
}

@test "blocking: without documents they are made; with few, mixtures are added" {
    blocking --docs 60
    succeeds
    [[ ${lines[0]} == *"; 60 documents of 192 bytes (made up: "* ]]
    blocking --data data.txt --docs 200 --all-cases
    succeeds
    [[ ${lines[0]} == *"; 200 documents of 192 bytes (resampled: 300 given"* ]]
    grep -q "cases chosen by their costs" <<<"$output"
}

@test "blocking: caches are measured unless --measure none" {
    treebench blocking --model model.json --data data.txt --rounds 2
    succeeds
    if [[ ${lines[1]} == *"(c3 typical); lambda 1" ]]; then
        # Others use L3, and hardly more of it is left than L2 has. No set of documents shows c3 then.
        [[ ${lines[1]} =~ L2\ ([0-9]+)\ KB,\ L3\ ([0-9]+)\ KB ]]
        ((BASH_REMATCH[2] < 2 * BASH_REMATCH[1]))
    else
        [[ ${lines[1]} == *"(measured); lambda 1" || ${lines[1]} == *"(c3, c4 typical); lambda 1" ||
            ${lines[1]} == *"(c4 typical); lambda 1" ]]
    fi
}

@test "blocking: QuickScorer's units read four arrays; lanes round d up" {
    blocking --data data.txt --impl bwqs,tau=5
    succeeds
    [[ ${lines[0]} == "bwqs,tau=5: 40 trees in 8 units of "* ]]
    [[ ${lines[1]} == *"lambda 4" ]]
    blocking --data data.txt --impl vpred,v=8 --all-cases
    succeeds
    for d in $(grep -oE " d = [0-9]+" <<<"$output" | grep -oE "[0-9]+"); do
        [ $((d % 8)) -eq 0 ] || [ "$d" -eq 150 ]
    done
}

@test "blocking: mistakes are one line" {
    blocking --data data.txt --impl struct-pluss
    is_mistake "struct-plus"
    blocking --data missing.txt
    is_mistake "missing.txt"
    blocking --data data.txt --docs 0
    is_mistake "--docs"
    blocking --data data.txt --impl qs
    [ "$status" -ne 0 ] && [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == *"qs has only one unit"* ]]
}

@test "blocking: --partition searches each number of trees per unit" {
    blocking --data data.txt --impl bwqs --partition
    succeeds
    [[ ${lines[0]} == "bwqs by the trees per unit; "* ]]
    [ "$(sed -nE 's/^[* ] +([0-9]+) +[0-9]+  [DS]+ .*/\1/p' <<<"$output" | xargs)" = "1 2 5 10 20" ]
    [ "$(sed -nE 's/^[* ] +[0-9]+ +([0-9]+)  [DS]+ .*/\1/p' <<<"$output" | xargs)" = "40 20 8 4 2" ]
    [ "$(grep -c "^\* " <<<"$output")" -eq 1 ]
    blocking --impl bwqs,tau=5 --partition
    is_mistake "--partition chooses tau: leave it out of --impl"
    blocking --impl bwqs --partition --json
    is_mistake "--partition cannot be used with"
    blocking --impl struct-plus --partition
    is_mistake "struct-plus: no option 'tau'"
}

@test "blocking: what has no orders to compare is refused, on one line" {
    "$TREEBENCH" synth --depth 2 --features 3 --trees 1 --documents 5 --model one.json --data one.txt
    treebench blocking --model one.json --data one.txt --measure none
    is_mistake "the model has only one tree, so all orders are the same"
    blocking --data data.txt --impl noop
    is_mistake "--impl: noop is a baseline for timing and computes no scores"
    blocking --data data.txt --impl struct-plus,order=DSD
    is_mistake "--impl: leave out order, d and s, because this command chooses them"
}

@test "blocking: --query-docs measures batches of queries" {
    blocking --data data.txt --docs 100 --query-docs 5
    succeeds
    grep -qE "^batches of queries with 5 documents; times: ns per document and tree; wait: at [0-9]+ queries per second$" <<<"$output"
    [ "$(sed -n '/^batches/,$p' <<<"$output" | sed -nE 's/^ +([0-9]+)  (DSD? ?[d=0-9 ]*[0-9]|DS) .*/\1/p' | xargs)" = "1 1 10" ]
    grep -qE "^ +1  DSD d = 5 " <<<"$output"
    blocking --data data.txt --docs 100 --query-docs 101
    [ "$status" -eq 2 ]
    [[ $stderr == *"--query-docs: a call has only 100 documents (--docs)" ]]
    blocking --data data.txt --query-docs 5 --json
    is_mistake "--query-docs cannot be used with --json or --partition"
}
