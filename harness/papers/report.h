/* Writes the report of an artefact from stored rows: tables, plot data, figures and claims. */
#ifndef HARNESS_PAPERS_REPORT_H
#define HARNESS_PAPERS_REPORT_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claims.h"
#include "harness/rows/row_index.h"

/* Folders in the source tree or in the installation. */
struct report_paths {
    const char *plots, *reference; /* "plots", "results/reference" */
};

/* Fails if a figure or table of the artefact cannot be made. */
enum status report_check(const char *name, const struct artefact *artefact, struct error *error);

/* The first line of every report at scale smoke. */
#define REPORT_SMOKE                                                                               \
    "Scale smoke has too few rounds, trials and trees to judge. The verdicts are not findings."

/* Writes four files into the run's folder. NAME.csv has the plotted numbers. NAME.svg and NAME.png
 * are drawn by gnuplot. NAME.md has the figure, the tables with the paper's numbers, and the
 * claims. If gnuplot or one of its terminals is missing, the picture is left out, and *warning
 * tells the user what to do. */
enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const struct row_index *index, const struct report_paths *paths,
                            char *warning, size_t warning_size, struct error *error);

#endif
