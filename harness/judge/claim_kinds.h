/* The kinds of claims. To add a kind, define a `struct claim_kind` in a new file. Then add it here
 * and to the table in claim_kinds.c. */
#ifndef HARNESS_JUDGE_CLAIM_KINDS_H
#define HARNESS_JUDGE_CLAIM_KINDS_H

#include "harness/judge/claim.h"

extern const struct claim_kind claim_ratio, claim_improvement; /* claim_ratio.c */
extern const struct claim_kind claim_shrinks;                  /* named "ratio_shrinks" */
extern const struct claim_kind claim_speedup, claim_slowdown;  /* claim_speedup.c */
extern const struct claim_kind claim_best_grows;
extern const struct claim_kind claim_follows;

const struct claim_kind *claim_kind_find(const char *name); /* NULL if there is no such kind */

#endif
