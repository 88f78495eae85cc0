#include "harness/claims_kinds.h"

#include <inttypes.h>
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
    const struct point *point;
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

/* The finding of a ratio, as it is or scaled. */
static struct finding weigh(const struct claim *claim, struct finding finding, struct ratio ratio,
                            double (*scaled)(double)) {
    finding.value = scaled ? scaled(ratio.value) : ratio.value;
    finding.interval = ratio.interval;
    if (scaled)
        finding.interval =
            (struct interval){scaled(ratio.interval.low), scaled(ratio.interval.high)};
    finding.verdict = place(finding.interval, claim->low, claim->high);
    return finding;
}

static void name_operand(const struct rows *rows, const struct panel *panel,
                         const struct point *point, const char *operand, bool with_threads,
                         char *name) {
    if (!compare_operand_variant(rows, panel, operand, name, ROW_NAME_SIZE))
        snprintf(name, ROW_NAME_SIZE, "%s", operand);
    struct point at;
    size_t used = strlen(name);
    if (with_threads && panel_operand_point(panel, point, operand, &at))
        snprintf(name + used, ROW_NAME_SIZE - used, "@%" PRIu32, at.threads);
}

static bool names_threads(const char *operand) {
    return strchr(operand, '@') != NULL;
}

/* Where both sides say their threads, the point's are neither's. */
static void describe_point(const struct point *point, bool threads_are_named, char *text,
                           size_t size) {
    struct point where = *point;
    if (threads_are_named)
        where.threads = 0;
    point_describe(&where, text, size);
}

static struct ratio divided(struct ratio ratio, double by) {
    return (struct ratio){ratio.value / by, {ratio.interval.low / by, ratio.interval.high / by}};
}

/* Of two means. A simulation is the same each time, so that the ratio stands for itself. */
static struct ratio counts_ratio(struct estimate numerator, struct estimate denominator) {
    double value = numerator.mean / denominator.mean;
    return (struct ratio){value, {value, value}};
}

static struct ratio ratio_at(const struct claim *claim, const struct rows *rows,
                             const struct panel *panel, const struct point *point, const char *slow,
                             const char *fast) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_ratio(rows, panel, point, slow, fast);
    return counts_ratio(compare_operand_count(rows, panel, point, slow, claim->counter),
                        compare_operand_count(rows, panel, point, fast, claim->counter));
}

static struct ratio speedup_at(const struct claim *claim, const struct rows *rows,
                               const struct panel *panel, const struct point *base,
                               const struct point *point, const char *variant) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_speedup(rows, panel, base, point, variant);
    return counts_ratio(compare_operand_count(rows, panel, base, variant, claim->counter),
                        compare_operand_count(rows, panel, point, variant, claim->counter));
}

/* How many times the threads of `slow` `fast` has. */
static double threads_ratio(const struct panel *panel, const struct point *point, const char *slow,
                            const char *fast) {
    struct point from, to;
    bool known = panel_operand_point(panel, point, slow, &from) &&
                 panel_operand_point(panel, point, fast, &to);
    return known ? (double)to.threads / from.threads : (double)NAN;
}

static struct finding find(const struct claim *claim, const struct rows *rows,
                           const struct panel *panel, const struct point *point, const char *slow,
                           const char *fast, double (*scaled)(double)) {
    struct finding finding = {.point = point};
    bool with_threads = names_threads(slow) || names_threads(fast);
    name_operand(rows, panel, point, slow, with_threads, finding.slow);
    name_operand(rows, panel, point, fast, with_threads, finding.fast);
    struct ratio ratio = ratio_at(claim, rows, panel, point, slow, fast);
    if (claim->per)
        ratio = divided(ratio, threads_ratio(panel, point, slow, fast));
    return weigh(claim, finding, ratio, scaled);
}

struct tally {
    size_t held, failed, open;
    bool any;
    bool threads_are_named;
    struct finding least, greatest;
    char failing[192]; /* where: "d=3 f=32; ..." */
};

static void tally_extremes(struct tally *tally, const struct finding *finding) {
    if (isnan(finding->value))
        return;
    if (!tally->any || finding->value < tally->least.value)
        tally->least = *finding;
    if (!tally->any || finding->value > tally->greatest.value)
        tally->greatest = *finding;
    tally->threads_are_named |= names_threads(finding->slow);
    tally->any = true;
}

static void tally_point(struct tally *tally, const struct point *point, size_t held, size_t failed,
                        size_t pairs) {
    if (failed == 0) {
        *(held == pairs ? &tally->held : &tally->open) += 1;
        return;
    }
    tally->failed++;
    size_t used = strlen(tally->failing), room = sizeof tally->failing - used;
    char text[POINT_TEXT_SIZE + 2], where[POINT_TEXT_SIZE];
    describe_point(point, tally->threads_are_named, where, sizeof where);
    snprintf(text, sizeof text, "%s%s", used ? "; " : "", where);
    if (strlen(text) + sizeof "; ..." <= room)
        memcpy(tally->failing + used, text, strlen(text) + 1);
    else if (used && tally->failing[used - 1] != '.')
        snprintf(tally->failing + used, room, "; ...");
}

static void say_finding(struct judged *judged, const struct finding *finding, bool percent) {
    if (percent) {
        char less[COMPARE_LESS_SIZE];
        compare_describe_less(finding->value, finding->interval, " less", less);
        say(judged, "%s", less);
    } else {
        say(judged, "%.2f", finding->value);
        if (!isnan(finding->interval.low))
            say(judged, " [%.2f, %.2f]", finding->interval.low, finding->interval.high);
    }
    char where[POINT_TEXT_SIZE];
    describe_point(finding->point, names_threads(finding->slow), where, sizeof where);
    if (finding->fast[0] == '\0')
        say(judged, " (%s, %s)", finding->slow, where);
    else
        say(judged, percent ? " (%s to %s, %s)" : " (%s / %s, %s)", finding->slow, finding->fast,
            where);
}

static void say_counts(struct judged *judged, const struct tally *tally) {
    say(judged, "; holds at %zu of %zu points", tally->held,
        tally->held + tally->failed + tally->open);
    if (tally->open)
        say(judged, ", open at %zu", tally->open);
    if (tally->failed)
        say(judged, ", fails at %zu: %s", tally->failed, tally->failing);
}

static void say_tally(struct judged *judged, const struct tally *tally, bool percent) {
    if (!tally->any) {
        say(judged, "no numbers");
        return;
    }
    say_finding(judged, &tally->least, percent);
    if (tally->held + tally->failed + tally->open > 1 ||
        strcmp(tally->least.slow, tally->greatest.slow) != 0) {
        say(judged, " to ");
        say_finding(judged, &tally->greatest, percent);
    }
    say_counts(judged, tally);
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
    for (size_t p = 0; p < claim->n_panels; p++)
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct panel *panel = claim->panels[p].panel;
            const struct point *point = claim->panels[p].points[i];
            size_t held = 0, failed = 0;
            for (size_t s = 0; s < claim->slow.count; s++)
                for (size_t q = 0; q < claim->fast.count; q++) {
                    struct finding finding = find(claim, rows, panel, point, claim->slow.list[s],
                                                  claim->fast.list[q], scaled);
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

/* --- "ratio_shrinks": slow over fast is smaller in the last panel than in the first, or at the
 * last point of a panel than at its first
 * ----------------------------------------------------------- */

/* Two places to compare. */
struct passage {
    const struct panel *from_panel, *to_panel;
    const struct point *from, *to;
};

/* The ratios at the ends of a passage. */
struct change {
    struct finding first, last;
};

/* The changes that shrink the most and the least. */
struct changes {
    struct tally tally;
    struct change most, least;
};

static double factor_of(const struct change *change) {
    return change->last.value / change->first.value;
}

static void tally_change(struct changes *changes, const struct change *change) {
    if (isnan(factor_of(change)))
        return;
    if (!changes->tally.any || factor_of(change) < factor_of(&changes->most))
        changes->most = *change;
    if (!changes->tally.any || factor_of(change) > factor_of(&changes->least))
        changes->least = *change;
    changes->tally.any = true;
}

static void tally_passage(const struct claim *claim, const struct rows *rows,
                          const struct passage *passage, struct changes *changes) {
    size_t held = 0, failed = 0;
    for (size_t s = 0; s < claim->slow.count; s++)
        for (size_t q = 0; q < claim->fast.count; q++) {
            const char *slow = claim->slow.list[s], *fast = claim->fast.list[q];
            struct change change = {
                find(claim, rows, passage->from_panel, passage->from, slow, fast, NULL),
                find(claim, rows, passage->to_panel, passage->to, slow, fast, NULL)};
            held += change.last.interval.high < change.first.interval.low;
            failed += change.last.interval.low >= change.first.interval.high;
            tally_change(changes, &change);
        }
    tally_point(&changes->tally, passage->to, held, failed, claim->slow.count * claim->fast.count);
}

/* From the first panel to the last, at each x that both have. */
static void tally_over_panels(const struct claim *claim, const struct rows *rows,
                              struct changes *changes) {
    const struct claim_panel *first = &claim->panels[0];
    const struct claim_panel *last = &claim->panels[claim->n_panels - 1];
    for (size_t i = 0; i < first->n_points; i++)
        for (size_t k = 0; k < last->n_points; k++) {
            struct passage passage = {first->panel, last->panel, first->points[i], last->points[k]};
            if (point_x(passage.from, claim->x) == point_x(passage.to, claim->x))
                tally_passage(claim, rows, &passage, changes);
        }
}

static void tally_over_x(const struct claim *claim, const struct rows *rows,
                         struct changes *changes) {
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct claim_panel *at = &claim->panels[p];
        struct passage passage = {at->panel, at->panel, at->points[0],
                                  at->points[at->n_points - 1]};
        if (at->n_points > 1)
            tally_passage(claim, rows, &passage, changes);
    }
}

static void say_change(struct judged *judged, const struct change *change) {
    say_finding(judged, &change->first, false);
    say(judged, " to ");
    say_finding(judged, &change->last, false);
}

static void judge_shrinks(const struct claim *claim, const struct rows *rows,
                          struct judged *judged) {
    struct changes changes = {.tally = {.any = false}};
    if (claim->over_x)
        tally_over_x(claim, rows, &changes);
    else
        tally_over_panels(claim, rows, &changes);
    if (!changes.tally.any) {
        say(judged, "no times");
        return;
    }
    judged->verdict = tally_verdict(&changes.tally, claim->most);
    bool differ = factor_of(&changes.least) > factor_of(&changes.most);
    say(judged, differ ? "shrinks most: " : "");
    say_change(judged, &changes.most);
    if (differ) {
        say(judged, "; shrinks least: ");
        say_change(judged, &changes.least);
    }
    say_counts(judged, &changes.tally);
}

/* --- "speedup": time at the first point of a panel over that at each other ----------------------
 */

static void judge_speedup(const struct claim *claim, const struct rows *rows,
                          struct judged *judged) {
    struct tally tally = {.any = false};
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct panel *panel = claim->panels[p].panel;
        const struct point *base = &panel->points[0];
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct point *point = claim->panels[p].points[i];
            size_t held = 0, failed = 0;
            if (point == base)
                continue;
            double steps =
                claim->per ? (double)point_x(point, claim->x) / point_x(base, claim->x) : 1;
            for (size_t v = 0; v < claim->variants.count; v++) {
                const char *variant = claim->variants.list[v];
                struct finding finding = {.point = point};
                name_operand(rows, panel, point, variant, names_threads(variant), finding.slow);
                struct ratio ratio = speedup_at(claim, rows, panel, base, point, variant);
                finding = weigh(claim, finding, divided(ratio, steps), NULL);
                held += finding.verdict == VERDICT_HELD;
                failed += finding.verdict == VERDICT_NOT_HELD;
                tally_extremes(&tally, &finding);
            }
            tally_point(&tally, point, held, failed, claim->variants.count);
        }
    }
    if (tally.any)
        judged->verdict = tally_verdict(&tally, claim->most);
    say_tally(judged, &tally, false);
}

/* --- "best_grows": from panel to panel ----------------------------------------------------------
 */

/* Which of the claim's variants, listed in growing order, may be the best in a panel: the
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

/* Is `variant` slower than the best over all points? The mean of the points' log-intervals is wider
 * than an interval of the mean, so that a tie is rather kept than broken by chance. */
static bool is_resolved(const struct claim_panel *at, const struct rows *rows, const char *variant,
                        const char *best) {
    double low = 0;
    for (size_t i = 0; i < at->n_points; i++)
        low += log(compare_fresh_ratio(rows, at->points[i], variant, best).interval.low);
    return low > 0; /* false for NaN: without an interval nothing is resolved */
}

/* false: there are no rows. */
static bool hold_contest(const struct claim *claim, const struct rows *rows,
                         const struct claim_panel *at, struct contest *contest) {
    const char *first = claim->variants.list[0];
    char family[ROW_NAME_SIZE], best[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(first, ","), first);
    if (!compare_best_variant(rows, at->panel, family, best, sizeof best))
        return false;
    contest->best = claim->variants.count;
    for (size_t i = 0; i < claim->variants.count; i++) {
        const char *variant = claim->variants.list[i];
        bool is_best = strcmp(variant, best) == 0;
        if (is_best)
            contest->best = i;
        contest->tied[i] = is_best || !is_resolved(at, rows, variant, best);
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
    struct contest contests[PANELS_MAX];
    size_t n = claim->variants.count;
    for (size_t f = 0; f < claim->n_panels; f++) {
        const char *title = claim->panels[f].panel->title;
        if (!hold_contest(claim, rows, &claim->panels[f], &contests[f])) {
            say(judged, "no times at %s", title);
            return;
        }
        say(judged, "%s%s: %s", f ? "; " : "", title, claim->variants.list[contests[f].best]);
        bool first = true;
        for (size_t i = 0; i < n; i++)
            if (contests[f].tied[i] && i != contests[f].best) {
                say(judged, "%s%s", first ? ", not resolved from " : " ", claim->variants.list[i]);
                first = false;
            }
    }
    if (claim->n_panels < 2)
        judged->verdict = VERDICT_UNRESOLVED;
    else if (must_grow(contests, claim->n_panels, n))
        judged->verdict = VERDICT_HELD;
    else
        judged->verdict =
            may_grow(contests, claim->n_panels, n) ? VERDICT_UNRESOLVED : VERDICT_NOT_HELD;
}

/* --- the table -------------------------------------------------------------------------------- */

static const char *const ratio_keys[] = {"slow", "fast",    "low",    "high",
                                         "per",  "counter", "points", NULL};
static const char *const bounds_keys[] = {"slow", "fast", "low", "high", "points", NULL};
static const char *const shrinks_keys[] = {"slow", "fast", "points", "over", NULL};
static const char *const speedup_keys[] = {"variants", "low",    "high", "per",
                                           "counter",  "points", NULL};
static const char *const variants_keys[] = {"variants", NULL};

static const struct claim_kind kinds[] = {
    {"ratio", ratio_keys, judge_ratio},
    {"improvement", bounds_keys, judge_improvement},
    {"ratio_shrinks", shrinks_keys, judge_shrinks},
    {"speedup", speedup_keys, judge_speedup},
    {"best_grows", variants_keys, judge_best_grows},
};

const struct claim_kind *claim_kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}
