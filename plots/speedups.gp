# How many times faster variants are than another one, over x: one plot per variant. A line for the
# mean over data sets and its standard deviation, one for the geometric mean and its 95 % interval,
# and a faint line for each data set, for buschjaeger2018's Fig. 2.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 1 # the key shows the labels of the series
whiskers = "lines with ends: standard deviation, or 95 % interval over data sets"
load plots."/common.gp"

set xlabel axis_label

# The data sets, by their numbers.
sets = ""
stats csv using (sets = strcol("v") eq "" ? sets : added(sets, strcol("v")), 0) nooutput
of_series(p, s, column_name) = in(p) && strcol("series") eq s ? column(column_name) : NaN
of_set(p, v, column_name) = in(p) && strcol("v") eq v ? column(column_name) : NaN
bar_length(p, s, k) = in(p) && strcol("series") eq s ? length_of(k) : NaN
x(s) = column("x") + 0.15 * (s - 1.5)

set multiplot @layout_of_panels
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set xrange [0:real(word(list_of_xs, words(list_of_xs))) + 1]
    set xtics ()
    do for [xi in list_of_xs] { set xtics add (xi real(xi)) }
    load plots."/panel.gp"
    plot for [i = 1:words(sets)] csv using (column("x")):(of_set(p, word(sets, i), "value")) \
             with lines linewidth 1 linecolor rgb "#bbbbbb" title (i == 1 ? label("3") : ""), \
         1 with lines linewidth 1 dashtype 2 linecolor rgb "#666666" notitle, \
         for [s = 1:2] csv using (x(s)):(in(p) && strcol("series") eq sprintf("%d", s) ? low_end(k) : NaN):(0):\
             (bar_length(p, sprintf("%d", s), k)) \
             with vectors heads size graph 0.008,90 linecolor rgb colour(s) notitle, \
         for [s = 1:2] csv \
             using (x(s)):(in(p) && strcol("series") eq sprintf("%d", s) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb colour(s) notitle, \
         for [s = 1:2] csv using (x(s)):(of_series(p, sprintf("%d", s), "value")) \
             with linespoints linewidth 2 dashtype dash(s) pointtype shape(s) pointsize 0.9 linecolor rgb colour(s) \
             title label(sprintf("%d", s))
}
unset multiplot
