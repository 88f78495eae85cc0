/* Every traversal of the registry gives the same scores in every loop order: the same bits, or
 * within rounding if it adds in float32 (scorer.float_trees). The numbers of documents and units
 * are no multiples of the sizes of the blocks. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "impls/variant.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCS = 203, SPECS_MAX = 128, SPEC_SIZE = 64 };

static struct ensemble *ensemble;
static struct matrix *rows;
static double leaf_sum; /* over all trees, of the largest |leaf| of a tree */

/* --- the workload ----------------------------------------------------------------------------- */

/* Values of which sums are rounded, so that another order of adding gives other bits. */
static void draw_leaves(void) {
    struct random random;
    random_seed(&random, 5);
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        double largest = 0;
        for (size_t leaf = ensemble->tree_leaf[t]; leaf < ensemble->tree_leaf[t + 1]; leaf++) {
            ensemble->value[leaf] = (double)random_float(&random) / 3 - 0.1;
            largest = fmax(largest, fabs(ensemble->value[leaf]));
        }
        leaf_sum += largest;
    }
}

static int begin(void **state) {
    struct forest forest = forest_begin(9, 21);
    forest.n_outputs = 2;
    for (int i = 0; i < 131; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 24));
    ensemble = forest_end(&forest);
    draw_leaves();
    return scratch_begin(state) || synth_probes(ensemble, DOCS, 3, &rows, NULL) != STATUS_OK ? -1
                                                                                             : 0;
}

static int end(void **state) {
    ensemble_free(ensemble);
    matrix_free(rows);
    return scratch_end(state);
}

/* --- checks ----------------------------------------------------------------------------------- */

static double *score(const struct scorer *scorer, const struct plan *plan) {
    size_t n_scores = DOCS * (size_t)scorer->n_outputs;
    double *scores = calloc(n_scores, sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n_scores; i++)
        scores[i] = 0.1 * (double)i;
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    scorer_run(scorer, plan, DOCS, &batch);
    free(workspace);
    return scores;
}

/* Sums in float32 start anew in each block of units, so the order changes their rounding. The bound
 * is twice that of one sum (docs/blocking.md). */
static double rounding(const struct scorer *scorer) {
    return scorer->float_trees ? 2 * leaf_sum * ensemble->n_trees * (double)FLT_EPSILON : 0;
}

static void check_plan(const struct scorer *scorer, const struct order_choice *choice,
                       const double *expected) {
    struct plan plan = {.threads = 1};
    assert_int_equal(order_plan(choice, scorer, &plan, NULL), STATUS_OK);
    double *scores = score(scorer, &plan), most = rounding(scorer);
    for (size_t i = 0; i < DOCS * (size_t)scorer->n_outputs; i++)
        if (!(fabs(scores[i] - expected[i]) <= most))
            fail_msg("%s, d = %zu, s = %zu: score %zu is %.17g instead of %.17g",
                     order_name(choice->order), choice->d, choice->s, i, scores[i], expected[i]);
    free(scores);
}

static void check_orders(const struct scorer *scorer, const double *expected) {
    static const size_t blocks[][2] = {{1, 1}, {5, 3}, {33, 1}, {64, 7}, {DOCS, 2}, {1000, 1000}};
    for (enum order order = ORDER_DS; order < ORDERS; order++)
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            const struct order_choice choice = {.is_given = true,
                                                .order = order,
                                                .d = order_has_d(order) ? blocks[i][0] : 0,
                                                .s = order_has_s(order) ? blocks[i][1] : 0};
            check_plan(scorer, &choice, expected);
        }
}

static void gives_the_same_scores_in_every_order(void **state) {
    struct scorer *scorer = NULL, *reference = NULL;
    struct error error;
    enum status status = scorer_build(*state, ensemble, &scorer, &error);
    if (status == STATUS_MACHINE || status == STATUS_UNSUPPORTED) {
        print_message("# skipped: %s\n", error.text);
        skip();
    }
    if (status)
        fail_msg("%s", error.text);
    assert_int_equal(scorer_build("reference", ensemble, &reference, NULL), STATUS_OK);
    double *expected = score(reference, &(const struct plan){.order = ORDER_DS});
    check_orders(scorer, expected);
    free(expected);
    scorer_destroy(reference);
    scorer_destroy(scorer);
}

/* --- the tests -------------------------------------------------------------------------------- */

static char specs[SPECS_MAX][SPEC_SIZE];
static size_t n_specs;

static void add(const char *name, const char *options) {
    assert_true(n_specs < SPECS_MAX);
    snprintf(specs[n_specs++], SPEC_SIZE, "%s%s", name, options);
}

/* With sums in float32, if it has them. */
static void add_impl(const struct impl *impl) {
    if (impl->kind != IMPL_TRAVERSAL)
        return;
    add(impl->name, "");
    for (const struct impl_param *param = impl->params; param && param->name; param++)
        if (strcmp(param->name, "sums") == 0)
            add(impl->name, ",sums=float");
}

int main(void) {
    static struct CMUnitTest tests[SPECS_MAX];
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        add_impl(impls[i]);
    add("vpred", ",v=1");
    add("vpred", ",v=32");
    add("bwqs", ",tau=4");
    for (size_t i = 0; i < n_specs; i++)
        tests[i] = (struct CMUnitTest){.name = specs[i],
                                       .test_func = gives_the_same_scores_in_every_order,
                                       .initial_state = specs[i]};
    return _cmocka_run_group_tests("order bits", tests, n_specs, begin, end);
}
