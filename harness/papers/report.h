/* Writes the report of an artefact from stored rows: tables, plotted numbers, figures and
 * claims. */
#ifndef HARNESS_PAPERS_REPORT_H
#define HARNESS_PAPERS_REPORT_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claims.h"
#include "harness/rows/row_index.h"

/* Folders with data files, in the source tree or where treebench is installed. */
struct report_paths {
    const char *plots, *reference; /* "plots", "results/reference" */
};

/* Fails if a figure or table of the artefact cannot be made. */
enum status report_check(const char *name, const struct artefact *artefact, struct error *error);

/* The first line of reports at scale smoke. */
#define REPORT_SMOKE                                                                               \
    "Scale smoke has too few rounds, trials and trees to judge. The verdicts are not findings."

/* Writes four files into the run's folder: NAME.csv with the plotted numbers, NAME.svg and NAME.png
 * drawn by gnuplot, and NAME.md with the figure, the tables and the claims. The tables also have
 * the paper's numbers. If gnuplot or one of its terminals is missing, the picture is left out, and
 * *warning tells the user what to do. */
enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const struct row_index *index, const struct report_paths *paths,
                            char *warning, size_t warning_size, struct error *error);

/* A time that the paper gives for a point. */
struct papers_time {
    size_t panel, point;         /* indices into the scale's panels and the panel's points */
    const char *operand, *title; /* of the table's column */
    double value;                /* in the unit of report_shown */
};
typedef void papers_time_function(void *context, const struct papers_time *time);

/* Finds the paper's times in the reference files of the artefact's tables. */
enum status report_papers_times(const struct artefact *artefact, const char *reference_folder,
                                papers_time_function *tell, void *context, struct error *error);

#endif
