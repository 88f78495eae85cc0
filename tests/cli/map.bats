#!/usr/bin/env bats
# treebench map: what is stored, drawn and told. No time is asserted.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" map --scale smoke --out map >told
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "map: tables, a figure, and what libraries win" {
    cat told
    grep -q "^8 points. Wins, and in parentheses how many are ties with the second: " told
    grep -q "^Points that a library wins or ties: [0-9]" told
    grep -q "^Points where auto takes more than 10 % longer than the fastest: [0-9]" told
    grep -q "^measured 8 points; 0 were there before; map: map/map.md$" told
    [ "$(grep -c "^### 10 features, " map/map.md)" -eq 2 ]
    [ "$(grep -cE "^\| (5|20) \| .*auto .* \|.*auto .* \|$" map/map.md)" -eq 4 ]
    grep -q "are synthetic: random trees grown on quantiles, not trained, .*stand-in" map/map.md
    [ "$(wc -l <map/map.csv)" -eq 9 ]
    [ -s map/rows.csv ]
    if command -v gnuplot >/dev/null; then
        [ -s map/map.svg ] && [ -s map/map.png ]
    fi
}

@test "map: a cell has every implementation that this machine runs, libraries too, and none is wrong" {
    for name in pred qs planes auto xgboost; do
        [ "$(grep -c "\"impl\":\"$name\"" map/rows.jsonl)" -eq 8 ]
    done
    [ "$(grep -cE '"status":"(wrong|failed)"' map/rows.jsonl)" -eq 0 ]
}

@test "map: report draws it again" {
    mkdir again
    cp map/rows.jsonl map/manifest.json again
    treebench report --run again
    succeeds
    [[ $output == "8 points. "* ]]
    for file in map.md map.csv; do
        cmp "map/$file" "again/$file"
    done
}

@test "map: resume goes on after the points that are there, and measures none of them again" {
    mkdir cut
    cp map/manifest.json cut
    rows=$(($(wc -l <map/rows.jsonl) / 8))
    head -n $((3 * rows)) map/rows.jsonl >cut/rows.jsonl
    treebench report --run cut --html cut.html
    [ "$status" -eq 0 ]
    [[ $stderr == *"cut: 3 of the run's 8 points are measured; continue with map --resume"* ]]
    grep -q "3 of the run's 8 points are measured" cut.html
    grep -q "^\*\*3 of 8 points are measured. To continue, " cut/map.md
    treebench map --scale smoke --out cut --resume
    succeeds
    grep -q "^measured 5 points; 3 were there before; " <<<"$output"
    cmp <(head -n $((3 * rows)) cut/rows.jsonl) <(head -n $((3 * rows)) map/rows.jsonl)
    run grep "points are measured" cut/map.md
    [ "$status" -eq 1 ]
}

@test "map: again goes on with a map that was killed while it was drawn" {
    mkdir drawn bin
    cp map/rows.jsonl map/manifest.json drawn
    # shellcheck disable=SC2016 # the shell that runs it expands it
    printf '#!/bin/sh\nkill -KILL $PPID\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH treebench map --scale smoke --out drawn --resume
    [ "$status" -eq 137 ]
    treebench map --scale smoke --out drawn --again
    [ "$status" -eq 0 ]
    grep -q "^measured 0 points; 8 were there before; " <<<"$output"
    [ -s drawn/rows.csv ]
    [ ! -e drawn.1 ]
}

@test "map: mistakes" {
    treebench map --scale smoke --out map
    is_mistake "--resume"
    treebench map --scale tiny --out other
    is_mistake "tiny"
    echo '{"seed": 1, "scales": {"smoke": {"features": [0]}}}' >wrong.json
    treebench map --scale smoke --config wrong.json --out other
    is_mistake "wrong.json: smoke: features: must be 1 to 16 increasing integers from 1 to "
    [ ! -e other ]
}
