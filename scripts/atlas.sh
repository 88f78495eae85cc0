#!/bin/sh
# Makes one page of all entries of the atlas. An entry that was damaged or edited is refused.
# Usage: atlas.sh TREEBENCH FOLDER PAGE   (in the project's folder)
# Exit status: 0 done, 2 an error.
set -eu
[ $# -eq 3 ] || { echo "usage: atlas.sh TREEBENCH FOLDER PAGE" >&2; exit 2; }
treebench=$1 folder=$2 page=$3

new=$(mktemp "$page.XXXXXX") || exit 2
facts=$(mktemp) || { rm -f "$new"; exit 2; }
trap 'rm -f "$new" "$facts"' EXIT
trap 'exit 2' HUP INT TERM
# The permissions of the old page, or those of a new file.
if [ -f "$page" ]; then cp -p "$page" "$new"; else chmod '=rw' "$new"; fi

# The entries as one JSON array. "<" stands only within strings of JSON, so it can be escaped.
separator='['
for entry in "$folder"/*.json; do
    [ -e "$entry" ] ||
        { echo "atlas.sh: $folder has no entries. Make one with treebench submit" >&2; exit 2; }
    echo "$separator"
    "$treebench" submit --check "$entry"
    separator=','
done >"$facts"
echo ']' >>"$facts"
while IFS= read -r line; do
    case $line in
    @@style) cat html/report.css ;;
    @@facts) sed 's/</\\u003c/g' "$facts" ;;
    @@script) cat html/dom.js scripts/atlas.js ;;
    *) printf '%s\n' "$line" ;;
    esac
done <scripts/atlas.html >"$new"
mv "$new" "$page"
echo "$page"
