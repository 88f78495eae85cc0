#!/usr/bin/env bats
# Every command that the documentation shows runs.

bats_require_minimum_version 1.5.0

setup() {
    source=$PWD
    folder=$(mktemp -d)
    export XDG_CONFIG_HOME=$folder/config XDG_CACHE_HOME=$folder/cache
    PATH=$(dirname "$TREEBENCH"):$PATH
}

teardown() {
    rm -rf "$folder"
}

# The blocks of a language in a Markdown file.
blocks() {
    awk -v begin="^\`\`\`$2\$" '$0 ~ begin {on = 1; next} /^```/ {on = 0} on' "$1"
}

@test "every treebench command of the README runs, in order" {
    blocks README.md sh | grep '^treebench ' >"$folder/commands"
    [ "$(wc -l <"$folder/commands")" -ge 9 ]
    cd "$folder"
    while read -r command; do
        echo "$command"
        sh -c "$command"
    done <commands
    [ "$(wc -l <scores.txt)" -eq 2000 ]
}

@test "every treebench command of docs/map.md runs, in order, and its config is the one that is there" {
    blocks docs/map.md sh | grep '^treebench ' >"$folder/commands"
    [ "$(wc -l <"$folder/commands")" -eq 2 ]
    blocks docs/map.md json >"$folder/map.json"
    cd "$folder"
    while read -r command; do
        echo "$command"
        sh -c "$command"
    done <commands
    treebench map --config map.json --scale smoke --out shown
    [ "$(wc -l <shown/map.csv)" -eq "$(wc -l <map/map.csv)" ]
}

@test "every make target of the README exists" {
    targets=$(grep -o 'make [a-z-]\+' README.md | grep -v 'make one' | cut -d' ' -f2 | sort -u)
    [ -n "$targets" ]
    for target in $targets; do
        echo "$target"
        make -n "$target" >/dev/null
    done
}

@test "every link of the documentation leads somewhere" {
    for page in README.md docs/*.md; do
        grep -o "]([^)#]*)" "$page" | sed "s|](\\(.*\\))|\\1|" | grep -v "^http" | while read -r link; do
            echo "$page: $link"
            [ -e "$(dirname "$page")/$link" ]
        done
    done
}

@test "the implementation of docs/adding-an-implementation.md builds by one file and one line" {
    build=$(dirname "$TREEBENCH")
    mkdir "$folder/tree"
    tar cf - --exclude=.git --exclude="./build*" . | tar xf - -C "$folder/tree"
    cp -a "$build" "$folder/tree/$(basename "$build")"
    blocks docs/adding-an-implementation.md c | sed '/^REGISTER/,$d' >"$folder/tree/impls/plain.c"
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
