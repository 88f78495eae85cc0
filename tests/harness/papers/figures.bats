#!/usr/bin/env bats
# What the scripts of plots/ draw from a CSV, as text and places in the SVG.
bats_require_minimum_version 1.5.0

setup() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    cd "$BATS_TEST_TMPDIR" || return 1
    plots=$BATS_TEST_DIRNAME/../../../plots
    head=panel,title,axis,x,series,variant,label,v,unit,value,low,high,trials,kind,trees
    echo "$head,mean_tree_depth,features,documents,origin,note,over,paper" >figure.csv
}

# Adds a line: panel, axis, x, unit, value, low, high, the origin of the panel, the paper's number.
add() {
    echo "$1,Panel $1,$2,$3,1,qs,QS,,$4,$5,$6,$7,3,grown,100,5,136,100,$8,note,,${9-}" >>figure.csv
}

draw() {
    run gnuplot -d -c "$plots/$1.gp" figure.csv figure.svg svg Title "$plots" "A machine"
    echo "$output"
    [ "$status" -eq 0 ]
}

# The first coordinate of the place of a text.
place_of() {
    tr '\n' ' ' <figure.svg | sed 's/<g transform="translate(/\n/g' |
        grep "> *$1</tspan>\|>$1<" | sed 's/,.*//' | head -1
}

@test "curves: numbers of trees are at their places, so that a linear cost is a line" {
    for trees in 1000 5000 10000 20000; do
        add 1 trees $trees "us per document" "$((trees / 1000)).0" "$((trees / 1000)).0" "$((trees / 1000)).0" ""
    done
    draw curves
    awk -v a="$(place_of 1000)" -v b="$(place_of 5000)" -v c="$(place_of 20000)" '
        BEGIN { r = (c - a) / (b - a); print a, b, c, r; exit !(r > 4.6 && r < 4.9) }' # 19 / 4
}

@test "times are in µs, and caption and origin are told" {
    add 1 trees 100 "us per document" 2 1.9 2.1 "random trees on a synthetic stand-in"
    draw curves
    grep -q "µs per document" figure.svg
    run ! grep -q ">us per" figure.svg
    grep -q "random trees on a synthetic stand-in" figure.svg
    grep -q ">A machine<" figure.svg
}

@test "an interval does not set the axis: it is cut and marked" {
    for kind in bars curves; do
        sed -i 1q figure.csv
        add 1 trees 30 "ns per document" 100 90 5000 ""
        add 1 trees 70 "ns per document" 80 70 90 ""
        draw $kind
        grep -q "95 % interval.*; a triangle marks an interval that is cut" figure.svg
        run ! grep -qE ">(200|500|1000|5000)<" <(tr -d ' ' <figure.svg)
        sed -i 1q figure.csv
        add 1 trees 30 "ns per document" 100 90 125 ""
        draw $kind
        grep -q ">A machine<" figure.svg
    done
}

@test "a panel without numbers is drawn as such, and the legend stands all the same" {
    for kind in bars curves; do
        sed -i 1q figure.csv
        add 1 max_leaves 8 "us per document" "" "" "" ""
        add 2 max_leaves 8 "us per document" 2 1.9 2.1 ""
        draw $kind
        grep -q "not measured" figure.svg
        grep -q ">QS<" figure.svg
        [ "$(grep -o '>A machine<' figure.svg | wc -l)" -eq 1 ]
    done
}

@test "five panels are in two rows of three, and four in one row" {
    for panel in 1 2 3 4; do
        add $panel trees 100 "us per document" 2 1.9 2.1 ""
    done
    draw curves
    [ "$(place_of "Panel 1")" != "$(place_of "Panel 4")" ]
    one=$(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' figure.svg)
    add 5 trees 100 "us per document" 2 1.9 2.1 ""
    draw curves
    [ "$(place_of "Panel 1")" = "$(place_of "Panel 4")" ]
    [ "$(place_of "Panel 2")" = "$(place_of "Panel 5")" ]
    two=$(sed -n 's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' figure.svg)
    echo "$one, $two"
    read -r width height <<<"$one"
    read -r narrower higher <<<"$two"
    [ "$narrower" -lt "$width" ]
    [ "$higher" -gt "$height" ]
    [ "$(grep -o "µs per document" figure.svg | wc -l)" -eq 2 ]
}

@test "speedups: two means and a faint line for each data set; resampled and missing sets have none" {
    for plot in 1 2; do
        for x in 1 5; do
            line="$plot,Variant $plot,depth,$x"
            {
                echo "$line,1,qs,mean and standard deviation,,times as fast,2.5,1.5,3.5,,forest,,,,,,,,"
                echo "$line,2,qs,geometric mean and interval,,times as fast,2.4,0.1,90,,forest,,,,,,,,"
                echo "$line,3,qs,each data set,1,times as fast,1.5,1.4,1.6,,forest,,,,,,letter,,"
                echo "$line,3,qs,each data set,4,times as fast,3.5,3.4,3.6,,forest,,,,,,magic,,"
            } >>figure.csv
        done
    done
    draw speedups
    for text in "Variant 1" "Variant 2" "each data set" "mean and standard deviation" \
        "geometric mean and interval" "times as fast" "depth d of the tree"; do
        grep -q ">$text<" figure.svg
    done
    [ "$(grep -c "<text>each data set<" figure.svg)" -eq 1 ]
    [ "$(grep -o "rgb(187, 187, 187)" figure.svg | wc -l)" -eq 4 ] # two faint lines in each plot
    grep -q "95 % interval.*; a triangle marks an interval that is cut" figure.svg
}

@test "times that span decades have a logarithmic axis, which says so; others start at 0" {
    for kind in bars curves; do
        sed -i 1q figure.csv
        add 1 trees 30 "us per document" 1 0.9 1.1 ""
        add 1 trees 70 "us per document" 200 190 210 ""
        draw $kind
        grep -q ">µs per document (log)<" figure.svg
        grep -q "> *100<" figure.svg
        run ! grep -q "> *0<" figure.svg
        sed -i '$d' figure.csv
        add 1 trees 70 "us per document" 20 19 21 ""
        draw $kind
        grep -q ">µs per document<" figure.svg
        grep -q "> *0<" figure.svg
    done
}

@test "on a logarithmic axis an interval that reaches 0 is cut and marked" {
    add 1 trees 30 "us per document" 1 -3 1.1 ""
    add 1 trees 70 "us per document" 200 190 210 ""
    draw curves
    grep -q "95 % interval.*; a triangle marks an interval that is cut" figure.svg
}

@test "numbers on the x axis that span decades are at their logarithms" {
    for trees in 3 300 30000; do
        add 1 trees $trees "us per document" 2 1.9 2.1 ""
    done
    draw curves
    awk -v a="$(place_of 3)" -v b="$(place_of 300)" -v c="$(place_of 30000)" '
        BEGIN { r = (c - a) / (b - a); print a, b, c, r; exit !(r > 1.95 && r < 2.05) }'
}

@test "the paper's numbers are marks, and the legend and the axis know them" {
    for kind in bars curves; do
        sed -i 1q figure.csv
        add 1 trees 30 "us per document" 2 1.9 2.1 ""
        draw $kind
        run ! grep -q "the paper's number" figure.svg
        sed -i '$d' figure.csv
        add 1 trees 30 "us per document" 2 1.9 2.1 "" 40
        draw $kind
        grep -q "the paper's number" figure.svg
        grep -q "> *40<" figure.svg
    done
}

@test "latencies: marks are percentiles, and what is published is none of the series" {
    for x in 2 10 100 1000; do
        add 1 percentile $x "us per call" $x "" "" "synthetic trees and documents" 5
    done
    draw latencies
    for text in p50 p90 p99 p99.9 "published; other machine and trees" \
        "percentiles are proven with a confidence of 0.99"; do
        grep -q ">$text<" figure.svg
    done
    awk -v a="$(place_of p90)" -v b="$(place_of p99)" -v c="$(place_of p99.9)" '
        BEGIN { r = (c - a) / (b - a); print a, b, c, r; exit !(r > 1.9 && r < 2.1) }'
}

@test "lines: over the option that the figure names; a variant without it is a level line" {
    for d in 3 300 30000 ""; do
        echo "1,Y!,max_leaves,64,1,variant,Level,$d,us per document,2,1.9,2.1,3,grown,1,5,1,1,,,blocks," \
            >>figure.csv
    done
    draw lines
    grep -q ">blocks<" figure.svg
    grep -q ">max leaves = 64<" figure.svg
    grep -q ">Level<" figure.svg
    awk -v a="$(place_of 3)" -v b="$(place_of 300)" -v c="$(place_of 30000)" '
        BEGIN { r = (c - a) / (b - a); print a, b, c, r; exit !(r > 1.95 && r < 2.05) }'
}

@test "series differ in dashes, and bars in their filling" {
    for series in 1 2; do
        echo "1,Panel,trees,10,$series,v$series,V$series,,us per document,$series,,,1,grown,1,5,1,1,,,," >>figure.csv
        echo "1,Panel,trees,20,$series,v$series,V$series,,us per document,$series,,,1,grown,1,5,1,1,,,," >>figure.csv
    done
    draw curves
    grep -q "stroke-dasharray" figure.svg
    grep -q "one trial: no 95 % intervals" figure.svg
    draw bars
    grep -q "url(#gnuplotPattern\|patternUnits" figure.svg
}

@test "map: tiles have the times in ns and the ratio of auto, and a key names the colours" {
    {
        echo "features,leaves,trees,call,winner,family,ns_per_document,tie,lost,second,second_ratio,second_low,second_high,library,library_ratio,library_low,library_high,auto,auto_ratio,auto_low,auto_high"
        echo '10,4,20,1,"codegen",codegen,18.75,1,0,"qs",1.13,0.9,1.2,"xgboost",1167,,,"auto",2.58,2.2,3.1'
        echo '10,16,20,1,"qs",quickscorer,23456,0,0,,,,,,,,,,,,'
    } >figure.csv
    run gnuplot -d -c "$plots/map.gp" figure.csv figure.svg svg "Title | A machine" "$plots"
    echo "$output"
    [ "$status" -eq 0 ]
    for text in "codegen 18.8 ns" "auto 2.58×" "qs 23.5 µs" "auto: no time" "family: codegen" \
        "family: quickscorer" "frame: a library wins or ties" "A machine"; do
        grep -q ">$text<" figure.svg
    done
}
