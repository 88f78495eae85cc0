/* What the tables and claims of artefacts with "measure": "quality" share. Rankers and forests have
 * kinds of their own: ndcg and so on for rankers, accuracy and so on for forests. */
#ifndef HARNESS_PAPERS_QUALITY_PARTS_H
#define HARNESS_PAPERS_QUALITY_PARTS_H

#include "harness/judge/item_claim.h"
#include "harness/judge/quality_compare.h"
#include "harness/papers/report_parts.h"

/* Returns the paper's text in a column of the reference file, or "-". The line is the one for the
 * point's data set and `max_leaves`. If max_leaves is 0, it is the first line for the data set. */
const char *quality_papers(const struct artefact_report *r, const struct point *point,
                           uint32_t max_leaves, const char *column);

/* --- accuracy.c: forests ---------------------------------------------------------------------- */

/* The table of data sets, and a table of all models. */
void accuracy_write_tables(const struct artefact_report *r);
void accuracy_write_csv(const struct artefact_report *r);

/* The lowest and the highest accuracy of the claim's models are those of the claim. */
enum verdict accuracy_judge_range(const struct item_claim *e, struct claim_result *result);

/* On most data sets, the best single tree is less accurate than the best forest of each learner. */
enum verdict accuracy_judge_single(const struct item_claim *e, struct claim_result *result);

/* In most panels, the most accurate model is one of at least the claim's depth. */
enum verdict accuracy_judge_deep(const struct item_claim *e, struct claim_result *result);

/* Votes and added shares of the same trees predict equally well. */
enum verdict accuracy_judge_votes(const struct item_claim *e, struct claim_result *result);

/* --- quality_claims.c ------------------------------------------------------------------------- */

extern const struct item_claim_kind quality_claims[];

/* Adds the models' notes. A claim about no model is not measured. */
void quality_finish_claim(const struct item_claim *e, struct claim_result *result);

#endif
