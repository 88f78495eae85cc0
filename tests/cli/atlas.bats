#!/usr/bin/env bats
# treebench submit and scripts/atlas.sh: an entry per run, and a page of all entries.

bats_require_minimum_version 1.5.0
load common

setup_file() {
    small_runs
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --counters none \
        --out "$BATS_FILE_TMPDIR/run"
    "$TREEBENCH" submit --run "$BATS_FILE_TMPDIR/run" --out "$BATS_FILE_TMPDIR/atlas"
}

atlas() {
    run --separate-stderr sh scripts/atlas.sh "$TREEBENCH" "$@"
    show
}

@test "atlas: submit names the entry, which names no host" {
    cd "$BATS_FILE_TMPDIR"
    treebench submit --run run --out atlas
    succeeds
    entry=$output
    [ -s "$entry" ]
    [[ $output == atlas/*-smoke-*.json ]]
    [ "$(find atlas -name '*.json' | wc -l)" -eq 1 ]
    run ! grep -qF "$(hostname)" "$entry"
    treebench submit --check "$entry"
    succeeds
    [[ $output == '{"schema":1,'*'"winner":'* ]]
    # What is read is printed, not the text of the file, which is not all JSON.
    sed 's/"schema":.*1/"schema": 01/' "$entry" >zero.json
    grep -q '"schema": 01,' zero.json
    treebench submit --check zero.json
    succeeds
    [[ $output == '{"schema":1,'* ]]
}

@test "atlas: the page holds the entries, the style and the script" {
    atlas "$BATS_FILE_TMPDIR/atlas" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 0 ]
    page=$BATS_TEST_TMPDIR/page.html
    grep -q '"winner":' "$page"
    grep -q 'function table()' "$page"
    run ! grep -q '@@' "$page"
}

@test "atlas: the page has the types of an entry, whatever the file's text" {
    mkdir "$BATS_TEST_TMPDIR/atlas"
    for entry in "$BATS_FILE_TMPDIR"/atlas/*.json; do
        sed 's/"schema":.*1/"schema": 01/' "$entry" >"$BATS_TEST_TMPDIR/atlas/zero.json"
    done
    atlas "$BATS_TEST_TMPDIR/atlas" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 0 ]
    grep -q '^{"schema":1,' "$BATS_TEST_TMPDIR/page.html"
    run ! grep -q '"schema": *01' "$BATS_TEST_TMPDIR/page.html"
}

@test "atlas: the page goes through no link, and keeps its permissions" {
    cd "$BATS_TEST_TMPDIR"
    ln -s victim page.html.new
    echo precious >victim
    cd "$OLDPWD"
    atlas "$BATS_FILE_TMPDIR/atlas" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 0 ]
    cd "$BATS_TEST_TMPDIR"
    [ "$(cat victim)" = precious ]
    : >other
    [ "$(stat -c %a page.html)" = "$(stat -c %a other)" ]
    chmod 600 page.html
    cd "$OLDPWD"
    atlas "$BATS_FILE_TMPDIR/atlas" "$BATS_TEST_TMPDIR/page.html"
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/page.html")" = 600 ]
    [ "$(find "$BATS_TEST_TMPDIR" -name 'page.html.*')" = "$BATS_TEST_TMPDIR/page.html.new" ]
}

@test "atlas: an edited entry is refused, and no page is left" {
    cp -r "$BATS_FILE_TMPDIR/atlas" "$BATS_TEST_TMPDIR/atlas"
    sed -i 's/"winner":.*/"winner": "mine",/' "$BATS_TEST_TMPDIR"/atlas/*.json
    atlas "$BATS_TEST_TMPDIR/atlas" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 2 ]
    [[ $stderr == *"was damaged or edited"* ]]
    [ ! -e "$BATS_TEST_TMPDIR/page.html" ]
    atlas "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 2 ]
    [[ $stderr == *"has no entries"* ]]
}

@test "atlas: a part of a run is refused" {
    cd "$BATS_TEST_TMPDIR"
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --counters none --shard 1/3 --out part1
    treebench submit --run part1 --out atlas
    is_mistake "this is one part of a run. Join the parts with treebench merge first"
    treebench merge --run part1 --out whole
    treebench submit --run whole --out atlas
    is_mistake "6 of the run's 18 cells are measured"
    [ ! -e atlas ]
}

@test "atlas: submit needs a run or an entry" {
    treebench submit
    is_mistake "give --run DIR or --check FILE"
    treebench submit --check nowhere.json
    is_mistake "nowhere.json"
}

@test "atlas: the winners of a map are those of map.csv" {
    cd "$BATS_TEST_TMPDIR"
    "$TREEBENCH" map --scale smoke --out map
    treebench submit --run map --out atlas
    succeeds
    sed -n 's/.*"winner":.*"\(.*\)",$/\1/p' "$output" >winners
    [ "$(wc -l <winners)" -gt 1 ]
    diff winners <(awk -F'"' 'NR > 1 && $4 != "" { print $2 }' map/map.csv)
    grep -q '"where":.* features, .* leaves, .* trees, .* per call"' "$output"
    grep -q '"auto_to_winner":.*{' "$output"
    # Those that were timed at the point, without auto.
    diff <(sed -n 's/.*"variants":[^0-9]*\([0-9]*\),/\1/p' "$output" | sort) \
        <(grep '"status":"ok"' map/rows.jsonl | grep -v '"impl":"auto"' |
            sed 's/.*"cell":"\([^"]*\)".*/\1/' | uniq -c | awk '{ print $1 }' | sort)
}
