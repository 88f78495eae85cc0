/* The parts that a report is put together from. Private to the reports. */
#ifndef HARNESS_REPORT_PARTS_H
#define HARNESS_REPORT_PARTS_H

#include "harness/compare.h"
#include "harness/report.h"

#include <stdio.h>

/* --- report_shape.c: what came out at a point ----------------------------------------------------
 */

/* Means over the rows at a point. */
struct report_shape {
    double mean_tree_depth, trees, documents, features;
    size_t n_rows; /* 0: the means are NaN */
};
struct report_shape report_shape_at(const struct rows *rows, const struct point *point);

/* The note of the first of a point's rows that has one, else "". */
const char *report_note_at(const struct rows *rows, const struct point *point);

/* At scale smoke the paragraph REPORT_SMOKE. */
void report_write_caution(FILE *stream, const char *scale);

/* A paragraph for each note that rows of the panel have. */
void report_write_notes(FILE *stream, const struct rows *rows, const struct panel *panel);

/* A time in ns per document as the panel shows it, and in which unit: "ns per document" for one
 * tree, "us per document" for ensembles, "documents per second" for throughput. */
struct estimate report_shown(const struct panel *panel, struct estimate time);
const char *report_unit(const struct panel *panel);
int report_digits(const struct panel *panel); /* behind the point, for tables */

/* --- report_reference.c: the papers' numbers, results/reference/NAME.csv ---------------------- */

struct reference; /* a CSV file of plain fields with a header line */

enum status reference_read(const char *path, struct reference **reference, struct error *error);
void reference_free(struct reference *reference);

/* The text in `column` of the line of the point; NULL: none. Lines are told apart by those of the
 * columns features, depth, data, max_leaves, trees, threads and parallel that there are; a number
 * of 0 in the point stands for any. */
const char *reference_find(const struct reference *reference, const struct point *point,
                           const char *column);

/* --- report_table.c --------------------------------------------------------------------------- */

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error);

/* Markdown: one table per panel. `reference_folder` is where the file is that the
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
