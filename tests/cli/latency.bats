#!/usr/bin/env bats
# latency: the lines of a stream, a server and a peak rate; sizes of calls; JSON and CSV; mistakes.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# 700 calls, or as many as $calls.
latency() {
    treebench latency --model model.json --data data.txt --rounds 2 --placements 1 \
        --calls "${calls:-700}" "$@"
}

@test "latency: different and the same documents, the empty call, and what is not proven" {
    latency --impl struct-plus --impl qs
    succeeds
    for line in "struct-plus +different" "qs +same" "noop \(empty call\) +different"; do
        grep -qE "^$line +1 +[0-9]+ +[0-9]+ +\*[0-9]+ +- +- +[0-9]+$" <<<"$output"
    done
    grep -qxF "*: it is the longest latency of its line" <<<"$output"
    grep -qx "not proven: p99.9 needs 6636 calls, and a line has 700" <<<"$output"
    grep -qE "^qs +same +1 +p50 +[0-9.]+ +\[[0-9.]+, [0-9.]+\] +[0-9.]+ +(faster|slower|same within [1-5] %|unresolved)$" \
        <<<"$output"
    grep -qE "^reading the model: [0-9.]+ ms; building each scorer:$" <<<"$output"
    grep -qE "^  qs +[0-9.]+ +([0-9.]+|-) +([0-9.]+|-) +[0-9.]+$" <<<"$output"
    grep -qx "no ratio of p99.9: a round needs 1000 calls, and has 350" <<<"$output"
    run ! grep -qE " $|^noop  " <<<"$output"
    latency --impl qs --impl noop --csv
    succeeds
    [ "$(cut -d, -f1 <<<"$output" | grep -c "^1$")" -eq 20 ] # no empty call but noop
}

@test "latency: auto names what it chose for each size" {
    latency --impl auto --block 1,35-100
    succeeds
    [ "$(grep -cE "^auto: [a-z].* for (1 document|100 documents); by " <<<"$output")" -eq 2 ]
    latency --impl auto --impl qs --csv
    grep -qE ",auto,,,false,\"?[a-z0-9-]+ for 1 document; by " <<<"$output"
    grep -qE ",qs,,,false,,ok," <<<"$output"
}

@test "latency: a single implementation has no ratios" {
    latency --impl qs
    succeeds
    tr '\n' ' ' <<<"$output" | grep -q " 2 interleaved rounds in 1 placement;"
    run ! grep -q "ratio" <<<"$output"
    treebench latency --model model.json --data data.txt --impl qs --rounds 1 --calls 700
    succeeds
    tr '\n' ' ' <<<"$output" | grep -q " 1 interleaved round in 1 placement;"
}

@test "latency: each size has lines, and a range is drawn" {
    calls=100 latency --impl qs --block 1,35-100
    succeeds
    grep -qE "^qs +different +1 " <<<"$output"
    grep -qE "^qs +same +35-100 " <<<"$output"
    for block in 0 x 1, 1-, 8-4 1,2,x -3 1.5; do
        latency --impl qs --block="$block"
        is_mistake "latency: --block: '$block' is neither numbers of documents"
    done
    latency --impl qs --block 8,1-3,8-8
    is_mistake "latency: --block: '8,1-3,8-8' has the same size twice"
    latency --impl qs --block 501
    is_mistake "--block 501: there are only 500 documents"
}

@test "latency: a server has the completed rate, and one kind of calls" {
    latency --impl qs --rate 20000
    succeeds
    [[ ${lines[0]} == *"server, 20000 calls/s scheduled; ns from the scheduled time"* ]]
    grep -qE "^implementation .*completed/s$" <<<"$output"
    run ! grep -q "same" <<<"$output"
}

@test "latency: the peak rate, or -" {
    peak() {
        treebench latency --model model.json --data data.txt --impl qs --placements 2 --calls 700 \
            --bound 1000 "$@"
    }
    peak
    succeeds
    grep -qE "^qs +different +1 +([0-9]+|-) " <<<"$output"
    run ! grep -q "empty call)" <<<"$output"
    peak --rate 10
    is_mistake "--rate"
    peak --rounds 3
    is_mistake "--rounds"
}

@test "latency: JSON and CSV have the same values" {
    command -v jq >/dev/null || skip "needs jq"
    latency --impl qs --impl vpred,v=8 --json
    [ "$status" -eq 0 ]
    jq -e '.schema == 1 and (.lines | length) == 6 and .document_seed == 1 and .size_seed == 2 and
        (.lines[0].percentiles | map(.percentile)) == ["p50", "p90", "p99", "p99.9", "p99.99"] and
        .lines[0].percentiles[2].rank == 1 and .lines[0].percentiles[3].proven_ns == null and
        .lines[0].calls == 700 and .lines[0].checked > 0 and .lines[2].empty_call and
        .machine.cpu and .rate == null and
        .lines[0].percentiles[2].proven_ns == .lines[0].most_ns' <<<"$output"
    latency --impl qs --impl vpred,v=8 --csv --seed 9
    succeeds
    [ "${#lines[@]}" -eq 31 ]
    [ "$(cut -d, -f1 <<<"$output" | sort -u | tr '\n' ' ')" = "1 schema " ]
    [[ ${lines[0]} == "schema,started,"*",percentile,sample_ns,proven_ns,rank,needed,ratio,"* ]]
    [[ ${lines[0]} == *",document_seed,size_seed,arrival_seed,"* ]]
    grep -q ",9,10,11," <<<"${lines[1]}"
    latency --impl qs --json --csv
    is_mistake "--csv"
}

@test "latency: what the kernel counted is unknown when calls are not warm" {
    command -v jq >/dev/null || skip "needs jq"
    for state in warm first; do
        latency --impl qs --state "$state" --json
        [ "$status" -eq 0 ]
        jq -e --arg state "$state" '.lines[0] | [.preemptions, .waits, .minor_faults,
            .major_faults, .migrations, .slow_preempted, .slow_faulted] |
            all(if $state == "warm" then . >= 0 else . == null end)' <<<"$output"
    done
}

@test "latency: the longest of as many calls as needed proves a percentile" {
    calls=660 latency --impl qs
    succeeds
    grep -qE "^qs +different +1 +[0-9]+ +[0-9]+ +- +- +- +[0-9]+$" <<<"$output"
}

@test "latency: what cannot run here, or has no calls, is named" {
    latency --impl struct,order=SD --impl qs
    show
    [ "$status" -eq 4 ]
    [ "$stderr" = "treebench: struct,order=SD: unsupported: calls of libtreebench have no loop order" ]
    grep -qE "^qs +different" <<<"$output"
}

@test "latency: calls after a pause, and with cold caches" {
    calls=8 latency --impl qs --state idle
    succeeds
    [[ ${lines[0]} == *"single stream, idle calls; "* ]]
    calls=2 latency --impl qs --state cold
    succeeds
    [[ ${lines[0]} == *"single stream, cold calls; "* ]]
    for state in l2 l3 first; do
        kinds=2
        [ "$state" != first ] || kinds=1 # the same document again would be no other call
        calls=4 latency --impl qs --impl auto --state "$state"
        if [ "$status" -eq 4 ]; then # as on machines that report no caches
            [[ $stderr == *"does not report the size of a cache"* ]]
            continue
        fi
        succeeds
        [[ ${lines[0]} == *"single stream, $state calls; "* ]]
        [ "$(grep -cE "^qs +(different|same) +1 +- " <<<"$output")" -eq "$kinds" ]
    done
    latency --impl qs --state cold --rate 10
    is_mistake "--state"
}

@test "latency: --out writes a histogram of each line" {
    latency --impl qs --impl vpred,v=8 --out log.hlog
    succeeds
    [ "$(grep -c "^Tag=" log.hlog)" -eq 6 ]
    grep -qE "^Tag=vpred:v=8/different/1,0\.000,[0-9.]+,[0-9.]+,HISTFAAAA[A-Za-z0-9+/]+=*$" log.hlog
    latency --impl qs --out missing/log.hlog
    is_mistake "missing/log.hlog"
}

@test "latency: fewer placements than were asked for are told" {
    treebench latency --model model.json --data data.txt --impl qs --calls 700 --rounds 3 --placements 8
    show
    [ "$status" -eq 0 ]
    [ "$stderr" = "treebench: --placements 8: --rounds 3 gives only 3" ]
    treebench latency --model model.json --data data.txt --impl qs --calls 700 --rounds 3
    succeeds
}

@test "latency: a bound may have a unit" {
    for bound in 0.05ms 50us 50000; do
        treebench latency --model model.json --data data.txt --impl qs --placements 1 --calls 700 \
            --bound "$bound"
        succeeds
        [[ $output == *"p99 up to 50000 ns"* ]]
    done
    latency --impl qs --bound 1m
    is_mistake "latency: --bound: '1m' is not a time from 1 to 1000000000 ns, such as 2000, 100us or 1ms"
}
