# Prints the table of scripts/coverage.sh from coverage.csv. Exit status 1: more than 7 % of all
# intervals exclude 1.
function show(name, k, n, width, seconds,    interval) {
    interval = sprintf("[%.1f, %.1f]", 100 * share_low(k, n), 100 * share_high(k, n))
    printf "%-10s %5d %10d %7.1f %%  %-13s  %8.2f %%  %7.1f\n", name, n, k, 100 * k / n, interval,
        100 * width / n, seconds / n
}
FNR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
$at["build"] != build || $at["settings"] != settings || count[$at["kernel"]] == most {
    next
}
{
    kernel = $at["kernel"]
    count[kernel]++
    excluded[kernel] += $at["ratio_low"] > 1 || $at["ratio_high"] < 1
    width[kernel] += ($at["ratio_high"] - $at["ratio_low"]) / 2
    seconds[kernel] += $at["seconds"]
    implementation[kernel] = $at["implementation"]
    started = $at["started"]
    if (first == "" || started < first)
        first = started
    if (started > last)
        last = started
    if ($at["load"] > load)
        load = $at["load"]
    machine = $at["cpu"] ", " $at["cores"] " cores" \
        ($at["hypervisor"] == "true" ? ", virtual" : "") ", " $at["system"]
    built = "commit " $at["commit"] ", " $at["compiler"]
    rounds = $at["rounds"] " rounds in " $at["placements"] " placements"
}
END {
    print "95 % intervals of compare that exclude 1, for the same code twice"
    print "machine: " machine
    print "build: " built
    printf "%s to %s; load up to %.1f\n", first, last, load
    print rounds "; " settings
    print ""
    print "kernel     pairs  exclude 1     share  95 % interval  half width  seconds"
    n_kernels = split(kernels, list, " ")
    for (i = 1; i <= n_kernels; i++) {
        kernel = list[i]
        show(kernel, excluded[kernel], count[kernel], width[kernel], seconds[kernel])
        all += count[kernel]
        all_excluded += excluded[kernel]
        all_width += width[kernel]
        all_seconds += seconds[kernel]
    }
    show("all", all_excluded, all, all_width, all_seconds)
    print ""
    for (i = 1; i <= n_kernels; i++)
        printf "%s%s: %s", (i > 1 ? "; " : ""), list[i], implementation[list[i]]
    print ""
    is_held = all_excluded <= 0.07 * all
    print "at most 7 % of all exclude 1: " (is_held ? "yes" : "no")
    exit !is_held
}
