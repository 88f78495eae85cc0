# Time over a number in the variants, such as v, with 95 % intervals: one plot per panel, one line per
# x, for asadi2014's Fig. 3. A variant without this number is a level line.
csv = ARG1; out = ARG2; name = ARG3; title = ARG4; plots = ARG5; about = ARG6
labelled = 0 # the key shows values of x
load plots."/common.gp"

over = ""; numbers = ""; level = ""
stats csv using (over = strcol("over"), 0) nooutput
stats csv using (numbers = strcol("v") eq "" ? numbers : added(numbers, strcol("v")), 0) nooutput
stats csv using (level = strcol("v") eq "" ? strcol("label") : level, 0) nooutput
set xlabel (over eq "" ? "v, documents per step" : over)

symbol = axis eq "depth" ? "d" : axis eq "max_leaves" ? "max leaves" : axis_label
here(p, x) = in(p) && strcol("x") eq x
# Values of other panels must not stretch the axis of this one.
only(p, x, column_name) = here(p, x) ? column(column_name) : NaN
x(_) = strcol("v") eq "" ? NaN : place_on_x(real(strcol("v")))
on_level(p, x) = here(p, x) && strcol("v") eq "" ? column("value") : NaN
tick_text(x) = x
tick_length(x) = strlen(x)
ticks = numbers eq "" ? " 1" : numbers

set multiplot @layout_of_panels
do for [k = 1:n_panels] {
    p = word(panels, k)
    list_of_xs = xs_of(p)
    load plots."/ticks.gp"
    load plots."/panel.gp"
    plot for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv \
             using (x(0)):(here(p, xi) ? low_end(k) : NaN):(0):(length_of(k)) \
             with vectors heads size graph 0.008,90 linecolor rgb colour(b) notitle, \
         for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv \
             using (x(0)):(here(p, xi) && cut(k) ? ends[k] : NaN) \
             with points pointtype 9 pointsize 1.3 linecolor rgb colour(b) notitle, \
         for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv \
             using (x(0)):(here(p, xi) && cut_below(k) ? floors[k] : NaN) \
             with points pointtype 11 pointsize 1.3 linecolor rgb colour(b) notitle, \
         for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv \
             using (first):(on_level(p, xi)):(span):(0) \
             with vectors nohead linewidth 1.5 dashtype 3 linecolor rgb colour(b) notitle, \
         for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv using (x(0)):(only(p, xi, "value")) \
             with linespoints linewidth 2 dashtype dash(b) pointtype shape(b) pointsize 0.9 \
             linecolor rgb colour(b) title symbol." = ".xi, \
         for [b = 1:words(list_of_xs)] xi = word(list_of_xs, b) csv \
             using (x(0)):(here(p, xi) ? papers(k) : NaN) \
             with points @papers_mark linecolor rgb colour(b) notitle, \
         keyentry with lines linewidth 1.5 dashtype 3 linecolor rgb "#222222" title level, \
         keyentry with points @papers_mark linecolor rgb "#222222" title papers_title
}
unset multiplot
