# Writes the manual page from the table that scripts/commands.sh prints.
# Usage: awk -f man.awk TABLE
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    return text ~ /^[.']/ ? "\\&" text : text
}

# Prints a line of running text. Indented lines stay as they are.
function print_text(text) {
    if ((text ~ /^  /) != is_verbatim) {
        is_verbatim = !is_verbatim
        print is_verbatim ? ".nf" : ".fi"
    }
    print text == "" ? ".PP" : escaped(text)
}

function end_text() {
    if (is_verbatim)
        print ".fi"
    is_verbatim = 0
}

BEGIN {
    FS = "\t"
}
$1 == "version" {
    print ".TH TREEBENCH 1 \"\" \"treebench " $2 "\" \"User Commands\""
    print ".SH NAME"
    print "treebench \\- score documents with ensembles of decision trees, and measure how fast"
    print ".SH SYNOPSIS"
    print ".B treebench"
    print ".I COMMAND"
    print "[\\fIOPTION\\fR]..."
    print ".SH DESCRIPTION"
}
$1 == "about" && (started || $2 != "") {
    started = 1
    print_text($2)
}
$1 == "group" {
    end_text()
    print ".SH " toupper($2)
}
$1 == "command" {
    end_text()
    print ".SS treebench " escaped($2)
    print escaped(toupper(substr($3, 1, 1)) substr($3, 2)) "."
}
$1 == "option" {
    print ".TP"
    print "\\fB\\-\\-" escaped($2) "\\fR" ($3 == "-" ? "" : " \\fI" escaped($3) "\\fR")
    print escaped($4)
    after_option = 1
}
$1 == "details" {
    if (after_option)
        print ".PP"
    after_option = 0
    print_text($2)
}
END {
    end_text()
    print ".SH EXIT STATUS"
    print ".TP\n0\nSuccess."
    print ".TP\n1\nA check or a claim did not hold, or a regression was found."
    print ".TP\n2\nThe arguments or the input are unusable."
    print ".TP\n3\nThe result is inconclusive."
    print ".TP\n4\nThe machine lacks something that was asked for."
}
