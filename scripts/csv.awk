# Reads lines of CSV. A library: `awk -f scripts/csv.awk -f PROGRAM`.

# Splits a line into fields[1], fields[2] and so on, and returns their number. A quoted field may
# have commas and doubled quotes.
function csv_split(line, fields,    count, text) {
    count = 0
    line = line ","
    while (line != "") {
        if (match(line, /^"([^"]|"")*",/)) {
            text = substr(line, 2, RLENGTH - 3)
            gsub(/""/, "\"", text)
        } else {
            match(line, /^[^,]*,/)
            text = substr(line, 1, RLENGTH - 1)
        }
        fields[++count] = text
        line = substr(line, RLENGTH + 1)
    }
    return count
}
