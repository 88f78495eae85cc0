# Time over v, with 95 % intervals: one plot per panel, one line per x, for asadi2014's Fig. 3.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 0 # the key shows values of x
load plots."/common.gp"

set logscale x 2
set xlabel "v, documents per step"
stats csv using "v" nooutput
set xrange [STATS_min / 1.3:STATS_max * 1.3]
set xtics STATS_min, 2

symbol = axis eq "depth" ? "d" : axis_label
here(p, x) = in(p) && strcol("x") eq x
# Values of other panels must not stretch the axis of this one.
only(p, x, column_name) = here(p, x) ? column(column_name) : NaN

set multiplot layout n_rows, n_columns title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, bottom, top spacing spacing / width, between / height
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set title subtitle(k)
    set ylabel new_ylabel(k)
    set format y format_of(k)
    set yrange [0:top_of(k)]
    if (is_empty(k)) { @mark_empty } else { unset label 1 }
    if (k == keyed) { @draw_key } else { unset key }
    if (k > 1) { unset label 2 }
    plot for [i = 1:words(list_of_xs)] xi = word(list_of_xs, i) csv \
             using "v":(only(p, xi, "low")):(0):(length_of(k)) \
             with vectors heads size graph 0.008,90 linecolor rgb colours[(i - 1) % 8 + 1] notitle, \
         for [i = 1:words(list_of_xs)] xi = word(list_of_xs, i) csv \
             using "v":(here(p, xi) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb colours[(i - 1) % 8 + 1] notitle, \
         for [i = 1:words(list_of_xs)] xi = word(list_of_xs, i) csv using "v":(only(p, xi, "value")) \
             with linespoints linewidth 2 pointtype 7 pointsize 0.7 \
             linecolor rgb colours[(i - 1) % 8 + 1] title symbol." = ".xi
}
unset multiplot
