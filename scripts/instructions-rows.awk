# Makes rows of results/baseline/instructions.csv from what `compare --counters step --csv` printed.
# Variables: workload, architecture. Used with csv.awk. Implementations that do not support the
# workload have no row. Fails if another one was not counted.
NR == 1 {
    count = csv_split($0, names)
    for (i = 1; i <= count; i++)
        number[names[i]] = i
    next
}

function value(name) {
    return fields[number[name]]
}

{
    csv_split($0, fields)
}

value("status") == "unsupported" {
    next
}

value("counter_source") != "step" {
    print "instructions.sh: " value("implementation") " on " workload ": " \
        (value("status") == "ok" ? value("counter_reason") : value("reason")) >"/dev/stderr"
    failed = 1
    next
}

{
    printf "%s,%s,%s,%s,%d,%d,%d,%.3f\n", value("compiler"), architecture, workload,
        value("implementation"), value("counter_documents"), value("trees"), value("instructions"),
        value("instructions") / value("counter_documents") / value("trees")
}

END {
    exit failed
}
