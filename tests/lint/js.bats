#!/usr/bin/env bats
# scripts/lint-js.sh: the check of JavaScript that `make lint` makes.

bats_require_minimum_version 1.5.0

setup() {
    source=$PWD
    biome=$(dirname "$TREEBENCH")/biome
    cd "$BATS_TEST_TMPDIR"
    git init -q .
    cp "$source/biome.json" .
    mkdir -p html build
    echo "const words = ['one', 'two'];" >html/a.js
}

check() {
    sh "$source/scripts/lint-js.sh" build
}

@test "without biome, the check says so and passes, unless it is required" {
    run check
    [ "$status" -eq 0 ]
    [[ $output == *"biome is missing, so JavaScript is not checked"* ]]
    JS=required run check
    [ "$status" -eq 1 ]
}

@test "with biome, other formatting, suspicious code and long lines are found" {
    [ -e "$biome/installed" ] || skip "needs biome: run make build/biome/installed"
    ln -s "$biome" build/biome
    check
    echo "const words = ['one',   'two'];" >html/a.js
    run ! check
    echo "if (words === words) words.sort();" >html/a.js
    run ! check
    printf "const text =\n  '%0100d';\n" 0 >html/a.js
    run check
    [ "$status" -eq 1 ]
    [[ $output == *"more than 100 columns"* ]]
}
