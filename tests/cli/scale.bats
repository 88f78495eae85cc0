#!/usr/bin/env bats
# scale: throughput of threads and latency of shared calls; JSON and CSV; mistakes.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    most=$(nproc)
    if [ "$most" -gt 2 ]; then most=2; fi
}

scale() {
    treebench scale --model model.json --data data.txt --rounds 2 --placements 1 --calls 700 \
        --threads "$most" "$@"
}

@test "scale: each measure has a line for each number of threads" {
    scale --impl interleaved
    succeeds
    [[ ${lines[0]} == "interleaved: 500 documents, "*"2 interleaved rounds in"* ]]
    for measure in blocks calls; do
        grep -qE "^$measure +1 +1 +[0-9.]+ +[0-9]+$" <<<"$output"
    done
    for measure in p50 p99; do
        grep -qE "^$measure +1 +1 +[0-9.]+ +-$" <<<"$output"
    done
    [ "$(grep -cE "^(blocks|calls|p50|p99) " <<<"$output")" -eq $((4 * most)) ]
    [ "$most" -eq 1 ] ||
        grep -qE "^blocks +2 +2 +[0-9.]+ +[0-9]+ +[0-9.]+ +\[[0-9.]+, [0-9.]+\] +[0-9.]+ +(faster|slower|same within [1-5] %|unresolved)$" \
            <<<"$output"
    run ! grep -q " $" <<<"$output"
}

@test "scale: auto does not share a short call out, and others never do" {
    for impl in auto struct-plus; do
        scale --impl "$impl"
        succeeds
        grep -qE "^p50 +$most +1 " <<<"$output"
    done
}

@test "scale: JSON and CSV have the same values" {
    command -v jq >/dev/null || skip "needs jq"
    scale --json
    [ "$status" -eq 0 ]
    jq -e --argjson most "$most" '.schema == 1 and (.lines | length) == 4 * $most and
        .implementation == "auto" and .block == 256 and .seed == 1 and .checked > 0 and
        .machine.cpu and (.lines | map(.measure) | unique) == ["blocks", "calls", "p50", "p99"] and
        .lines[0].per_second > 0 and .lines[0].ratio == null and .lines[0].proven_ns == null and
        (.lines[-1].threads == $most) and .lines[-1].proven_ns > 0' <<<"$output"
    scale --csv --seed 9 --block 8
    succeeds
    [ "${#lines[@]}" -eq $((4 * most + 1)) ]
    [[ ${lines[0]} == "schema,started,"*",measure,threads,used,ns,ns_low,ns_high,proven_ns,"* ]]
    [ "$(cut -d, -f1 <<<"$output" | sort -u | tr '\n' ' ')" = "1 schema " ]
}

@test "scale: what cannot run is named" {
    scale --impl none
    is_mistake "no implementation 'none'"
    treebench scale --model model.json --data data.txt --threads 256
    show
    [ "$status" -ne 0 ]
    [[ $stderr == *"256 threads, but this process may use "* ]]
    scale --impl struct,order=SD
    show
    [ "$status" -ne 0 ]
}
