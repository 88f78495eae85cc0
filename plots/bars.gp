# Grouped bars with 95 % intervals: one plot per panel, one group per x, as in asadi2014's Fig. 2.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 1 # the key shows the labels of the variants
load plots."/common.gp"

n_bars = words(series)
bar = 0.8 / n_bars
set style fill solid 1.0 noborder
set xlabel axis_label

here(p, s) = in(p) && strcol("series") eq s
# Values of other panels must not stretch the axis of this one.
only(p, s, column_name) = here(p, s) ? column(column_name) : NaN
x(p, b) = place(list_of_xs, strcol("x")) + (b - (n_bars + 1) / 2.0) * bar

set multiplot layout n_rows, n_columns title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, bottom, top spacing spacing / width, between / height
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set xrange [0.4:words(list_of_xs) + 0.6]
    set xtics ()
    set for [i = 1:words(list_of_xs)] xtics add (mark(word(list_of_xs, i), depth_at(p, word(list_of_xs, i))) i)
    set title subtitle(k)
    set ylabel new_ylabel(k)
    set format y format_of(k)
    set yrange [0:top_of(k)]
    if (is_empty(k)) { @mark_empty } else { unset label 1 }
    if (k == keyed) { @draw_key } else { unset key }
    if (k > 1) { unset label 2 }
    plot for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "value")):(0.92 * bar) \
             with boxes linecolor rgb colours[(b - 1) % 8 + 1] title label(s), \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "low")):(0):(length_of(k)) \
             with vectors heads size graph 0.006,90 linecolor rgb "#222222" notitle, \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb "#222222" notitle
}
unset multiplot
