# Definitions that the figures share. The other scripts load this file. They run as
#   gnuplot -d -c bars.gp NAME.csv NAME.svg svg TITLE plots CAPTION
# Everything that is drawn comes from the CSV, except the title and the caption below the figure.

# Okabe and Ito's colours, which can be told apart with any colour vision.
array colours[8] = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#444444"]
# Markers and dashes too differ, for prints without colour. Ten or more series repeat colours, but not
# the pair of colour and dash.
array shapes[8] = [7, 5, 13, 11, 6, 4, 12, 10]
colour(b) = colours[(b - 1) % 8 + 1]
shape(b) = shapes[(b - 1) % 8 + 1]
dash(b) = (b - 1) % 5 + 1

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
unit_of(p) = (unit = of(units, word(panels, p)), unit[1:3] eq "us " ? "µs".unit[3:*] : unit)
ylabel(p) = unit_of(p).(is_log(p) ? " (log)" : "")
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
# times the largest value is cut there, and a triangle marks the cut. If the values span decades, the
# axis is logarithmic and starts below the least of them. A panel without numbers is marked too,
# because gnuplot fails if it cannot find the range of an axis.
array ends[n_panels]
array floors[n_panels] # 0: a linear axis
any_cut = 0; any_paper = 0
has(column_name) = strcol(column_name) ne ""
larger(column_name, most) = has(column_name) && column(column_name) > most ? column(column_name) : most
smaller(column_name, least) = has(column_name) && (least == 0 || column(column_name) < least) ? column(column_name) : least
spans_decades(least, most) = least > 0 && most >= 50 * least
do for [k = 1:n_panels] {
    p = word(panels, k)
    most = 0; high = 0; least = 0; paper = 0
    stats csv using (most = in(p) ? larger("value", most) : most, 0) nooutput
    stats csv using (high = in(p) ? larger("high", high) : high, 0) nooutput
    stats csv using (least = in(p) ? smaller("value", least) : least, 0) nooutput
    if (most > 0) {
        stats csv using (paper = in(p) ? larger("paper", paper) : paper, 0) nooutput
        stats csv using (least = in(p) ? smaller("paper", least) : least, 0) nooutput
    }
    if (paper > 0) { any_paper = 1 }
    most = paper > most ? paper : most
    floors[k] = spans_decades(least, most) ? least / 1.5 : 0
    limit = floors[k] > 0 ? 2 * most : 1.3 * most
    ends[k] = high > limit ? limit : high > most ? high : most
    # The low end of an interval may be cut on a logarithmic axis only.
    low = 0
    if (floors[k] > 0) { stats csv using (low = in(p) && has("low") && column("low") < floors[k] ? 1 : low, 0) nooutput }
    if (high > limit || low) { any_cut = 1 }
}
is_empty(k) = ends[k] == 0
is_log(k) = floors[k] > 0
bottom_of(k) = is_log(k) ? floors[k] / 1.1 : 0
top_of(k) = is_empty(k) ? 1 : (is_log(k) ? 1.15 : 1.04) * ends[k]
cut(k) = has("high") && column("high") > ends[k]
cut_below(k) = has("low") && is_log(k) && column("low") < floors[k]
low_end(k) = cut_below(k) ? floors[k] : column("low")
length_of(k) = (cut(k) ? ends[k] : column("high")) - low_end(k)
# The paper's own numbers are crosses.
papers(k) = has("paper") && !is_empty(k) ? column("paper") : NaN
papers_mark = "pointtype 2 pointsize 1.4 linewidth 2.5"
papers_words = axis eq "percentile" ? "published; other machine and trees" : "the paper's number"
papers_title = any_paper ? papers_words : ""
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

# Figures of one or two panels are as wide as the title, the legend and the caption need.
width = 130 + 330 * n_columns + (mixed ? 40 * (n_columns - 1) : 0)
width = width < 800 ? 800 : width
panel_width = (width - 115.0 - spacing * (n_columns - 1)) / n_columns
# The key takes as many rows as its texts need. Its columns are as wide as the longest text.
longest = strlen(papers_title); n_keys = any_paper
if (labelled) {
    do for [s in series] { longest = strlen(label(s)) > longest ? strlen(label(s)) : longest }
    n_keys = n_keys + words(series)
} else {
    longest = 18; distinct = ""
    stats csv using (distinct = added(distinct, strcol("x")), 0) nooutput
    n_keys = n_keys + words(distinct) + 1
}
columns = int(width / (95.0 + 8.5 * longest))
columns = columns < 1 ? 1 : columns
key_rows = (n_keys + columns - 1) / columns
more = 22 * (key_rows - 1) + 14
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
draw_key = 'set key at screen 0.5, 40.0 / height center bottom vertical maxrows key_rows Left reverse noenhanced samplen 3 width 1'
# A title that is too long for the figure is written smaller.
title_size = int(14 * (width - 40.0) / (8.2 * strlen(title)))
title_font = sprintf(",%d", title_size > 14 ? 14 : title_size < 8 ? 8 : title_size)
layout_of_panels = 'layout n_rows, n_columns title title font title_font noenhanced margins 95.0 / width, 1 - 20.0 / width, bottom, top spacing spacing / width, between / height'
any_interval = 0
stats csv using (any_interval = has("low") ? 1 : any_interval, 0) nooutput
if (!exists("whiskers")) { whiskers = any_interval ? "lines with ends: 95 % intervals" : "one trial: no 95 % intervals" }
caption = about."\n".whiskers.(any_cut ? "; a triangle marks an interval that is cut" : "")
set label 2 caption at screen 0.5, screen 25.0 / height center noenhanced font ",10" textcolor rgb "#666666"
