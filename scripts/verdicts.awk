# Prints the lines of a run for the table of verdicts in ARTIFACT.md, one for each paper, from the
# run's report.md. Usage: awk -v run=NAME -f verdicts.awk report.md
BEGIN { FS = " *[|] *" }
/^\| \[[a-z0-9-]+\]\(/ && NF == 8 {
    paper = substr($2, 2)
    sub(/-.*/, "", paper)
    if (!(paper in held))
        order[++papers] = paper
    failed[paper] += $3
    open[paper] += $4
    held[paper] += $5
    missing[paper] += $6
}
END {
    for (i = 1; i <= papers; i++) {
        paper = order[i]
        printf "| %s | %s | %d | %d | %d | %d |\n", run, paper, held[paper], failed[paper],
            open[paper], missing[paper]
    }
}
