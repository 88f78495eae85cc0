#!/usr/bin/env bats
# Every command that the documentation shows runs, and what it names exists.

load ../cli/common

setup_file() {
    build=$(dirname "$TREEBENCH")
    export build
    small_runs
    fast_clock
    export TREEBENCH_XGBOOST=/nonexistent # its calls are slow
}

setup() {
    unset -f treebench # the program is meant
    source=$PWD
    folder=$(mktemp -d)
    export XDG_CACHE_HOME=$folder/cache
    PATH=$(dirname "$TREEBENCH"):$PATH
}

teardown() {
    rm -rf "$folder"
}

# The blocks of a language in a Markdown file.
blocks() {
    awk -v begin="^\`\`\`$2\$" '$0 ~ begin {on = 1; next} /^```/ {on = 0} on' "$1"
}

# Runs the commands of a page in $folder, with smaller models, less time and quicker experiments.
# run_page PAGE NUMBER_OF_COMMANDS
run_page() {
    blocks "$1" sh | grep -E '^(TREEBENCH_[A-Z]+=[^ ]+ )?treebench |^make -C ' |
        sed "s/--trees [0-9]*/--trees 10/; s/--seconds [0-9]*/--seconds 1/
            s/asadi2014-table2/asadi2014-fig5/; s/^treebench doctor$/& --measure none/; s/--state cold/& --placements 2/
            s/^make -C .*/& CFLAGS=-O0/" >"$folder/commands"
    [ "$(wc -l <"$folder/commands")" -eq "$2" ]
    cd "$folder"
    while read -r command; do
        echo "$command"
        sh -c "$command"
    done <commands
}

# What some pages ask for: a model m.json and documents d.txt.
give_model() {
    treebench synth --depth 6 --features 136 --trees 10 --documents 2000 \
        --model "$folder/m.json" --data "$folder/d.txt"
}

@test "every command of the README runs, in order" {
    run_page README.md 7
    [ "$(wc -l <scores.txt)" -eq 2000 ]
}

@test "every command of docs/gpu.md runs" {
    "$TREEBENCH" list --device opencl | grep -q "^ *found: opencl:" || skip "needs an OpenCL device"
    give_model
    run_page docs/gpu.md 4
    [ "$(wc -l <scores.txt)" -eq 2000 ]
}

@test "every command of docs/tour.md runs, in order" {
    run_page docs/tour.md 19
    [ "$(wc -l <scores.txt)" -eq 2000 ]
}

@test "every command of these pages runs: tuning, blocking, data-sets, floors, doctor, output, latency" {
    give_model
    for page in tuning blocking data-sets floors doctor output latency; do
        cd "$source"
        run_page "docs/$page.md" "$(blocks "docs/$page.md" sh | grep -c .)"
    done
}

@test "the commands of docs/regression-checks.md run" {
    run_page docs/regression-checks.md 1
}

@test "the commands of docs/runs.md run" {
    run_page docs/runs.md 6
    [ -s whole/rows.csv ]
}

@test "the command of docs/formats.md runs" {
    treebench convert --model tests/fuzz/corpus/archforest/two-trees.json --out "$folder/forest.json"
    run_page docs/formats.md 1
    treebench info --model classes.json | grep -q "^trees  *3$"
}

@test "the commands of docs/export.md run" {
    give_model
    treebench convert --model "$folder/m.json" --out "$folder/lightgbm.txt" --format lightgbm
    run_page docs/export.md 2
}

@test "the commands of docs/peers.md run" {
    compile=$(blocks docs/peers.md sh | grep "^cc ")
    (cd examples && $compile -D_GNU_SOURCE -I../impls/peers -o "$folder/walk.so")
    run_page docs/peers.md 3
}

@test "every treebench command of docs/map.md runs, in order, and its config is the one that is there" {
    run_page docs/map.md 4
    ls results/atlas/*-smoke-*.json
    blocks "$source/docs/map.md" json >map.json
    treebench map --config map.json --scale smoke --out shown
    [ "$(wc -l <shown/map.csv)" -eq "$(wc -l <map/map.csv)" ]
}

@test "every make target that the documentation names exists" {
    targets=$(grep -hoE '(`|^)make [a-z][a-z-]*(`| |$)' README.md ARTIFACT.md docs/*.md | tr -d '`' | cut -d" " -f2 | sort -u)
    [ -n "$targets" ]
    for target in $targets; do
        echo "$target"
        grep -q "^$target:" Makefile export/Makefile.in
    done
}

# The words of a heading as GitHub links to them; a second one of the same name gets -1.
anchors() {
    awk '/^```/ {fence = !fence} !fence && /^#/ {
        sub(/^#+ /, "")
        $0 = tolower($0)
        gsub(/[^a-z0-9 _-]/, "")
        gsub(/ /, "-")
        print $0 (seen[$0]++ ? "-" seen[$0] - 1 : "")
    }' "$1"
}

@test "every link of the documentation leads somewhere, to a heading too" {
    for page in *.md docs/*.md; do
        anchors "$page" | sed "s|^|$PWD/$page#|" >>"$folder/anchors"
        grep -o "]([^)]*)" "$page" |
            sed "s|](\\(.*\\))|\\1|; /^http/d; s|^#|${page##*/}#|; s|^|$(dirname "$page")/|"
    done | xargs realpath -m >"$folder/links"
    [ "$(wc -l <"$folder/links")" -ge 300 ]
    sed 's/#.*//' "$folder/links" | xargs ls -d
    ! grep '#' "$folder/links" | grep -vxFf "$folder/anchors"
}

@test "the index lists every page" {
    for page in docs/[a-z]*.md; do
        echo "$page"
        grep -qF "($(basename "$page"))" docs/README.md
    done
}

@test "every file that the documentation names exists" {
    rooms=$(sed '/^#/d; s/[/ ].*//' rooms.txt | sort -u | tr '\n' '|')
    grep -hoE "\`(${rooms}configs|plots|scripts|tests|examples)/[a-z0-9_./-]*\`" README.md docs/*.md |
        tr -d '`' | sort -u |
        grep -vxF impls/plain/plain.c >"$folder/files" # which the guide has one write
    [ "$(wc -l <"$folder/files")" -ge 30 ]
    while read -r file; do
        echo "$file"
        [ -e "$file" ]
    done <"$folder/files"
}

@test "lines of the documentation wrap at 100 columns, and cells of tables at 60" {
    [ "$(wc -l <README.md)" -le 120 ]
    for page in README.md ARTIFACT.md docs/*.md; do
        echo "$page"
        run ! env LC_ALL=C grep -nE "^[^|].{100}" "$page"
        run ! sh -c 'grep "^|" "$1" | tr "|" "\n" | grep -nE "^.{63}"' - "$page"
    done
}

@test "the implementation of docs/adding-an-implementation.md builds by one file and one line" {
    mkdir -p "$folder/tree/$(basename "$build")"
    tar cf - --exclude=.git --exclude="./build*" . | tar xf - -C "$folder/tree"
    tar cf - -C "$build" --exclude=./tests . | tar xf - -C "$folder/tree/$(basename "$build")"
    blocks docs/adding-an-implementation.md c | sed '/^REGISTER/,$d' >"$folder/tree/impls/plain/plain.c"
    echo 'REGISTER(plain)' >>"$folder/tree/impls/registry.def"
    cd "$folder/tree"
    make BUILD="$(basename "$build")" "$(basename "$build")/treebench"
    program=$PWD/$(basename "$build")/treebench
    cd "$folder"
    "$program" list | grep '^ *plain'
    blocks "$source/docs/adding-an-implementation.md" sh | grep '^build/treebench' | grep -v ' list$' |
        sed "s|^build/treebench|$program|" >commands
    [ "$(wc -l <commands)" -ge 3 ]
    sh -e commands
}
