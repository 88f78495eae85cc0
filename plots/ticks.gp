# Places `ticks`, a list of numbers in ascending order, on the x axis of panel k. The axis is
# logarithmic if they span decades, and linear otherwise, so that a cost that is proportional to x
# is a straight line. tick_text(x) is the text of a mark, tick_length(x) its characters.
log_x = spans_decades(real(word(ticks, 1)), real(word(ticks, words(ticks))))
place_on_x(value) = log_x ? log10(value) : value
first = place_on_x(real(word(ticks, 1)))
span = place_on_x(real(word(ticks, words(ticks)))) - first
span = span > 0 ? span : 1.0
set xrange [first - 0.08 * span:first + (words(ticks) > 1 ? 1.08 : 0.08) * span]
set xtics ()
# A mark that would overlap the one before it has no text. Characters are about 8 of a panel's points.
free = first - span
do for [i = 1:words(ticks)] {
    tick = word(ticks, i)
    half = (9 + 8 * tick_length(tick)) * span / panel_width / 2
    text = place_on_x(real(tick)) - half < free ? "" : tick_text(tick)
    if (text ne "") { free = place_on_x(real(tick)) + half }
    set xtics add (text place_on_x(real(tick)))
}
