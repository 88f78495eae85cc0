# Time or throughput over x, with 95 % intervals: one plot per panel, one line per variant, for
# asadi2014's Figs. 4 and 5.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 1 # the key shows the labels of the variants
load plots."/common.gp"

set xlabel axis_label

here(p, s) = in(p) && strcol("series") eq s
# Values of other panels must not stretch the axis of this one.
only(p, s, column_name) = here(p, s) ? column(column_name) : NaN
# The axis is linear, so that a cost that is proportional to x is a straight line. Points of a group
# are side by side, so that their intervals can be told apart.
first(list) = real(word(list, 1))
last(list) = real(word(list, words(list)))
span(list) = last(list) > first(list) ? last(list) - first(list) : 1.0
x(p, b) = real(strcol("x")) + (b - (words(series) + 1) / 2.0) * 0.008 * span(list_of_xs)
# The width of a mark in units of the axis: characters of about 8 points on 300 points.
mark_width(p, x) = (9 + 8 * (axis eq "max_leaves" && strlen(x) < 5 ? 5 : strlen(x))) * span(xs_of(p)) / 300.0

set multiplot layout n_rows, n_columns title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, bottom, top spacing spacing / width, between / height
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set xrange [first(list_of_xs) - 0.08 * span(list_of_xs):last(list_of_xs) + 0.08 * span(list_of_xs)]
    set xtics ()
    # A mark that would overlap the one before it has no text.
    free = first(list_of_xs) - span(list_of_xs)
    do for [i = 1:words(list_of_xs)] {
        xi = word(list_of_xs, i)
        half = mark_width(p, xi) / 2
        text = real(xi) - half < free ? "" : mark(xi, depth_at(p, xi))
        if (text ne "") { free = real(xi) + half }
        set xtics add (text real(xi))
    }
    set title subtitle(k)
    set ylabel new_ylabel(k)
    set format y format_of(k)
    set yrange [0:top_of(k)]
    if (is_empty(k)) { @mark_empty } else { unset label 1 }
    if (k == keyed) { @draw_key } else { unset key }
    if (k > 1) { unset label 2 }
    plot for [b = 1:words(series)] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "low")):(0):(length_of(k)) \
             with vectors heads size graph 0.008,90 linecolor rgb colours[(b - 1) % 8 + 1] notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb colours[(b - 1) % 8 + 1] notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "value")) \
             with linespoints linewidth 2 pointtype 7 pointsize 0.7 \
             linecolor rgb colours[(b - 1) % 8 + 1] title label(s)
}
unset multiplot
