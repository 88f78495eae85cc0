/* Judges jin2016's claims about the guided choice by an exhaustive search. */
#ifndef HARNESS_TUNING_BLOCKING_CLAIMS_H
#define HARNESS_TUNING_BLOCKING_CLAIMS_H

#include "harness/blocking/search.h"
#include "harness/judge/claim_result.h"

/* The paper's largest error of a guided choice (section 5.2). */
#define GUIDED_MOST 0.024

/* The choice is at most 2.4 % slower than the best point of the exhaustive search. */
enum verdict blocking_judge_close(const struct ratio *error);

/* The best point is one of the cases that the proposition proposes, which are the paper's four, or
 * six with large trees. A best point that is not measurably faster than the guided choice ties with
 * it. Not judged (unresolved) if the conditions of the proposition do not hold. */
enum verdict blocking_judge_proposition(const struct blocking_problem *problem, bool by_proposition,
                                        const struct range_case *best, const struct ratio *error);

/* Without blocks (DS), scoring takes longer. */
enum verdict blocking_judge_pays(const struct ratio *ds_to_choice);

#endif
