# Finds measured figures that name no source in Markdown files. Prints, one a line,
#   orphan FILE:LINE: TEXT     a paragraph or table with a figure and no mark below it
#   mark FILE:LINE: TEXT       a mark: "Command: ..." or "Source: ...", on one line
# A mark covers the paragraphs and tables above it, back to the heading. A figure is a time, a
# ratio or a rate: a number with a unit, a percentage, or an interval.

function judge(text, table,   header, body) {
    gsub(/`[^`]*`/, "", text) # options and code are no measurements
    gsub(/\]\([^)]*\)/, "]", text)
    gsub(/95 %/, "", text) # of intervals
    if (text ~ /\[[0-9.,]+, [0-9.,]+\]/ || text ~ /[0-9] ?(ns|µs|us|ms|s|seconds|minutes|cycles)([^a-zA-Z0-9]|$)/)
        return 1
    if (text ~ /[0-9] times (as|faster|slower|longer|the)/ || text ~ /[0-9]x([^a-zA-Z0-9]|$)/ || text ~ /[0-9] %/)
        return 1
    if (!table)
        return 0
    header = text
    sub(/\n.*/, "", header)
    body = substr(text, length(header) + 2)
    return header ~ /(^|[^a-z])(ns|µs|us|cycles|ratio|times|faster|slower|share of the (time|bound))([^a-z]|$)/ && body ~ /[0-9]/
}

function finish(   joined) {
    if (block != "") {
        joined = block
        gsub(/\n/, " ", joined)
        if (judge(block, is_table))
            pending[++n_pending] = FILE ":" first ": " substr(joined, 1, 70)
        if (match(joined, /(Command|Source): .*/)) {
            print "mark " FILE ":" first ": " substr(joined, RSTART)
            n_pending = 0
        }
    }
    block = ""
    is_table = 0
}

function close_section(   i) {
    finish()
    for (i = 1; i <= n_pending; i++)
        print "orphan " pending[i]
    n_pending = 0
}

FNR == 1 {
    if (NR > 1)
        close_section()
    FILE = FILENAME
    fence = 0
}
/^```/ {
    finish()
    fence = !fence
    skipped = fence && $0 != "```text" # the output of a program has figures, its input has none
    next
}
fence && skipped { next }
!fence && /^#/ {
    close_section()
    next
}
/^ *$/ {
    finish()
    next
}
/^\|/ != is_table && block != "" { finish() }
block == "" && /^    / { # code by indentation
    next
}
block == "" {
    first = FNR
    is_table = /^\|/
}
{ block = block (block == "" ? "" : "\n") $0 }
END { close_section() }
