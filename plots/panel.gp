# The settings of panel k that the kinds of figures share: its title, y axis, legend and caption.
set title subtitle(k)
set ylabel new_ylabel(k)
set format y format_of(k)
unset logscale y
set yrange [bottom_of(k):top_of(k)]
if (is_log(k)) { set logscale y }
if (is_empty(k)) { @mark_empty } else { unset label 1 }
if (k == keyed) { @draw_key } else { unset key }
if (k > 1) { unset label 2 }
