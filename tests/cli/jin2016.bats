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

@test "jin2016: guided sampling is judged beside the paper's errors, and not searched again" {
    "$TREEBENCH" run --scale smoke --only jin2016-table5 --out choices >said
    [ "$(cat said)" = "searched 2 models for orders and blocks; 0 were there before" ]
    "$TREEBENCH" run --scale smoke --only jin2016-table5 --out choices --resume >said
    [ "$(cat said)" = "searched 0 models for orders and blocks; 2 were there before" ]
    "$TREEBENCH" report --run choices >claims || [[ $? == [13] ]]
    [ "$(grep -cE '^(held|not held|unresolved) +jin2016-table5: ' claims)" -eq 4 ]
    grep -E '^\| MQ2008 L=10 \| 20 x 40 \| .* % \[.* \| DSD2, 0\.47 % \| DSD2, 0\.14 % \|$' \
        choices/jin2016-table5.md
    [ "$(wc -l <choices/jin2016-table5.csv)" -eq 3 ]
}
