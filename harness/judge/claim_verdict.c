#include "harness/artefacts/artefact.h"
#include "harness/judge/claim.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const verdict_names[VERDICTS + 1] = {"not held", "unresolved", "held", "not measured",
                                                 NULL};

void claim_say(struct claim_result *result, const char *format, ...) {
    size_t used = strlen(result->measured);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->measured + used, sizeof result->measured - used, format, arguments);
    va_end(arguments);
}

void claim_add_data(struct claim_result *result, const struct panel *panel) {
    if (panel->points[0].data[0])
        artefact_list_name(result->data, sizeof result->data, panel->points[0].data);
}

/* Returns HELD if the interval lies inside the bounds and NOT_HELD if it lies outside. Returns
 * UNRESOLVED if it contains a bound or is unknown. */
static enum verdict place(struct interval interval, double low, double high) {
    if (isnan(interval.low) || isnan(interval.high))
        return VERDICT_UNRESOLVED;
    if (interval.high <= low || interval.low >= high)
        return VERDICT_NOT_HELD;
    return interval.low > low && interval.high < high ? VERDICT_HELD : VERDICT_UNRESOLVED;
}

/* The true median lies between the least and the greatest of n samples with a probability of
 * 1 - 2 / 2^n: 94 % of five. So an interval of 95 % needs six rounds. */
enum { ROUNDS_LEAST = 6 };

bool claim_can_judge(size_t rounds) {
    return rounds >= ROUNDS_LEAST;
}

struct claim_finding claim_weigh(const struct claim *claim, struct claim_finding finding,
                                 struct ratio ratio, double (*scaled)(double)) {
    finding.value = scaled ? scaled(ratio.value) : ratio.value;
    finding.interval = ratio.interval;
    if (scaled)
        finding.interval =
            (struct interval){scaled(ratio.interval.low), scaled(ratio.interval.high)};
    finding.verdict = claim_can_judge(finding.rounds)
                          ? place(finding.interval, claim->low, claim->high)
                          : VERDICT_UNRESOLVED;
    return finding;
}

void claim_name_operand(const struct place *at, const char *operand, bool with_threads,
                        char *name) {
    if (!compare_operand_variant(at, operand, name, ROW_NAME_SIZE))
        snprintf(name, ROW_NAME_SIZE, "%s", operand);
    struct point named;
    size_t used = strlen(name);
    if (with_threads && panel_operand_point(at->panel, at->point, operand, &named))
        snprintf(name + used, ROW_NAME_SIZE - used, "@%" PRIu32 "%s", named.threads,
                 strchr(operand, '/') ? strchr(operand, '/') : "");
}

bool claim_names_threads(const char *operand) {
    return strchr(operand, '@') != NULL;
}

/* Describes a point. Omits the point's number of threads if the operands name their own. */
static void describe_point(const struct point *point, bool threads_are_named, char *text,
                           size_t size) {
    struct point where = *point;
    if (threads_are_named)
        where.threads = 0;
    point_describe(&where, text, size);
}

size_t claim_rounds(const struct claim *claim, size_t rounds, size_t other) {
    return claim->counter != COUNTER_COUNT ? SIZE_MAX : rounds < other ? rounds : other;
}

struct ratio claim_divide(struct ratio ratio, double by) {
    return (struct ratio){ratio.value / by, {ratio.interval.low / by, ratio.interval.high / by}};
}

struct ratio claim_counts_ratio(struct estimate numerator, struct estimate denominator) {
    double value = numerator.mean / denominator.mean;
    return (struct ratio){value, {value, value}};
}

static struct ratio ratio_at(const struct claim *claim, const struct place *at, const char *slow,
                             const char *fast) {
    if (claim->counter == COUNTER_COUNT)
        return compare_operand_ratio(at, slow, fast);
    return claim_counts_ratio(compare_operand_count(at, slow, claim->counter),
                              compare_operand_count(at, fast, claim->counter));
}

/* Returns the number of threads of `fast` divided by the number of threads of `slow`. */
static double threads_ratio(const struct place *at, const char *slow, const char *fast) {
    struct point from, to;
    bool known = panel_operand_point(at->panel, at->point, slow, &from) &&
                 panel_operand_point(at->panel, at->point, fast, &to);
    return known ? (double)to.threads / from.threads : (double)NAN;
}

struct claim_finding claim_find(const struct claim *claim, const struct place *at, const char *slow,
                                const char *fast, double (*scaled)(double)) {
    struct claim_finding finding = {.point = at->point};
    bool with_threads = claim_names_threads(slow) || claim_names_threads(fast);
    double threads = claim->per ? threads_ratio(at, slow, fast) : 0;
    claim_name_operand(at, slow, with_threads, finding.slow);
    claim_name_operand(at, fast, with_threads, finding.fast);
    finding.is_empty = compare_operands_are_one(at, slow, fast) || threads == 1;
    finding.rounds =
        claim_rounds(claim, compare_operand_rounds(at, slow), compare_operand_rounds(at, fast));
    if (finding.is_empty)
        return claim_weigh(claim, finding, (struct ratio){NAN, {NAN, NAN}}, NULL);
    struct ratio ratio = ratio_at(claim, at, slow, fast);
    return claim_weigh(claim, finding, claim->per ? claim_divide(ratio, threads) : ratio, scaled);
}

static void keep_value(struct claim_tally *tally, const struct claim_finding *finding) {
    size_t number = tally->n_values++;
    if (number >= CLAIM_VALUES_MAX)
        return;
    struct claim_value *value = &tally->values[number];
    *value = (struct claim_value){
        .value = finding->value, .interval = finding->interval, .verdict = finding->verdict};
    describe_point(finding->point, claim_names_threads(finding->slow), value->where,
                   sizeof value->where);
    snprintf(value->what, sizeof value->what, "%s%s%s", finding->slow,
             finding->fast[0] ? " / " : "", finding->fast);
}

void claim_tally_extremes(struct claim_tally *tally, const struct claim_finding *finding) {
    if (isnan(finding->value))
        return;
    keep_value(tally, finding);
    if (!tally->any || finding->value < tally->least.value)
        tally->least = *finding;
    if (!tally->any || finding->value > tally->greatest.value)
        tally->greatest = *finding;
    if (!tally->any || finding->rounds < tally->rounds)
        tally->rounds = finding->rounds;
    tally->threads_are_named |= claim_names_threads(finding->slow);
    tally->any = true;
}

void claim_pairs_add(struct claim_pairs *pairs, const struct claim_finding *finding) {
    pairs->all++;
    pairs->held += finding->verdict == VERDICT_HELD;
    pairs->failed += finding->verdict == VERDICT_NOT_HELD;
    pairs->empty += finding->is_empty;
}

/* Appends the point to a list of points. A list that is full ends in "...". */
static void name_point(const struct claim_tally *tally, const struct point *point,
                       char names[CLAIM_POINTS_SIZE]) {
    size_t used = strlen(names), room = CLAIM_POINTS_SIZE - used;
    char text[POINT_TEXT_SIZE + 2], where[POINT_TEXT_SIZE];
    describe_point(point, tally->threads_are_named, where, sizeof where);
    snprintf(text, sizeof text, "%s%s", used ? "; " : "", where);
    if (strlen(text) + sizeof "; ..." <= room)
        memcpy(names + used, text, strlen(text) + 1);
    else if (used && names[used - 1] != '.')
        snprintf(names + used, room, "; ...");
}

void claim_tally_point(struct claim_tally *tally, const struct point *point,
                       const struct claim_pairs *pairs) {
    if (pairs->failed > 0) {
        tally->failed++;
        name_point(tally, point, tally->failing);
    } else if (pairs->held == pairs->all) {
        tally->held++;
    } else {
        tally->open++;
        tally->empty += pairs->empty > 0;
        if (pairs->empty == 0)
            name_point(tally, point, tally->opening);
    }
}

void claim_say_finding(struct claim_result *result, const struct claim_finding *finding,
                       bool percent) {
    if (percent) {
        char less[COMPARE_LESS_SIZE];
        compare_describe_less(finding->value, finding->interval, " less", less);
        claim_say(result, "%s", less);
    } else {
        claim_say(result, "%.2f", finding->value);
        if (!isnan(finding->interval.low))
            claim_say(result, " [%.2f, %.2f]", finding->interval.low, finding->interval.high);
    }
    char where[POINT_TEXT_SIZE];
    describe_point(finding->point, claim_names_threads(finding->slow), where, sizeof where);
    if (finding->fast[0] == '\0')
        claim_say(result, " (%s, %s)", finding->slow, where);
    else
        claim_say(result, percent ? " (%s to %s, %s)" : " (%s / %s, %s)", finding->slow,
                  finding->fast, where);
}

void claim_say_counts(struct claim_result *result, const struct claim_tally *tally) {
    claim_say(result, "; holds at %zu of %zu points", tally->held,
              tally->held + tally->failed + tally->open);
    if (tally->open > tally->empty)
        claim_say(result, ", open at %zu: %s", tally->open - tally->empty, tally->opening);
    if (tally->empty)
        claim_say(result, ", not measured at %zu", tally->empty);
    if (tally->failed)
        claim_say(result, ", fails at %zu: %s", tally->failed, tally->failing);
    if (tally->any)
        claim_say_rounds(result, tally->rounds);
}

void claim_say_rounds(struct claim_result *result, size_t rounds) {
    if (!claim_can_judge(rounds))
        claim_say(result, "; too few rounds to judge: %zu, at least %d are needed", rounds,
                  ROUNDS_LEAST);
}

static void say_range(struct claim_result *result, const struct interval *range, bool percent) {
    double unit = percent ? 100 : 1;
    int digits = percent ? 0 : 2;
    if (isnan(range->low))
        return;
    claim_say(result, "; in the paper: %.*f", digits, unit * range->low);
    if (range->high > range->low)
        claim_say(result, " to %.*f", digits, unit * range->high);
    claim_say(result, percent ? " %% less" : "");
}

void claim_set_evidence(struct claim_result *result, const struct claim *claim,
                        const struct claim_tally *tally) {
    struct claim_evidence *evidence = &result->evidence;
    evidence->is_share = claim->kind->is_share;
    evidence->bounds = (struct interval){claim->low, claim->high};
    evidence->papers = claim->range;
    evidence->n_values = tally->n_values;
    evidence->held = tally->held;
    evidence->failed = tally->failed;
    evidence->open = tally->open;
}

enum verdict claim_tally_verdict(const struct claim_tally *tally, bool most) {
    if (!tally->any)
        return VERDICT_NOT_MEASURED;
    if (most) {
        if (tally->held > tally->failed + tally->open)
            return VERDICT_HELD;
        return tally->failed >= tally->held + tally->open ? VERDICT_NOT_HELD : VERDICT_UNRESOLVED;
    }
    if (tally->failed)
        return VERDICT_NOT_HELD;
    return tally->open ? VERDICT_UNRESOLVED : VERDICT_HELD;
}

static void say_tally(struct claim_result *result, const struct claim *claim,
                      const struct claim_tally *tally) {
    bool percent = claim->kind->is_share;
    claim_set_evidence(result, claim, tally);
    if (!tally->any && claim->kind->none) {
        claim_say(result, "%s", claim->kind->none);
        return;
    }
    if (!tally->any) {
        claim_say(result, tally->empty ? "not measured: both variants are the same here, or have "
                                         "the same number of threads"
                                       : "no numbers");
        say_range(result, &claim->range, percent);
        return;
    }
    claim_say_finding(result, &tally->least, percent);
    if (tally->held + tally->failed + tally->open > 1 ||
        strcmp(tally->least.slow, tally->greatest.slow) != 0) {
        claim_say(result, " to ");
        claim_say_finding(result, &tally->greatest, percent);
    }
    claim_say_counts(result, tally);
    say_range(result, &claim->range, percent);
}

void claim_judge_points(const struct claim *claim, const struct row_index *index,
                        struct claim_result *result) {
    struct claim_tally tally = {.values = result->evidence.values};
    for (size_t p = 0; p < claim->n_panels; p++)
        for (size_t i = 0; i < claim->panels[p].n_points; i++) {
            const struct claim_panel *panel = &claim->panels[p];
            const struct place at = {index, panel->panel, panel->points[i]};
            claim->kind->tally(claim, &at, &tally);
        }
    result->verdict = claim_tally_verdict(&tally, claim->most);
    say_tally(result, claim, &tally);
}
