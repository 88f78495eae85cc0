/* The parts of an artefact's report, each in its own file. */
#ifndef HARNESS_PAPERS_REPORT_PARTS_H
#define HARNESS_PAPERS_REPORT_PARTS_H

#include "harness/judge/claim_result.h"
#include "harness/judge/compare.h"
#include "harness/papers/report.h"

#include <stdio.h>

struct reference; /* the papers' numbers: report_reference.c */

/* A kind of table, which the key "table" of an artefact that is not timed names. */
struct table_kind {
    const char *name;
    const char *of; /* the scale's kind; NULL: any */
    void (*write)(const struct artefact_report *report);
    void (*write_csv)(const struct artefact_report *report);
};

/* A report that is being written. */
struct artefact_report {
    const struct artefact *artefact;
    const void *results; /* of the artefact's kind */
    const char *directory;
    const struct report_paths *paths;
    const struct table_kind *table; /* NULL if the artefact is timed */
    struct reference *reference;    /* the table's, or NULL */
    struct claim_result *claims;    /* judged */
    size_t n_claims;
    FILE *stream; /* of the file that is being written */
};

/* --- report_shape.c: what was measured at a point --------------------------------------------- */

/* Means over the rows at a point. */
struct report_shape {
    double mean_tree_depth, trees, documents, features;
    size_t n_rows; /* number of rows; if 0, the means are NaN */
};
struct report_shape report_shape_at(const struct row_index *index, const struct point *point);

/* Returns how many trials of the panel have rows. Without rows, returns how many were requested. */
uint32_t report_trials(const struct row_index *index, const struct panel *panel);

/* Returns the first note among the rows of a point, or "" if there is none. The rows own it. */
const char *report_note_at(const struct row_index *index, const struct point *point);

/* Writes REPORT_SMOKE as a paragraph if the scale is smoke. */
void report_write_caution(FILE *stream, const char *scale);

/* Writes a paragraph for each different note among the panel's rows. */
void report_write_notes(FILE *stream, const struct row_index *index, const struct panel *panel);

/* Converts a time in ns per document at a place to the unit that the panel shows: "ns per document"
 * for a single tree, "us per document" for ensembles, or what the key "show" asks for. */
struct estimate report_shown(const struct place *at, struct estimate time);
const char *report_unit(const struct panel *panel);
/* how many documents a call has */
const char *report_calls(const struct panel *panel);
/* number of digits after the decimal point in tables */
int report_digits(const struct panel *panel);

/* --- report_document.c: parts of reports of all kinds ----------------------------------------- */

/* Writes the head of a table that has a column for each depth of the panel. */
void report_write_depths(FILE *stream, const char *title, const struct panel *panel);

/* Writes the claims as a table, if there are any. `words` are paragraphs above it, or "". */
void report_write_claims(const struct artefact_report *report, const char *words);

/* --- report_reference.c: the papers' numbers, results/reference/NAME.csv ---------------------- */

/* A reference is a CSV file with a header line and without quoted fields. */
enum status reference_read(const char *path, struct reference **reference, struct error *error);
void reference_free(struct reference *reference);

/* Returns the text in `column` on the point's line, or NULL. The line is found by the columns
 * features, depth, data, max_leaves, trees, threads and parallel, of which the file may lack some.
 * A 0 in the point matches any number. */
const char *reference_find(const struct reference *reference, const struct point *point,
                           const char *column);

/* The same, but "-" if there is no text. The reference may be NULL. */
const char *reference_text(const struct reference *reference, const struct point *point,
                           const char *column);

/* --- report.c --------------------------------------------------------------------------------- */

/* Writes NAME.md of an artefact that is timed. */
enum status report_write_markdown(const struct artefact_report *report, struct error *error);

/* --- report_table.c --------------------------------------------------------------------------- */

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error);

/* Writes one Markdown table per panel, with the paper's numbers. */
enum status report_table(const struct artefact_report *report, struct error *error);

/* --- report_plot.c ---------------------------------------------------------------------------- */

enum status report_check_figure(const char *name, const struct artefact *artefact,
                                struct error *error);

/* The first line of NAME.csv of artefacts with a figure. */
#define REPORT_CSV_HEAD                                                                            \
    "panel,title,axis,x,series,variant,label,v,unit,value,low,high,trials,kind,trees,"             \
    "mean_tree_depth,features,documents,origin,note,over,paper\n"

/* Returns a member of the artefact's figure, or NULL. */
const cJSON *report_figure(const struct artefact *artefact, const char *key);

/* Writes NAME.csv with the numbers of the figure, and the paper's numbers. If the artefact has no
 * figure, writes the numbers of all variants. */
enum status report_write_csv(const struct artefact_report *report, struct error *error);

/* Draws NAME.svg and NAME.png from NAME.csv, with the machine and the scale as a caption. See
 * gnuplot_draw for the warning. */
enum status report_draw(const struct artefact_report *report, char *warning, size_t warning_size,
                        struct error *error);

/* --- report_speedups.c: figures of the kind "speedups" ---------------------------------------- */
bool report_has_speedups(const struct artefact *artefact);

/* Writes the lines of NAME.csv after its header. */
void report_speedups_write_csv(const struct artefact_report *report);

/* Writes the table of means below the figure. */
void report_speedups_write_table(const struct artefact_report *report);

#endif
