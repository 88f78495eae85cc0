# Time or throughput over x, with 95 % intervals: one plot per panel, one line per variant, for
# asadi2014's Figs. 4 and 5.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5
labelled = 1 # the key shows the labels of the variants
load plots."/common.gp"

set xlabel axis_label

here(p, s) = in(p) && strcol("series") eq s
# Values of other panels must not stretch the axis of this one.
only(p, s, column_name) = here(p, s) ? column(column_name) : NaN
# Points of a group are side by side, so that their intervals can be told apart.
x(p, b) = place(list_of_xs, strcol("x")) + (b - (words(series) + 1) / 2.0) * 0.03

set multiplot layout 1, n_panels title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, bottom, top spacing spacing / width
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set xrange [0.6:words(list_of_xs) + 0.4]
    set xtics ()
    set for [i = 1:words(list_of_xs)] xtics add (mark(word(list_of_xs, i), depth_at(p, word(list_of_xs, i))) i)
    set title subtitle(k)
    set ylabel new_ylabel(k)
    set format y format_of(k)
    if (k > 1) { unset key }
    plot for [b = 1:words(series)] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "value")):(only(p, s, "low")):(only(p, s, "high")) \
             with yerrorbars pointtype 7 pointsize 0.1 linecolor rgb colours[(b - 1) % 8 + 1] notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "value")) smooth unique \
             with linespoints linewidth 2 pointtype 7 pointsize 0.7 \
             linecolor rgb colours[(b - 1) % 8 + 1] title label(s)
}
unset multiplot
