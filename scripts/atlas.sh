#!/bin/sh
# Makes one page of all entries of the atlas. An entry that was damaged or edited is refused.
# Usage: atlas.sh TREEBENCH FOLDER PAGE   (in the project's folder)
# Exit status: 0 done, 2 an error.
set -eu
[ $# -eq 3 ] || { echo "usage: atlas.sh TREEBENCH FOLDER PAGE" >&2; exit 2; }
treebench=$1 folder=$2 page=$3

# Prints the entries as one JSON array. "<" stands only within strings of JSON, so it can be escaped.
facts() {
    separator='['
    for entry in "$folder"/*.json; do
        echo "$separator"
        sed 's/</\\u003c/g' "$entry"
        separator=','
    done
    echo ']'
}

for entry in "$folder"/*.json; do
    [ -e "$entry" ] ||
        { echo "atlas.sh: $folder has no entries. Make one with treebench submit" >&2; exit 2; }
    "$treebench" submit --check "$entry"
done
trap 'rm -f "$page.new"' EXIT
while IFS= read -r line; do
    case $line in
    @@style) cat html/report.css ;;
    @@facts) facts ;;
    @@script) cat html/dom.js scripts/atlas.js ;;
    *) printf '%s\n' "$line" ;;
    esac
done <scripts/atlas.html >"$page.new"
mv "$page.new" "$page"
echo "$page"
