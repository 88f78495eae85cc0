/* "ratio_shrinks": the ratio of slow to fast is smaller in the last panel than in the first, or
 * smaller at a panel's last point than at its first. */
#include "harness/judge/claim.h"

#include <math.h>
#include <stdio.h>

/* The ratios at two points. */
struct change {
    struct claim_finding first, last;
    struct claim_finding factor; /* last / first. Its interval lies below 1 if the two are apart. */
};

/* `most` shrinks by the largest factor, `least` by the smallest. */
struct changes {
    struct claim_tally tally;
    struct change most, least;
};

static void tally_change(struct changes *changes, const struct change *change) {
    double factor = change->factor.value;
    if (isnan(factor))
        return;
    if (!changes->tally.any || factor < changes->most.factor.value)
        changes->most = *change;
    if (!changes->tally.any || factor > changes->least.factor.value)
        changes->least = *change;
    claim_tally_extremes(&changes->tally, &change->factor);
}

/* Sets the factor. Rounds of two points are not paired, so the interval is the widest. */
static void weigh(const struct claim *claim, struct change *change) {
    const struct interval *first = &change->first.interval, *last = &change->last.interval;
    struct ratio ratio = {change->last.value / change->first.value,
                          {last->low / first->high, last->high / first->low}};
    struct claim_finding finding = change->last;
    finding.rounds = claim_rounds(claim, change->first.rounds, change->last.rounds);
    change->factor = claim_weigh(claim, finding, ratio, NULL);
    snprintf(change->factor.slow, sizeof change->factor.slow, "change of %.25s / %.25s",
             change->last.slow, change->last.fast);
    change->factor.fast[0] = '\0';
}

static void tally_passage(const struct claim *claim, const struct place *from,
                          const struct place *to, struct changes *changes) {
    struct claim_pairs pairs = {.all = 0};
    for (size_t s = 0; s < claim->slow.count; s++)
        for (size_t q = 0; q < claim->fast.count; q++) {
            const char *slow = claim->slow.list[s], *fast = claim->fast.list[q];
            struct change change = {claim_find(claim, from, slow, fast, NULL),
                                    claim_find(claim, to, slow, fast, NULL),
                                    {.value = NAN}};
            weigh(claim, &change);
            claim_pairs_add(&pairs, &change.factor);
            tally_change(changes, &change);
        }
    claim_tally_point(&changes->tally, to->point, &pairs);
}

static struct place place_of(const struct row_index *index, const struct claim_panel *panel,
                             size_t i) {
    return (struct place){index, panel->panel, panel->points[i]};
}

/* Compares the first panel with the last one, at each x that is in both. */
static void tally_over_panels(const struct claim *claim, const struct row_index *index,
                              struct changes *changes) {
    const struct claim_panel *first = &claim->panels[0];
    const struct claim_panel *last = &claim->panels[claim->n_panels - 1];
    for (size_t i = 0; i < first->n_points; i++)
        for (size_t k = 0; k < last->n_points; k++) {
            struct place from = place_of(index, first, i), to = place_of(index, last, k);
            if (point_x(from.point, claim->x) == point_x(to.point, claim->x))
                tally_passage(claim, &from, &to, changes);
        }
}

static void tally_over_x(const struct claim *claim, const struct row_index *index,
                         struct changes *changes) {
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct claim_panel *panel = &claim->panels[p];
        struct place from = place_of(index, panel, 0),
                     to = place_of(index, panel, panel->n_points - 1);
        if (panel->n_points > 1)
            tally_passage(claim, &from, &to, changes);
    }
}

static void say_change(struct claim_result *result, const struct change *change) {
    claim_say_finding(result, &change->first, false);
    claim_say(result, " to ");
    claim_say_finding(result, &change->last, false);
}

static void judge_shrinks(const struct claim *claim, const struct row_index *index,
                          struct claim_result *result) {
    struct changes changes = {.tally = {.values = result->evidence.values}};
    if (claim->over_x)
        tally_over_x(claim, index, &changes);
    else
        tally_over_panels(claim, index, &changes);
    if (!changes.tally.any) {
        result->verdict = VERDICT_NOT_MEASURED;
        claim_say(result, "no times");
        return;
    }
    claim_set_evidence(result, claim, &changes.tally);
    result->verdict = claim_tally_verdict(&changes.tally, claim->most);
    bool differ = changes.least.factor.value > changes.most.factor.value;
    claim_say(result, differ ? "shrinks most: " : "");
    say_change(result, &changes.most);
    if (differ) {
        claim_say(result, "; shrinks least: ");
        say_change(result, &changes.least);
    }
    claim_say_counts(result, &changes.tally);
}

static const char *const shrinks_keys[] = {"slow", "fast", "points", "over", NULL};

const struct claim_kind claim_shrinks = {.name = "ratio_shrinks",
                                         .keys = shrinks_keys,
                                         .judge = judge_shrinks,
                                         .value = "the factor from the first ratio to the last",
                                         .high = 1};
