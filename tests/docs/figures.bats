#!/usr/bin/env bats
# Every measured figure of the documentation names the stored file or the command that it is from.

bats_require_minimum_version 1.5.0

setup() {
    folder=$(mktemp -d)
    PATH=$(dirname "$TREEBENCH"):$PATH
}

teardown() {
    rm -rf "$folder"
}

found() {
    awk -f tests/docs/figures.awk "$@"
}

@test "every figure of the documentation has a source" {
    found README.md ARTIFACT.md docs/*.md >"$folder/found"
    [ "$(grep -c '^mark ' "$folder/found")" -ge 20 ]
    run ! grep "^orphan " "$folder/found"
}

# What follows "Command:" up to the end of the mark, a code span a line.
commands() {
    found README.md ARTIFACT.md docs/*.md | sed -n 's/^mark [^ ]* Command: //p' | grep -o '`[^`]*`' | tr -d '`'
}

@test "every command that a figure names exists, with its options" {
    commands | sed -n 's/.*\(treebench [a-z].*\)/\1/p' | sort -u >"$folder/commands"
    [ -s "$folder/commands" ]
    while read -r program command options; do
        echo "$program $command $options"
        "$program" "$command" --help >"$folder/help"
        for word in $options; do
            case $word in
            --*) grep -q -e "$word" "$folder/help" ;;
            esac
        done
    done <"$folder/commands"
    for target in $(commands | sed -n 's/^make \([a-z-]*\).*/\1/p' | sort -u); do
        echo "make $target"
        grep -q "^$target:" Makefile export/Makefile.in
    done
}

@test "every source that a figure names exists" {
    found README.md ARTIFACT.md docs/*.md | grep '^mark ' | grep -o 'Source: .*' >"$folder/sources"
    # A file (the links have a test of their own), machine code, a paper, or the lack of any.
    run ! grep -v '^Source: \(\[\|`objdump -d build/\|asadi20\|buschjaeger2018\|jin2016\|lettich2018\|ye2018\|AMD, \|not stored\)' \
        "$folder/sources"
    for object in $(grep -o 'build/[a-z0-9_/]*\.o' "$folder/sources" | sort -u); do
        file=${object#build/}
        echo "$file"
        [ -e "${file%.o}.c" ] || [ -e "${file%.o}.cc" ]
    done
}

@test "a figure without a source is found, and a mark covers what is above it" {
    cat >"$folder/page.md" <<'END'
# Page

It takes 3 ns.

Command: `treebench list`

## Orphans

It takes 0.4 µs per document.

| a | ratio |
|---|---|
| b | 0.31 |

It has 30 trees, and `--seconds 60` is no figure.

```sh
treebench tune --seconds 10   # 10 seconds
```
END
    run found "$folder/page.md"
    [ "$(grep -c '^orphan ' <<<"$output")" -eq 2 ]
    grep -q 'page.md:9: It takes 0.4' <<<"$output"
    grep -q 'page.md:11: | a | ratio' <<<"$output"
}

@test "the pages have the keys that the program lists" {
    run -2 "$TREEBENCH" list --keys none
    records=$(sed 's/.*one of //; s/;.*//; s/,//g' <<<"$output")
    [[ $records == "row quality code-size "* ]]
    for record in $records; do
        page=$(grep -l "^Command: .treebench list --keys $record.$" docs/*.md)
        "$TREEBENCH" list --keys "$record" >"$folder/keys"
        sed -n "/^Command: .treebench list --keys $record.$/,/^[A-Z*#]/p" "$page" |
            grep '^|' | diff - "$folder/keys"
    done
}
