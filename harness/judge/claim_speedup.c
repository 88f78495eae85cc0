/* "speedup": the time at the first point of a panel, divided by the time at another point of it. */
#include "harness/judge/claim_kinds.h"
#include "harness/judge/claim_verdict.h"

static struct ratio speedup_at(const struct claim *claim, const struct row_index *index,
                               const struct panel *panel, const struct point *base,
                               const struct point *point, const char *variant) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_speedup(index, panel, base, point, variant);
    return claim_counts_ratio(compare_operand_count(index, panel, base, variant, claim->counter),
                              compare_operand_count(index, panel, point, variant, claim->counter));
}

static void judge_speedup(const struct claim *claim, const struct row_index *index,
                          struct claim_result *result) {
    struct claim_tally tally = {.any = false};
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct panel *panel = claim->panels[p].panel;
        const struct point *base = &panel->points[0];
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct point *point = claim->panels[p].points[i];
            struct claim_pairs pairs = {.all = 0};
            if (point == base)
                continue;
            double steps =
                claim->per ? (double)point_x(point, claim->x) / point_x(base, claim->x) : 1;
            for (size_t v = 0; v < claim->variants.count; v++) {
                const char *variant = claim->variants.list[v];
                struct claim_finding finding = {.point = point};
                claim_name_operand(index, panel, point, variant, claim_names_threads(variant),
                                   finding.slow);
                struct ratio ratio = speedup_at(claim, index, panel, base, point, variant);
                finding = claim_weigh(claim, finding, claim_divide(ratio, steps), NULL);
                claim_pairs_add(&pairs, &finding);
                claim_tally_extremes(&tally, &finding);
            }
            claim_tally_point(&tally, point, &pairs);
        }
    }
    if (tally.any)
        result->verdict = claim_tally_verdict(&tally, claim->most);
    claim_say_tally(result, claim, &tally, false);
}

static const char *const speedup_keys[] = {"variants", "low",     "high",   "range",
                                           "per",      "counter", "points", NULL};

const struct claim_kind claim_speedup = {"speedup", speedup_keys, judge_speedup};
