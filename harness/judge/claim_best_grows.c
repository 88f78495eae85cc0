/* "best_grows": the best variant of the last panel is later in the claim's list than that of the
 * first panel, and no panel's best is earlier than that of the panel before it. */
#include "harness/judge/claim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The variants that may be the best in a panel, as indices into the claim's list. `best` has the
 * least time. tied[i] is true for `best` and for each variant that is not resolvably slower. */
struct contest {
    size_t best, rounds; /* the fewest rounds of a variant at a point */
    bool tied[CLAIM_OPERANDS_MAX];
};

static size_t contest_least(const struct contest *contest, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (contest->tied[i])
            return i;
    return count;
}

static size_t contest_greatest(const struct contest *contest, size_t count) {
    for (size_t i = count; i-- > 0;)
        if (contest->tied[i])
            return i;
    return count;
}

/* Returns true if `variant` is resolvably slower than `best` over the points of a panel. The mean
 * of the lower ends of the points' log-ratios must be positive. This is stricter than an interval
 * of the mean, so that chance does not break a tie. */
static bool is_resolved(const struct claim_panel *at, const struct row_index *index,
                        const char *variant, const char *best) {
    double low = 0;
    for (size_t i = 0; i < at->n_points; i++)
        low += log(compare_fresh_ratio(index, at->points[i], variant, best).interval.low);
    return low > 0; /* NaN gives false, because nothing is resolved without an interval */
}

static size_t fewest_rounds(const struct claim *claim, const struct row_index *index,
                            const struct claim_panel *at) {
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < at->n_points; i++)
        for (size_t v = 0; v < claim->variants.count; v++) {
            const struct place place = {index, at->panel, at->points[i]};
            size_t rounds = compare_operand_rounds(&place, claim->variants.list[v]);
            fewest = rounds < fewest ? rounds : fewest;
        }
    return fewest;
}

/* Finds the best variant of a panel and the variants tied with it. Returns false if the panel has
 * no rows. */
static bool hold_contest(const struct claim *claim, const struct row_index *index,
                         const struct claim_panel *at, struct contest *contest) {
    const char *first = claim->variants.list[0];
    char family[ROW_NAME_SIZE], best[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(first, ","), first);
    if (!compare_best_variant(index, at->panel, family, best, sizeof best))
        return false;
    contest->best = claim->variants.count;
    contest->rounds = fewest_rounds(claim, index, at);
    for (size_t i = 0; i < claim->variants.count; i++) {
        const char *variant = claim->variants.list[i];
        bool is_best = strcmp(variant, best) == 0;
        if (is_best)
            contest->best = i;
        contest->tied[i] =
            is_best || !claim_can_judge(contest->rounds) || !is_resolved(at, index, variant, best);
    }
    return contest->best < claim->variants.count;
}

/* Returns true if one tied variant per panel can be chosen such that the choices never fall and the
 * last is greater than the first. To decide this, chooses the least possible variant in each panel
 * except the last, and the greatest in the last. */
static bool may_grow(const struct contest *contests, size_t count, size_t n_variants) {
    size_t at = contest_least(&contests[0], n_variants), start = at;
    for (size_t i = 1; i < count; i++) {
        while (at < n_variants && !contests[i].tied[at])
            at++;
        if (at == n_variants)
            return false;
    }
    return contest_greatest(&contests[count - 1], n_variants) > start;
}

static bool must_grow(const struct contest *contests, size_t count, size_t n_variants) {
    for (size_t i = 1; i < count; i++)
        if (contests[i].best < contests[i - 1].best)
            return false;
    return contest_least(&contests[count - 1], n_variants) >
           contest_greatest(&contests[0], n_variants);
}

static void judge_best_grows(const struct claim *claim, const struct row_index *index,
                             struct claim_result *result) {
    struct contest contests[PANELS_MAX];
    size_t rounds = SIZE_MAX;
    size_t n = claim->variants.count;
    for (size_t f = 0; f < claim->n_panels; f++) {
        const char *title = claim->panels[f].panel->title;
        if (!hold_contest(claim, index, &claim->panels[f], &contests[f])) {
            result->verdict = VERDICT_NOT_MEASURED;
            claim_say(result, "no times at %s", title);
            return;
        }
        claim_say(result, "%s%s: %s", f ? "; " : "", title, claim->variants.list[contests[f].best]);
        rounds = contests[f].rounds < rounds ? contests[f].rounds : rounds;
        bool first = true;
        for (size_t i = 0; i < n; i++)
            if (contests[f].tied[i] && i != contests[f].best) {
                claim_say(result, "%s%s", first ? ", not resolved from " : " ",
                          claim->variants.list[i]);
                first = false;
            }
    }
    claim_say_rounds(result, rounds);
    if (claim->n_panels < 2)
        result->verdict = VERDICT_UNRESOLVED;
    else if (must_grow(contests, claim->n_panels, n))
        result->verdict = VERDICT_HELD;
    else
        result->verdict =
            may_grow(contests, claim->n_panels, n) ? VERDICT_UNRESOLVED : VERDICT_NOT_HELD;
}

static const char *const variants_keys[] = {"variants", NULL};

const struct claim_kind claim_best_grows = {
    .name = "best_grows",
    .keys = variants_keys,
    .judge = judge_best_grows,
    .rule =
        "Variants that are not resolvably slower than a panel's best are tied with it. Held if no "
        "panel's best is earlier in the list than the best of the panel before, and every tied "
        "variant of the last panel is later than every one of the first. Not held if no choice "
        "among tied variants grows.",
    .high = INFINITY};
