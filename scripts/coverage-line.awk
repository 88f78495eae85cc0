# Makes a line of coverage.csv from the CSV of `treebench compare`. coverage.sh sets kernel, build,
# settings, cores, second and seconds.
FNR == 1 {
    for (i = csv_split($0, heads); i > 0; i--)
        at[heads[i]] = i
    next
}
function value(name) {
    if (!(name in at))
        bad = 1
    return field[at[name]]
}
# Lines of the results have no quotes.
function plain(text) {
    gsub(/[",]/, " ", text)
    return text
}
{
    csv_split($0, field)
    if (value("status") != "ok")
        bad = 1
}
FNR == 2 {
    line = kernel "," build "," settings "," value("started") "," value("load") "," \
        plain(value("cpu")) "," cores "," value("hypervisor") "," plain(value("kernel")) "," value("commit") \
        (value("dirty") == "true" ? "+" : "") "," plain(value("compiler")) "," \
        value("implementation") "," value("rounds") "," value("placements") "," value("median_ns")
    if (second == "noop")
        ratio = value("noise_ratio") "," value("noise_low") "," value("noise_high")
}
FNR == 3 && second != "noop" {
    ratio = value("ratio") "," value("ratio_low") "," value("ratio_high")
}
END {
    if (bad || FNR != 3 || ratio !~ /^[0-9.e+-]+,[0-9.e+-]+,[0-9.e+-]+$/)
        exit 1
    print line "," ratio "," seconds
}
