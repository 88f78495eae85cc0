/* Tables and claims about the accuracy of forests: buschjaeger2018, Table II. */
#include "harness/papers/quality_parts.h"

#include "base/memory.h"
#include "base/origin.h"
#include "datasets/recipes/recipe.h"
#include "harness/instruments/rank_tests.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The panels first to last - 1 have the same data set. */
struct group {
    size_t first, last;
};

static const struct quality *model_at(const struct artefact_report *r, const struct panel *panel,
                                      size_t point) {
    struct quality_folds folds = quality_at(r->results, r->artefact, panel, &panel->points[point]);
    return folds.count > 0 ? folds.list[0] : NULL;
}

static struct group next_group(const struct scale *scale, size_t first) {
    struct group group = {first, first + 1};
    while (group.last < scale->n_panels && strcmp(scale->panels[group.last].points[0].data,
                                                  scale->panels[first].points[0].data) == 0)
        group.last++;
    return group;
}

static double accuracy(const struct quality *q) {
    return (double)q->right / (double)q->test.rows;
}

static double accuracy_by_shares(const struct quality *q) {
    return (double)(q->right - q->votes_only + q->shares_only) / (double)q->test.rows;
}

/* --- the data sets ---------------------------------------------------------------------------- */

/* The range over the models of some panels. */
struct range {
    double least, most;                     /* by votes */
    double least_by_shares, most_by_shares; /* by added shares of the same trees */
    size_t n_models, n_missing;
    bool is_part;              /* a model was trained on a part of its data set */
    const struct quality *any; /* one of the models; NULL: there is none */
};
static const struct range no_range = {
    .least = INFINITY, .most = -INFINITY, .least_by_shares = INFINITY, .most_by_shares = -INFINITY};

static void add_panel(const struct artefact *artefact, const struct json_list *qualities,
                      const struct panel *panel, struct range *range) {
    for (size_t i = 0; i < panel->n_points; i++) {
        struct quality_folds folds = quality_at(qualities, artefact, panel, &panel->points[i]);
        range->n_missing += folds.count == 0;
        for (size_t k = 0; k < folds.count; k++) {
            const struct quality *q = folds.list[k];
            range->least = fmin(range->least, accuracy(q));
            range->most = fmax(range->most, accuracy(q));
            range->least_by_shares = fmin(range->least_by_shares, accuracy_by_shares(q));
            range->most_by_shares = fmax(range->most_by_shares, accuracy_by_shares(q));
            range->is_part |= (q->origin & ORIGIN_NOT_REAL) != 0;
            range->any = q;
            range->n_models++;
        }
    }
}

/* Writes the paper's line, unless the data set is not in the paper's table. */
static void write_papers(const struct artefact_report *r, const struct point *point) {
    if (strcmp(quality_papers(r, point, 0, "test_rows"), "-") == 0) {
        fprintf(r->stream, "| %s | not in the paper | | | | | |\n", point->data);
        return;
    }
    fprintf(r->stream, "| %s | paper | %s | %s | %s | %s - %s | |\n", point->data,
            quality_papers(r, point, 0, "type"), quality_papers(r, point, 0, "test_rows"),
            quality_papers(r, point, 0, "features"), quality_papers(r, point, 0, "accuracy_low"),
            quality_papers(r, point, 0, "accuracy_high"));
}

static void write_data_set(const struct artefact_report *r, struct group group) {
    const struct point *point = &r->artefact->scale.panels[group.first].points[0];
    const struct recipe *recipe = recipe_find(point->data);
    struct range range = no_range;
    for (size_t p = group.first; p < group.last; p++)
        add_panel(r->artefact, r->results, &r->artefact->scale.panels[p], &range);
    write_papers(r, point);
    if (!range.any) {
        fputs("| | here: **missing** | - | - | - | - | - |\n", r->stream);
        return;
    }
    const char *note = range.any->note;
    fprintf(r->stream, "| | here%s%s%s | %s | %" PRIu64 " | %u | %.2f - %.2f | %.2f - %.2f |\n",
            note[0] ? ": **" : "", note, note[0] ? "**" : "", recipe_type_names[recipe->type],
            range.any->test.rows, range.any->features, range.least, range.most,
            range.least_by_shares, range.most_by_shares);
}

static void write_data_sets(const struct artefact_report *r) {
    const struct scale *scale = &r->artefact->scale;
    fputs("\nThe accuracy is the share of test rows whose class is predicted: from the lowest to "
          "the highest of all models of a data set. Each tree casts one vote, and the first class "
          "with most votes is predicted. The last column adds the shares of classes in the leaves "
          "of the same trees instead, as scikit-learn does. The paper does not say by which of the "
          "two it measured the accuracy. Its split of rows is not known either.\n\n"
          "| data set | | type | test rows | features | accuracy | by shares |\n"
          "|---|---|---|---:|---:|---:|---:|\n",
          r->stream);
    for (struct group group = {0, 0}; group.last < scale->n_panels;) {
        group = next_group(scale, group.last);
        write_data_set(r, group);
    }
}

/* --- the models ------------------------------------------------------------------------------- */

static void write_model(FILE *stream, const struct quality *q) {
    if (!q)
        fputs(" missing |", stream);
    else if (q->trees < 2)
        fprintf(stream, " %.3f |", accuracy(q));
    else
        fprintf(stream, " %.3f (%.3f) |", accuracy(q), accuracy_by_shares(q));
}

static bool same_depths(const struct panel *a, const struct panel *b) {
    if (a->n_points != b->n_points)
        return false;
    for (size_t i = 0; i < a->n_points; i++)
        if (a->points[i].depth != b->points[i].depth)
            return false;
    return true;
}

static void write_models(const struct artefact_report *r) {
    const struct scale *scale = &r->artefact->scale;
    fputs("\n## Models\n\nAccuracy by votes. In parentheses: by added shares of the same trees, as "
          "scikit-learn predicts. A single tree predicts the same by both.\n",
          r->stream);
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        if (p == 0 || !same_depths(panel, panel - 1)) {
            fputs("\n", r->stream);
            report_write_depths(r->stream, "models", panel);
        }
        fprintf(r->stream, "| %s |", panel->title);
        for (size_t i = 0; i < panel->n_points; i++)
            write_model(r->stream, model_at(r, panel, i));
        fputs("\n", r->stream);
    }
}

void accuracy_write_tables(const struct artefact_report *r) {
    write_data_sets(r);
    write_models(r);
}

/* --- NAME.csv --------------------------------------------------------------------------------- */

void accuracy_write_csv(const struct artefact_report *r) {
    fputs("panel,data,note,learner,trees,max_depth,mean_tree_depth,train_rows,test_rows,features,"
          "accuracy,accuracy_by_shares,votes_only,shares_only,p\n",
          r->stream);
    for (struct spot at = {0}; scale_next(&r->artefact->scale, &at);) {
        const struct quality *q = model_at(r, at.panel, at.i);
        if (q)
            fprintf(r->stream,
                    "\"%s\",%s,\"%s\",%s,%" PRIu32 ",%" PRIu32 ",%.2f,%" PRIu64 ",%" PRIu64
                    ",%" PRIu32 ",%.6f,%.6f,%" PRIu64 ",%" PRIu64 ",%.6g\n",
                    at.panel->title, q->workload.data, q->note, q->workload.kind, q->trees,
                    q->workload.depth, q->mean_tree_depth, q->train.rows, q->test.rows, q->features,
                    accuracy(q), accuracy_by_shares(q), q->votes_only, q->shares_only,
                    sign_test(q->votes_only, q->shares_only));
    }
}

/* --- the claim about the range ---------------------------------------------------------------- */

/* The paper prints two digits, and the standard error of the accuracy on its smallest set of test
 * rows (1,625) is at most 0.0125. */
static const double RANGE_MARGIN = 0.03;

static struct range range_of_claim(const struct item_claim *e) {
    struct range range = no_range;
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++)
        if (e->about[p])
            add_panel(e->artefact, e->items, &e->artefact->scale.panels[p], &range);
    return range;
}

enum verdict accuracy_judge_range(const struct item_claim *e, struct claim_result *result) {
    struct range found = range_of_claim(e);
    if (found.n_models > 0)
        claim_say(result, "%.3f to %.3f; by added shares %.3f to %.3f", found.least, found.most,
                  found.least_by_shares, found.most_by_shares);
    if (found.n_missing > 0)
        claim_say(result, "%s%zu model%s missing", *result->measured ? "; " : "", found.n_missing,
                  found.n_missing == 1 ? " is" : "s are");
    if (found.n_missing > 0 || found.n_models == 0)
        return VERDICT_UNRESOLVED;
    if (found.is_part) {
        claim_say(result, "; a part of the data set cannot tell");
        return VERDICT_UNRESOLVED;
    }
    return fabs(found.least - e->low) <= RANGE_MARGIN && fabs(found.most - e->high) <= RANGE_MARGIN
               ? VERDICT_HELD
               : VERDICT_NOT_HELD;
}

/* --- claims about learners and depths --------------------------------------------------------- */

/* What holds in more than half of the cases is held. */
struct majority {
    size_t cases, held, missing;
    char failing[256]; /* names of the cases in which it does not hold */
};

static void count_case(struct majority *majority, const char *name, double better, double worse) {
    majority->cases++;
    if (isinf(better) || isinf(worse))
        majority->missing++;
    else if (better > worse)
        majority->held++;
    else
        artefact_list_name(majority->failing, sizeof majority->failing, name);
}

static enum verdict judge_majority(const struct majority *majority, const char *cases,
                                   struct claim_result *result) {
    claim_say(result, "holds for %zu of %zu %s", majority->held, majority->cases, cases);
    if (majority->failing[0])
        claim_say(result, "; fails for %s", majority->failing);
    if (majority->missing > 0)
        claim_say(result, "; models are missing for %zu", majority->missing);
    if (2 * majority->held > majority->cases)
        return VERDICT_HELD;
    return 2 * (majority->held + majority->missing) <= majority->cases ? VERDICT_NOT_HELD
                                                                       : VERDICT_UNRESOLVED;
}

/* Returns the highest accuracy of a panel's models with a largest depth of `least` to `most`, or
 * -INFINITY if one of them is missing. */
static double best_between(const struct item_claim *e, const struct panel *panel, uint32_t least,
                           uint32_t most) {
    double best = -INFINITY;
    for (size_t i = 0; i < panel->n_points; i++) {
        if (panel->points[i].depth < least || panel->points[i].depth > most)
            continue;
        struct quality_folds folds = quality_at(e->items, e->artefact, panel, &panel->points[i]);
        if (folds.count == 0)
            return -INFINITY;
        best = fmax(best, accuracy(folds.list[0]));
    }
    return best;
}

/* For each data set, compares the best single tree with the best forest of each learner. */
enum verdict accuracy_judge_single(const struct item_claim *e, struct claim_result *result) {
    const struct scale *scale = &e->artefact->scale;
    struct majority majority = {.cases = 0};
    for (struct group group = {0, 0}; group.last < scale->n_panels;) {
        double single = -INFINITY, forests = INFINITY;
        group = next_group(scale, group.last);
        for (size_t p = group.first; p < group.last; p++) {
            const struct panel *panel = &scale->panels[p];
            double best = best_between(e, panel, 0, UINT32_MAX);
            if (e->about[p] && panel->points[0].trees == 1)
                single = fmax(single, best);
            else if (e->about[p])
                forests = fmin(forests, best);
        }
        if (e->about[group.first])
            count_case(&majority, scale->panels[group.first].points[0].data, forests, single);
    }
    return judge_majority(&majority, "data sets", result);
}

enum verdict accuracy_judge_deep(const struct item_claim *e, struct claim_result *result) {
    struct majority majority = {.cases = 0};
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        if (e->about[p])
            count_case(&majority, panel->title, best_between(e, panel, e->depth, UINT32_MAX),
                       best_between(e, panel, 0, e->depth - 1));
    }
    return judge_majority(&majority, "panels", result);
}

/* --- the claim about votes and shares --------------------------------------------------------- */

/* Smaller p are shown as this. */
#define TINY_P 1e-100

struct tests {
    double *p;
    size_t count, capacity, votes_better;
    double least;
    const struct quality *where; /* the model with the smallest p */
};

/* Returns false if memory runs out. A single tree has one vote, so its votes and its shares always
 * predict the same. */
static bool test_model(const struct quality *q, struct tests *tests) {
    if (q->trees < 2)
        return true;
    if (!memory_grow((void **)&tests->p, &tests->capacity, tests->count, sizeof *tests->p))
        return false;
    double p = sign_test(q->votes_only, q->shares_only);
    tests->p[tests->count++] = p;
    tests->votes_better += q->votes_only > q->shares_only;
    if (!tests->where || p < tests->least) {
        tests->least = p;
        tests->where = q;
    }
    return true;
}

static bool test_panel(const struct item_claim *e, const struct panel *panel, struct tests *tests) {
    bool good = true;
    for (size_t i = 0; i < panel->n_points; i++) {
        struct quality_folds folds = quality_at(e->items, e->artefact, panel, &panel->points[i]);
        for (size_t k = 0; k < folds.count && good; k++)
            good = test_model(folds.list[k], tests);
    }
    return good;
}

static void say_tests(const struct tests *tests, size_t differ, struct claim_result *result) {
    const struct quality *q = tests->where;
    claim_say(result,
              "%zu of %zu forests differ significantly (p <= %.2f by Holm's correction); votes "
              "are better on %zu",
              differ, tests->count, QUALITY_SIGNIFICANT, tests->votes_better);
    claim_say(result,
              "; smallest p: %s%.2g (%s, %s, depth %" PRIu32 ": %" PRIu64
              " test rows right by votes only, %" PRIu64 " by shares only)",
              tests->least < TINY_P ? "below " : "", fmax(tests->least, TINY_P), q->workload.data,
              q->workload.kind, q->workload.depth, q->votes_only, q->shares_only);
}

enum verdict accuracy_judge_votes(const struct item_claim *e, struct claim_result *result) {
    struct tests tests = {.count = 0};
    bool good = true;
    for (size_t p = 0; p < e->artefact->scale.n_panels && good; p++)
        if (e->about[p])
            good = test_panel(e, &e->artefact->scale.panels[p], &tests);
    if (!good || tests.count == 0) {
        claim_say(result, good ? "models are missing" : "out of memory");
        free(tests.p);
        return VERDICT_UNRESOLVED;
    }
    size_t differ = holm_count(tests.p, tests.count, QUALITY_SIGNIFICANT);
    say_tests(&tests, differ, result);
    free(tests.p);
    return differ > 0 ? VERDICT_NOT_HELD : VERDICT_HELD;
}
