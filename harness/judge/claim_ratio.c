/* "ratio" and "improvement": the ratio of slow to fast, or the share saved, is within bounds. */
#include "harness/judge/claim_kinds.h"
#include "harness/judge/claim_verdict.h"

#include <math.h>

/* Returns the share of time saved, 1 - fast / slow, as in the papers' tables. */
static double improvement(double ratio) {
    return 1 - 1 / ratio;
}

static void judge_bounds(const struct claim *claim, const struct row_index *index,
                         struct claim_result *result, double (*scaled)(double)) {
    struct claim_tally tally = {.values = result->evidence.values};
    for (size_t p = 0; p < claim->n_panels; p++)
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct panel *panel = claim->panels[p].panel;
            const struct point *point = claim->panels[p].points[i];
            struct claim_pairs pairs = {.all = 0};
            for (size_t s = 0; s < claim->slow.count; s++)
                for (size_t q = 0; q < claim->fast.count; q++) {
                    struct claim_finding finding =
                        claim_find(claim, index, panel, point, claim->slow.list[s],
                                   claim->fast.list[q], scaled);
                    claim_pairs_add(&pairs, &finding);
                    claim_tally_extremes(&tally, &finding);
                }
            claim_tally_point(&tally, point, &pairs);
        }
    result->verdict = claim_tally_verdict(&tally, claim->most);
    claim_say_tally(result, claim, &tally, scaled != NULL);
}

static void judge_ratio(const struct claim *claim, const struct row_index *index,
                        struct claim_result *result) {
    judge_bounds(claim, index, result, NULL);
}

static void judge_improvement(const struct claim *claim, const struct row_index *index,
                              struct claim_result *result) {
    judge_bounds(claim, index, result, improvement);
}

static const char *const ratio_keys[] = {"slow", "fast",    "low",    "high", "range",
                                         "per",  "counter", "points", NULL};
static const char *const bounds_keys[] = {"slow", "fast", "low", "high", "range", "points", NULL};

const struct claim_kind claim_ratio = {.name = "ratio",
                                       .keys = ratio_keys,
                                       .judge = judge_ratio,
                                       .value = "each ratio",
                                       .high = INFINITY};
const struct claim_kind claim_improvement = {.name = "improvement",
                                             .keys = bounds_keys,
                                             .judge = judge_improvement,
                                             .value = "the share of time saved",
                                             .is_share = true,
                                             .high = INFINITY};
