/* The parts of a report. */
#ifndef HARNESS_PAPERS_REPORT_PARTS_H
#define HARNESS_PAPERS_REPORT_PARTS_H

#include "harness/judge/compare.h"
#include "harness/papers/report.h"

#include <stdio.h>

/* --- report_shape.c: what was measured at a point --------------------------------------------- */

/* Means over the rows at a point. */
struct report_shape {
    double mean_tree_depth, trees, documents, features;
    size_t n_rows; /* if 0, the means are NaN */
};
struct report_shape report_shape_at(const struct row_index *index, const struct point *point);

/* Returns how many trials of the panel were measured, or the requested number if there are no rows.
 */
uint32_t report_trials(const struct row_index *index, const struct panel *panel);

/* Returns the first note among the rows of a point; "" if no row has a note. Owned by the rows. */
const char *report_note_at(const struct row_index *index, const struct point *point);

/* At scale smoke, writes the paragraph REPORT_SMOKE. */
void report_write_caution(FILE *stream, const char *scale);

/* Writes one paragraph per note in the panel's rows. */
void report_write_notes(FILE *stream, const struct row_index *index, const struct panel *panel);

/* Converts a time in ns per document to the panel's unit: "ns per document" for one tree, "us per
 * document" for ensembles, "documents per second" for throughput. */
struct estimate report_shown(const struct panel *panel, struct estimate time);
const char *report_unit(const struct panel *panel);
int report_digits(const struct panel *panel); /* digits after the decimal point in tables */

/* --- report_reference.c: the papers' numbers, results/reference/NAME.csv ---------------------- */

struct reference; /* a CSV file of plain fields with a header line */

enum status reference_read(const char *path, struct reference **reference, struct error *error);
void reference_free(struct reference *reference);

/* Returns the text in `column` on the point's line, or NULL if there is none. A line is identified
 * by the columns features, depth, data, max_leaves, trees, threads and parallel. Columns that the
 * file lacks are ignored. A 0 in the point matches any number. */
const char *reference_find(const struct reference *reference, const struct point *point,
                           const char *column);

/* --- report_table.c --------------------------------------------------------------------------- */

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error);

/* Writes Markdown with one table per panel. `reference_folder` contains the reference file that the
 * artefact's table names. */
enum status report_table(FILE *stream, const struct artefact *artefact,
                         const struct row_index *index, const char *reference_folder,
                         struct error *error);

/* --- report_plot.c ---------------------------------------------------------------------------- */

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error);

/* Writes NAME.csv with the plotted numbers. If the artefact has no figure, writes the numbers of
 * every variant. */
enum status report_write_csv(const char *directory, const struct artefact *artefact,
                             const struct row_index *index, struct error *error);

/* Draws NAME.svg and NAME.png from NAME.csv. See gnuplot_draw for the warning. */
enum status report_draw(const char *directory, const struct artefact *artefact, const char *plots,
                        char *warning, size_t warning_size, struct error *error);

#endif
