#!/usr/bin/env bats
# treebench run, report and compare: what is stored, what a kill leaves, what is measured again.
load common

# A finished run, of which tests take copies.
setup_file() {
    small_runs
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --out "$BATS_FILE_TMPDIR/run"
}

setup() {
    folder=$(mktemp -d)
    export XDG_CACHE_HOME=$folder/cache
}

teardown() {
    rm -rf "$folder"
}

smoke() {
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --out "$folder/run" "$@"
}

finished_run() {
    cp -r "$BATS_FILE_TMPDIR/run" "$folder/run"
}

# Resuming is what the second and later tries of one run ask for.
resume_option() {
    [ ! -f "$folder/run/manifest.json" ] || echo --resume
}

# Complete cells in the store, by the rule of docs/rows.md.
complete_cells() {
    [ -f "$folder/run/rows.jsonl" ] || { echo 0; return; }
    sed -n 's/.*"cell":"\([0-9a-f]*\)","cell_rows":\([0-9]*\).*/\1 \2/p' "$folder/run/rows.jsonl" |
        sort | uniq -c | awk '$1 == $3' | wc -l
}

@test "a run that is killed ten times loses at most the cell it was in" {
    before=0
    for try in 1 2 3 4 5 6 7 8 9 10; do
        # In the foreground, timeout waits for what it kills, whose lock is gone only then.
        # shellcheck disable=SC2046 # an option or nothing
        timeout --foreground -s KILL "0.1$((try - 1))" "$TREEBENCH" run --scale smoke \
            --only asadi2014-fig3 --out "$folder/run" $(resume_option) >/dev/null || true
        after=$(complete_cells)
        [ "$after" -ge "$before" ]
        before=$after
    done
    # shellcheck disable=SC2046
    output=$(smoke $(resume_option))
    echo "$output"
    measured=$(echo "$output" | sed -n 's/^timed \([0-9]*\) cells.*/\1/p')
    found=$(echo "$output" | sed -n 's/.*; \([0-9]*\) were there before$/\1/p')
    [ "$found" -eq "$before" ]
    [ $((measured + found)) -eq 18 ]
    [ "$(complete_cells)" -eq 18 ]
    [ "$(wc -l <"$folder/run/rows.jsonl")" -eq $((18 * 7)) ]
}

@test "resume measures nothing again, and a run without it does not mix" {
    finished_run
    cp "$folder/run/rows.jsonl" "$folder/first"
    run smoke --resume
    [ "$status" -eq 0 ]
    [[ "$output" == "timed 0 cells, "*"; 18 were there before" ]]
    cmp "$folder/first" "$folder/run/rows.jsonl"
    run --separate-stderr smoke
    [ "$status" -eq 2 ]
    [[ "$stderr" == *--resume* ]]
}

@test "again: a finished run is set aside, whole" {
    finished_run
    cp "$folder/run/rows.jsonl" "$folder/first"
    mkdir "$folder/run.1"
    run --separate-stderr smoke --again
    [ "$status" -eq 0 ]
    [[ "$output" == "timed 18 cells, "*"; 0 were there before" ]]
    [ "$stderr" = "treebench: $folder/run: holds a finished run. Renamed it to $folder/run.2" ]
    cmp "$folder/first" "$folder/run.2/rows.jsonl"
    [ -s "$folder/run.2/rows.csv" ]
    [ -s "$folder/run/rows.csv" ]
}

@test "again: an unfinished run is continued, unless rows of both could not be compared" {
    finished_run
    rm "$folder/run/rows.csv"
    sed -i "$((5 * 7 + 1)),\$d" "$folder/run/rows.jsonl"
    cp -r "$folder/run" "$folder/other"
    run --separate-stderr smoke --again
    [ "$status" -eq 0 ]
    [[ "$output" == "timed 13 cells, "*"; 5 were there before" ]]
    [ "$stderr" = "treebench: $folder/run: continuing the unfinished run in this folder" ]
    [ ! -e "$folder/run.1" ]
    sed -i "s/\"commit\":[[:space:]]*\"[^\"]*\"/\"commit\": \"0\"/" "$folder/other/manifest.json"
    run --separate-stderr "$TREEBENCH" run --scale smoke --only asadi2014-fig3 \
        --out "$folder/other/" --again
    [ "$status" -eq 0 ]
    [[ "$output" == "timed 18 cells, "* ]]
    [[ "$stderr" == *"an unfinished run that this one cannot continue. Renamed it to $folder/other.1" ]]
    [ "$(wc -l <"$folder/other.1/rows.jsonl")" -eq 35 ]
    run --separate-stderr smoke --again --resume
    [ "$status" -eq 2 ]
}

@test "make reproduce and map run again by themselves" {
    for target in reproduce map; do
        command=$(make -n -s -C "$BATS_TEST_DIRNAME/../.." -o all $target | grep "treebench \(run\|map\)")
        [[ "$command" == *" --again"* && "$command" != *--resume* ]]
    done
    command=$(make -n -s -C "$BATS_TEST_DIRNAME/../.." -o all reproduce RESUME=1)
    [[ "$command" == *" --resume"* && "$command" != *--again* ]]
}

@test "report writes figures, tables and claims from stored rows" {
    finished_run
    run "$TREEBENCH" report --run "$folder/run"
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    [[ "${lines[-1]}" == claims:* ]]
    for file in report.md asadi2014-fig3.md asadi2014-fig3.csv rows.csv; do
        [ -s "$folder/run/$file" ]
    done
    for file in report.md asadi2014-fig3.md; do
        grep -q '^\*\*Scale smoke has too few' "$folder/run/$file"
    done
    if command -v gnuplot >/dev/null; then
        [ -s "$folder/run/asadi2014-fig3.svg" ]
    fi
}

@test "report --html overwrites pages only, and is checked before anything is drawn" {
    finished_run
    cp "$folder/run/rows.jsonl" "$folder/rows"
    for file in "$folder/run/rows.jsonl" "$folder/run/manifest.json"; do
        run -2 --separate-stderr "$TREEBENCH" report --run "$folder/run" --html "$file"
        [ "$stderr" = "treebench: --html: $file exists and is not a page of HTML. Give another name, or remove it" ]
        [ -z "$output" ]
    done
    cmp "$folder/rows" "$folder/run/rows.jsonl"
    run -2 --separate-stderr "$TREEBENCH" report --run "$folder/run" --html "$folder"
    [ "$stderr" = "treebench: --html: $folder is a folder. Give a file" ]
    run -2 --separate-stderr "$TREEBENCH" report --run "$folder/run" --html "$folder/no/page.html"
    [[ $stderr == "treebench: --html: the folder of "* ]]
    [ ! -e "$folder/run/report.md" ]
    for _ in 1 2; do
        run "$TREEBENCH" report --run "$folder/run" --html "$folder/page.html"
        [[ ${lines[-1]} == *"; page: $folder/page.html" ]]
    done
}

@test "report tells of cells that are missing and of a config that changed" {
    finished_run
    run --separate-stderr "$TREEBENCH" report --run "$folder/run"
    [[ "$stderr" != *"cells are measured"* ]]
    [[ "$stderr" != *"has changed"* ]]
    sed -i "$((5 * 7 + 1)),\$d" "$folder/run/rows.jsonl"
    sed -i 's/"asadi2014-fig3":[[:space:]]*"[0-9a-f]*"/"asadi2014-fig3": "0"/' \
        "$folder/run/manifest.json"
    run --separate-stderr "$TREEBENCH" report --run "$folder/run"
    for text in "5 of the run's" "asadi2014-fig3.json has changed"; do
        [[ "$stderr" == *"$text"* ]]
        grep -q "$text" "$folder/run/report.md"
    done
}

@test "resume refuses another scale or clock" {
    finished_run
    run --separate-stderr smoke --clock wall --resume
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"clock was "* ]]
    run --separate-stderr "$TREEBENCH" run --scale quick --only asadi2014-fig3 \
        --out "$folder/run" --resume
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"scale was "* ]]
}

@test "run and report refuse what is not there" {
    run --separate-stderr "$TREEBENCH" run --scale tiny --out "$folder/run"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *tiny* ]]
    run --separate-stderr "$TREEBENCH" run --scale smoke --only nothing2000 --out "$folder/run"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *nothing2000* ]]
    run --separate-stderr "$TREEBENCH" report --run "$folder/none"
    [ "$status" -eq 2 ]
    [[ "$stderr" == *none* ]]
    run --separate-stderr "$TREEBENCH" run --scale smoke --clock sundial --out "$folder/run"
    [ "$status" -eq 2 ]
}

@test "compare times what agrees and tells what cannot be built" {
    "$TREEBENCH" synth --depth 4 --features 8 --trees 5 --documents 200 \
        --model "$folder/m.json" --data "$folder/d.txt"
    run "$TREEBENCH" compare --model "$folder/m.json" --data "$folder/d.txt" --rounds 3
    [ "$status" -eq 0 ]
    for name in reference object struct struct-plus codegen pred vpred pred-heap vpred-heap; do
        [[ "$output" == *"$name "* ]]
    done
    TREEBENCH_CC=/nonexistent/cc run "$TREEBENCH" compare --model "$folder/m.json" --data "$folder/d.txt" --rounds 3 \
        --impl struct --impl codegen
    [ "$status" -eq 4 ]
    [[ "$output" == *"codegen "*unsupported* ]]
}

@test "threads are measured on a model that is trained once, and the report says what it is" {
    unset TREEBENCH_DATA TREEBENCH_DATA_SETS
    threads() {
        "$TREEBENCH" run --scale smoke --only asadi2014-fig5 --out "$folder/run" "$@"
    }
    threads
    [ "$(find "$folder/run/models" -name '*.json' | wc -l)" -eq 1 ]
    grep -q '"parallel":"trees".*"clock":"wall"' "$folder/run/rows.jsonl"
    grep -q '"parallel":"documents"' "$folder/run/rows.jsonl"
    cp "$folder/run/rows.jsonl" "$folder/first"
    run --separate-stderr threads --resume
    [ "$status" -eq 0 ]
    [[ "$output" == "timed 0 cells, "* ]]
    cmp "$folder/first" "$folder/run/rows.jsonl"
    run "$TREEBENCH" report --run "$folder/run"
    [ "$status" -eq 0 ] || [ "$status" -eq 1 ] || [ "$status" -eq 3 ]
    [ "$(grep -c 'Note: .*synthetic stand-in for yahoo-c14-set1' "$folder/run/asadi2014-fig5.md")" -eq 2 ]
    grep -q "Unit: documents per second" "$folder/run/asadi2014-fig5.md"
    grep -q ",trained trees on a synthetic stand-in," "$folder/run/asadi2014-fig5.csv"
}
