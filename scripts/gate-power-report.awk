# Prints the table of scripts/gate-power.sh from the plants that were measured and gate-power.csv.
function median(name,    i, j, n, swap, list) {
    n = split(ratios[name], list, " ")
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] + 0 < list[j - 1] + 0; j--) {
            swap = list[j]
            list[j] = list[j - 1]
            list[j - 1] = swap
        }
    return n == 0 ? "-" : sprintf("%.3f", n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2)
}
function show(name,    n, k, interval) {
    n = count[name]
    k = alarms[name]
    interval = sprintf("[%.1f, %.1f]", 100 * share_low(k, n), 100 * share_high(k, n))
    printf "%-14s  %6s  %7s  %4d  %6d %7.1f %%  %-13s %6d  %7d  %6d  %7.1f\n", name,
        slower[name] ~ /^[0-9]/ ? slower[name] " %" : slower[name], median(name), n, k, 100 * k / n,
        interval, layout[name], unclear[name], others[name], seconds[name] / n
}
NR == FNR {
    split($0, words, " ")
    order[++n_plants] = words[1]
    key[words[1]] = words[2]
    next
}
FNR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
!($1 in key) || key[$1] != $at["key"] || count[$1] == most {
    next
}
{
    count[$1]++
    slower[$1] = $at["slower"]
    alarms[$1] += $at["verdict"] == "regression"
    timed[$1] += $at["verdict"] != "same code"
    layout[$1] += $at["verdict"] == "layout"
    unclear[$1] += $at["verdict"] == "unclear"
    others[$1] += $at["others"]
    seconds[$1] += $at["seconds"]
    if ($at["ratio"] != "")
        ratios[$1] = ratios[$1] " " $at["ratio"]
    if (first == "" || $at["started"] < first)
        first = $at["started"]
    if ($at["started"] > last)
        last = $at["started"]
    machine = $at["cpu"] ", " $at["cores"] " cores, " $at["system"]
    built = "commit " $at["commit"] ", " $at["compiler"]
}
END {
    print "how often treebench regress raises an alarm"
    print "machine: " machine
    print "build: " built
    print first " to " last
    print ""
    print "plant           slower    ratio  runs  alarms    share  95 % interval layout  unclear  others  seconds"
    for (i = 1; i <= n_plants; i++)
        if (count[order[i]])
            show(order[i])
    for (i = 1; i <= n_plants; i++) {
        name = order[i]
        if (slower[name] == "none") {
            same += timed[name]
            false_alarms += alarms[name]
        }
        other_alarms += others[name]
        if (slower[name] == 5) {
            slow += count[name]
            missed += count[name] - alarms[name]
        }
    }
    print ""
    if (same)
        printf "false alarms: %d in %d timed runs; with 95 %% confidence at most %.2f %%\n", false_alarms, same,
            100 * share_at_most(false_alarms, same)
    if (slow)
        printf "slowdowns of 5 %% without an alarm: %d in %d runs; with 95 %% confidence at most %.2f %%\n",
            missed, slow, 100 * share_at_most(missed, slow)
    printf "alarms of implementations that did not change: %d\n", other_alarms
}
