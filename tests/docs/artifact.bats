#!/usr/bin/env bats
# What ARTIFACT.md repeats: the papers' artefacts and claims of configs/, the verdicts of results/runs.

bats_require_minimum_version 1.5.0

setup() {
    folder=$(mktemp -d)
}

teardown() {
    rm -rf "$folder"
}

# Prints the first cells of the table in ARTIFACT.md whose heading begins so. table HEADING CELLS
table() {
    awk -F ' *[|] *' -v begin="| $1 |" -v cells="$2" '
        index($0, begin) == 1 { on = 1; next }
        !/^\|/ { on = 0 }
        on && !/^\|-/ { for (i = 2; i <= cells + 1; i++) printf "%s%s", $i, i <= cells ? " " : "\n" }
    ' ARTIFACT.md | tr -d '`'
}

@test "ARTIFACT.md has each paper of configs, with its artefacts and claims" {
    for paper in $(ls configs/*.json | sed 's|configs/||; s/-.*//' | sort -u); do
        set -- "configs/$paper"-*.json
        echo "$paper $# $(cat "$@" | grep -c '^ *"id":\|[{,] *"id":')"
    done >"$folder/papers"
    table '`ONLY`' 3 | diff "$folder/papers" -
}

# How many claims have a line that matches the pattern, except their words. claims PATTERN [PREFIX]
claims() {
    awk -v pattern="$1" '
        FNR == 1 { claims = 0 }
        /^  "claims":/ { claims = 1 }
        !claims || /"words":/ { next }
        /"id":/ { id = FILENAME $0 }
        $0 ~ pattern && id && !(id in seen) { seen[id]; n++ }
        END { print n + 0 }
    ' configs/"${2:-}"*.json
}

@test "ARTIFACT.md counts the claims that need AVX2, AVX-512, GPUs, threads and data" {
    cat >"$folder/needs" <<END
AVX2 $(claims avx2) lettich2018
AVX-512 $(claims avx512) -
a GPU $(claims qs-gpu) lettich2018
valgrind $(claims '"counter"') jin2016, lettich2018
cross compilers $(claims '"powerpc"') buschjaeger2018
several cores $(claims '"kind"' asadi2014-fig5) asadi2014-fig5
several cores $(claims @all) lettich2018
data sets $(claims '"kind"' buschjaeger2018) buschjaeger2018
END
    table needs 3 | diff "$folder/needs" -
    [ "$(claims avx2)" -eq "$(claims avx2 lettich2018)" ]
    [ "$(claims 'qs-gpu|@all')" -eq "$(claims 'qs-gpu|@all' lettich2018)" ]
}

@test "ARTIFACT.md has the verdicts of each run in results/runs" {
    for run in results/runs/*/; do
        [ -e "$run" ] || skip "no run is kept"
        name=$(basename "$run")
        cp -r "$run" "$folder/$name"
        "$TREEBENCH" report --run "$folder/$name" || [ $? -eq 1 ] || [ $? -eq 3 ]
        awk -v run="$name" -f scripts/verdicts.awk "$folder/$name/report.md" >"$folder/lines"
        [ -s "$folder/lines" ]
        grep "^| $name |" ARTIFACT.md | diff "$folder/lines" -
    done
}

@test "the lines for ARTIFACT.md are sums of report.md by paper" {
    cat >"$folder/report.md" <<'END'
| artefact | not held | unresolved | held | not measured | title |
|---|---:|---:|---:|---:|---|
| [one-a](one-a.md) | 1 | 2 | 3 | 4 | Title |
| [one-b](one-b.md) | 1 | 0 | 0 | 0 | Title |
| [two-a](two-a.md) | 0 | 0 | 0 | 9 | Title |

| artefact | claim | this run | other |
|---|---|---|---|
| [one-a](one-a.md) | a claim | held | held |
END
    awk -v run=zen5 -f scripts/verdicts.awk "$folder/report.md" | diff - <(cat <<'END'
| zen5 | one | 3 | 2 | 2 | 4 |
| zen5 | two | 0 | 0 | 0 | 9 |
END
    )
}

@test "the first figure of ARTIFACT.md is drawn without data" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    command=$(grep -x "make reproduce ONLY=.*" ARTIFACT.md)
    only=$(echo "$command" | sed -n 's/.* ONLY=\([^ ]*\).*/\1/p')
    scale=$(echo "$command" | sed -n 's/.* SCALE=\([^ ]*\).*/\1/p')
    grep -qF "results/$scale-$only/report.html" ARTIFACT.md
    unset TREEBENCH_DATA TREEBENCH_DATA_SETS
    export HOME=$folder
    "$TREEBENCH" run --only "$only" --scale "$scale" --out "$folder/run"
    "$TREEBENCH" report --run "$folder/run" --html "$folder/run/report.html" || [ $? -eq 3 ]
    [ -s "$folder/run/report.html" ]
    [ -s "$folder/run/$only.svg" ]
}

@test "ARTIFACT.md installs the cross compilers whose code is measured" {
    grep -o '"[a-z0-9_-]*-linux-gnu[a-z]*-gcc"' harness/quality/toolchain.c | tr -d '"' |
        sed -n 's/\(.*\)-gcc/gcc-\1/p' | grep -v "x86_64\|aarch64" | sort >"$folder/packages"
    [ "$(wc -l <"$folder/packages")" -ge 3 ]
    grep "^apt-get install" ARTIFACT.md | cut -d" " -f3- | tr " " "\n" | sort |
        diff "$folder/packages" -
}
