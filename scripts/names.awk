# Prints the lines that name an implementation: as a symbol (impl_vpred), or in a string that
# consists of names, alone, with options or as a pattern ("vpred", "vpred,v=8 qs", "planes*").
# Comments and prose do not count. `names` is a regular expression.
BEGIN {
    symbols = names
    gsub("-", "_", symbols)
    symbols = "(^|[^a-z0-9_])impl_(" symbols ")([^a-z0-9_]|$)"
    name = "(" names ")[-*]?([,:@=][^\" ]*)?"
    strings = "\"" name "( " name ")*\""
}
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
    if (code ~ strings || code ~ symbols)
        print FILENAME ":" FNR ":" $0
}
