/* The report of a run as one HTML file that needs no network. The file contains the facts as JSON,
 * and a script that shows them. The page's template, style and script are the files of html/. */
#ifndef HARNESS_HTML_HTML_REPORT_H
#define HARNESS_HTML_HTML_REPORT_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"
#include "harness/papers/not_reproduced.h"
#include "harness/rows/row_index.h"

struct html_report;

/* What follows does nothing if `report` is NULL. If memory runs out, html_report_write fails. */

/* Starts the report of the run in `directory`. The directory's name and the index must stay as they
 * are until html_report_free. */
enum status html_report_begin(const char *directory, const struct row_index *index,
                              struct html_report **report, struct error *error);

/* Add a warning about the whole run, and the name of an artefact that the run did not measure. */
void html_report_warn(struct html_report *report, const char *text);
void html_report_add_absent(struct html_report *report, const char *name);

/* Adds what of the run's papers is not reproduced. Call it at most once. */
void html_report_add_not_reproduced(struct html_report *report,
                                    const struct not_reproduced_list *list);

/* Compares the run with another one, whose index is `other`. Call it at most once. */
void html_report_compare(struct html_report *report, const char *directory,
                         const struct row_index *other);

/* Adds the map in `directory`, which has a map.csv. `rows` are its rows. */
enum status html_report_add_map(struct html_report *report, const char *directory,
                                const struct rows *rows, struct error *error);

/* Adds the other run's verdicts to the claims of the artefact that was added last. */
void html_report_add_others(struct html_report *report, const struct claim_result *judged,
                            size_t count);

/* Adds an artefact and its judged claims. Reads NAME.csv and NAME.md, which must be in the run's
 * folder already. `reference` is the folder with the papers' numbers. */
enum status html_report_add(struct html_report *report, const struct artefact *artefact,
                            const struct claim_result *judged, size_t count, const char *reference,
                            struct error *error);

/* Writes the page. */
enum status html_report_write(const struct html_report *report, const char *path,
                              struct error *error);
void html_report_free(struct html_report *report); /* NULL is allowed */

/* Checks, before anything is done, that the page can be written to `path`: its folder exists, and
 * the file does not, or is a page of HTML. Other files may be a run's measurements. */
enum status html_report_check_path(const char *path, struct error *error);

#endif
