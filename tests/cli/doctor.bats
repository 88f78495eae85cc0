#!/usr/bin/env bats
# doctor. What it finds is the machine's; that it says so, and how, is not.
load common

@test "doctor: each line is a finding about a thing that measuring needs" {
    treebench doctor
    [ -z "$stderr" ]
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    findings=$output
    run ! grep -vE "^((ok|unknown|warning|missing) | {24}( {5})?[^ ])" <<<"$output"
    run ! grep -E "^.{101}" <<<"$findings"
    for thing in CPU instructions cores load "CPU quota" virtualisation caches governor turbo SMT \
        "isolated cores" "idle states" stalls ASLR "huge pages" "wall clock" "CPU clock" counters "perf events" PAPI ptrace compiler \
        valgrind gnuplot build latency bandwidth noise "steal time"; do
        echo "$thing"
        grep -qE "^(ok|unknown|warning|missing)  *$thing  *[^ ]" <<<"$findings"
    done
}

@test "doctor: a warning tells what it does to results, and what to do about it" {
    TREEBENCH_CC=/nonexistent/cc treebench doctor --measure none
    grep -A3 "^missing  *compiler " <<<"$output" | grep -q "^  *codegen needs it"
    grep -A3 "^missing  *compiler " <<<"$output" | grep -q "^  *fix: apt-get install gcc"
}

@test "doctor: a compiler that does not run is named with a remedy, and exit status 4" {
    TREEBENCH_CC=/nonexistent/cc treebench doctor --measure none
    [ "$status" -eq 4 ]
    grep -A3 "^missing  *compiler  *'/nonexistent/cc' does not run" <<<"$output" | grep -q TREEBENCH_CC
    TREEBENCH_CC=/nonexistent/cc treebench doctor --measure none --json
    [ "$status" -eq 4 ]
}

@test "doctor: without gnuplot there is a warning only" {
    run env PATH=/nonexistent TREEBENCH_CC="$(type -P true)" "$TREEBENCH" doctor --measure none
    [ "$status" -eq 0 ]
    [[ $output == *"warning  gnuplot "*"apt-get install gnuplot-nox"* ]]
}

@test "doctor: --measure none measures nothing" {
    treebench doctor --measure none
    grep -qE "steal time  *.* since the system started|^unknown  *steal time" <<<"$output"
    run ! grep -qE "^[a-z]+  *(latency|bandwidth|noise|clock rate) " <<<"$output"
    treebench doctor --measure some
    is_mistake "--measure"
}

@test "doctor: a user without rights gets an answer to everything" {
    [ "$(id -u)" -eq 0 ] || skip "needs root to become nobody"
    command -v setpriv >/dev/null || skip "needs setpriv"
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$TREEBENCH" || skip "nobody cannot run $TREEBENCH"
    treebench doctor --measure none
    wanted=$(grep -c "^[a-z]" <<<"$output")
    run setpriv --reuid=65534 --regid=65534 --clear-groups "$TREEBENCH" doctor --measure none
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    [ "$(grep -c "^[a-z]" <<<"$output")" -eq "$wanted" ]
}

@test "doctor --json: every finding has the keys of docs/doctor.md" {
    command -v jq >/dev/null || skip "needs jq"
    treebench doctor --json
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ]
    [ -z "$stderr" ]
    jq -e '.schema == 1 and (.findings | length) > 20' <<<"$output"
    jq -e 'all(.findings[]; keys == ["effect", "fix", "level", "name", "text"])' <<<"$output"
    jq -e 'all(.findings[]; .level != "warning" or (.effect and .fix))' <<<"$output"
    jq -e '.memory == null or (.memory.pages[0].points | length) > 20' <<<"$output"
    jq -e '.noise == null or .noise.placements >= 8' <<<"$output"
    # every key of the output is in the page
    for key in $(jq -r '[paths | map(select(type == "string")) | .[]] | unique | .[]' <<<"$output"); do
        echo "$key"
        grep -q "\`$key\`" docs/doctor.md
    done
}
