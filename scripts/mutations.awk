# Checks the table of mutations, which docs/testing.md describes.
# Usage: awk -f mutations.awk tests/mutations.txt
# Exit status 1: a file or a test of a record does not exist, or a file lacks the text to replace.
function complain(text) {
    print FILENAME ":" FNR ": " text
    bad = 1
}
function exists(path,    line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}
function holds(path, text,    line, found) {
    while (!found && (getline line < path) > 0)
        found = index(line, text)
    close(path)
    return found
}
/^file: / { file = substr($0, 7) }
/^file: / && !exists(file) { complain(file " does not exist") }
/^(in|old): / {
    text = substr($0, index($0, ": ") + 2)
    if (exists(file) && !holds(file, text))
        complain(file " does not contain '" text "'")
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
