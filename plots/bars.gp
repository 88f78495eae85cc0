# Grouped bars with 95 % intervals: one plot per panel, one group per x, as in asadi2014's Fig. 2.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 1 # the key shows the labels of the variants
load plots."/common.gp"

n_bars = words(series)
bar = 0.8 / n_bars
set xlabel axis_label

# Neighbours, and bars whose colour repeats, also differ in their filling: 3 is full, 4 and 1 hatched.
array fillings[3] = [3, 4, 1]
filling(b) = fillings[((b - 1) % 2 + (b - 1) / 8) % 3 + 1]
here(p, s) = in(p) && strcol("series") eq s
# Values of other panels must not stretch the axis of this one.
only(p, s, column_name) = here(p, s) ? column(column_name) : NaN
x(p, b) = place(list_of_xs, strcol("x")) + (b - (n_bars + 1) / 2.0) * bar

set multiplot @layout_of_panels
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    set xrange [0.4:words(list_of_xs) + 0.6]
    set xtics ()
    set for [i = 1:words(list_of_xs)] xtics add (mark(word(list_of_xs, i), depth_at(p, word(list_of_xs, i))) i)
    load plots."/panel.gp"
    plot for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(only(p, s, "value")):(0.92 * bar) \
             with boxes linecolor rgb colour(b) fillstyle pattern filling(b) border title label(s), \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) ? low_end(k) : NaN):(0):(length_of(k)) \
             with vectors heads size graph 0.006,90 linecolor rgb "#222222" notitle, \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb "#222222" notitle, \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) && cut_below(k) ? floors[k] : NaN) \
             with points pointtype 11 pointsize 1.3 linecolor rgb "#222222" notitle, \
         for [b = 1:n_bars] s = word(series, b) csv \
             using (x(p, b)):(here(p, s) ? papers(k) : NaN) \
             with points @papers_mark linecolor rgb "#222222" notitle, \
         keyentry with points @papers_mark linecolor rgb "#222222" title papers_title
}
unset multiplot
