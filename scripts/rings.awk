# Finds rings of includes: awk -f rings.awk FILE...
# A file here is a header together with its source. Two may include each other (a table and its
# entries); exit status 1: more than two lead around to each other.
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
# What leads nowhere is in no ring: such units are removed until none is left.
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
# Adds every pair of units of which the first leads to the second, over others.
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
