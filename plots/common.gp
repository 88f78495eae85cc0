# Definitions that the figures share. The other scripts load this file. They run as
#   gnuplot -d -c bars.gp NAME.csv NAME.svg svg TITLE plots CAPTION
# Everything that is drawn comes from the CSV, except the title and the caption below the figure.

# Okabe and Ito's colours, which can be told apart with any colour vision.
array colours[8] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444"]

set datafile separator comma
# Values of other panels are NaN, which gnuplot skips.
set datafile missing NaN
set datafile columnheaders
set encoding utf8

# The distinct values of a column as words, in the order of the file; the texts of panels and series.
added(list, item) = strstrt(" ".list." ", " ".item." ") ? list : list." ".item
told(list, key, item) = strstrt(list, "\n".key."\t") ? list : list.key."\t".item."\n"
panels = ""; series = ""; labels = "\n"; titles = "\n"; units = "\n"; origins = "\n"; axis = ""
stats csv using (panels = added(panels, strcol("panel")), 0) nooutput
stats csv using (series = added(series, strcol("series")), 0) nooutput
stats csv using (labels = told(labels, strcol("series"), strcol("label")), 0) nooutput
stats csv using (titles = told(titles, strcol("panel"), strcol("title")), 0) nooutput
stats csv using (units = told(units, strcol("panel"), strcol("unit")), 0) nooutput
stats csv using (origins = told(origins, strcol("panel"), strcol("origin")), 0) nooutput
stats csv using (axis = strcol("axis"), 0) nooutput
from(text, start) = substr(text, start, strlen(text))
behind(list, key) = from(list, strstrt(list, "\n".key."\t") + strlen(key) + 2)
of(list, key) = !strstrt(list, "\n".key."\t") ? "" : \
    (rest = behind(list, key), substr(rest, 1, strstrt(rest, "\n") - 1))
label(s) = of(labels, s)

n_panels = words(panels)
place(list, item) = (found = 0, sum [i = 1:words(list)] (found = word(list, i) eq item ? i : found, 0), found)

# The values of x in a panel. Marks of max leaves also show the mean depth of the trees.
xs = ""; marks = "\n"
in(p) = strcol("panel") eq p
at(p, x) = p.":".x
mark(x, depth) = axis eq "max_leaves" && depth ne "" ? sprintf("%s\n(%.1f)", x, real(depth)) : x
stats csv using (xs = added(xs, at(strcol("panel"), strcol("x"))), 0) nooutput
stats csv using (marks = strstrt(marks, "\t".at(strcol("panel"), strcol("x"))."\t") ? marks : \
    marks."\t".at(strcol("panel"), strcol("x"))."\t".strcol("mean_tree_depth")."\n", 0) nooutput
depth_at(p, x) = (key = "\t".at(p, x)."\t", rest = from(marks, strstrt(marks, key) + strlen(key)), \
    substr(rest, 1, strstrt(rest, "\n") - 1))
xs_of(p) = (list = "", sum [i = 1:words(xs)] (word(xs, i)[1:strlen(p) + 1] eq p.":" \
    ? (list = list." ".from(word(xs, i), strlen(p) + 2), 0) : 0), list)
axis_label = axis eq "depth" ? "depth d of the tree" : axis eq "max_leaves" ? "max leaves (mean depth of the trees)" : axis
ylabel(p) = (unit = of(units, word(panels, p)), unit[1:3] eq "us " ? "µs".unit[3:*] : unit)
# Panels are in rows of at most four.
n_rows = (n_panels + 3) / 4
n_columns = (n_panels + n_rows - 1) / n_rows
# A label only if it differs from that of the panel to the left.
new_ylabel(p) = (p - 1) % n_columns > 0 && ylabel(p) eq ylabel(p - 1) ? "" : ylabel(p)
# A panel without real data or trained models states this above its numbers.
tagged(text, words) = words eq "" ? text : text."\n{/=11 ".words."}"
subtitle(p) = tagged(of(titles, word(panels, p)), of(origins, word(panels, p)))
format_of(p) = is_empty(p) ? "" : ylabel(p) eq "documents per second" ? "%.1s%c" : "%g"

# The y axis of a panel ends at its largest value or interval. An interval that is longer than 1.3
# times the largest value is cut there, and a triangle marks the cut. A panel without numbers is
# marked too, because gnuplot fails if it cannot find the range of an axis.
array ends[n_panels]
any_cut = 0
has(column_name) = strcol(column_name) ne ""
larger(column_name, most) = has(column_name) && column(column_name) > most ? column(column_name) : most
do for [k = 1:n_panels] {
    p = word(panels, k)
    most = 0; high = 0
    stats csv using (most = in(p) ? larger("value", most) : most, 0) nooutput
    stats csv using (high = in(p) ? larger("high", high) : high, 0) nooutput
    if (high > 1.3 * most) { any_cut = 1 }
    ends[k] = high > 1.3 * most ? 1.3 * most : high > most ? high : most
}
is_empty(k) = ends[k] == 0
top_of(k) = is_empty(k) ? 1 : 1.04 * ends[k]
cut(k) = has("high") && column("high") > ends[k]
length_of(k) = (cut(k) ? ends[k] : column("high")) - column("low")
# The legend stands in the first panel with numbers, because gnuplot leaves out lines without points.
keyed = 0
do for [k = n_panels:1:-1] { if (!is_empty(k)) { keyed = k } }
mark_empty = 'set label 1 "not measured" at graph 0.5, graph 0.5 center textcolor rgb "#666666"'

mixed = 0
do for [p = 2:n_panels] { if (ylabel(p) ne ylabel(p - 1)) { mixed = 1 } }
spacing = mixed ? 115.0 : 75.0
any_origin = 0
do for [p = 1:n_panels] { if (of(origins, word(panels, p)) ne "") { any_origin = 1 } }
top = any_origin ? 0.78 : 0.83
# Depths are written below the marks.
set xlabel offset 0, axis eq "max_leaves" ? -0.8 : 0

width = 130 + 330 * n_columns + (mixed ? 40 * (n_columns - 1) : 0)
# The key takes as many rows as its texts need. Its columns are as wide as the longest text.
longest = 0; key_rows = 1
if (labelled) {
    do for [s in series] { longest = strlen(label(s)) > longest ? strlen(label(s)) : longest }
    columns = int(width / (60.0 + 9 * longest))
    columns = columns < 1 ? 1 : columns
    key_rows = (words(series) + columns - 1) / columns
}
more = 22 * (key_rows - 1)
# The caption is below the key.
above = (1 - top) * 420.0
below = (axis eq "max_leaves" ? 142.0 : 130.0) + more
# Below the plots of a row, there are marks and a label; above those of the next row, there is a title.
between = (axis eq "max_leaves" ? 92.0 : 77.0) + (any_origin ? 50 : 32)
height = 440 + more + (n_rows - 1) * (440 + more - above - below + between)
top = 1 - above / height
bottom = below / height
load plots."/terminal.gp"

set tics nomirror out scale 0.6
set border 3 linecolor rgb "#666666"
set grid ytics linetype 1 linewidth 0.6 linecolor rgb "#dddddd"
draw_key = 'set key at screen 0.5, 26.0 / height center bottom vertical maxrows key_rows Left reverse noenhanced samplen 1.5 width 1'
caption = about.(any_cut ? (about eq "" ? "" : "; ")."a triangle marks an interval that is cut" : "")
if (caption ne "") { set label 2 caption at screen 0.5, screen 11.0 / height center noenhanced font ",10" textcolor rgb "#666666" }
