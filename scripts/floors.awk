# Prints the table of scripts/floors.sh from what `compare --csv` printed for a model of 100 trees,
# and for one of 200. Used with csv.awk. What was not counted has no line.
BEGIN {
    print "| implementation | instructions | memory accesses | branches | mispredicted |"
    print "|---|---|---|---|---|"
}

FNR == 1 {
    count = csv_split($0, names)
    for (i = 1; i <= count; i++)
        number[names[i]] = i
    next
}

function value(name) {
    return fields[number[name]]
}

# The count of a document and a tree, of those trees that only the second model has.
function each(column,   difference) {
    difference = (value(column) - before[value("implementation"), column]) /
        value("counter_documents") / 100
    return sprintf(difference < 9.995 ? "%.2f" : "%.1f", difference)
}

{
    csv_split($0, fields)
    if (value("instructions") == "")
        next
    if (FILENAME ~ /100.csv$/)
        for (i = 1; i <= count; i++)
            before[value("implementation"), names[i]] = fields[i]
    else
        printf "| %s | %s | %s | %s | %s |\n", value("implementation"), each("instructions"),
            each("l1d_references"), each("branches"), each("branch_misses")
}
