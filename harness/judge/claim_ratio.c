/* "ratio" and "improvement": the ratio of slow to fast, or the share saved, is within bounds. */
#include "harness/judge/claim_verdict.h"

#include <math.h>

/* Returns the share of time saved, 1 - fast / slow, as in the papers' tables. */
static double improvement(double ratio) {
    return 1 - 1 / ratio;
}

static void tally_pairs(const struct claim *claim, const struct place *at,
                        struct claim_tally *tally) {
    struct claim_pairs pairs = {.all = 0};
    for (size_t s = 0; s < claim->slow.count; s++)
        for (size_t q = 0; q < claim->fast.count; q++) {
            struct claim_finding finding =
                claim_find(claim, at, claim->slow.list[s], claim->fast.list[q],
                           claim->kind->is_share ? improvement : NULL);
            claim_pairs_add(&pairs, &finding);
            claim_tally_extremes(tally, &finding);
        }
    claim_tally_point(tally, at->point, &pairs);
}

static const char *const ratio_keys[] = {"slow", "fast",    "low",    "high", "range",
                                         "per",  "counter", "points", NULL};
static const char *const bounds_keys[] = {"slow", "fast", "low", "high", "range", "points", NULL};

const struct claim_kind claim_ratio = {.name = "ratio",
                                       .keys = ratio_keys,
                                       .tally = tally_pairs,
                                       .value = "each ratio",
                                       .high = INFINITY};
const struct claim_kind claim_improvement = {.name = "improvement",
                                             .keys = bounds_keys,
                                             .tally = tally_pairs,
                                             .value = "the share of time saved",
                                             .is_share = true,
                                             .high = INFINITY};
