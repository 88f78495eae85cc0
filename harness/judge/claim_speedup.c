/* "speedup": the time at a panel's first point, divided by the time at each other point.
 * "slowdown": the time at each point of a panel, divided by the time where x is `from`. */
#include "harness/judge/claim_kinds.h"
#include "harness/judge/claim_verdict.h"

#include <math.h>

/* Two points of a panel. The time at `numerator` is divided by the time at `denominator`. */
struct passage {
    const struct panel *panel;
    const struct point *numerator, *denominator;
};

static struct ratio ratio_of(const struct claim *claim, const struct row_index *index,
                             const struct passage *passage, const char *variant) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_speedup(index, passage->panel, passage->numerator,
                                       passage->denominator, variant);
    return claim_counts_ratio(
        compare_operand_count(index, passage->panel, passage->numerator, variant, claim->counter),
        compare_operand_count(index, passage->panel, passage->denominator, variant,
                              claim->counter));
}

/* Compares the times of each variant, and counts the result in the tally at `point`. */
static void tally_passage(const struct claim *claim, const struct row_index *index,
                          const struct passage *passage, const struct point *point, double steps,
                          struct claim_tally *tally) {
    struct claim_pairs pairs = {.all = 0};
    for (size_t v = 0; v < claim->variants.count; v++) {
        const char *variant = claim->variants.list[v];
        struct claim_finding finding = {.point = point};
        claim_name_operand(index, passage->panel, point, variant, claim_names_threads(variant),
                           finding.slow);
        finding.rounds = claim_rounds(
            claim, compare_operand_rounds(index, passage->panel, passage->numerator, variant),
            compare_operand_rounds(index, passage->panel, passage->denominator, variant));
        struct ratio ratio = ratio_of(claim, index, passage, variant);
        finding = claim_weigh(claim, finding, claim_divide(ratio, steps), NULL);
        claim_pairs_add(&pairs, &finding);
        claim_tally_extremes(tally, &finding);
    }
    claim_tally_point(tally, point, &pairs);
}

static void conclude(const struct claim *claim, const struct claim_tally *tally,
                     struct claim_result *result) {
    result->verdict = claim_tally_verdict(tally, claim->most);
    claim_say_tally(result, claim, tally, false);
}

/* Returns how much x grows, if the claim is per x. */
static double growth(const struct claim *claim, const struct point *from, const struct point *to) {
    return claim->per ? (double)point_x(to, claim->x) / point_x(from, claim->x) : 1;
}

static void judge_speedup(const struct claim *claim, const struct row_index *index,
                          struct claim_result *result) {
    struct claim_tally tally = {.values = result->evidence.values};
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct panel *panel = claim->panels[p].panel;
        const struct point *base = &panel->points[0];
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct point *point = claim->panels[p].points[i];
            double steps = growth(claim, base, point);
            struct passage passage = {panel, base, point};
            if (point != base)
                tally_passage(claim, index, &passage, point, steps, &tally);
        }
    }
    conclude(claim, &tally, result);
}

/* Returns the panel's point where x is `from`, or NULL if it was not measured. */
static const struct point *find_from(const struct claim *claim, const struct panel *panel) {
    for (size_t i = 0; i < panel->n_points; i++)
        if (point_x(&panel->points[i], claim->x) == claim->from)
            return &panel->points[i];
    return NULL;
}

static void judge_slowdown(const struct claim *claim, const struct row_index *index,
                           struct claim_result *result) {
    struct claim_tally tally = {.values = result->evidence.values};
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct panel *panel = claim->panels[p].panel;
        const struct point *from = find_from(claim, panel);
        for (size_t i = 0; from && i < claim->panels[p].n_points; i++) {
            const struct point *point = claim->panels[p].points[i];
            double steps = growth(claim, from, point);
            struct passage passage = {panel, point, from};
            if (point != from)
                tally_passage(claim, index, &passage, point, steps, &tally);
        }
    }
    conclude(claim, &tally, result);
}

static const char *const speedup_keys[] = {"variants", "low",     "high",   "range",
                                           "per",      "counter", "points", NULL};
static const char *const slowdown_keys[] = {"variants", "from",    "low",    "high", "range",
                                            "per",      "counter", "points", NULL};

const struct claim_kind claim_speedup = {.name = "speedup",
                                         .keys = speedup_keys,
                                         .judge = judge_speedup,
                                         .value = "each speedup",
                                         .high = INFINITY};
const struct claim_kind claim_slowdown = {.name = "slowdown",
                                          .keys = slowdown_keys,
                                          .judge = judge_slowdown,
                                          .value = "each slowdown",
                                          .high = INFINITY};
