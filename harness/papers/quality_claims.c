#include "harness/papers/quality_parts.h"

#include "base/memory.h"
#include "base/origin.h"
#include "harness/instruments/rank_tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- enough data ------------------------------------------------------------------------------ */

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

/* --- differences between numbers of leaves ---------------------------------------------------- */

/* Two points of a panel, b with more leaves than a, and a rank of NDCG. */
struct difference {
    const struct panel *panel;
    size_t a, b, rank;
    struct quality_folds few, many;
    struct wilcoxon test; /* p is NaN if models are missing */
};

static bool wants_rank(const struct item_claim *e, size_t rank) {
    const cJSON *item;
    cJSON_ArrayForEach(item, e->ranks) {
        if (strcmp(item->valuestring, quality_ranks[rank]) == 0)
            return true;
    }
    return e->ranks == NULL;
}

enum pairs { ALL_PAIRS, FEWEST_AND_MOST };

/* Without the key, the claim is about the `standard` pairs. */
static bool wants_pair(const struct item_claim *e, const struct panel *panel, size_t a, size_t b,
                       enum pairs standard) {
    const cJSON *item;
    cJSON_ArrayForEach(item, e->pairs) {
        if (cJSON_GetArrayItem(item, 0)->valuedouble == panel->points[a].max_leaves &&
            cJSON_GetArrayItem(item, 1)->valuedouble == panel->points[b].max_leaves)
            return true;
    }
    return !e->pairs && (standard == ALL_PAIRS || (a == 0 && b == panel->n_points - 1));
}

typedef void difference_function(const struct difference *difference, void *context);

static void visit_pair(const struct item_claim *e, const struct panel *panel, size_t a, size_t b,
                       difference_function *visit, void *context) {
    struct difference difference = {.panel = panel, .a = a, .b = b};
    difference.few = folds_at(e, panel, a);
    difference.many = folds_at(e, panel, b);
    for (size_t rank = 0; rank < QUALITY_RANKS; rank++) {
        if (!wants_rank(e, rank))
            continue;
        difference.rank = rank;
        difference.test = quality_test(&difference.few, &difference.many, rank);
        visit(&difference, context);
    }
}

/* Visits the differences that the claim is about. */
static void visit_differences(const struct item_claim *e, enum pairs standard,
                              difference_function *visit, void *context) {
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        for (size_t b = 1; e->about[p] && b < panel->n_points; b++)
            for (size_t a = 0; a < b; a++)
                if (wants_pair(e, panel, a, b, standard))
                    visit_pair(e, panel, a, b, visit, context);
    }
}

static bool has_leaves(const struct item_claim *e, double leaves) {
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++)
        for (size_t i = 0; e->about[p] && i < e->artefact->scale.panels[p].n_points; i++)
            if (e->artefact->scale.panels[p].points[i].max_leaves == leaves)
                return true;
    return false;
}

/* Adds what the claim lacks: pairs that the scale does not have, and models. */
static void say_missing(const struct item_claim *e, size_t unknown, struct claim_result *result) {
    const char *before = "; not at this scale: ";
    const cJSON *item;
    cJSON_ArrayForEach(item, e->pairs) {
        double few = cJSON_GetArrayItem(item, 0)->valuedouble;
        double many = cJSON_GetArrayItem(item, 1)->valuedouble;
        if (has_leaves(e, few) && has_leaves(e, many))
            continue;
        claim_say(result, "%s%.0f against %.0f leaves", before, few, many);
        before = ", ";
    }
    if (unknown > 0)
        claim_say(result, "; models are missing for %zu", unknown);
}

enum { WHERE_SIZE = 96 };

static void name_difference(const struct difference *d, char where[WHERE_SIZE]) {
    snprintf(where, WHERE_SIZE, "%.32s, %u against %u leaves, NDCG@%s", d->panel->title,
             d->panel->points[d->a].max_leaves, d->panel->points[d->b].max_leaves,
             quality_ranks[d->rank]);
}

struct tests {
    double *p; /* p of each test whose models were found */
    size_t count, capacity, unknown;
    double least; /* the smallest p */
    char where[WHERE_SIZE];
};

static void add_test(const struct difference *d, void *context) {
    struct tests *tests = context;
    if (isnan(d->test.p) ||
        !memory_grow((void **)&tests->p, &tests->capacity, tests->count, sizeof *tests->p)) {
        tests->unknown++;
        return;
    }
    tests->p[tests->count++] = d->test.p;
    if (d->test.p < tests->least) {
        tests->least = d->test.p;
        name_difference(d, tests->where);
    }
}

/* Among many tests, some find a difference by chance. Holm's correction over all tests takes this
 * into account. */
static enum verdict judge_none_differ(const struct item_claim *e, struct claim_result *result) {
    struct tests tests = {.least = 2};
    visit_differences(e, ALL_PAIRS, add_test, &tests);
    size_t differ = holm_count(tests.p, tests.count, QUALITY_SIGNIFICANT);
    free(tests.p);
    claim_say(result, "%zu of %zu differences are significant (p <= %.2f by Holm's correction)",
              differ, tests.count, QUALITY_SIGNIFICANT);
    if (tests.least <= 1)
        claim_say(result, "; smallest p: %.4f, corrected %.2f (%s)", tests.least,
                  holm_least(tests.least, tests.count), tests.where);
    say_missing(e, tests.unknown, result);
    add_seeds(e, result);
    if (tests.count + tests.unknown == 0)
        return VERDICT_NOT_MEASURED;
    if (differ > 0)
        return VERDICT_NOT_HELD;
    return !any_is_blind(e, result) && tests.unknown == 0 ? VERDICT_HELD : VERDICT_UNRESOLVED;
}

/* Each test must find that more leaves are better, so the p-values need no correction. */
struct gains {
    size_t better, worse, open, unknown;
    struct difference least_clear; /* the one that most contradicts the claim */
    double contradicts;            /* how much it does: -1 to 1 */
};

static void add_gain(const struct difference *d, void *context) {
    struct gains *gains = context;
    bool is_better = d->test.plus > d->test.minus;
    if (isnan(d->test.p)) {
        gains->unknown++;
        return;
    }
    double contradicts = is_better ? d->test.p - 1 : 1 - d->test.p;
    if (gains->better + gains->worse + gains->open == 0 || contradicts > gains->contradicts) {
        gains->contradicts = contradicts;
        gains->least_clear = *d;
    }
    *(d->test.p > QUALITY_SIGNIFICANT ? &gains->open
      : is_better                     ? &gains->better
                                      : &gains->worse) += 1;
}

static enum verdict judge_deeper_better(const struct item_claim *e, struct claim_result *result) {
    struct gains gains = {.unknown = 0};
    const struct difference *d = &gains.least_clear;
    visit_differences(e, FEWEST_AND_MOST, add_gain, &gains);
    size_t known = gains.better + gains.worse + gains.open;
    claim_say(result, "more leaves are significantly better in %zu of %zu tests (p <= %.2f)",
              gains.better, known, QUALITY_SIGNIFICANT);
    if (gains.worse > 0)
        claim_say(result, ", and significantly worse in %zu", gains.worse);
    if (known > 0)
        claim_say(result, "; %s%s: NDCG@%s %.3f at %u leaves, %.3f at %u, p %.3f",
                  known > 1 ? "least clear on " : "", d->panel->title, quality_ranks[d->rank],
                  quality_mean_ndcg(&d->few, d->rank).mean, d->panel->points[d->a].max_leaves,
                  quality_mean_ndcg(&d->many, d->rank).mean, d->panel->points[d->b].max_leaves,
                  d->test.p);
    say_missing(e, gains.unknown, result);
    add_seeds(e, result);
    if (known + gains.unknown == 0)
        return VERDICT_NOT_MEASURED;
    if (gains.worse > 0)
        return VERDICT_NOT_HELD;
    return gains.open + gains.unknown == 0 ? VERDICT_HELD : VERDICT_UNRESOLVED;
}

struct sizes {
    size_t known, unknown;
    double greatest;
    char where[WHERE_SIZE];
};

static void add_size(const struct difference *d, void *context) {
    struct sizes *sizes = context;
    double size =
        fabs(quality_mean_ndcg(&d->many, d->rank).mean - quality_mean_ndcg(&d->few, d->rank).mean);
    if (isnan(size)) {
        sizes->unknown++;
        return;
    }
    if (sizes->known++ == 0 || size > sizes->greatest) {
        sizes->greatest = size;
        name_difference(d, sizes->where);
    }
}

static enum verdict judge_little_difference(const struct item_claim *e,
                                            struct claim_result *result) {
    struct sizes sizes = {.known = 0};
    visit_differences(e, ALL_PAIRS, add_size, &sizes);
    if (sizes.known > 0)
        claim_say(result, "differences of at most %.4f (%s)", sizes.greatest, sizes.where);
    else
        claim_say(result, "nothing measured");
    say_missing(e, sizes.unknown, result);
    add_seeds(e, result);
    if (sizes.known + sizes.unknown == 0)
        return VERDICT_NOT_MEASURED;
    if (sizes.known > 0 && sizes.greatest > e->high)
        return VERDICT_NOT_HELD;
    return !any_is_blind(e, result) && sizes.unknown == 0 ? VERDICT_HELD : VERDICT_UNRESOLVED;
}

/* --- shares of features ----------------------------------------------------------------------- */

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
    if (lacks_models(e)) {
        result->verdict = VERDICT_NOT_MEASURED;
        claim_say(result, "%s", *result->measured ? "" : "no models");
    }
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

static bool is_pair(const cJSON *item) {
    const cJSON *few = cJSON_GetArrayItem(item, 0), *many = cJSON_GetArrayItem(item, 1);
    return cJSON_GetArraySize(item) == 2 && cJSON_IsNumber(few) && cJSON_IsNumber(many) &&
           few->valuedouble < many->valuedouble;
}

static bool is_rank(const cJSON *item) {
    for (size_t i = 0; cJSON_IsString(item) && i < QUALITY_RANKS; i++)
        if (strcmp(item->valuestring, quality_ranks[i]) == 0)
            return true;
    return false;
}

static enum status read_list(const char *name, const char *key, const cJSON *json,
                             bool (*is_fine)(const cJSON *), const char *what, void *member,
                             struct error *error) {
    const cJSON *item;
    bool fine = cJSON_IsArray(json) && cJSON_GetArraySize(json) > 0;
    cJSON_ArrayForEach(item, json) {
        fine &= is_fine(item);
    }
    *(const cJSON **)member = json;
    return fine ? STATUS_OK
                : error_set(error, STATUS_INPUT, "%s: %s: not an array of %s", name, key, what);
}

static enum status read_pairs(const char *name, const char *key, const cJSON *json, void *member,
                              struct error *error) {
    return read_list(name, key, json, is_pair, "pairs of numbers of leaves, such as [10, 30]",
                     member, error);
}

static enum status read_ranks(const char *name, const char *key, const cJSON *json, void *member,
                              struct error *error) {
    return read_list(name, key, json, is_rank,
                     "the ranks \"1\", \"3\", \"5\", \"10\", \"20\" and \"inf\"", member, error);
}

#define CLAIM(KIND, NAME, MEMBER, ...) FIELD(struct item_claim, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_form pair_list = {.type = "array", .from_json = read_pairs},
                                rank_list = {.type = "array", .from_json = read_ranks};
#define DIFFERENCES                                                                                \
    ITEM_CLAIM_KEYS,                                                                               \
        CLAIM(FORM, "pairs", pairs, .form = &pair_list, .is_optional = true,                       \
              .help = "pairs of numbers of leaves"),                                               \
        CLAIM(FORM, "ranks", ranks, .form = &rank_list, .is_optional = true,                       \
              .help = "ranks of NDCG")
static const struct record_field difference_fields[] = {DIFFERENCES};
static const struct record_field size_fields[] = {
    DIFFERENCES,
    CLAIM(REAL, "high", high, .low = 0, .high = 1, .help = "greatest difference of two NDCG")};
static const struct record_field range_fields[] = {
    ITEM_CLAIM_KEYS, CLAIM(REAL, "low", low, .low = 0, .high = 1, .help = "least value"),
    CLAIM(REAL, "high", high, .low = 0, .high = 1, .help = "greatest value")};
static const struct record_field depth_fields[] = {
    ITEM_CLAIM_KEYS,
    CLAIM(U32, "depth", depth, .low = 1, .high = UINT32_MAX, .help = "least depth of deep trees")};
static const struct record difference_record = ARTEFACT_RECORD("a claim", difference_fields),
                           size_record = ARTEFACT_RECORD("a claim", size_fields),
                           depth_record = ARTEFACT_RECORD("a claim", depth_fields),
                           range_record = ARTEFACT_RECORD("a claim", range_fields);

const struct item_claim_kind quality_claims[] = {
    {"none_differ", "trained",
     "Held if no test finds a difference on data sets large enough to show one; not held if one "
     "does.",
     &difference_record, judge_none_differ},
    {"deeper_better", "trained",
     "Held if the models with more leaves are significantly better in every test; not held if they "
     "are significantly worse in one.",
     &difference_record, judge_deeper_better},
    {"little_difference", "trained",
     "Held if the means of NDCG differ by no more than the claim says, on data sets large enough "
     "to show a difference.",
     &size_record, judge_little_difference},
    {"share_within", "trained", "Held if the shares of all models lie within the claimed range.",
     &range_record, judge_share_within},
    {"accuracy_range", "forest",
     "Held if the lowest and the highest accuracy differ from the paper's by at most 0.03.",
     &range_record, accuracy_judge_range},
    {"single_lower", "forest",
     "Held if the best single tree is less accurate than the best forest of each learner, on more "
     "than half of the data sets; not held if it is not on half of them or more.",
     &item_claim_plain, accuracy_judge_single},
    {"deep_best", "forest",
     "Held if the most accurate model has at least the claimed depth in more than half of the "
     "panels; not held if it has less in half of them or more.",
     &depth_record, accuracy_judge_deep},
    {"votes_like_shares", "forest",
     "Held if no test finds a difference in accuracy between votes and shares of classes.",
     &item_claim_plain, accuracy_judge_votes},
    {0}};
