#!/bin/sh
# Writes C arrays with the lines of text files, and a table of them, for programs that contain them.
# Usage: embed.sh FILE... >TABLE
set -eu
number=0
table=
for file in "$@"; do
    echo "static const char *const lines_${number}[] = {"
    sed 's/[\\"]/\\&/g; s/	/\\t/g; s/.*/    "&",/' "$file"
    echo '    NULL};'
    table="$table    {\"$file\", lines_$number},
"
    number=$((number + 1))
done
printf 'static const struct text texts[] = {\n%s    {NULL, NULL}};\n' "$table"
