# Finds rings of includes. Usage: awk -f rings.awk FILE...
# A header and its source count as one unit. Two units may include each other, as a table and its
# entries do. Exit status 1: more than two units include each other in a ring.
function unit_of(path) {
    sub(/\.(c|cc|h)$/, "", path)
    return path
}
FNR == 1 {
    unit = unit_of(FILENAME)
    units[unit]
}
/^#include "/ {
    split($0, quoted, "\"")
    other = unit_of(quoted[2])
    if (other != unit)
        edge[unit, other]
}
# Removes units that include no other unit, until all remaining units include another. The removed
# units are in no ring.
function prune(    removed, u, pair, ends, leads) {
    do {
        removed = 0
        split("", leads)
        for (pair in edge) {
            split(pair, ends, SUBSEP)
            if (ends[2] in units)
                leads[ends[1]]
            else
                delete edge[pair]
        }
        for (u in units)
            if (!(u in leads)) {
                delete units[u]
                removed = 1
            }
    } while (removed)
}
# Adds an edge for every pair of units of which the first includes the second through other units.
function close_paths(    a, b, over) {
    for (over in units)
        for (a in units)
            if ((a, over) in edge)
                for (b in units)
                    if ((over, b) in edge)
                        edge[a, b]
}
END {
    prune()
    close_paths()
    for (a in units) {
        ring = ""
        size = 0
        for (b in units)
            if ((a, b) in edge && (b, a) in edge) {
                ring = ring " " b
                size++
            }
        if (size > 2 && !(ring in told)) {
            print "a ring of " size " files:" ring
            told[ring]
            bad = 1
        }
    }
    exit bad
}
