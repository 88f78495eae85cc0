# Prints the table of scripts/witness.sh from lines "workload,program,side,round,ns", where the side
# `ours` is treebench's. Rounds are pairs: a ratio is their time divided by ours in the same round.
function sort(list, n,    i, j, swap) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            swap = list[j]
            list[j] = list[j - 1]
            list[j - 1] = swap
        }
}
function median(list, n) {
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}
# How many of n ratios lie outside an end of the exact 95 % interval of the median.
function outside(n,    k) {
    while (2 * binomial_at_most(k, n, 0.5) <= 0.05)
        k++
    return k - 1
}
function show(key,    part, n, i, ratios, k) {
    split(key, part, SUBSEP)
    n = 0
    for (i = 1; i <= rounds; i++)
        ratios[++n] = time[key, i] / time[part[1], part[2], "ours", i]
    sort(ratios, n)
    k = outside(n)
    printf "%-10s  %-10s  %-24s  %6d  %6.3f  [%.3f, %.3f]  %s\n", part[1], part[2],
        implementation[part[2]], n, median(ratios, n), ratios[1 + k], ratios[n - k], part[3]
}
{
    key = $1 SUBSEP $2 SUBSEP $3
    time[key, $4] = $5
    if ($6 != "")
        implementation[$2] = $6
    if ($4 > rounds)
        rounds = $4
    if ($3 != "ours" && !(key in seen)) {
        seen[key] = 1
        order[++count] = key
    }
}
END {
    printf "%-10s  %-10s  %-24s  %6s  %6s  %-14s  %s\n", "workload", "program", "treebench's",
        "rounds", "ratio", "95 % interval", "folder"
    for (i = 1; i <= count; i++)
        show(order[i])
}
