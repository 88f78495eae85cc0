#!/usr/bin/env bats
# --order, --d and --s, and variants with an order of their own. No time is asserted.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" synth --depth 4 --features 8 --trees 13 --documents 501 --seed 3 \
        --model model.json --data data.txt
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

score() {
    "$TREEBENCH" score --model model.json --data data.txt "$@"
}

compare() {
    treebench compare --model model.json --data data.txt --rounds 2 --placements 1 "$@"
}

@test "orders: score gives the same bits in every order" {
    for impl in struct-plus vpred,v=8 qs; do
        score --impl "$impl" >expected.txt
        for sizes in "DS" "SD" "DSD --d 7" "SDS --s 3" "DSDS --d 7 --s 3" "SDSD --d 7 --s 3" \
            "DSSD --d 7 --s 3" "SDDS --d 7 --s 3"; do
            echo "$impl $sizes"
            # shellcheck disable=SC2086 # several options
            score --impl "$impl" --order $sizes >found.txt
            cmp expected.txt found.txt
        done
    done
    score --impl struct-plus,order=SDSD,d=7,s=3 >found.txt
    score --impl struct-plus >expected.txt
    cmp expected.txt found.txt
}

@test "orders: two threads give the same bits" {
    needs_two_cores
    score --impl struct-plus >expected.txt
    score --impl struct-plus --threads 2 --order DSDS --d 7 --s 3 >found.txt
    cmp expected.txt found.txt
}

@test "orders: a size that has no use is a mistake, on one line" {
    for command in "score" "compare" "tune"; do
        base=(--model model.json --data data.txt)
        treebench $command "${base[@]}" --order SDS --s 5 --d 5
        is_mistake "order SDS has no blocks of documents: leave out --d N"
        treebench $command "${base[@]}" --order DS --s 5
        is_mistake "order DS has no blocks of units: leave out --s N"
        treebench $command "${base[@]}" --d 5
        is_mistake "--d N has no effect without an order"
        treebench $command "${base[@]}" --order DSS --d 5
        is_mistake "--order DSS: must be one of DS, SD, DSD, SDS, DSDS, SDSD, DSSD, SDDS, or a case such as DSD2S1"
        treebench $command "${base[@]}" --order DSD --d 0
        is_mistake "--d"
    done
}

@test "orders: so it is in a variant" {
    for command in "score" "compare" "verify"; do
        base=(--model model.json --data data.txt --impl)
        treebench $command "${base[@]}" struct,order=SD,d=4
        is_mistake "order SD has no blocks of documents: leave out d=N"
        treebench $command "${base[@]}" struct,d=4
        is_mistake "d=N has no effect without an order"
        treebench $command "${base[@]}" struct,order=XY
        is_mistake "order=XY: must be one of DS, SD, DSD"
        treebench $command "${base[@]}" struct,order=DSD,d=4,x=1
        is_mistake "struct: no option 'x'"
    done
    compare --impl 'struct*,order=DSD,s=3'
    is_mistake "order DSD has no blocks of units: leave out s=N"
}

@test "orders: compare measures several orders of one implementation" {
    compare --impl struct-plus --impl struct-plus,order=DSD,d=100 --impl struct-plus,order=SDS,s=4 --csv
    succeeds
    [[ ${lines[1]} == *",struct-plus,,"* ]]
    [[ ${lines[2]} == *',struct-plus,"order=DSD,d=100",'*",ok,"* ]]
    [[ ${lines[3]} == *',struct-plus,"order=SDS,s=4",'*",ok,"* ]]
}

@test "orders: compare --order applies to all that have none of their own" {
    compare --impl struct-plus --impl vpred,v=8 --impl struct,order=SD --order DSD --d 64 --block 250 --json
    succeeds
    [ "$(grep -c '"parameters":	"d=64,order=DSD"' <<<"$output")" -eq 1 ]
    [ "$(grep -c '"parameters":	"d=64,order=DSD,v=8"' <<<"$output")" -eq 1 ]
    [ "$(grep -c '"parameters":	"order=SD"' <<<"$output")" -eq 1 ]
    [ "$(grep -c '"status":	"ok"' <<<"$output")" -eq 3 ]
}

@test "orders: verify checks a variant in its order" {
    treebench verify --model model.json --data data.txt --impl vpred,order=SDS,s=5,v=8
    succeeds
    grep -q "^vpred,order=SDS,s=5,v=8  agrees$" <<<"$output"
}

@test "orders: the instructions of an order are counted in that order" {
    allow_tracing
    head -n 20 data.txt >few.txt
    treebench compare --model model.json --data few.txt --rounds 2 --placements 1 --counters step \
        --json --impl struct-plus,order=SD --impl struct-plus,order=DSDS,d=1,s=1
    show
    grep -q '"counter_source":	"step"' <<<"$output" || skip "this machine allows no single steps"
    mapfile -t counts < <(sed -n 's/^	*"instructions":	\([0-9]*\).*/\1/p' <<<"$output")
    [ "${counts[1]}" -gt "${counts[0]}" ]
}

@test "orders: tune measures candidates in an order, and stores nothing" {
    export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
    treebench tune --model model.json --data data.txt --batch 64 --seconds 8 --order DSD --d 16
    show
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == *", order DSD, d = 16" ]]
    grep -q "^  struct-plus,d=16,order=DSD " <<<"$output"
    grep -q "^nothing stored: auto uses the default order, and these times are of order DSD$" <<<"$output"
    [ ! -e "$XDG_CACHE_HOME/treebench" ] || [ -z "$(find "$XDG_CACHE_HOME/treebench" -name 'auto-*')" ]
}

@test "orders: score reports the documents of a call" {
    treebench score --model model.json --data data.txt --order DSD --d 7 --verbose --out scores.txt
    show
    [ "$status" -eq 0 ]
    [[ $stderr == "treebench: auto,d=7,order=DSD: "*" for 7 documents a call, in the end "* ]]
}

@test "orders: sums in float32 agree in every order, within rounding" {
    implementations traversal true | grep -qx planes-avx2 || skip 'no AVX2'
    compare --impl planes-avx2,order=SDS,s=1,sums=float --impl planes-avx2,sums=float \
        --impl planes-avx2,d=5,order=DSDS,s=2,sums=float --csv
    succeeds
    [ "$(grep -c ",ok," <<<"$output")" -eq 3 ]
    compare --impl planes-avx2,order=SDS,s=1,sums=float --csv # with no other to share a scorer
    succeeds
    [ "$(grep -c ",ok," <<<"$output")" -eq 1 ]
}

@test "orders: sizes that are left out are chosen, and stay within the model and the documents" {
    score --impl vpred,v=8 >expected.txt
    for order in DSD SDS DSDS SDSD DSSD SDDS DSD2 SDS1 DSD2S1 SDS2D1 "DSDS --d 7" "SDSD --s 3"; do
        echo "$order"
        # shellcheck disable=SC2086 # several options
        score --impl vpred,v=8 --order $order >found.txt
        cmp expected.txt found.txt
    done
    compare --impl struct-plus --impl struct-plus,order=DSD3S1 --impl struct-plus,order=SDS --csv
    succeeds
    [[ ${lines[2]} == *',struct-plus,order=DSD3S1,'*",ok,"* ]]
    treebench verify --model model.json --impl struct-plus,order=SDS2D1
    succeeds
    treebench compare --model model.json --data data.txt --order DSD2 --d 5
    is_mistake "a range case such as DSD2 chooses its sizes: leave out --d N"
}
