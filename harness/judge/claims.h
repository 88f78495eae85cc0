/* Judges a paper's claims from the results of a run and the artefact's JSON. */
#ifndef HARNESS_JUDGE_CLAIMS_H
#define HARNESS_JUDGE_CLAIMS_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"

/* Fails if the artefact's file has a claim that cannot be judged. The error names the artefact, the
 * claim and the key. */
enum status claims_check(const char *name, const struct artefact *artefact, struct error *error);

/* Judges every claim of the artefact. `results` are those of the artefact's kind. The caller frees
 * *result by free(). */
enum status claims_judge(const struct artefact *artefact, const void *results,
                         struct claim_result **result, size_t *count, struct error *error);

/* Judges a claim about times or counts. `results` is the index of the rows (struct row_index). */
enum status claims_judge_times(const char *name, const struct artefact *artefact, const cJSON *json,
                               const void *results, struct claim_result *result,
                               struct error *error);

#endif
