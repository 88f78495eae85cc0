# Reads SVMlight text and writes it as the programs of asadi2014 read it: a first line with the
# numbers of documents and features, which `-v` sets, and every feature in every line.
BEGIN { print documents " " features }
/^#/ { next }
{
    line = $1 " " $2
    next_field = 3
    for (i = 1; i <= features; i++) {
        value = "0"
        if (index($next_field, i ":") == 1)
            value = substr($(next_field++), length(i ":") + 1)
        line = line " " i ":" value
    }
    print line
}
