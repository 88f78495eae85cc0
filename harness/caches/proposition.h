/* Proposition 1 of jin2016 and its variation: which few cases can be the cheapest. */
#ifndef HARNESS_CACHES_PROPOSITION_H
#define HARNESS_CACHES_PROPOSITION_H

#include "harness/caches/cases.h"

/* The proposition requires c4/d2 << 1 and c4/s2 << 1. The paper applies it up to 0.25 (50 leaves).
 * It adds two cases at 0.74 (150 leaves), where c4/s2 "is getting close to 1". */
#define PROPOSITION_MOST 0.5
#define PROPOSITION_VARIATION_MOST 1.0

enum { PROPOSITION_CASES = 6 };

/* Lists the cases that can be the cheapest: DSD2, DSD2S1, SDS2D1 and SDS2D2, and with large c4/s2
 * also SDS3D1 and SDS3D2. Levels above the home of all documents or units become the home. Returns
 * their number: 0 if the conditions do not hold, so that all cases must be looked at. docs_2 and
 * units_2 are the blocks that fit L2 (d2 and s2). */
size_t proposition_cases(const struct cost_model *model, double docs_2, double units_2,
                         struct range_case cases[static PROPOSITION_CASES]);

#endif
