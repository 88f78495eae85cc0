# What the figures share. Read by the other scripts, which are called with
#   gnuplot -e "csv='NAME.csv'; out='NAME.svg'; name='svg'; title='...'; plots='plots'" plots/bars.gp
# Everything that is drawn comes from the CSV.

# Okabe and Ito's colours: apart for readers with any colour vision.
array colours[8] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444"]

set datafile separator comma
set datafile missing ""
set datafile columnheaders
set encoding utf8

# The distinct values of a column, as words in the order of the file, and the variants' labels.
added(list, item) = strstrt(" ".list." ", " ".item." ") ? list : list." ".item
features = ""; depths = ""; variants = ""; labels = "\n"
stats csv using (features = added(features, strcol("features")), 0) nooutput
stats csv using (depths = added(depths, strcol("depth")), 0) nooutput
stats csv using (variants = added(variants, strcol("variant")), 0) nooutput
stats csv using (labels = labels.strcol("variant")."\t".strcol("label")."\n", 0) nooutput
from(text, start) = substr(text, start, strlen(text))
behind(variant) = from(labels, strstrt(labels, "\n".variant."\t") + strlen(variant) + 2)
label(variant) = (rest = behind(variant), substr(rest, 1, strstrt(rest, "\n") - 1))

n_panels = words(features)
place(list, item) = (found = 0, sum [i = 1:words(list)] (found = word(list, i) eq item ? i : found, 0), found)

width = 130 + 330 * n_panels
if (name eq "svg") {
    set terminal svg size width, 420 dynamic enhanced font "Helvetica,14" background "#ffffff"
} else { if (name eq "pngcairo") {
    set terminal pngcairo size 2 * width, 840 enhanced font "Sans,14" fontscale 1.6 linewidth 2 background "#ffffff"
} else {
    set terminal png size 2 * width, 840 enhanced font "Sans,22" linewidth 2
} }
set output out

set tics nomirror out scale 0.6
set border 3 linecolor rgb "#666666"
set grid ytics linetype 1 linewidth 0.6 linecolor rgb "#dddddd"
set yrange [0:*]
set key at screen 0.5, 0.012 center bottom vertical maxrows 1 Left reverse noenhanced samplen 1.5 width 1
