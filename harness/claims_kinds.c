#include "harness/claims_kinds.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void say(struct judged *judged, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct judged *judged, const char *format, ...) {
    size_t used = strlen(judged->measured);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(judged->measured + used, sizeof judged->measured - used, format, arguments);
    va_end(arguments);
}

/* --- "ratio" and "improvement": slow over fast within bounds ---------------------------------- */

/* One pair of variants at one point. */
struct finding {
    struct point point;
    char slow[ROW_NAME_SIZE], fast[ROW_NAME_SIZE];
    double value; /* NaN: no rows */
    struct interval interval;
    enum verdict verdict;
};

/* The interval lies inside the bounds, outside them, or on one. */
static enum verdict place(struct interval interval, double low, double high) {
    if (isnan(interval.low) || isnan(interval.high))
        return VERDICT_UNRESOLVED;
    if (interval.high <= low || interval.low >= high)
        return VERDICT_NOT_HELD;
    return interval.low > low && interval.high < high ? VERDICT_HELD : VERDICT_UNRESOLVED;
}

/* By how much less time: 1 - fast / slow, as the papers' tables have it. */
static double improvement(double ratio) {
    return 1 - 1 / ratio;
}

static struct finding find(const struct claim *claim, const struct rows *rows, struct point point,
                           const char *slow, const char *fast, double (*scaled)(double)) {
    struct finding finding = {.point = point};
    struct ratio ratio = compare_operand_ratio(rows, point, slow, fast);
    if (!compare_operand_variant(rows, point.features, slow, finding.slow, sizeof finding.slow))
        snprintf(finding.slow, sizeof finding.slow, "%s", slow);
    if (!compare_operand_variant(rows, point.features, fast, finding.fast, sizeof finding.fast))
        snprintf(finding.fast, sizeof finding.fast, "%s", fast);
    finding.value = scaled ? scaled(ratio.value) : ratio.value;
    finding.interval = ratio.interval;
    if (scaled)
        finding.interval =
            (struct interval){scaled(ratio.interval.low), scaled(ratio.interval.high)};
    finding.verdict = place(finding.interval, claim->low, claim->high);
    return finding;
}

struct tally {
    size_t held, failed, open;
    bool any;
    struct finding least, greatest;
    char failing[192]; /* where: "d=3 f=32, ..." */
};

static void tally_extremes(struct tally *tally, const struct finding *finding) {
    if (isnan(finding->value))
        return;
    if (!tally->any || finding->value < tally->least.value)
        tally->least = *finding;
    if (!tally->any || finding->value > tally->greatest.value)
        tally->greatest = *finding;
    tally->any = true;
}

static void tally_point(struct tally *tally, struct point point, size_t held, size_t failed,
                        size_t pairs) {
    if (failed == 0) {
        *(held == pairs ? &tally->held : &tally->open) += 1;
        return;
    }
    tally->failed++;
    size_t used = strlen(tally->failing), room = sizeof tally->failing - used;
    char text[48];
    snprintf(text, sizeof text, "%sd=%u f=%u", used ? ", " : "", point.depth, point.features);
    if (strlen(text) + sizeof ", ..." <= room)
        memcpy(tally->failing + used, text, strlen(text) + 1);
    else if (used && tally->failing[used - 1] != '.')
        snprintf(tally->failing + used, room, ", ...");
}

static void say_finding(struct judged *judged, const struct finding *finding, bool percent) {
    double factor = percent ? 100 : 1;
    int digits = percent ? 0 : 2;
    const char *unit = percent ? " %" : "";
    say(judged, "%.*f%s", digits, finding->value * factor, unit);
    if (!isnan(finding->interval.low))
        say(judged, " [%.*f, %.*f]", digits, finding->interval.low * factor, digits,
            finding->interval.high * factor);
    say(judged, percent ? " (%s to %s, d=%u f=%u)" : " (%s / %s, d=%u f=%u)", finding->slow,
        finding->fast, finding->point.depth, finding->point.features);
}

static void say_tally(struct judged *judged, const struct tally *tally, bool percent) {
    if (!tally->any) {
        say(judged, "no times");
        return;
    }
    say_finding(judged, &tally->least, percent);
    if (tally->held + tally->failed + tally->open > 1 ||
        strcmp(tally->least.slow, tally->greatest.slow) != 0) {
        say(judged, " to ");
        say_finding(judged, &tally->greatest, percent);
    }
    say(judged, "; holds at %zu of %zu points", tally->held,
        tally->held + tally->failed + tally->open);
    if (tally->open)
        say(judged, ", open at %zu", tally->open);
    if (tally->failed)
        say(judged, ", fails at %zu: %s", tally->failed, tally->failing);
}

static enum verdict tally_verdict(const struct tally *tally, bool most) {
    if (most) {
        if (tally->held > tally->failed + tally->open)
            return VERDICT_HELD;
        return tally->failed >= tally->held + tally->open ? VERDICT_NOT_HELD : VERDICT_UNRESOLVED;
    }
    if (tally->failed)
        return VERDICT_NOT_HELD;
    return tally->open ? VERDICT_UNRESOLVED : VERDICT_HELD;
}

static void judge_bounds(const struct claim *claim, const struct rows *rows, struct judged *judged,
                         double (*scaled)(double)) {
    struct tally tally = {.any = false};
    for (size_t f = 0; f < claim->n_features; f++)
        for (size_t d = 0; d < claim->n_depths; d++) {
            struct point point = {claim->depths[d], claim->features[f]};
            size_t held = 0, failed = 0;
            for (size_t s = 0; s < claim->slow.count; s++)
                for (size_t q = 0; q < claim->fast.count; q++) {
                    struct finding finding =
                        find(claim, rows, point, claim->slow.list[s], claim->fast.list[q], scaled);
                    held += finding.verdict == VERDICT_HELD;
                    failed += finding.verdict == VERDICT_NOT_HELD;
                    tally_extremes(&tally, &finding);
                }
            tally_point(&tally, point, held, failed, claim->slow.count * claim->fast.count);
        }
    judged->verdict = tally_verdict(&tally, claim->most);
    say_tally(judged, &tally, scaled != NULL);
}

static void judge_ratio(const struct claim *claim, const struct rows *rows, struct judged *judged) {
    judge_bounds(claim, rows, judged, NULL);
}

static void judge_improvement(const struct claim *claim, const struct rows *rows,
                              struct judged *judged) {
    judge_bounds(claim, rows, judged, improvement);
}

/* --- "ratio_shrinks": slow over fast is smaller at the most features than at the fewest --------
 */

static void judge_shrinks(const struct claim *claim, const struct rows *rows,
                          struct judged *judged) {
    struct tally tally = {.any = false};
    uint32_t fewest = claim->features[0], most = claim->features[claim->n_features - 1];
    for (size_t d = 0; d < claim->n_depths; d++) {
        size_t held = 0, failed = 0;
        struct point last = {claim->depths[d], most};
        for (size_t s = 0; s < claim->slow.count; s++)
            for (size_t q = 0; q < claim->fast.count; q++) {
                const char *slow = claim->slow.list[s], *fast = claim->fast.list[q];
                struct finding at_fewest =
                    find(claim, rows, (struct point){claim->depths[d], fewest}, slow, fast, NULL);
                struct finding at_most = find(claim, rows, last, slow, fast, NULL);
                held += at_most.interval.high < at_fewest.interval.low;
                failed += at_most.interval.low >= at_fewest.interval.high;
                tally_extremes(&tally, &at_fewest);
                tally_extremes(&tally, &at_most);
            }
        tally_point(&tally, last, held, failed, claim->slow.count * claim->fast.count);
    }
    judged->verdict = tally_verdict(&tally, claim->most);
    say_tally(judged, &tally, false);
}

/* --- "best_grows": more features, larger v ---------------------------------------------------- */

/* Which of the claim's variants, listed in growing order, may be the best at some features: the
 * one with the least time, and all that are not resolved from it. */
struct contest {
    size_t best;
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

/* Is `variant` slower than the best over all depths? The mean of the depths' log-intervals is wider
 * than an interval of the mean, so that a tie is rather kept than broken by chance. */
static bool is_resolved(const struct claim *claim, const struct rows *rows, uint32_t features,
                        const char *variant, const char *best) {
    double low = 0;
    for (size_t d = 0; d < claim->n_depths; d++) {
        struct point point = {claim->depths[d], features};
        low += log(compare_fresh_ratio(rows, point, variant, best).interval.low);
    }
    return low > 0; /* false for NaN: without an interval nothing is resolved */
}

/* false: there are no rows. */
static bool hold_contest(const struct claim *claim, const struct rows *rows, uint32_t features,
                         struct contest *contest) {
    const char *first = claim->variants.list[0];
    char family[ROW_NAME_SIZE], best[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(first, ","), first);
    if (!compare_best_variant(rows, features, family, best, sizeof best))
        return false;
    contest->best = claim->variants.count;
    for (size_t i = 0; i < claim->variants.count; i++) {
        const char *variant = claim->variants.list[i];
        bool is_best = strcmp(variant, best) == 0;
        if (is_best)
            contest->best = i;
        contest->tied[i] = is_best || !is_resolved(claim, rows, features, variant, best);
    }
    return contest->best < claim->variants.count;
}

/* Could the best have grown: is there a choice of one tied variant each that never falls and ends
 * above where it began? Taking the least possible each time finds it if there is one, but for the
 * last, which may be any. */
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

static void judge_best_grows(const struct claim *claim, const struct rows *rows,
                             struct judged *judged) {
    struct contest contests[ARTEFACT_AXIS_MAX];
    size_t n = claim->variants.count;
    for (size_t f = 0; f < claim->n_features; f++) {
        if (!hold_contest(claim, rows, claim->features[f], &contests[f])) {
            say(judged, "no times at f=%u", claim->features[f]);
            return;
        }
        say(judged, "%sf=%u: %s", f ? "; " : "", claim->features[f],
            claim->variants.list[contests[f].best]);
        bool first = true;
        for (size_t i = 0; i < n; i++)
            if (contests[f].tied[i] && i != contests[f].best) {
                say(judged, "%s%s", first ? ", not resolved from " : " ", claim->variants.list[i]);
                first = false;
            }
    }
    if (claim->n_features < 2)
        judged->verdict = VERDICT_UNRESOLVED;
    else if (must_grow(contests, claim->n_features, n))
        judged->verdict = VERDICT_HELD;
    else
        judged->verdict =
            may_grow(contests, claim->n_features, n) ? VERDICT_UNRESOLVED : VERDICT_NOT_HELD;
}

/* --- the table -------------------------------------------------------------------------------- */

static const char *const bounds_keys[] = {"slow", "fast", "low", "high", "points", NULL};
static const char *const shrinks_keys[] = {"slow", "fast", "points", NULL};
static const char *const variants_keys[] = {"variants", NULL};

static const struct claim_kind kinds[] = {
    {"ratio", bounds_keys, judge_ratio},
    {"improvement", bounds_keys, judge_improvement},
    {"ratio_shrinks", shrinks_keys, judge_shrinks},
    {"best_grows", variants_keys, judge_best_grows},
};

const struct claim_kind *claim_kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}
