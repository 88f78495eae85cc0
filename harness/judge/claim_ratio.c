/* Claims that bound a ratio of times or counts. "ratio" and "improvement": the ratio of slow to
 * fast, or the share saved. "speedup" and "slowdown" compare the points of a panel. */
#include "harness/judge/claim.h"

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

/* "speedup": the time at a panel's first point, divided by the time at each other point.
 * "slowdown": the time at each point of a panel, divided by the time where x is `from`. */

/* The time at `over` is divided by the time at `under`. */
static struct ratio ratio_of(const struct claim *claim, const struct place *over,
                             const struct place *under, const char *variant) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_speedup(under, over->point, variant);
    return claim_counts_ratio(compare_operand_count(over, variant, claim->counter),
                              compare_operand_count(under, variant, claim->counter));
}

/* Compares the times of each variant at the place and at the base. */
static void tally_change(const struct claim *claim, const struct place *at,
                         const struct point *base, bool is_slowdown, struct claim_tally *tally) {
    const struct place from = {at->index, at->panel, base};
    const struct place *over = is_slowdown ? at : &from, *under = is_slowdown ? &from : at;
    struct claim_pairs pairs = {.all = 0};
    if (!base || base == at->point)
        return;
    double growth = claim->per ? (double)point_x(at->point, claim->x) / point_x(base, claim->x) : 1;
    for (size_t v = 0; v < claim->variants.count; v++) {
        const char *variant = claim->variants.list[v];
        struct claim_finding finding = {.point = at->point};
        claim_name_operand(at, variant, claim_names_threads(variant), finding.slow);
        finding.rounds = claim_rounds(claim, compare_operand_rounds(over, variant),
                                      compare_operand_rounds(under, variant));
        struct ratio ratio = ratio_of(claim, over, under, variant);
        finding = claim_weigh(claim, finding, claim_divide(ratio, growth), NULL);
        claim_pairs_add(&pairs, &finding);
        claim_tally_extremes(tally, &finding);
    }
    claim_tally_point(tally, at->point, &pairs);
}

static void tally_speedup(const struct claim *claim, const struct place *at,
                          struct claim_tally *tally) {
    tally_change(claim, at, &at->panel->points[0], false, tally);
}

/* The base is the panel's point where x is `from`, if it was measured. */
static void tally_slowdown(const struct claim *claim, const struct place *at,
                           struct claim_tally *tally) {
    const struct point *from = NULL;
    for (size_t i = 0; i < at->panel->n_points && !from; i++)
        if (point_x(&at->panel->points[i], claim->x) == claim->from)
            from = &at->panel->points[i];
    tally_change(claim, at, from, true, tally);
}

static const char *const speedup_keys[] = {"variants", "low",     "high",   "range",
                                           "per",      "counter", "points", NULL};
static const char *const slowdown_keys[] = {"variants", "from",    "low",    "high", "range",
                                            "per",      "counter", "points", NULL};

const struct claim_kind claim_speedup = {.name = "speedup",
                                         .keys = speedup_keys,
                                         .tally = tally_speedup,
                                         .value = "each speedup",
                                         .high = INFINITY};
const struct claim_kind claim_slowdown = {.name = "slowdown",
                                          .keys = slowdown_keys,
                                          .tally = tally_slowdown,
                                          .value = "each slowdown",
                                          .high = INFINITY};
