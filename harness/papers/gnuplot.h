/* Draws figures with gnuplot, from a CSV file and a script in plots/. */
#ifndef HARNESS_PAPERS_GNUPLOT_H
#define HARNESS_PAPERS_GNUPLOT_H

#include "base/status.h"

#include <stddef.h>

struct gnuplot_figure {
    /* DIRECTORY/NAME.csv is drawn as DIRECTORY/NAME.svg and NAME.png */
    const char *directory, *name;
    const char *title;
    const char *caption;      /* a line below the figure; NULL if none */
    const char *plots, *kind; /* the script is PLOTS/KIND.gp */
};

/* Draws a figure. Runs gnuplot without a shell. If a picture cannot be drawn, *warning tells the
 * user why, or what to install; otherwise it is empty. Fails only if this process runs out of
 * memory (STATUS_MEMORY). */
enum status gnuplot_draw(const struct gnuplot_figure *figure, char *warning, size_t warning_size,
                         struct error *error);

#endif
