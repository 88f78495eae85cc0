#!/usr/bin/env bats
# regress and duet: verdicts on commands that print fixed numbers, and on builds.
load common

setup_file() {
    make_inputs
    build=$(dirname "$TREEBENCH")
    export build
    mkdir -p "$BATS_FILE_TMPDIR/old"
    cp "$build/libtreebench.so.0" "$BATS_FILE_TMPDIR/old"
    cat >"$BATS_FILE_TMPDIR/workloads.json" <<'JSON'
{"workloads": [{"name": "small", "model": "model.json", "data": "data.txt", "block": 100}]}
JSON
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

# A command that prints about N, by the placement's number.
prints() {
    echo "echo start; awk -v seed={} 'BEGIN { print $1 + seed % 3 * $2; print $1 }'"
}

commands() {
    treebench regress --command-base "$(prints 100 0.1)" --command-head "$@"
}

@test "regress: commands: a slowdown is an alarm, with status 1" {
    commands "$(prints 105 0.1)"
    [ "$status" -eq 1 ]
    [[ "${lines[1]}" == command*"1.05"*"regression; 10 pairs"* ]]
    [[ "${lines[-1]}" == "regress: 1 regression; "* ]]
}

@test "regress: commands: equal and faster programs are none, with status 0" {
    commands "$(prints 100 0.1)"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *" none; 10 pairs"* ]]
    commands "$(prints 90 0.1)"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == *" faster; 10 pairs"* ]]
}

@test "regress: commands: what noise hides is inconclusive, with status 3" {
    # Two placements in three take 60 % more, on one side or the other.
    commands "awk -v seed={} 'BEGIN { print seed % 2 ? 160 : 64 }'"
    [ "$status" -eq 3 ]
    [[ "${lines[1]}" == *" unclear; 80 pairs"*"noise"* ]]
}

@test "regress: commands: no time means no verdict" {
    commands "$(prints 100 0.1)" --minutes 0
    [ "$status" -eq 3 ]
    [[ "${lines[1]}" == *"unclear: the time is over"* ]]
}

@test "regress: commands: a failing or silent program is one line of error, with status 2" {
    commands "echo wrong >&2; exit 3"
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == "treebench: the command of head ended with status 3: wrong" ]]
    commands "echo fine"
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == *"printed no line that is a positive number"* ]]
}

@test "regress: commands: the whole program is timed on request" {
    commands "true" --metric wall --minutes 0.01
    [ "$status" -ne 2 ]
    [[ "${lines[1]}" == *" pairs"* ]]
}

@test "regress: JSON says what the table says" {
    treebench regress --json --command-base "$(prints 100 0.1)" --command-head "$(prints 105 0.1)"
    [ "$status" -eq 1 ]
    for key in '"schema":	1' '"verdict":	"regression"' '"pairs":	10' '"machine"' '"seconds"'; do
        grep -qF "$key" <<<"$output"
    done
}

@test "regress: builds: a library against itself ends with a verdict" {
    treebench regress --base old --head "$build" --workloads workloads.json --impl qs \
        --tolerance 900 --margin 90
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == qs*small*none* ]]
}

@test "regress: builds: equal fingerprints are not timed" {
    mkdir -p head
    cp old/libtreebench.so.0 head
    printf 'qs\tabc\nstruct\tdef\nvpred\tghi\n' >old/fingerprints.tsv
    printf 'qs\tabc\nstruct\txyz\n' >head/fingerprints.tsv
    treebench regress --base old --head head --workloads workloads.json --impl qs --impl vpred
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == qs*"same code" ]]
    [[ "${lines[2]}" == vpred*"one-sided: only base has it" ]]
    [[ "${lines[3]}" == "regress: 1 one-sided, 1 same code; 0 s" ]]
    rm old/fingerprints.tsv
}

@test "regress: builds: an implementation that refuses a workload is told" {
    "$TREEBENCH" synth --depth 8 --features 8 --trees 1 --documents 100 --seed 3 \
        --model deep.json --data deep.txt
    sed 's/model.json/deep.json/; s/data.txt/deep.txt/' workloads.json >deep_workloads.json
    treebench regress --base old --head "$build" --workloads deep_workloads.json --impl vqs-sse
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == vqs-sse*refused:*leaves* ]]
}

# A library in the folder $1 that is three times as slow. Further arguments define macros of it.
make_slow() {
    mkdir -p "$1"
    "${CC:-cc}" -w -shared -fPIC -I"$BATS_TEST_DIRNAME/../.." "${@:2}" \
        -DREAL="\"$build/libtreebench.so.0\"" -o "$1/libtreebench.so.0" \
        "$BATS_TEST_DIRNAME/slow_library.c" -ldl
}

# Layouts of this head are either as slow, or as fast as base.
make_slow_head() {
    make_slow slow
}

slow_head() {
    treebench regress --base old --head slow --workloads workloads.json --impl qs --margin 50 \
        --tolerance 90 --relink "$1"
}

@test "regress: builds: a slow build is an alarm, and remains one in other layouts" {
    make_slow_head
    # shellcheck disable=SC2016 # the shell that runs it expands it
    slow_head 'f() { cp "$1/libtreebench.so.0" "$3"; }; f'
    [ "$status" -eq 1 ]
    [[ "${lines[1]}" == qs*small*regression*"over "*" layouts" ]]
}

@test "regress: builds: a slowdown that other layouts do not have is no regression" {
    make_slow_head
    slow_head 'f() { cp old/libtreebench.so.0 "$3"; }; f'
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == qs*small*layout*"over "*" layouts" ]]
}

# Skips if the system allows no single steps.
count_slow() {
    allow_tracing
    make_slow_head
    treebench regress --base old --head "$1" --workloads workloads.json --impl qs --margin 90 \
        --tolerance 900 --count "${@:2}"
    [[ $stderr != *"ptrace: "* && $stderr != *"only on x86-64"* ]] || skip "$stderr"
    [ -z "$stderr" ]
}

@test "regress --count: builds: instructions of both are counted" {
    count_slow old
    [[ "${lines[1]}" == *"pairs"*"; +0.00 % instructions" ]]
    count_slow slow
    [[ "${lines[1]}" =~ \;\ \+[12][0-9][0-9]\.[0-9]+\ %\ instructions ]]
    count_slow slow --json
    grep -A 3 '"instructions":' <<<"$output" | tr -d '\t,' | grep -A 1 "^\"base\":[0-9]*$" |
        grep "^\"head\":[0-9]*$"
}

@test "regress: builds: a link that fails is one line of error" {
    make_slow_head
    slow_head 'echo no linker; false'
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ "$stderr" == *"ended with status 1: "* ]]
}

@test "regress: mistakes are one line each, with status 2" {
    while read -r arguments; do
        # shellcheck disable=SC2086 # words
        treebench regress $arguments
        echo "$arguments: $stderr"
        [ "$status" -eq 2 ]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [ -z "$output" ]
    done <<'ARGUMENTS'

--base old
--base old --command-head true
--command-base true
--base nowhere --head old
--base old --head old --workloads nowhere.json
--base old --head old --workloads data.txt
--base old --head old --impl nothing
--command-base true --command-head true --impl qs
--command-base true --command-head true --margin 5
ARGUMENTS
}

@test "duet: one line of numbers, and scores that differ are refused" {
    treebench duet --base old/libtreebench.so.0 --head "$build/libtreebench.so.0" \
        --model model.json --data data.txt --impl qs --block 100 --rounds 2 --seed 7
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^-?[0-9.e-]+\ [0-9.e+]+\ [0-9.e+]+$ ]]
    treebench duet --base old/nothing.so --head "$build/libtreebench.so.0" \
        --model model.json --data data.txt --impl qs
    [ "$status" -eq 2 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    treebench duet --base old/libtreebench.so.0 --head "$build/libtreebench.so.0" \
        --model model.json --data data.txt --impl nothing
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"head: "* || "$stderr" == *"base: "* ]]
}

duet() {
    treebench duet --base "$1/libtreebench.so.0" --head "$2/libtreebench.so.0" \
        --model model.json --data data.txt --impl qs --block 100 "${@:3}"
}

@test "duet: scores that differ by the last bit of one document are refused" {
    make_slow wrong -DADDED=1e-13
    for arguments in "old wrong" "wrong old" "old wrong --step"; do
        # shellcheck disable=SC2086 # words
        duet $arguments --rounds 2
        is_mistake "scores "
        [[ $stderr == *" in base, but "*" in head: a change of scores is no matter of speed" ]]
    done
    treebench regress --base old --head wrong --workloads workloads.json --impl qs
    [ "$status" -eq 2 ]
    [[ "${lines[1]}" == qs*small*failed*"is no matter of speed" ]]
}

@test "duet: both sides take turns to begin" {
    make_slow one -DCALLS='"calls"' -DNAME='"1"'
    make_slow two -DCALLS='"calls"' -DNAME='"2"'
    for seed in 1 2 3 4; do
        : >calls
        duet one two --rounds 4 --seed $seed
        [ "$status" -eq 0 ]
        # Who begins the first round ends the fourth.
        [ "$(head -n 1 calls)" = "$(tail -n 1 calls)" ]
        head -n 1 calls >>begun
    done
    [ "$(sort -u begun | wc -l)" -eq 2 ]
}

@test "duet: a call of at most 16 documents of each side is marked for steps" {
    make_slow one -DCALLS='"calls"' -DNAME='"1"'
    make_slow two -DCALLS='"calls"' -DNAME='"2"'
    : >calls
    duet one two --step
    [ "$status" -eq 0 ]
    [ "$(tail -n 2 calls | tr '\n' ' ')" = "1 16 2 16 " ]
}

@test "regress: commands: both take turns to begin" {
    : >calls
    treebench regress --command-base 'echo base >>calls; echo 100' \
        --command-head 'echo head >>calls; echo 100'
    [ "$status" -eq 0 ]
    [ "$(uniq -c calls | awk '{ print $1 }' | sort -u | tr '\n' ' ')" = "1 2 " ]
    [ "$(wc -l <calls)" -eq 20 ]
}
