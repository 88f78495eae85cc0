# Grouped bars with 95 % intervals: one panel per number of features, one group per depth, as in
# asadi2014's Fig. 2.
load plots."/common.gp"

n_bars = words(variants)
bar = 0.8 / n_bars
set style fill solid 1.0 noborder
set xrange [0.4:words(depths) + 0.6]
set xlabel "depth d of the tree"
set for [i = 1:words(depths)] xtics (word(depths, i) i)

here(f, v) = strcol("features") eq f && strcol("variant") eq v
# What is not of this panel must not stretch its axis either.
only(f, v, column_name) = here(f, v) ? column(column_name) : NaN
x(b) = place(depths, strcol("depth")) + (b - (n_bars + 1) / 2.0) * bar

set multiplot layout 1, n_panels title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, 0.26, 0.83 spacing 75.0 / width
do for [p = 1:n_panels] {
    f = word(features, p)
    set title "f = ".f
    set ylabel p == 1 ? "ns per document" : ""
    if (p > 1) { unset key }
    plot for [b = 1:n_bars] v = word(variants, b) csv \
             using (x(b)):(only(f, v, "ns")):(0.92 * bar) \
             with boxes linecolor rgb colours[(b - 1) % 8 + 1] title label(v), \
         for [b = 1:n_bars] v = word(variants, b) csv \
             using (x(b)):(only(f, v, "low")):(0):(only(f, v, "high") - column("low")) \
             with vectors heads size graph 0.006,90 linecolor rgb "#222222" notitle
}
unset multiplot
