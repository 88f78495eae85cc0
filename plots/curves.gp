# Time or throughput over x, with 95 % intervals: one plot per panel, one line per variant, for
# asadi2014's Figs. 4 and 5.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 1 # the key shows the labels of the variants
load plots."/common.gp"

set xlabel axis_label

here(p, s) = in(p) && strcol("series") eq s
# Values of other panels must not stretch the axis of this one.
only(p, s, column_name) = here(p, s) ? column(column_name) : NaN
# Points of a group are side by side, so that their intervals can be told apart.
x(b) = place_on_x(real(strcol("x"))) + (b - (words(series) + 1) / 2.0) * 0.008 * span
tick_text(x) = axis eq "percentile" ? sprintf("p%g", 100 - 100 / real(x)) : mark(x, depth_at(p, x))
tick_length(x) = axis eq "max_leaves" && strlen(x) < 5 ? 5 : strlen(x)
# Published latencies are of none of the series.
papers_colour(b) = axis eq "percentile" ? "#222222" : colour(b)

set multiplot @layout_of_panels
do for [k = 1:n_panels] {
    p = word(panels, k)
    ticks = xs_of(p)
    load plots."/ticks.gp"
    load plots."/panel.gp"
    plot for [b = 1:words(series)] s = word(series, b) csv \
             using (x(b)):(here(p, s) ? low_end(k) : NaN):(0):(length_of(k)) \
             with vectors heads size graph 0.008,90 linecolor rgb colour(b) notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(b)):(here(p, s) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb colour(b) notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(b)):(here(p, s) && cut_below(k) ? floors[k] : NaN) \
             with points pointtype 11 pointsize 1.3 linecolor rgb colour(b) notitle, \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(b)):(only(p, s, "value")) \
             with linespoints linewidth 2 dashtype dash(b) pointtype shape(b) pointsize 0.9 \
             linecolor rgb colour(b) title label(s), \
         for [b = 1:words(series)] s = word(series, b) csv \
             using (x(b)):(here(p, s) ? papers(k) : NaN) \
             with points @papers_mark linecolor rgb papers_colour(b) notitle, \
         keyentry with points @papers_mark linecolor rgb "#222222" title papers_title
}
unset multiplot
