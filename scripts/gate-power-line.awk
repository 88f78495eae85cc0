# Makes a line of gate-power.csv from the JSON of `treebench regress`. gate-power.sh sets plant, key,
# run, slower, kernels and status.
#   verdict   of the cells of the planted kernels: regression if there is one, else unclear, layout,
#             none or "same code"
#   others    alarms of other implementations
function value(line) {
    sub(/^[^:]*:[ \t]*/, "", line)
    sub(/,$/, "", line)
    gsub(/^"|"$/, "", line)
    return line
}
function plain(text) {
    gsub(/[",]/, " ", text)
    return text
}
function end_cell() {
    if (impl == "")
        return
    if (index("," kernels ",", "," impl ",")) {
        if (rank[verdict] > rank[worst])
            worst = verdict
        if (ratio ~ /^[0-9]/) {
            ratios += ratio
            n_ratios++
            pairs += n_pairs
            layouts += n_layouts
        }
    } else if (verdict == "regression") {
        others++
    }
}
BEGIN {
    rank["same code"] = 1
    rank["none"] = rank["faster"] = 2
    rank["layout"] = 3
    rank["unclear"] = 4
    rank["regression"] = 5
}
/^\t"seconds":/ { seconds = value($0) }
/^\t\t"started":/ { started = value($0) }
/^\t\t\t"model":/ { cpu = plain(value($0)) }
/^\t\t\t"cores":/ { cores = value($0) }
/^\t\t"kernel":/ { system_name = plain(value($0)) }
/^\t\t\t"commit":/ { commit = value($0) }
/^\t\t\t"compiler":/ { compiler = plain(value($0)) }
/^\t"cells":/ { in_cells = 1 }
!in_cells { next }
/"implementation":/ {
    end_cell()
    impl = value($0)
    ratio = ""
    n_pairs = n_layouts = 0
}
/"verdict":/ { verdict = value($0) }
/"ratio":/ { inside = "ratio" }
/"layout_ratio":/ { inside = "layout_ratio" }
/"value":/ && inside == "ratio" { ratio = value($0) }
/"pairs":/ { n_pairs = value($0) }
/"layouts":/ { n_layouts = value($0) }
END {
    if (seconds == "" || impl == "")
        exit 1
    end_cell()
    if (worst == "")
        worst = status == 0 ? "same code" : "other"
    print plant "," key "," run "," slower "," status "," worst "," others + 0 "," \
        (n_ratios ? ratios / n_ratios : "") "," pairs + 0 "," layouts + 0 "," seconds "," started "," \
        cpu "," cores "," system_name "," commit "," compiler
}
