# Writes the figure to `out` with the terminal `name`, `width` times `height` points large.
if (name eq "svg") {
    set terminal svg size width, height dynamic enhanced font "Helvetica,14" background "#ffffff"
} else { if (name eq "pngcairo") {
    set terminal pngcairo size 2 * width, 2 * height enhanced font "Sans,14" fontscale 1.6 linewidth 2 background "#ffffff"
} else {
    set terminal png size 2 * width, 2 * height enhanced font "Sans,22" linewidth 2
} }
set output out
