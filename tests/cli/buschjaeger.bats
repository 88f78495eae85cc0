#!/usr/bin/env bats
# buschjaeger2018's Table II: forests on its data sets, as its program reads them.
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    export TREEBENCH_DATA_SETS=$BATS_TEST_TMPDIR/none
    mkdir none
    shared=$TREEBENCH_DATA
    export TREEBENCH_DATA=
}

smoke() {
    treebench run --scale smoke --only buschjaeger2018-table2 --out run "$@"
    show
    [ "$status" -eq 0 ]
}

report() {
    treebench report --run run
    show
    [ "$status" -ne 2 ]
}

@test "buschjaeger2018-table2: data sets that are missing are named and not replaced" {
    smoke
    [[ $stderr == *"data sets that this machine does not have: adult, bank, covertype, fact, imdb, "* ]]
    [ ! -e run/models ]
    grep -q '"imdb":[[:space:]]*"missing"' run/manifest.json
    report
    grep -F '| letter | paper | int | 5000 | 16 | 0.06 - 0.95 | |' run/buschjaeger2018-table2.md
    [ "$(grep -c '^| | here: \*\*missing\*\*' run/buschjaeger2018-table2.md)" -eq 13 ]
    [[ ${lines[-1]} == "claims: 0 not held, 0 unresolved, 0 held, 15 not measured;"* ]]
}

# 400 rows whose class is decided by the first feature.
magic() {
    mkdir none/magic
    awk 'BEGIN { for (i = 0; i < 400; i++) {
        for (f = 7; f < 17; f++) printf "%d.5,", i * f % 101
        print (i * 7 % 101 > 50) ? "h" : "g" } }' >none/magic/magic04.data
}

@test "buschjaeger2018-table2: models are trained once; resume trains none again" {
    magic
    smoke
    [ "${lines[0]}" = "trained and judged 2 models; 0 were there before" ]
    [ "$(wc -l <run/quality.jsonl)" -eq 2 ]
    ls run/models/magic-random-forest-depth{1,5}-trees3-seed*.json
    grep -q '"learner":"random-forest"' run/quality.jsonl
    report
    grep -F '| | here | int | 100 | 10 | ' run/buschjaeger2018-table2.md
    cut -d, -f1-9 run/buschjaeger2018-table2.csv >columns
    grep -F '"magic RF",magic,"",random-forest,3,5,' columns
    sed -i '$d' run/quality.jsonl
    smoke --resume
    [ "${lines[0]}" = "trained and judged 1 models; 1 were there before" ]
    grep -q '"magic":[[:space:]]*"real"' run/manifest.json
}

@test "buschjaeger2018-table2: a damaged data set is named with its line" {
    magic
    sed -i '7s/^[^,]*/seven/' none/magic/magic04.data
    treebench run --scale smoke --only buschjaeger2018-table2 --out run
    [ "$status" -eq 2 ]
    [[ $stderr == *"magic/magic04.data:7: column 1: 'seven' is not a number" ]]
}

@test "buschjaeger2018-table2: real data, parts are labelled" {
    [ -n "$shared" ] || skip "TREEBENCH_DATA is unset: no real data"
    TREEBENCH_DATA=$shared smoke
    TREEBENCH_DATA=$shared report
    for set in covertype fact mnist sensorless; do
        grep -q "^| | here: \*\*trained on a part of $set: " run/buschjaeger2018-table2.md
    done
    [ "$(grep -c '^| | here: \*\*missing\*\*' run/buschjaeger2018-table2.md)" -eq 1 ]
    for line in "adult int 8141 64" "bank int 10297 59" "letter int 5000 16" "magic int 4755 10" \
        "satlog int 2000 36" "wearable int 41409 17" "wine-quality float 1625 11"; do
        read -r set type rows features <<<"$line"
        grep -A1 "^| $set | paper | $type | $rows | $features |" run/buschjaeger2018-table2.md |
            grep -q "^| | here | $type | $rows | $features |"
    done
}

@test "buschjaeger2018-fig2: all variants are timed on the same forests; missing data sets have no rows" {
    magic
    treebench run --scale smoke --only buschjaeger2018-fig2 --out run
    show
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "timed 2 cells, each a model and documents by every implementation; 0 were there before" ]
    for variant in native native-folded native-opt ifelse ifelse-opt; do
        [ "$(grep "\"impl\":\"$variant\"" run/rows.jsonl | grep -c '"status":"ok"')" -eq 2 ]
    done
    ! grep -q '"data":"letter"' run/rows.jsonl || return 1
    report
    grep -qE '^\| 5 \| [0-9.]+ \|' run/buschjaeger2018-fig2.md
    grep -qE '^\| 5 \| [0-9.]+ \(1\) \| [0-9.]+ \(1\) \|' run/buschjaeger2018-fig2.md
    [ "$(grep -c ',3,"ifelse","each data set",2,times as fast,' run/buschjaeger2018-fig2.csv)" -eq 2 ]
    [[ ${lines[-1]} == "claims: 0 not held, 6 unresolved, 0 held, 2 not measured;"* ]]
}

# 400 rows of 54 integers whose class is decided by the first two. The first row is not used.
covertype() {
    mkdir none/covertype
    awk 'BEGIN { for (i = 0; i < 401; i++) {
        for (f = 1; f < 55; f++) printf "%d,", i * (f + 6) % 101 - 20
        print 1 + (i * 7 % 101 > 50) + 2 * (i * 8 % 101 > 30) } }' |
        gzip -n >none/covertype/covtype.data.gz
}

compiled() { # compiled OBJECTS FOUND
    [ "${lines[0]}" = "compiled $1 objects and measured their code; $2 were there before" ]
}

@test "buschjaeger2018-table3: trees are compiled once, by each compiler that is installed" {
    command -v gcc || skip "no gcc"
    covertype
    treebench run --scale smoke --only buschjaeger2018-table3 --out run
    show
    [ "$status" -eq 0 ]
    [[ $stderr == *"data sets that this machine does not have: fact."* ]]
    compilers=$(grep -o '"compiler":"[^"]*"' run/sizes.jsonl | sort -u | wc -l)
    compiled $((2 * compilers)) 0
    [ "$(grep -c '"compiler":"gcc"' run/sizes.jsonl)" -eq 2 ]
    for compiler in arm-linux-gnueabihf-gcc aarch64-linux-gnu-gcc powerpc-linux-gnu-gcc; do
        command -v "$compiler" || [[ $stderr == *"not installed: "*"$compiler"* ]]
    done
    sed -i '$d' run/sizes.jsonl
    treebench run --scale smoke --only buschjaeger2018-table3 --out run --resume
    compiled 1 $((2 * compilers - 1))
    report
    grep -F '| Intel, paper | 224 | 575 |' run/buschjaeger2018-table3.md
    grep -E '^\| leaves here \| 2 \| [0-9]+ \|' run/buschjaeger2018-table3.md
    grep -E '^\| [a-z0-9_]+, gcc: code \| [0-9]+ \| [0-9]+ \|' run/buschjaeger2018-table3.md
    grep -F '| here: **missing** |' run/buschjaeger2018-table3.md
    [[ ${lines[-1]} == "claims: 0 not held, "[01]" unresolved, 0 held, "[01]" not measured;"* ]]
}

@test "buschjaeger2018-table1: bytes of a split and of a leaf; an older run is not overwritten" {
    command -v gcc || skip "no gcc"
    treebench run --scale smoke --only buschjaeger2018-table1 --out run
    show
    [ "$status" -eq 0 ]
    [ "$(grep -c '"compiler":"gcc"' run/sizes.jsonl)" -eq 16 ]
    report
    grep -F '| Intel, paper | -O0 | 28 | 17 | 10 | 10 |' run/buschjaeger2018-table1.md
    grep -E '^\| [a-z0-9_]+, gcc \| -O0 \| [1-9]' run/buschjaeger2018-table1.md
    treebench run --scale smoke --only buschjaeger2018-table1 --out run
    is_mistake "run/sizes.jsonl: holds sizes of code already"
}
