# Compares counts with those of the baseline. Files: the baseline, the counts. Used with csv.awk.
# Variable: tolerance, per cent. Prints what differs, and fails if anything does.
function report(text) {
    print text
    differ++
}

{
    csv_split($0, fields)
    build = fields[1] "," fields[2]
    place = fields[4] " on " fields[3]
    shape = fields[5] "," fields[6]
}

FNR == NR {
    expected[build, place] = fields[7]
    expected_shape[build, place] = shape
    next
}

{
    counted[build, place] = counted_impl[build, fields[4]] = counted_workload[build, fields[3]] = 1
}

!((build, place) in expected) {
    new[place] = 1
    next
}

{
    compared++
}

expected_shape[build, place] != shape {
    report(place ": the baseline counted another workload")
    next
}

{
    percent = 100 * (fields[7] / expected[build, place] - 1)
    if (percent > tolerance || percent < -tolerance)
        report(sprintf("%s: %d instructions, %+.1f %% against %d", place, fields[7], percent,
            expected[build, place]))
}

END {
    for (key in expected) {
        split(key, parts, SUBSEP)
        split(parts[2], names, " on ")
        if (!(key in counted) && (parts[1], names[1]) in counted_impl &&
            (parts[1], names[2]) in counted_workload)
            report(parts[2] ": not supported any more")
    }
    for (place in new)
        print place ": not in the baseline. Add it by 'make instructions'"
    printf "instructions: %d of %d counts differ from the baseline by more than %s %%\n", differ,
        compared, tolerance
    if (differ)
        print "If this is intended, run 'make instructions' and commit results/baseline"
    exit differ > 0
}
