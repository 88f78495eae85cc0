#!/bin/sh
# Compares guided sampling with an exhaustive search on the six workloads of jin2016's Table 5, by
# `treebench blocking --exhaustive`. Prints a Markdown table with the paper's numbers beside ours.
# Usage: jin2016-table5.sh BUILD   (make has built it)
# Environment:
#   SCALE   smoke, quick (default) or full: the sizes of the workloads
#   ONLY    part of a workload's name, such as Y!50
#   OUT     the folder for models, documents and results (default: results/jin2016-table5-SCALE)
# Exit status: 0 done, 2 an error.
#
# Documents are synthetic stand-ins of the paper's data sets, and trees are grown, not trained. Times
# need a quiet machine. A workload whose JSON is in the folder is not measured again.
set -eu
[ $# -eq 1 ] || { echo "usage: jin2016-table5.sh BUILD" >&2; exit 2; }
: "${SCALE:=quick}" "${ONLY:=}" "${OUT:=results/jin2016-table5-$SCALE}"
treebench=$1/treebench
reference=results/reference/jin2016-table5.csv
rounds=7 measure=caches
case $SCALE in # trees and documents of Yahoo!, MS and MQ
smoke) yahoo=20,40 ms=20,40 mq=20,40 rounds=2 measure=none ;;
quick) yahoo=500,500 ms=500,500 mq=1000,500 ;;
full) yahoo=20000,6500 ms=10000,4000 mq=4000,2500 ;;
*) echo "jin2016-table5.sh: SCALE must be smoke, quick or full" >&2; exit 2 ;;
esac

# Prints name, data set, features, leaves, trees and documents of each workload.
workloads() {
    cat <<WORKLOADS
Y!10,yahoo-c14-set1,700,10,$yahoo
Y!50,yahoo-c14-set1,700,50,$yahoo
Y!150,yahoo-c14-set1,700,150,$yahoo
MS10,mslr-web30k,136,10,$ms
MS50,mslr-web30k,136,50,$ms
MQ10,mq2008,46,10,$mq
WORKLOADS
}

# Writes documents without label and query as CSV. Features that a stand-in lacks are 0, because only
# the width of a document matters here. make_documents DATA FEATURES ROWS FILE
make_documents() {
    "$treebench" synth --like "$1" --documents "$3" --seed 2016 --data "$OUT/raw.csv"
    awk -F, -v width="$2" '{
        row = NR == 1 ? "f1" : $3
        for (i = 2; i <= width; i++)
            row = row "," (NR == 1 ? "f" i : i + 2 <= NF ? $(i + 2) : 0)
        print row
    }' "$OUT/raw.csv" >"$4"
    rm "$OUT/raw.csv"
}

# measure NAME DATA FEATURES LEAVES TREES DOCUMENTS
measure() {
    make_documents "$2" "$3" $((2 * $6)) "$OUT/documents.csv"
    "$treebench" synth --grow-on "$OUT/documents.csv" --trees "$5" --leaves "$4" --seed 2016 \
        --model "$OUT/model.json"
    "$treebench" blocking --model "$OUT/model.json" --data "$OUT/documents.csv" --impl struct-plus \
        --docs "$6" --rounds "$rounds" --measure "$measure" --exhaustive --json >"$OUT/partial"
    "$treebench" blocking --model "$OUT/model.json" --data "$OUT/documents.csv" --impl struct-plus \
        --docs "$6" --rounds "$rounds" --measure "$measure" --all-cases --json >"$OUT/$1.cases.json"
    rm "$OUT/documents.csv" "$OUT/model.json"
    mv "$OUT/partial" "$OUT/$1.json"
}

# Prints "KEY VALUE" for each value of a workload's JSON, such as "exhaustive.error 0.01".
values() {
    awk '
        function name(text) { gsub(/[":\t]/, "", text); return text }
        function value(text) { sub(/^[^:]*:\t/, "", text); sub(/,$/, "", text); gsub(/"/, "", text); return text }
        /^\t"[^"]*":\t[{]/ { section = name($1) "."; next }
        /^\t"[^"]*":/ { print name($1), value($0) }
        /^\t\t\t?"[^"]*":/ { print section name($1), value($0) }' "$1"
}

# line_of NAME DATA LEAVES: a line of the table of times
line_of() {
    values "$OUT/$1.json" | awk -v name="$1" -v paper="$(grep "^$2,$3," "$reference")" '
        function percent(share) { return sprintf("%.2f", 100 * share) }
        function shown(what) {
            return found[what ".case"] == "null" ? found[what ".order"] : found[what ".case"]
        }
        { key = $1; sub(/^[^ ]* /, ""); found[key] = $0 }
        END {
            split(paper, printed, ",")
            split(found["exhaustive.error_interval"], ends, /[][, \t]+/)
            printf "| %s | %s x %s | %s | %s | %s %% [%s, %s] | %s, %s %% | %s, %s %% | %.1f | %.1f |\n",
                name, found["trees"], found["documents"], shown("choice"),
                shown("exhaustive"), percent(found["exhaustive.error"]), percent(ends[2]),
                percent(ends[3]), printed[4], printed[5], printed[6], printed[7],
                found["cpu_seconds"], found["exhaustive.cpu_seconds"]
        }'
}

# claims_of NAME: a line of the table of claims
claims_of() {
    values "$OUT/$1.json" | awk -v name="$1" '
        function shown(name) { return found[name] ~ /[0-9]/ ? sprintf("%.2f", found[name]) : "-" }
        { key = $1; sub(/^[^ ]* /, ""); found[key] = $0 }
        END {
            printf "| %s | %s | %s | %s | %.2f | %.2f | %s |\n", name,
                found["exhaustive.guided-close"], found["exhaustive.proposition-1"],
                found["exhaustive.blocking-pays"], found["ds.ratio_to_choice"],
                found["without_measuring.ratio_to_choice"],
                shown("fit.rank_correlation_standard")
        }'
}

# model_of NAME: a line of the table of blocks and of the cost model
model_of() {
    values "$OUT/$1.cases.json" >"$OUT/cases"
    values "$OUT/$1.json" | awk -v name="$1" -v cases="$OUT/cases" '
        function blocks(what) {
            return sprintf("%s, %s, %s", found[what ".d"], found[what ".s"], found[what ".mu_d"])
        }
        function shown(values, name) {
            return values[name] ~ /[0-9]/ ? sprintf("%.2f", values[name]) : "-"
        }
        { key = $1; sub(/^[^ ]* /, ""); found[key] = $0 }
        END {
            while ((getline <cases) > 0)
                if ($1 == "fit.rank_correlation" || $1 == "fit.rank_correlation_standard")
                    over[$1] = $2
            text = sprintf("| %s | %s | %s, %s | %s | %s | %s | %s |", name, blocks("choice"),
                found["exhaustive.d"], found["exhaustive.s"], shown(found, "fit.l1_miss_rate"),
                shown(found, "fit.l2_miss_rate"), shown(over, "fit.rank_correlation_standard"),
                shown(over, "fit.rank_correlation"))
            gsub(/null/, "all", text)
            print text
        }'
    rm "$OUT/cases"
}

print_tables() {
    echo "| workload | trees x documents | guided | exhaustive | error | paper, AMD | paper, Intel | CPU s, guided | CPU s, exhaustive |"
    echo "|---|---|---|---|---|---|---|---:|---:|"
    while IFS=, read -r name data _ leaves _; do
        line_of "$name" "$data" "$leaves"
    done <"$OUT/workloads"
    echo
    echo "| workload | guided-close | proposition-1 | blocking-pays | DS / choice | unmeasured / choice | T and times |"
    echo "|---|---|---|---|---:|---:|---:|"
    while IFS=, read -r name _; do
        claims_of "$name"
    done <"$OUT/workloads"
    echo
    echo "| workload | guided: d, s, mu | exhaustive: d, s | alpha | beta | T and the cases | fitted T and the cases |"
    echo "|---|---|---|---:|---:|---:|---:|"
    while IFS=, read -r name _; do
        model_of "$name"
    done <"$OUT/workloads"
}

mkdir -p "$OUT"
workloads | grep -F "$ONLY" >"$OUT/workloads"
while IFS=, read -r name data features leaves trees documents; do
    [ -s "$OUT/$name.json" ] || measure "$name" "$data" "$features" "$leaves" "$trees" "$documents"
done <"$OUT/workloads"
print_tables | tee "$OUT/table5.md"
