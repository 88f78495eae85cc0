/* The parts of the page's facts. Every function returns an object that the caller deletes. If
 * memory runs out, errno becomes ENOMEM and the object may be incomplete (json_if_whole). */
#ifndef HARNESS_HTML_HTML_PARTS_H
#define HARNESS_HTML_HTML_PARTS_H

#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"
#include "harness/rows/row_index.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* A number with six significant digits, or null if it is not finite. */
cJSON *html_number(double value);

/* --- facts.c ---------------------------------------------------------------------------------- */

cJSON *html_claims(const struct claim_result *judged, size_t count);

/* Lists in how far what was measured is not real: "synthetic", "stand-in", "sample",
 * "grown", "resampled". The list is empty if model and documents are real. For a panel, and for all
 * rows of a run. */
cJSON *html_origins(const struct row_index *index, const struct panel *panel);
cJSON *html_run_origins(const struct rows *rows);

/* All rows: {"columns": [...], "lines": [[...], ...]}. Long lists of samples are left out. */
cJSON *html_rows(const struct rows *rows);

/* The time of each variant at each point, over all trials, as in compare_time. */
cJSON *html_speeds(const struct row_index *index);

/* The titles and sources of the implementations among the rows. */
cJSON *html_implementations(const struct rows *rows);

/* Compares the times of two runs: {"changes": [...], "missing", "unlike"}. `missing` counts the
 * variants at points that the other run lacks, and `unlike` those that scored another number of
 * documents there. */
cJSON *html_changes(const struct row_index *index, const struct row_index *other);

/* --- page.c ----------------------------------------------------------------------------------- */

/* Writes the page around the facts, which are one JSON text. */
void html_page_write(FILE *stream, const char *facts);

#endif
