#!/usr/bin/env bats
# jin2016's artefacts: variants with loop orders, and times per document and tree.
load common

setup_file() {
    unset TREEBENCH_DATA TREEBENCH_DATA_SETS
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" run --scale smoke --only jin2016-table7 --out times 2>messages || [ $? -eq 4 ]
    "$TREEBENCH" report --run times >claims || case $? in 1 | 3) ;; *) return 1 ;; esac
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "jin2016: panels show times per document and tree of grown trees" {
    sed -n "/^### Y!$/,/^|/p" times/jin2016-table7.md >panel
    cat panel
    grep "Unit: ns per document and tree" panel
    grep "random trees grown on quantiles, not trained" panel
    grep "synthetic stand-in for yahoo-c14-set1" panel
}

@test "jin2016: each variant is measured in its order, with the paper's number beside it" {
    for order in '"DS","doc_block":"1"' '"DSD","doc_block":"10"' '"DSD","doc_block":"100"'; do
        grep -q "\"order\":$order," times/rows.jsonl
    done
    grep -E "^\| 50 .* \| 41.14 \| [0-9.]+ \|" times/jin2016-table7.md
}

@test "jin2016: all claims about batches are judged" {
    cat claims
    [ "$(grep -c "jin2016-table7: A batch of 10 queries" claims)" -eq 3 ]
}
