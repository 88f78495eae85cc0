# Prints the lines whose strings name an implementation, as a whole or before an option or a point
# ("vpred,v=8"). Comments do not count. `names` is a regular expression.
FNR == 1 { inside = 0 }
{
    code = ""
    for (rest = $0; rest != "";)
        if (inside && !(at = index(rest, "*/")))
            rest = ""
        else if (inside) {
            rest = substr(rest, at + 2)
            inside = 0
        } else if (!(at = index(rest, "/*"))) {
            code = code rest
            rest = ""
        } else {
            code = code substr(rest, 1, at - 1)
            rest = substr(rest, at + 2)
            inside = 1
        }
    if (code ~ "\"(" names ")([,:@=][^\" ]*)?\"")
        print FILENAME ":" FNR ":" $0
}
