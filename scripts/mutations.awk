# Checks the table of mutations, which docs/testing.md describes.
# Usage: awk -f mutations.awk tests/mutations.txt
# Exit status 1: a file or a test of a record does not exist, a file lacks the text to replace, or
# has it more than once.
function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}
function exists(path,    line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}
function times(path, text,    line, n, rest) {
    while ((getline line < path) > 0)
        for (rest = line; index(rest, text); rest = substr(rest, index(rest, text) + length(text)))
            n++
    close(path)
    return n + 0
}
/^file: / && !exists(file = substr($0, 7)) { complain(file " does not exist") }
/^(in|old): / {
    text = substr($0, index($0, ": ") + 2)
    if (exists(file) && !(n[$1] = times(file, text)))
        complain(file " does not contain '" text "'")
}
/^$/ {
    if (n["old:"] > 1 && !n["in:"])
        complain(file " contains the text of 'old' " n["old:"] " times: add 'in'")
    delete n
}
/^tests: / {
    for (i = 2; i <= NF; i++) {
        test = $i
        sub(/@.*/, "", test)
        path = "tests/" test (test ~ /\.bats$/ ? "" : ".c")
        if (!exists(path))
            complain(path " does not exist")
    }
}
END { exit bad }
