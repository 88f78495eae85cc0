/* The parts that a report is put together from. Private to the reports. */
#ifndef HARNESS_REPORT_PARTS_H
#define HARNESS_REPORT_PARTS_H

#include "harness/compare.h"
#include "harness/report.h"

#include <stdio.h>

/* --- report_reference.c: the papers' numbers, results/reference/NAME.csv ---------------------- */

struct reference; /* a CSV file of plain fields with a header line */

enum status reference_read(const char *path, struct reference **reference, struct error *error);
void reference_free(struct reference *reference);

/* The text in `column` of the line whose "features" and "depth" are the point's; NULL: none. A
 * depth of 0 stands for any. */
const char *reference_find(const struct reference *reference, struct point point,
                           const char *column);

/* --- report_table.c --------------------------------------------------------------------------- */

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error);

/* Markdown: one table per number of features. `reference_folder` is where the file is that the
 * artefact's table names. */
enum status report_table(FILE *stream, const struct artefact *artefact, const struct rows *rows,
                         const char *reference_folder, struct error *error);

/* --- report_plot.c ---------------------------------------------------------------------------- */

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error);

/* NAME.csv: what is plotted; without a figure, every variant. */
enum status report_write_csv(const char *directory, const struct artefact *artefact,
                             const struct rows *rows, struct error *error);

/* Draws NAME.svg and NAME.png from NAME.csv; false and a warning when one of them is not there. */
bool report_draw(const char *directory, const struct artefact *artefact, const char *plots,
                 char *warning, size_t warning_size);

#endif
