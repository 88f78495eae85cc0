/* Draws figures with gnuplot from a CSV file and a script of plots/. */
#ifndef HARNESS_PAPERS_GNUPLOT_H
#define HARNESS_PAPERS_GNUPLOT_H

#include "base/status.h"

#include <stddef.h>

struct gnuplot_figure {
    const char *directory, *name; /* DIRECTORY/NAME.csv becomes DIRECTORY/NAME.svg and NAME.png */
    const char *title;
    const char *plots, *kind; /* the script is PLOTS/KIND.gp */
};

/* Runs gnuplot without a shell and discards what it prints. If a picture cannot be drawn, *warning
 * tells the user what to do. Otherwise *warning is empty. Returns STATUS_MEMORY if this process
 * runs out of memory. */
enum status gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size,
                         struct error *error);

#endif
