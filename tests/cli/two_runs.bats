#!/usr/bin/env bats
# A run beside another one, and a run that is kept: packed, and reported as it is.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    small_runs
    "$TREEBENCH" run --scale smoke --only asadi2014-table2 --counters none --out mine
    "$TREEBENCH" run --scale smoke --only asadi2014-fig5 --counters none --out threads
}

setup() {
    project=$BATS_TEST_DIRNAME/../..
    cd "$BATS_TEST_TMPDIR" || return 1
    cp -r "$BATS_FILE_TMPDIR/mine" mine
}

# Verdicts are findings, so exit statuses 1 and 3 are none of a failure.
reports() {
    treebench report "$@"
    show
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
}

# `make reproduce` without make, for a build that is said to have no uncommitted changes.
reproduced() {
    mkdir results
    mv mine results/smoke
    sed -i 's/"dirty":[[:space:]]*true/"dirty": false/' results/smoke/manifest.json
    reports --run results/smoke --html results/smoke/report.html
}

keep() {
    run --separate-stderr sh "$project/scripts/keep-run.sh" "$@"
    show
}

@test "two runs: the verdicts of both, and no times" {
    cp -r mine other
    sed -i 's/"model":[[:space:]]*"[^"]*"/"model": "Another"/' other/manifest.json
    reports --run mine --run other
    claims=$(grep -c '"id":' "$project/configs/asadi2014-table2.json")
    grep -qxF "verdicts of other: $claims the same, 0 contrary, 0 open in one run" <<<"$output"
    grep -qx '| CPU | .* | Another |' mine/report.md
    sed -n '/^## Verdicts beside those of other/,$p' mine/report.md >section
    [ "$(grep -c '^| \[asadi2014-table2\](asadi2014-table2.md) |' section)" -eq "$claims" ]
    run ! grep -E '[0-9] (ns|us|µs|ms|s)\b' section
    [ ! -e other/report.md ]
}

@test "two runs: without rows, a verdict is open, and both numbers are told" {
    cp -r mine other
    : >other/rows.jsonl
    reports --run mine --run other
    sed -n '/^### What was measured if verdicts differ/,$p' mine/report.md >section
    grep -q '^  - this run: ' section
    grep -q '^  - other: not measured (' section
    [[ $output == *"verdicts of other: 0 the same, 0 contrary, "*" open in one run"* ]]
}

@test "two runs: the other run is judged by the cores of its machine" {
    needs_two_cores
    cp -r "$BATS_FILE_TMPDIR/threads" two
    cp -r two one
    sed -i 's/"cores":[[:space:]]*[0-9]*/"cores": 1/' one/manifest.json
    reports --run one
    tail -n 1 <<<"$output" >alone
    grep -o '[0-9]* not measured' alone
    reports --run two --run one
    grep -c '^| \[asadi2014-fig5\](asadi2014-fig5.md) |.*| \**not measured\** |$' two/report.md
    [ "$(grep -c '^| \[asadi2014-fig5\](asadi2014-fig5.md) |.*| \**not measured\** |$' two/report.md)" -eq \
        "$(sed 's/.*, \([0-9]*\) not measured.*/\1/' alone)" ]
    [[ $output != *", 0 open in one run"* ]]
}

@test "two runs: other scales, other artefacts and maps are refused" {
    treebench report --run mine --run "$BATS_FILE_TMPDIR/threads"
    is_mistake "mine and $BATS_FILE_TMPDIR/threads have no artefact in common"
    cp -r mine full
    sed -i 's/"scale":[[:space:]]*"smoke"/"scale": "full"/' full/manifest.json
    treebench report --run mine --run full
    is_mistake "mine has scale smoke, but full has scale full. Compare runs of one scale"
    cp -r mine map
    sed -i 's/"asadi2014-table2":/"map":/' map/manifest.json
    treebench report --run mine --run map
    is_mistake "map holds a map, which is shown on a page: --html FILE is required"
    [ ! -e mine/report.md ]
}

@test "keep: a run is packed, and reported and compared as it is" {
    reproduced
    cp results/smoke/report.md report.md
    keep results/smoke zen5
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "results/runs/zen5. "* && ${lines[1]} == "| zen5 | asadi2014 | "* ]]
    [ "$(ls -A results/runs)" = zen5 ]
    (cd results/runs/zen5 && ls) >files
    diff files - <<'END'
manifest.json
report.html
rows.jsonl.gz
END
    cmp results/smoke/rows.jsonl <(gzip -dc results/runs/zen5/rows.jsonl.gz)
    reports --run results/runs/zen5
    cmp report.md results/runs/zen5/report.md
    reports --run results/smoke --run results/runs/zen5
    [[ $output == *"verdicts of results/runs/zen5: "*" the same, 0 contrary, 0 open in one run"* ]]
    treebench run --scale smoke --only asadi2014-table2 --out results/runs/zen5
    is_mistake "results/runs/zen5/rows.jsonl.gz: this run is packed, so nothing can be added"
}

@test "keep: what nobody could repeat, and what is there already, is refused" {
    reproduced
    mkdir -p results/runs/zen4
    keep results/smoke zen4
    [ "$status" -eq 2 ] && [[ $stderr == *"results/runs/zen4 exists already. Give another NAME" ]]
    keep results/smoke ''
    [ "$status" -eq 2 ] && [[ $stderr == *"NAME must be a kind of processor"* ]]
    keep results/smoke ../zen5
    [ "$status" -eq 2 ]
    sed -i 's/"dirty":[[:space:]]*false/"dirty": true/' results/smoke/manifest.json
    keep results/smoke zen5
    [ "$status" -eq 2 ] && [[ $stderr == *"a build with uncommitted changes"* ]]
    rm results/smoke/report.html
    keep results/smoke zen5
    [ "$status" -eq 2 ] && [[ $stderr == *"results/smoke has no report.html"* ]]
    [ "$(ls -A results/runs)" = zen4 ]
}

@test "keep: git tracks what is kept, and not what report writes beside it" {
    [ -e "$project/.git" ] || skip "not a git checkout"
    cd "$project"
    for file in manifest.json rows.jsonl.gz sizes.jsonl.gz report.html; do
        run -1 git check-ignore "results/runs/zen5/$file"
    done
    for file in report.md asadi2014-fig2.svg rows.jsonl; do
        git check-ignore "results/runs/zen5/$file"
    done
}

@test "keep: each run in results/runs has its page and no uncommitted changes" {
    for kept in "$project"/results/runs/*/; do
        [ -e "$kept" ] || skip "no run is kept"
        [ -s "$kept/report.html" ]
        run ! grep -q '"dirty":[[:space:]]*true' "$kept/manifest.json"
    done
}
