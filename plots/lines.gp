# Time over v, with 95 % intervals: one panel per number of features, one line per depth, for
# asadi2014's Fig. 3.
load plots."/common.gp"

set logscale x 2
set xlabel "v, documents per step"
stats csv using "v" nooutput
set xrange [STATS_min / 1.3:STATS_max * 1.3]
set xtics STATS_min, 2

here(f, d) = strcol("features") eq f && strcol("depth") eq d
# What is not of this panel must not stretch its axis either.
only(f, d, column_name) = here(f, d) ? column(column_name) : NaN

set multiplot layout 1, n_panels title title noenhanced \
    margins 95.0 / width, 1 - 20.0 / width, 0.26, 0.83 spacing 75.0 / width
do for [p = 1:n_panels] {
    f = word(features, p)
    set title "f = ".f
    set ylabel p == 1 ? "ns per document" : ""
    if (p > 1) { unset key }
    plot for [i = 1:words(depths)] d = word(depths, i) csv \
             using "v":(only(f, d, "low")):(0):(only(f, d, "high") - column("low")) \
             with vectors heads size graph 0.008,90 linecolor rgb colours[(i - 1) % 8 + 1] notitle, \
         for [i = 1:words(depths)] d = word(depths, i) csv using "v":(only(f, d, "ns")) \
             with linespoints linewidth 2 pointtype 7 pointsize 0.7 \
             linecolor rgb colours[(i - 1) % 8 + 1] title "d = ".d
}
unset multiplot
