/* Every implementation adds up the same votes, whether it supports votes or gets one tree per
 * class. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"
#include "tests/models/reading.h"
#include "tests/models/real.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBES_MAX = 700 };

static const double CANARY = -12345.5;

/* --- forests ---------------------------------------------------------------------------------- */

static struct ensemble *seven_classes(void) {
    struct forest forest = forest_begin(6, 31);
    forest.n_classes = 7;
    for (int i = 0; i < 25; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 60));
    return forest_end(&forest);
}

static struct ensemble *two_classes(void) {
    struct forest forest = forest_begin(3, 32);
    forest.n_classes = 2;
    forest.nan_left = true;
    for (uint32_t depth = 0; depth <= 8; depth++)
        forest_add_balanced(&forest, depth);
    forest_add_chain(&forest, 14, CHAIN_ZIGZAG);
    return forest_end(&forest);
}

/* More trees than a block of any implementation, and a class that no leaf votes for is likely. */
static struct ensemble *many_small_trees(void) {
    struct forest forest = forest_begin(4, 33);
    forest.n_classes = 300;
    forest.base = -0.0;
    for (int i = 0; i < 150; i++)
        forest_add_random_tree(&forest, 1 + (uint32_t)random_below(&forest.random, 4));
    return forest_end(&forest);
}

static struct ensemble *single_leaves(void) {
    struct forest forest = forest_begin(1, 34);
    forest.n_classes = 3;
    for (int i = 0; i < 5; i++)
        forest_add_random_tree(&forest, 1);
    return forest_end(&forest);
}

static struct ensemble *deep_trees(void) {
    struct forest forest = forest_begin(9, 35);
    forest.n_classes = 4;
    forest.nan_left = true;
    for (int i = 0; i < 3; i++)
        forest_add_random_tree(&forest, 700);
    return forest_end(&forest);
}

static struct ensemble *categories(void) {
    struct forest forest = forest_begin(4, 36);
    forest.n_classes = 3;
    forest.nan_left = true;
    forest.sets = FOREST_CATEGORIES;
    forest.n_categories = 12;
    for (int i = 0; i < 9; i++)
        forest_add_random_tree(&forest, 15);
    return forest_end(&forest);
}

static const struct forest_maker makers[] = {
    {"seven classes", seven_classes},
    {"two classes", two_classes},
    {"many small trees", many_small_trees},
    {"single leaves", single_leaves},
    {"deep trees", deep_trees},
    {"categories", categories},
};

/* --- checks ----------------------------------------------------------------------------------- */

struct test_case {
    const char *name;
    struct ensemble *ensemble;
    struct matrix *rows;
    double *expected; /* [n_rows * n_outputs] */
};

static struct test_case make_case(const struct forest_maker *maker) {
    struct test_case c = {.name = maker->name, .ensemble = maker->make()};
    const struct ensemble *e = c.ensemble;
    size_t n_rows = 6 * e->n_nodes + 70;
    assert_int_equal(synth_probes(e, n_rows < PROBES_MAX ? n_rows : PROBES_MAX, 1, &c.rows, NULL),
                     STATUS_OK);
    c.expected = calloc(c.rows->n_rows * e->n_outputs, sizeof *c.expected);
    assert_non_null(c.expected);
    for (size_t i = 0; i < c.rows->n_rows * e->n_outputs; i++)
        c.expected[i] =
            score_by_walking(e, matrix_row(c.rows, i / e->n_outputs), (uint32_t)(i % e->n_outputs));
    return c;
}

static void free_case(struct test_case *c) {
    ensemble_free(c->ensemble);
    matrix_free(c->rows);
    free(c->expected);
}

/* A library takes some of the row's values for 0, and decides them in its own way. */
static bool is_lost(const struct test_case *c, const struct scorer *scorer, size_t row) {
    const float *x = matrix_row(c->rows, row);
    for (uint32_t f = 0; scorer->zeros_up_to > 0 && f < scorer->n_features; f++)
        if (x[f] != 0 && fabsf(x[f]) <= scorer->zeros_up_to)
            return true;
    return false;
}

/* Scores the documents of a span. The scores of the others must stay as they are. */
static void check_documents(const struct test_case *c, const struct scorer *scorer,
                            struct span docs) {
    size_t n_outputs = c->ensemble->n_outputs, n = c->rows->n_rows * n_outputs;
    double *scores = malloc(n * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n; i++)
        scores[i] = CANARY;
    const struct batch batch = {c->rows->values, c->rows->stride, scores, workspace};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, docs, &batch);
    for (size_t i = 0; i < n; i++) {
        size_t row = i / n_outputs;
        bool inside = row >= docs.begin && row < docs.end;
        double expected = inside ? CANARY + c->expected[i] : CANARY;
        if (scores[i] != expected && !is_lost(c, scorer, row))
            fail_msg("%s, %s: document %zu, class %zu: %g votes instead of %g", scorer->impl->name,
                     c->name, row, i % n_outputs, scores[i] - CANARY, expected - CANARY);
    }
    free(scores);
    free(workspace);
}

/* From the base score on, the sums are those of a walk to the last bit: a class without votes keeps
 * the sign of its zero. */
static void check_sums(const struct test_case *c, const struct scorer *scorer) {
    size_t n_outputs = c->ensemble->n_outputs, n = c->rows->n_rows * n_outputs;
    double *scores = malloc(n * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n; i++)
        scores[i] = c->ensemble->base[i % n_outputs];
    const struct batch batch = {c->rows->values, c->rows->stride, scores, workspace};
    const struct span docs = {0, c->rows->n_rows};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, docs, &batch);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&scores[i], &c->expected[i], sizeof *scores) != 0 &&
            !is_lost(c, scorer, i / n_outputs))
            fail_msg("%s, %s: score %zu is %g instead of %g", scorer->impl->name, c->name, i,
                     scores[i], c->expected[i]);
    free(scores);
    free(workspace);
}

static void check_case(const struct impl *impl, const struct test_case *c) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(impl->name, c->ensemble, &scorer, &error);
    if (status == STATUS_UNSUPPORTED) {
        assert_null(strchr(error.text, '\n'));
        print_message("# %s, %s: %s\n", impl->name, c->name, error.text);
        return;
    }
    if (status)
        fail_msg("%s, %s: %s", impl->name, c->name, error.text);
    assert_int_equal(scorer->n_outputs, c->ensemble->n_outputs);
    assert_true(scorer->votes == impl->votes);
    size_t n = c->rows->n_rows;
    check_documents(c, scorer, (struct span){0, n});
    check_documents(c, scorer, (struct span){1, n - 1});
    check_documents(c, scorer, (struct span){n / 2, n / 2 + 1});
    check_sums(c, scorer);
    scorer_destroy(scorer);
}

/* Made once, because walking every tree for every class takes long. */
static struct test_case cases[sizeof makers / sizeof *makers];
enum { CASES = sizeof cases / sizeof *cases };

static int make_cases(void **state) {
    for (size_t i = 0; i < CASES; i++)
        cases[i] = make_case(&makers[i]);
    return scratch_begin(state);
}

static int free_cases(void **state) {
    for (size_t i = 0; i < CASES; i++)
        free_case(&cases[i]);
    return scratch_end(state);
}

static void agrees(void **state) {
    const struct impl *impl = *state;
    if (!impl_runs_here(impl) || !impl_is_here(impl))
        skip();
    for (size_t i = 0; i < CASES; i++)
        check_case(impl, &cases[i]);
}

/* --- scikit-learn's forests --------------------------------------------------------------------
 */

/* The columns after the features of the test rows are the label, the votes for the winner and the
 * majority class. The last is the label of the matrix; the others are its last two columns. */
static size_t count_wrong(const struct ensemble *e, const struct matrix *rows,
                          const double *scores) {
    size_t wrong = 0;
    for (size_t row = 0; row < rows->n_rows; row++) {
        const double *votes = scores + row * e->n_outputs;
        uint32_t winner = 0;
        for (uint32_t class = 1; class < e->n_outputs; class ++)
            winner = votes[class] > votes[winner] ? class : winner;
        double expected = (double)matrix_row(rows, row)[rows->n_features - 1];
        wrong += (float)winner != rows->labels[row] || votes[winner] != expected;
    }
    return wrong;
}

static void check_real(const struct impl *impl, const char *name, const struct ensemble *e,
                       const struct matrix *rows) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(impl->name, e, &scorer, &error);
    if (status == STATUS_UNSUPPORTED) {
        print_message("# %s, %s: %s\n", impl->name, name, error.text);
        return;
    }
    if (status)
        fail_msg("%s, %s: %s", impl->name, name, error.text);
    double *scores = calloc(rows->n_rows * e->n_outputs, sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    scorer_run(scorer, &(struct plan){.order = ORDER_DS, .doc_block = 512}, rows->n_rows,
               &(struct batch){rows->values, rows->stride, scores, workspace});
    size_t wrong = count_wrong(e, rows, scores);
    if (wrong)
        fail_msg("%s, %s: %zu of %zu rows are wrong", impl->name, name, wrong, rows->n_rows);
    free(scores);
    free(workspace);
    scorer_destroy(scorer);
}

/* Compilers get small models only: one of letter takes them a minute. */
static void agrees_on_real_forests(void **state) {
    (void)state;
    static const char *const names[] = {"adult.rf25.depth5",
                                        "letter.rf25.depth10",
                                        "letter.rf25.depth20",
                                        "magic.rf25.depth15",
                                        "satimage.et25.depth15",
                                        "spambase.et25.depth5",
                                        "wine_quality_white.dt1.depth20"};
    enum { COMPILED_NODES = 800 };
    size_t n_impls;
    const struct impl *const *impls = impl_all(&n_impls);
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        char model[128], rows_file[128];
        snprintf(model, sizeof model, "models/sklearn/%s.archforest.json.gz", names[m]);
        snprintf(rows_file, sizeof rows_file, "models/sklearn/%s.test.csv.gz", names[m]);
        struct ensemble *e = real_model(model);
        struct matrix *rows = real_documents(rows_file, "majority_class");
        for (size_t i = 0; i < n_impls; i++) {
            bool scores = impls[i]->kind == IMPL_TRAVERSAL || impls[i]->kind == IMPL_LIBRARY;
            bool slow = impls[i]->compiles && e->n_nodes > COMPILED_NODES;
            if (scores && !slow && impl_runs_here(impls[i]) && impl_is_here(impls[i]))
                check_real(impls[i], names[m], e, rows);
        }
        matrix_free(rows);
        ensemble_free(e);
    }
}

/* Implementations that walk trees support votes, so that a tree stays one tree. */
static void scalar_traversals_support_votes(void **state) {
    (void)state;
    static const char *const names[] = {"reference", "object", "struct",  "struct-plus",
                                        "pred",      "vpred",  "codegen", "interleaved"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ensemble *e = seven_classes();
        struct scorer *scorer = NULL;
        assert_int_equal(scorer_build(names[i], e, &scorer, NULL), STATUS_OK);
        assert_true(scorer->votes && scorer->n_units <= e->n_trees);
        scorer_destroy(scorer);
        ensemble_free(e);
    }
}

int main(void) {
    enum { IMPLS_MAX = 64 };
    static struct CMUnitTest tests[IMPLS_MAX + 2];
    size_t n_impls, n_tests = 0;
    const struct impl *const *impls = impl_all(&n_impls);
    for (size_t i = 0; i < n_impls && n_tests < IMPLS_MAX; i++)
        if (impls[i]->kind == IMPL_TRAVERSAL || impls[i]->kind == IMPL_LIBRARY)
            tests[n_tests++] = (struct CMUnitTest){.name = impls[i]->name,
                                                   .test_func = agrees,
                                                   .initial_state = (void *)(uintptr_t)impls[i]};
    tests[n_tests++] = (struct CMUnitTest)cmocka_unit_test(scalar_traversals_support_votes);
    tests[n_tests++] = (struct CMUnitTest)cmocka_unit_test(agrees_on_real_forests);
    return _cmocka_run_group_tests("votes", tests, n_tests, make_cases, free_cases);
}
