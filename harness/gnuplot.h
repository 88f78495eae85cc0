/* Figures by gnuplot, from a CSV and a script of plots/. */
#ifndef HARNESS_GNUPLOT_H
#define HARNESS_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

struct gnuplot_figure {
    const char *directory, *name; /* DIRECTORY/NAME.csv becomes DIRECTORY/NAME.svg and NAME.png */
    const char *title;
    const char *plots, *kind; /* the script is PLOTS/KIND.gp */
};

/* Without a shell, and quietly. False and a warning, which says what would help, when one of the
 * two is not there. */
bool gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size);

#endif
