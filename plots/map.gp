# The fastest implementation: one row of panels per number of features, one panel per number of
# leaves, each showing documents per call by trees. Called like the other scripts (common.gp). A tile
# has the colour of the fastest's family, and a red frame if a library is the fastest or ties. The key
# below the panels names the colours.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5
set datafile separator comma
set datafile columnheaders
set encoding utf8

# Tints of Okabe and Ito's colours, light enough for black text.
array tints[10] = ["#8fc1e3", "#f5cf86", "#8fd3bd", "#e6bcd3", "#bfe1f5", "#eab089", "#f7f0a0", "#c8c8c8", "#b9b5e6", "#d9c2a3"]

# The distinct values of a column as words. Numbers are sorted, because they place the tiles.
added(list, item) = strstrt(" ".list." ", " ".item." ") ? list : list." ".item
below(list, item) = sum [i = 1:words(list)] (real(word(list, i)) < item)
sorted(list) = (made = "", sum [k = 0:words(list) - 1] sum [i = 1:words(list)] \
    (below(list, real(word(list, i))) == k ? (made = made." ".word(list, i), 0) : 0), made)
place(list, item) = (found = 0, sum [i = 1:words(list)] (found = word(list, i) eq item ? i : found, 0), found)
features = ""; leaves = ""; trees = ""; calls = ""; families = ""
stats csv using (features = added(features, strcol("features")), 0) nooutput
stats csv using (leaves = added(leaves, strcol("leaves")), 0) nooutput
stats csv using (trees = added(trees, strcol("trees")), 0) nooutput
stats csv using (calls = added(calls, strcol("call")), 0) nooutput
stats csv using (families = added(families, strcol("family")), 0) nooutput
features = sorted(features); leaves = sorted(leaves); trees = sorted(trees); calls = sorted(calls)

tile_height = 76
width = 90 + words(leaves) * (70 + 150 * words(calls))
width = width < 700 ? 700 : width # the title and the key need it
key_columns = int(width / 215.0)
key_rows = (words(families) + key_columns) / key_columns
height = 120 + 22 * key_rows + words(features) * (80 + tile_height * words(trees))
load plots."/terminal.gp"

set tics scale 0 nomirror
set border 0
set xrange [0.5:words(calls) + 0.5]
set yrange [0.5:words(trees) + 0.5]
set style fill solid 1 border linecolor rgb "#ffffff"
set xtics (""0)
set ytics (""0)
do for [i = 1:words(calls)] { set xtics add (word(calls, i) i) }
do for [i = 1:words(trees)] { set ytics add (word(trees, i) i) }

here(f, l) = strcol("features") eq f && strcol("leaves") eq l
x_of(f, l) = here(f, l) ? place(calls, strcol("call")) : NaN
y_of(f, l) = here(f, l) ? place(trees, strcol("trees")) : NaN
of_family(f, l, name) = strcol("family") eq name ? x_of(f, l) : NaN
factor(text) = text eq "" ? "" : sprintf(real(text) < 10 ? "%.2f×" : "%.0f×", real(text))
second(_) = strcol("second_ratio") eq "" ? "alone" : strcol("second").(strcol("tie") eq "1" ? " = " : " ").factor(strcol("second_ratio"))
library(_) = strcol("library") eq "" ? "" : strcol("library")." ".factor(strcol("library_ratio"))
# Times in ns, or in µs from 10,000 ns on.
digits(value) = sprintf(value < 99.95 ? "%.3g" : "%.0f", value)
time_of(text) = real(text) < 9999.5 ? digits(real(text))." ns" : digits(real(text) / 1000)." µs"
chosen(_) = strcol("auto") eq "" ? "auto: no time" : "auto ".factor(strcol("auto_ratio"))
tile(_) = strcol("winner")." ".time_of(strcol("ns_per_document"))."\n".second(0)."\n".library(0)."\n".chosen(0)

legend = "in each tile: the fastest and its time per document; then the next (= if they tie), the best\nlibrary, and auto, with their times divided by that of the fastest"
machine = strstrt(title, " | ") # on its own line
set multiplot title title[1:machine - 1]."\n".title[machine + 3:*]."\n".legend font ",12" noenhanced
do for [f in features] { do for [l in leaves] {
    r = place(features, f); c = place(leaves, l)
    set lmargin at screen (80.0 + (c - 1) * (70 + 150 * words(calls))) / width
    set rmargin at screen (80.0 + (c - 1) * (70 + 150 * words(calls)) + 150 * words(calls)) / width
    set tmargin at screen 1 - (104.0 + (r - 1) * (80 + tile_height * words(trees))) / height
    set bmargin at screen 1 - (104.0 + (r - 1) * (80 + tile_height * words(trees)) + tile_height * words(trees)) / height
    set title f." features, ".l." leaves" offset 0, -0.6
    set ylabel (c == 1 ? "trees" : "")
    set xlabel (r == words(features) ? "documents per call" : "")
    if (r == 1 && c == 1) {
        set key at screen 0.5, 12.0 / height center bottom vertical maxrows key_rows Left reverse noenhanced samplen 2 width 1 font ",11"
    } else { unset key }
    plot for [i = 1:words(families)] csv \
             using (of_family(f, l, word(families, i))):(y_of(f, l)):(0.5):(0.5) \
             with boxxyerror fillcolor rgb tints[(i - 1) % 10 + 1] notitle, \
         csv using (strcol("lost") eq "1" ? x_of(f, l) : NaN):(y_of(f, l)):(0.46):(0.46) \
             with boxxyerror fillstyle empty linecolor rgb "#c00000" linewidth 3 notitle, \
         csv using (x_of(f, l)):(y_of(f, l)):(tile(0)) with labels noenhanced font ",10" offset 0, 1.1 notitle, \
         for [i = 1:words(families)] keyentry with boxes fillcolor rgb tints[(i - 1) % 10 + 1] title "family: ".word(families, i), \
         keyentry with lines linecolor rgb "#c00000" linewidth 3 title "frame: a library wins or ties"
} }
unset multiplot
