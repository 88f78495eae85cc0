# Prints results/baseline/instructions.csv with new counts in it.
# Files: what `list --json` printed, the new rows, the file as it is. Used with csv.awk.
# Kept are rows of other compilers and architectures. Of the same, rows of implementations that
# exist are kept if they were not counted again.
FNR == 1 {
    file++
}

file == 1 && match($0, /"name":"[^"]*","title"/) {
    known[substr($0, RSTART + 8, RLENGTH - 17)] = 1
}

file == 1 {
    next
}

{
    csv_split($0, fields)
    build = fields[1] "," fields[2]
    place = build "," fields[3] "," fields[4]
}

file == 2 {
    built[build] = counted[place] = 1
    rows[++count] = $0
}

file == 3 && fields[1] != "compiler" && !(place in counted) && (!(build in built) || fields[4] in known) {
    rows[++count] = $0
}

END {
    print "compiler,architecture,workload,implementation,documents,trees,instructions," \
        "per_document_and_tree"
    fflush()
    for (i = 1; i <= count; i++)
        print rows[i] | "LC_ALL=C sort -t , -k 1,4"
    close("LC_ALL=C sort -t , -k 1,4")
}
