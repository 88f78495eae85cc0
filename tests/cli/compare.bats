#!/usr/bin/env bats
# compare: verdicts and their noise floor, the order of lines, JSON, CSV and Markdown, and Ctrl-C.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

compare() {
    treebench compare --model model.json --data data.txt --rounds 4 --placements 2 "$@"
}

# The implementations in the order of the table.
listed() {
    sed -n '/^implementation /,/^noise/s/^\([a-z][a-z0-9=,-]*\)  .*/\1/p' <<<"$output" |
        sed 1d | tr '\n' ' '
}

@test "compare: each but the first has a verdict, and the noise floor is below" {
    compare --impl struct-plus --impl noop --impl qs
    succeeds
    [ "$(listed)" = "struct-plus noop qs " ]
    [[ $output == *$'\nstruct-plus '*"  1.000 "*"1.00x"$'\n'* ]]
    grep -qE '^noop  .*  (faster|slower|same within [1-5] %|unresolved)$' <<<"$output"
    grep -qE '^qs  .*  (faster|slower|same within [1-5] %|unresolved)$' <<<"$output"
    grep -qE '^noise floor: [0-9.]+ %: struct-plus to itself is [0-9.]+ \[[0-9.]+, [0-9.]+\]$' \
        <<<"$output"
}

@test "compare: load time and memory are below, for those that were built" {
    TREEBENCH_CC=/nonexistent/cc compare --impl struct-plus --impl qs --impl codegen
    [ "$status" -eq 4 ]
    grep -qE "^reading the model: [0-9.]+ ms; building each scorer:$" <<<"$output"
    [ "$(grep -cE "^  (struct-plus|qs) +[0-9.]+ +([0-9.]+|-) +([0-9.]+|-) +[0-9.]+$" <<<"$output")" -eq 2 ]
    compare --impl qs --json
    grep -qE '^	"load_ns":	[1-9][0-9.]*,$' <<<"$output"
    grep -qE '"resident_(peak_)?bytes":	([0-9.e+]+|null),$' <<<"$output"
}

@test "compare: all calls have the same size, and the heading has it" {
    "$TREEBENCH" synth --depth 2 --features 3 --trees 2 --documents 1100 --seed 3 \
        --model small.json --data many.txt
    small() {
        treebench compare --model small.json --data many.txt --rounds 2 --placements 1 "$@"
    }
    small --impl struct-plus --impl planes
    succeeds
    [[ ${lines[0]} == "1100 documents, 2 trees, calls of 1000 documents; "* ]]
    small --impl struct-plus --impl planes --json
    grep -qE '"block":	1000,' <<<"$output"
    small --impl struct-plus --impl vpred,v=8 --block step
    [[ ${lines[0]} == "1100 documents, 2 trees, calls of one step each (1 to 8 documents); "* ]]
    small --impl struct-plus --block step
    [[ ${lines[0]} == "1100 documents, 2 trees, calls of one step (1 document); "* ]]
    small --impl struct-plus,order=SD --impl struct-plus
    [[ ${lines[0]} == *", calls of 1100 documents; "* ]]
    small --impl struct-plus --block 1100
    succeeds
    small --impl struct-plus --block 1101
    show
    [[ ${lines[0]} == *", calls of 1100 documents; "* ]]
    [ "$stderr" = "treebench: --block 1101: there are only 1100 documents, so each call has all of them" ]
    for block in 0 -1 1x 1.5 steps ""; do
        small --block "$block"
        is_mistake "--block: '$block' is neither a number of documents nor 'step'"
    done
}

@test "compare: a call has the documents that the heading says" {
    allow_tracing
    head -n 20 data.txt >few.txt
    count() {
        treebench compare --model model.json --data few.txt --rounds 2 --placements 1 \
            --counters step --impl struct-plus --csv "$@"
        [[ $output == *",step,"* ]] || skip "this machine allows no single steps"
    }
    count && default=${output##*,step,}
    count --block 20 && [ "${output##*,step,}" = "$default" ]
    count --block step && steps=${output##*,step,}
    [ "$steps" != "$default" ]
    count --block 1 && [ "${output##*,step,}" = "$steps" ]
}

@test "compare: a single implementation has neither ratio nor verdict" {
    compare --impl struct-plus
    succeeds
    [ "$(grep -c '^struct-plus ' <<<"$output")" -eq 1 ]
    run ! grep -qE 'ratio|verdict|noise' <<<"$output"
}

@test "compare: --sort time puts the least time first, baselines too" {
    compare --impl struct-plus --impl codegen --impl noop --impl reference --sort time
    succeeds
    times=$(awk '/^(noop|codegen|reference|struct-plus)  / { print $2 }' <<<"$output")
    [ "$(wc -l <<<"$times")" -eq 4 ]
    [ "$times" = "$(sort -n <<<"$times")" ]
    for order in --sort=given --rounds=2; do
        treebench compare --model model.json --data data.txt --impl struct-plus --impl noop "$order"
        [ "$(listed)" = "struct-plus noop " ]
    done
    compare --impl struct-plus --sort name
    is_mistake "'name' is not one of given, time"
}

@test "compare --json: an object, with a schema, the machine and a member for each" {
    compare --impl struct-plus --impl 'planes*' --json
    succeeds
    [ "${lines[0]}" = "{" ] && [ "${lines[-1]}" = "}" ]
    grep -qE '^	"schema":	1,$' <<<"$output"
    grep -qE '^	"machine":	\{$' <<<"$output"
    grep -qE '^		"kernel":	"' <<<"$output"
    grep -qE '^	"noise_floor":	[0-9.e-]+,$' <<<"$output"
    [ "$(grep -c '"implementation":' <<<"$output")" -ge 2 ]
    [ "$(grep -c '"implementation":	"struct-plus"' <<<"$output")" -eq 1 ]
    grep -qE '"verdict":	"(faster|slower|same|unresolved)"' <<<"$output"
    run ! grep -q '"instructions"' <<<"$output"
}

@test "compare --csv: a header, and a line for each" {
    compare --impl struct-plus --impl qs --impl noop --csv
    succeeds
    [ "${#lines[@]}" -eq 4 ]
    [[ ${lines[0]} == "schema,started,load,cpu,"*",implementation,parameters,"*",built_bytes,build_ns" ]]
    [[ ${lines[1]} == "1,20"*",struct-plus,,"* ]]
    [[ ${lines[3]} == "1,20"*",noop,,"* ]]
    compare --impl struct-plus --csv --counters auto
    show
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *",build_ns,counter_source,"*",instructions,"* ]]
}

@test "compare --markdown: a table with the machine below" {
    compare --impl struct-plus --impl qs --markdown
    succeeds
    [ "$(grep -c '^| ' <<<"$output")" -eq 3 ]
    grep -q '^| implementation | ns/document |' <<<"$output"
    grep -qE '^\| (\*\*)?qs(\*\*)? \| [0-9.]+ \|' <<<"$output"
    grep -q '^Machine: ' <<<"$output"
}

@test "compare: what cannot run is in every form, and its reason on stderr" {
    for form in --json --csv --markdown --sort=time; do
        TREEBENCH_CC=/nonexistent/cc compare --impl struct-plus --impl codegen "$form"
        show
        [ "$status" -eq 4 ]
        [[ $output == *codegen*unsupported*/nonexistent/cc* ]]
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *codegen*/nonexistent/cc* ]]
    done
}

@test "compare: the first without a time leaves no ratios" {
    TREEBENCH_CC=/nonexistent/cc compare --impl codegen --impl struct-plus
    show
    [ "$status" -eq 4 ]
    [[ $output == *"no ratios: the first has no time"* ]]
    run ! grep -qE 'verdict|noise' <<<"$output"
    [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "compare: one form only" {
    compare --impl struct-plus --json --csv
    is_mistake "--json, --csv and --markdown cannot be used together"
}

# The signal may come before the first round. Then the program ends without output, and a later
# signal is tried.
@test "compare: Ctrl-C reports the rounds so far, with exit status 130" {
    for seconds in 0.5 1 2 4 8 16 32; do
        run --separate-stderr timeout --preserve-status -s INT "$seconds" env --default-signal=INT \
            "$TREEBENCH" compare --model model.json --data data.txt --impl struct-plus --impl qs \
            --rounds 100000 --placements 10 --csv
        show
        [ "$status" -eq 130 ]
        [ -z "$output" ] || break
    done
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[1]} == *",true,"*",struct-plus,,"*",ok,"* ]]
    [[ $stderr == "treebench: interrupted after "*" of 100000 rounds" ]]
}

@test "compare: --all-rounds does not stop when the verdicts are clear" {
    treebench compare --model "$BATS_FILE_TMPDIR/model.json" --data "$BATS_FILE_TMPDIR/data.txt" \
        --impl struct --impl noop --rounds 6 --placements 6 --all-rounds --json
    succeeds
    grep -q '"placements":	6,' <<<"$output"
    grep -q '"rounds":	6,' <<<"$output"
}
