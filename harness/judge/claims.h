/* Judges a paper's claims from the rows of a run and the artefact's JSON. */
#ifndef HARNESS_JUDGE_CLAIMS_H
#define HARNESS_JUDGE_CLAIMS_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"
#include "harness/rows/row_index.h"

/* Fails if the artefact's file has a claim that cannot be judged. The error names the artefact, the
 * claim and the key. */
enum status claims_check(const char *name, const struct artefact *artefact, struct error *error);

/* Judges every claim of the artefact. The caller frees *result by free(). */
enum status claims_judge(const struct artefact *artefact, const struct row_index *index,
                         struct claim_result **result, size_t *count, struct error *error);

#endif
