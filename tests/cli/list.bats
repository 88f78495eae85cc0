#!/usr/bin/env bats
# list: a text for people, and JSON whose form docs/output.md promises.
load common

# Prints the elements of an array of the JSON, a line each.
elements() {
    "$TREEBENCH" list --json | sed -n '/^"'"$1"'": \[$/,/^\]/p' | sed '1d; $d'
}

@test "list: no line has more than 100 columns" {
    treebench list
    succeeds
    run ! grep -E '^.{101}' <<<"$output"
}

@test "list --json: every implementation has the keys that docs/output.md names" {
    [ "$(elements implementations | wc -l)" -ge 20 ]
    keys='{"name":"[^"]+","title":"[^"]+","family":"[^"]+",("source":"[^"]+",)?"kind":"(traversal|baseline|library|object|device)"'
    keys="$keys,\"categories\":(true|false),\"votes\":(true|false),\"parameters\":\\[.*\\],\"instructions\":\\[.*\\],\"runs_here\":(true|false)"
    run ! grep -vE "^  $keys" <(elements implementations)
    # What does not run here has a reason, and nothing else has.
    run ! grep '"runs_here":false}' <(elements implementations)
    run ! grep '"runs_here":true.*"reason":' <(elements implementations)
    elements implementations | grep '"name":"vpred"' |
        grep -q '"parameters":\[.*{"name":"v","meaning":"[^"]*","values":\["1","4","8","16","32","64"\],"default":"'
    elements implementations | grep '"name":"vqs-avx2"' |
        grep -q '"family":"vqs".*"instructions":\["avx2"\]' || [ "$(uname -m)" != x86_64 ]
}

@test "list --json: formats, data sets, learners and commands" {
    elements model_formats | grep -q '"name":"jforests","title":".*","reads":true,"writes":false}'
    elements document_formats | grep -q '"name":"svmlight","title":".*","reads":true,"writes":true}'
    elements data_sets | grep -q '"name":"mslr-web10k".*"rows":1200192,"features":136,'
    treebench list --json
    succeeds
    grep -q '^"learners": \["lambdamart", "cart", "random-forest", "extra-trees"\],$' <<<"$output"
    grep -q "^\"version\": \"$("$TREEBENCH" --version | cut -d ' ' -f 2)\",\$" <<<"$output"
    names=$(elements commands | sed 's/^  {"name":"\([^"]*\)".*/\1/' | sort)
    [ "$names" = "$("$TREEBENCH" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | sort)" ]
    elements commands | grep '"name":"score"' | grep -q '{"name":"model","argument":"FILE","required":true,"help":'
    elements commands | grep '"name":"score"' | grep -q '"choices":\["documents","trees","both"\]'
}

@test "list --json: it is JSON" {
    command -v jq >/dev/null || skip "needs jq"
    treebench list --json
    [ "$(jq -r '.implementations[] | select(.name == "reference") | .runs_here' <<<"$output")" = true ]
}

@test "list: a data set or JSON, not both" {
    treebench list --json --data-set mq2007
    is_mistake "--data-set and --json cannot be used together"
}
