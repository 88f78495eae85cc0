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

/* Like artefact_read, but also fails if a claim cannot be judged, or if a table or figure cannot be
 * made. Call artefact_free on the result. */
enum status artefact_open(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);

/* The first line of reports at scale smoke. */
#define REPORT_SMOKE                                                                               \
    "Scale smoke has too few rounds, trials and trees to judge. The verdicts are not findings."

/* Writes NAME.csv with numbers and NAME.md with tables and claims into the run's folder. The tables
 * also have the paper's numbers. `results` are those of the artefact's kind. If the artefact has a
 * figure, gnuplot draws it as NAME.svg and NAME.png from NAME.csv. If gnuplot or one of its
 * terminals is missing, the picture is left out, and *warning tells the user what to do. Sets
 * *judged to the judged claims, which the caller frees, unless it is NULL. */
enum status report_artefact(const char *directory, const struct artefact *artefact,
                            const void *results, const struct report_paths *paths,
                            struct claim_result **judged, size_t *count, char *warning,
                            size_t warning_size, struct error *error);

/* --- two runs --------------------------------------------------------------------------------- */

/* A run whose verdicts are compared. */
struct compared_run {
    const char *directory;
    const struct rows *rows;
    const struct run_claims *claims;
};

/* Fails if the runs differ in scale, or have no artefact in common whose name begins with `only`.
 * Reads no claims. */
enum status report_check_comparable(const struct compared_run *run,
                                    const struct compared_run *other, const char *only,
                                    struct error *error);

/* How the verdicts of two runs on one claim agree. */
enum pair {
    PAIR_CONTRARY, /* one run holds the claim, the other does not */
    PAIR_OPEN,     /* they differ, and one is unresolved or not measured */
    PAIR_SAME,
    PAIR_KINDS
};
struct agreement {
    size_t pairs[PAIR_KINDS]; /* number of claims */
};

/* Writes Markdown: the two machines, the verdicts of the artefacts of both runs side by side, and
 * what each run measured if they differ. Times of two runs are never compared: the numbers are
 * those of each run's claims. */
struct agreement report_write_agreement(FILE *stream, const struct compared_run *run,
                                        const struct compared_run *other);

/* --- the paper's times ------------------------------------------------------------------------ */

/* A time that the paper gives for a point. */
struct papers_time {
    size_t panel, point;         /* indices into the scale's panels and the panel's points */
    const char *operand, *title; /* of the table's column */
    double value;                /* in the unit of report_shown */
};
struct papers_times {
    struct papers_time *list;
    size_t count, capacity;
};

/* Lists the paper's times in the reference files of the artefact's tables. The caller frees
 * times->list, even after an error. */
enum status report_papers_times(const struct artefact *artefact, const char *reference_folder,
                                struct papers_times *times, struct error *error);

#endif
