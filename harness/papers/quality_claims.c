#include "harness/papers/quality_parts.h"

#include "base/memory.h"
#include "base/origin.h"
#include "harness/instruments/rank_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- judging ---------------------------------------------------------------------------------- */

static struct quality_folds folds_at(const struct item_claim *e, const struct panel *panel,
                                     size_t point) {
    return quality_at(e->items, e->artefact, panel, &panel->points[point]);
}

/* A test that finds no difference is evidence only if it could have found one. For that, it needs
 * the real data set and at least this many queries and trees. */
enum { QUERIES_ENOUGH = 100, TREES_ENOUGH = 100 };

/* Returns true if the panel has too little data to show a difference, and writes the reason to
 * *why. */
static bool is_blind(const struct item_claim *e, const struct panel *panel, char *why,
                     size_t size) {
    struct quality_folds folds = folds_at(e, panel, 0);
    size_t queries = quality_count(&folds).queries;
    uint32_t trees = panel->points[0].trees;
    *why = '\0';
    if (folds.count > 0 && folds.list[0]->origin & ORIGIN_STAND_IN)
        snprintf(why, size, "%s is a stand-in", panel->title);
    else if (queries < QUERIES_ENOUGH)
        snprintf(why, size, "%s has %zu test queries (%d are needed)", panel->title, queries,
                 QUERIES_ENOUGH);
    else if (trees < TREES_ENOUGH)
        snprintf(why, size, "%s has at most %u trees (%d are needed)", panel->title, trees,
                 TREES_ENOUGH);
    return *why != '\0';
}

static bool any_is_blind(const struct item_claim *e, struct claim_result *result) {
    bool blind = false;
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        char why[128];
        if (!e->about[p] || !is_blind(e, &e->artefact->scale.panels[p], why, sizeof why))
            continue;
        claim_say(result, "%s%s", blind ? ", " : "; too little data to show a difference: ", why);
        blind = true;
    }
    return blind;
}

static bool has_one_model_per_fold(const struct quality_folds *folds) {
    for (size_t i = 1; i < folds->count; i++)
        if (folds->list[i]->workload.trial == folds->list[i - 1]->workload.trial)
            return false;
    return folds->count > 0;
}

/* Adds a caution for panels with one model per fold. The test compares queries, so it cannot tell
 * an effect of the number of leaves from an effect of the training's seed. */
static void add_seeds(const struct item_claim *e, struct claim_result *result) {
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        struct quality_folds folds = folds_at(e, &e->artefact->scale.panels[p], 0);
        if (!e->about[p] || !has_one_model_per_fold(&folds))
            continue;
        claim_say(
            result,
            "; one model per fold: a difference may come from the seed of the training and not "
            "from the leaves");
        return;
    }
}

struct pairs {
    double *p; /* p of each test whose models were found */
    size_t tests, capacity, unknown;
    double least; /* the smallest p */
    char where[96];
};

static void test_pair(const struct item_claim *e, const struct panel *panel, size_t a, size_t b,
                      struct pairs *pairs) {
    struct quality_folds first = folds_at(e, panel, a), second = folds_at(e, panel, b);
    for (size_t rank = 0; rank < QUALITY_RANKS; rank++) {
        struct wilcoxon test = quality_test(&first, &second, rank);
        bool is_known = !isnan(test.p) && memory_grow((void **)&pairs->p, &pairs->capacity,
                                                      pairs->tests, sizeof *pairs->p);
        if (!is_known) {
            pairs->unknown++;
            continue;
        }
        pairs->p[pairs->tests++] = test.p;
        if (test.p < pairs->least) {
            pairs->least = test.p;
            snprintf(pairs->where, sizeof pairs->where, "%.32s, %u against %u leaves, NDCG@%s",
                     panel->title, panel->points[a].max_leaves, panel->points[b].max_leaves,
                     quality_ranks[rank]);
        }
    }
}

/* Tests every pair of points of each panel at all ranks. Among many tests, some find a difference
 * by chance. Holm's correction over all tests takes this into account. */
static enum verdict judge_none_differ(const struct item_claim *e, struct claim_result *result) {
    struct pairs pairs = {.least = 2};
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        for (size_t b = 1; e->about[p] && b < panel->n_points; b++)
            for (size_t a = 0; a < b; a++)
                test_pair(e, panel, a, b, &pairs);
    }
    size_t differ = holm_count(pairs.p, pairs.tests, QUALITY_SIGNIFICANT);
    free(pairs.p);
    claim_say(result, "%zu of %zu differences are significant (p <= %.2f by Holm's correction)",
              differ, pairs.tests, QUALITY_SIGNIFICANT);
    if (pairs.least <= 1)
        claim_say(result, "; smallest p: %.4f, corrected %.2f (%s)", pairs.least,
                  holm_least(pairs.least, pairs.tests), pairs.where);
    if (pairs.unknown > 0)
        claim_say(result, "; models are missing for %zu", pairs.unknown);
    add_seeds(e, result);
    if (differ > 0)
        return VERDICT_NOT_HELD;
    return !any_is_blind(e, result) && pairs.unknown == 0 && pairs.tests > 0 ? VERDICT_HELD
                                                                             : VERDICT_UNRESOLVED;
}

static enum verdict judge_deeper_in(const struct item_claim *e, const struct panel *panel,
                                    struct claim_result *result) {
    size_t rank = e->rank, last = panel->n_points - 1;
    struct quality_folds few = folds_at(e, panel, 0), many = folds_at(e, panel, last);
    struct wilcoxon test = quality_test(&few, &many, rank);
    claim_say(result, "%s%s: ", *result->measured ? "; " : "", panel->title);
    if (isnan(test.p) || last == 0) {
        claim_say(result, "models are missing");
        return VERDICT_UNRESOLVED;
    }
    claim_say(result, "NDCG@%s %.3f at %u leaves, %.3f at %u, p %.3f", quality_ranks[rank],
              quality_mean_ndcg(&few, rank).mean, panel->points[0].max_leaves,
              quality_mean_ndcg(&many, rank).mean, panel->points[last].max_leaves, test.p);
    if (test.p > QUALITY_SIGNIFICANT)
        return VERDICT_UNRESOLVED;
    return test.plus > test.minus ? VERDICT_HELD : VERDICT_NOT_HELD;
}

static enum verdict judge_deeper_better(const struct item_claim *e, struct claim_result *result) {
    enum verdict verdict = VERDICT_HELD;
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        if (!e->about[p])
            continue;
        enum verdict here = judge_deeper_in(e, &e->artefact->scale.panels[p], result);
        if (here != VERDICT_HELD && verdict != VERDICT_NOT_HELD)
            verdict = here;
    }
    add_seeds(e, result);
    return verdict;
}

static double examined(const struct quality *quality) {
    return quality->examined;
}

static enum verdict judge_share_within(const struct item_claim *e, struct claim_result *result) {
    enum verdict verdict = VERDICT_HELD;
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        double least = INFINITY, most = -INFINITY;
        for (size_t i = 0; e->about[p] && i < panel->n_points; i++) {
            struct quality_folds folds = folds_at(e, panel, i);
            double mean = quality_mean_of(&folds, examined).mean;
            least = fmin(least, mean);
            most = fmax(most, mean);
            if (isnan(mean) && verdict == VERDICT_HELD)
                verdict = VERDICT_UNRESOLVED;
        }
        if (!e->about[p])
            continue;
        if (least < e->low || most > e->high)
            verdict = VERDICT_NOT_HELD;
        if (most >= least)
            claim_say(result, "%s%s: %.0f to %.0f %%", *result->measured ? "; " : "", panel->title,
                      100 * least, 100 * most);
    }
    return verdict;
}

/* Returns true if no model that the claim is about was found. */
static bool lacks_models(const struct item_claim *e) {
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++)
        for (size_t i = 0; e->about[p] && i < e->artefact->scale.panels[p].n_points; i++)
            if (folds_at(e, &e->artefact->scale.panels[p], i).count > 0)
                return false;
    return true;
}

/* Adds the models' notes. Models trained on the real data set have none. Several panels of forests
 * have the same data set; their note is added once. */
void quality_finish_claim(const struct item_claim *e, struct claim_result *result) {
    const char *last = "";
    if (lacks_models(e))
        result->verdict = VERDICT_NOT_MEASURED;
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        struct quality_folds folds = folds_at(e, panel, 0);
        const char *note = folds.count > 0 ? folds.list[0]->note : "";
        if (e->about[p] && folds.count > 0)
            result->origin |= folds.list[0]->origin;
        bool is_forest = kind_is_forest(panel->points[0].kind);
        if (!e->about[p] || !note[0] || (is_forest && strcmp(note, last) == 0))
            continue;
        claim_say(result, "; %s: %s", is_forest ? panel->points[0].data : panel->title, note);
        last = note;
    }
}

/* --- kinds ------------------------------------------------------------------------------------ */

#define CLAIM(KIND, NAME, MEMBER, ...) FIELD(struct item_claim, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field rank_fields[] = {
    ITEM_CLAIM_KEYS, CLAIM(CHOICE, "rank", rank, .names = quality_ranks, .help = "rank of NDCG")};
static const struct record_field range_fields[] = {
    ITEM_CLAIM_KEYS, CLAIM(REAL, "low", low, .low = 0, .high = 1, .help = "least value"),
    CLAIM(REAL, "high", high, .low = 0, .high = 1, .help = "greatest value")};
static const struct record rank_record = ARTEFACT_RECORD("a claim", rank_fields),
                           range_record = ARTEFACT_RECORD("a claim", range_fields);

const struct item_claim_kind quality_claims[] = {
    {"none_differ", "trained",
     "Held if no test finds a difference on data sets large enough to show one; not held if one "
     "does.",
     &item_claim_plain, judge_none_differ},
    {"deeper_better", "trained",
     "Held if, on every data set, the model with the most leaves is significantly better than the "
     "one with the fewest; not held if it is significantly worse on one.",
     &rank_record, judge_deeper_better},
    {"share_within", "trained", "Held if the shares of all models lie within the claimed range.",
     &range_record, judge_share_within},
    {"accuracy_range", "forest",
     "Held if the lowest and the highest accuracy differ from the paper's by at most 0.03.",
     &range_record, accuracy_judge_range},
    {"votes_like_shares", "forest",
     "Held if no test finds a difference in accuracy between votes and shares of classes.",
     &item_claim_plain, accuracy_judge_votes},
    {0}};
