/* Reports the quality of trained models: tables and claims of artefacts with "measure":
 * "quality". */
#ifndef HARNESS_PAPERS_QUALITY_REPORT_H
#define HARNESS_PAPERS_QUALITY_REPORT_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claims.h"
#include "harness/quality/quality_store.h"

/* Fails if a table of the artefact cannot be made or if a claim cannot be judged. */
enum status quality_check(const char *name, const struct artefact *artefact, struct error *error);

/* Like quality_check, but checks only the claims. */
enum status quality_check_claims(const char *name, const struct artefact *artefact,
                                 struct error *error);

/* Judges all claims of the artefact. The caller frees *judged. */
enum status quality_judge(const struct artefact *artefact, const struct quality_list *qualities,
                          struct claim_result **judged, size_t *count, struct error *error);

/* Writes two files into the run's folder: NAME.csv with the results, and NAME.md with the results
 * beside the paper's numbers, and with the claims. `reference` is the folder with the papers'
 * numbers. */
enum status quality_report(const char *directory, const struct artefact *artefact,
                           const struct quality_list *qualities, const char *reference,
                           struct error *error);

#endif
