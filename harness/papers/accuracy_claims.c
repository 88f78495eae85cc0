/* Claims about the accuracy of forests. */
#include "harness/papers/quality_parts.h"

#include "base/memory.h"
#include "harness/instruments/holm.h"
#include "harness/instruments/sign_test.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The paper prints two digits, and the standard error of the accuracy on its smallest set of test
 * rows (1,625) is at most 0.0125. */
static const double RANGE_MARGIN = 0.03;

/* What the models of a claim have in common. */
struct found {
    double least, most;                     /* accuracies by votes */
    double least_by_shares, most_by_shares; /* by added shares */
    size_t n_models, n_missing;
    bool is_part; /* a model was trained on a part of its data set */
};

static struct found find_all(const struct evidence *e) {
    struct found found = {.least = INFINITY,
                          .most = -INFINITY,
                          .least_by_shares = INFINITY,
                          .most_by_shares = -INFINITY};
    for (size_t p = 0; p < e->artefact->scale.n_panels; p++) {
        const struct panel *panel = &e->artefact->scale.panels[p];
        for (size_t i = 0; e->claim->about[p] && i < panel->n_points; i++) {
            struct quality_folds folds =
                quality_at(e->qualities, e->artefact, panel, &panel->points[i]);
            found.n_missing += folds.count == 0;
            for (size_t k = 0; k < folds.count; k++) {
                const struct quality *q = folds.list[k];
                double accuracy = (double)q->right / (double)q->test.rows;
                double by_shares =
                    (double)(q->right - q->votes_only + q->shares_only) / (double)q->test.rows;
                found.least = fmin(found.least, accuracy);
                found.most = fmax(found.most, accuracy);
                found.least_by_shares = fmin(found.least_by_shares, by_shares);
                found.most_by_shares = fmax(found.most_by_shares, by_shares);
                found.is_part |= q->note[0] != '\0';
                found.n_models++;
            }
        }
    }
    return found;
}

enum verdict accuracy_judge_range(const struct evidence *e, struct claim_result *result) {
    struct found found = find_all(e);
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
    return fabs(found.least - e->claim->low) <= RANGE_MARGIN &&
                   fabs(found.most - e->claim->high) <= RANGE_MARGIN
               ? VERDICT_HELD
               : VERDICT_NOT_HELD;
}

/* --- votes and shares ------------------------------------------------------------------------- */

/* Smaller p are shown as this. */
#define TINY_P 1e-100

struct tests {
    double *p;
    size_t count, capacity, votes_better;
    double least;
    const struct quality *where; /* the model with the smallest p */
};

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

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

static bool test_panel(const struct evidence *e, const struct panel *panel, struct tests *tests) {
    bool good = true;
    for (size_t i = 0; i < panel->n_points; i++) {
        struct quality_folds folds =
            quality_at(e->qualities, e->artefact, panel, &panel->points[i]);
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

enum verdict accuracy_judge_votes(const struct evidence *e, struct claim_result *result) {
    struct tests tests = {.count = 0};
    bool good = true;
    for (size_t p = 0; p < e->artefact->scale.n_panels && good; p++)
        if (e->claim->about[p])
            good = test_panel(e, &e->artefact->scale.panels[p], &tests);
    if (!good || tests.count == 0) {
        claim_say(result, good ? "models are missing" : "out of memory");
        free(tests.p);
        return VERDICT_UNRESOLVED;
    }
    qsort(tests.p, tests.count, sizeof *tests.p, compare_numbers);
    size_t differ = holm_count(tests.p, tests.count, QUALITY_SIGNIFICANT);
    say_tests(&tests, differ, result);
    free(tests.p);
    return differ > 0 ? VERDICT_NOT_HELD : VERDICT_HELD;
}
