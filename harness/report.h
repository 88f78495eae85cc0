/* Tables, plot data, figures and the report of an artefact, from stored rows. */
#ifndef HARNESS_REPORT_H
#define HARNESS_REPORT_H

#include "base/status.h"
#include "harness/artefact.h"
#include "harness/claims.h"
#include "harness/store.h"

/* Where things are: folders of the source tree or of the installation. */
struct report_paths {
    const char *plots, *reference; /* "plots", "results/reference" */
};

/* Refuses an artefact whose figure or table could not be made. */
enum status report_check(const char *name, const struct artefact *artefact, struct error *error);

/* What every report at scale smoke begins with. */
#define REPORT_SMOKE                                                                               \
    "smoke: too few rounds, trials and trees to judge; verdicts below are not findings"

/* Writes into the run's folder: NAME.csv (what is plotted), NAME.svg and NAME.png (gnuplot; when
 * it or a terminal is missing the figure is left out and *warning says what would help), NAME.md
 * (the figure, the table with the paper's numbers beside ours, the claims). */
enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const struct rows *rows, const struct report_paths *paths,
                            char *warning, size_t warning_size, struct error *error);

#endif
