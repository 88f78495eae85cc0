#!/usr/bin/env bats
# scripts/witness.sh with programs that look like those of asadi2014's authors.
load ../cli/common

setup() {
    root=$PWD
    cd "$BATS_TEST_TMPDIR"
    unset V
    export ROUNDS=6 WORKLOADS=5x4 DOCUMENTS=50
    mkdir build
    ln -s "$TREEBENCH" build/treebench
}

# fake FILE CHECKSUM [SED]: makes a program with treebench's scores, which SED may change.
fake() {
    mkdir -p "$(dirname "$1")"
    cat >"$1" <<FAKE
#!/bin/sh
[ "\$7" != -print ] || "$TREEBENCH" score --model "\$2" --data "\$4" --impl reference |
    sed 's/\$/.000000/; ${3:-}'
echo "Time per instance (ns): 1e9"
echo "Ignore this number: $2"
FAKE
    chmod +x "$1"
}

witness() {
    run --separate-stderr sh "$root/scripts/witness.sh" build "$@"
    show
}

@test "each program of each folder has a ratio to ours, in rounds that begin with another side" {
    fake 'one folder/Struct' 7
    fake 'one folder/CodeGen-5x4' 7
    fake two/Struct 8
    fake two/VPred 7
    V=4 witness 'one folder' two
    [ "$status" -eq 0 ]
    grep -q '^commit: ' <<<"$output"
    grep -qE '^5x4 +Struct +struct +6 .* one folder$' <<<"$output"
    grep -qE '^5x4 +Struct +struct +6 .* two$' <<<"$output"
    grep -qE '^5x4 +CodeGen +codegen +6 .* one folder$' <<<"$output"
    grep -qE '^5x4 +VPred +vpred,v=4 +6 .* two$' <<<"$output"
    [ "$(grep -c '^5x4' <<<"$output")" -eq 4 ]
    for round in 1 2 3; do
        grep -P "\tStruct\t.*\t$round\t" build/witness/samples.tsv | head -n 1 | cut -f 3
    done >first
    diff first - <<<$'two\nours\none folder'
}

@test "the authors' files: every feature is written, and text and XML are the same trees" {
    fake programs/Struct 7
    witness programs
    [ "$(head -n 1 build/witness/50.txt)" = "50 136" ]
    [ "$(awk 'FNR > 1 { print NF }' build/witness/50.txt | sort -u)" = 138 ]
    for file in 50.svm 50.txt; do
        "$TREEBENCH" convert --data build/witness/$file --out $file
        grep -v '^#' $file >plain-$file
    done
    diff plain-50.svm plain-50.txt
    for suffix in txt xml; do
        "$TREEBENCH" score --model build/witness/5x4.$suffix --data build/witness/50.svm \
            >scores.$suffix
    done
    cmp scores.txt scores.xml
    run ! grep -v '^-*[0-9]*$' scores.txt
    [ "$(sort -u scores.txt | wc -l)" -gt 5 ]
    head -n 3 build/witness/5x4.txt | tail -n 1 | grep -q '^root 0 [0-9]* [0-9.-]*$'
}

@test "programs with other scores, or another checksum, are not timed" {
    fake programs/Object 7 '3s/^/1/'
    witness programs
    [ "$status" -eq 1 ]
    [ "$stderr" = "witness.sh: programs/Object: other scores than object on 5x4.txt" ]
    rm programs/Object
    fake programs/Struct 7
    fake programs/CodeGen-5x4 8
    witness programs
    [ "$status" -eq 1 ]
    [ "$stderr" = "witness.sh: programs/CodeGen-5x4: other scores than codegen on 5x4.txt" ]
    [ ! -s build/witness/samples.tsv ]
}

@test "mistakes: no program, too few rounds, no folder" {
    mkdir empty
    witness empty
    [ "$status" -eq 4 ]
    [[ $stderr == "witness.sh: no program in empty: "* ]]
    ROUNDS=5 witness empty
    [ "$status" -eq 2 ]
    [[ $stderr == *"ROUNDS is not a number from 6 on: '5'" ]]
    witness
    [ "$status" -eq 2 ]
}

@test "the median of the rounds' ratios, and the exact interval of 12 rounds" {
    for round in $(seq 12); do
        printf 'w\tStruct\tours\t%s\t%s\tstruct\n' "$round" $((1000 * round))
        printf 'w\tStruct\tfolder\t%s\t%s\tstruct\n' "$round" $((10 * round * round))
    done >samples
    run awk -F '\t' -f "$root/scripts/binomial.awk" -f "$root/scripts/witness-report.awk" samples
    grep -qE '^w +Struct +struct +12 +0.065  \[0.030, 0.100\]  folder$' <<<"$output"
}
