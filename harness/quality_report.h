/* Tables and claims about the quality of trained models, for artefacts with "measure": "quality".
 */
#ifndef HARNESS_QUALITY_REPORT_H
#define HARNESS_QUALITY_REPORT_H

#include "base/status.h"
#include "harness/artefact.h"
#include "harness/claims.h"
#include "harness/quality_store.h"

/* Refuses an artefact whose table could not be made or whose claims could not be judged. */
enum status quality_check(const char *name, const struct artefact *artefact, struct error *error);

/* The part of quality_check that is about claims. */
enum status quality_check_claims(const char *name, const struct artefact *artefact,
                                 struct error *error);

/* Judges every claim of the artefact; *judged is malloc'd. */
enum status quality_judge(const struct artefact *artefact, const struct quality_list *qualities,
                          struct judged **judged, size_t *count, struct error *error);

/* Writes NAME.csv and NAME.md into the run's folder: what was found, the paper's numbers beside it,
 * the claims. `reference` is the folder of the papers' numbers. */
enum status quality_report(const char *directory, const struct artefact *artefact,
                           const struct quality_list *qualities, const char *reference,
                           struct error *error);

#endif
