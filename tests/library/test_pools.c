/* Pools of threads in the library's interface: who may use them, and that scores stay the same. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "library/treebench.h"
#include "models/format.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <stdio.h>
#include <string.h>

enum { DOCS = 40, FEATURES = 9, OUTPUTS = 2, TREES = 700, SPIN_US = 100000 };

static struct {
    struct tb_model *model;
    struct tb_scorer *scorer;
    int processor; /* for threads of pools: one other than this thread's, if there is one */
    float rows[DOCS * FEATURES];
    double doubles[DOCS * FEATURES], expected[DOCS * OUTPUTS];
} fixture;

static struct tb_context *create_context(void) {
    struct tb_context *context;
    assert_int_equal(tb_context_create(fixture.scorer, &context, NULL), TB_OK);
    return context;
}

static struct tb_pool *create_pool(void) {
    struct tb_pool *pool = NULL;
    struct tb_error error = {""};
    if (tb_pool_create(2, &fixture.processor, SPIN_US, &pool, &error))
        fail_msg("%s", error.text);
    return pool;
}

/* Several times, because a call that finds a thread asleep is scored by one thread. */
static void check_scores(struct tb_context *context, size_t call) {
    double scores[DOCS * OUTPUTS];
    for (size_t i = 0; i < 20; i++) {
        memset(scores, 0, sizeof scores);
        for (size_t doc = 0, n; doc < DOCS; doc += n) {
            size_t at = doc * FEATURES;
            n = call < DOCS - doc ? call : DOCS - doc;
            enum tb_status status =
                i % 2 ? tb_score(context, fixture.rows + at, n, FEATURES, FEATURES,
                                 scores + doc * OUTPUTS, NULL)
                      : tb_score_doubles(context, fixture.doubles + at, n, FEATURES, FEATURES,
                                         scores + doc * OUTPUTS, NULL);
            assert_int_equal(status, TB_OK);
        }
        assert_memory_equal(scores, fixture.expected, sizeof scores);
    }
}

static void scores_stay_the_same(void **state) {
    (void)state;
    struct tb_context *context = create_context();
    struct tb_pool *pool = create_pool();
    assert_int_equal(tb_context_use_pool(context, pool, NULL), TB_OK);
    assert_int_equal(tb_context_threads(context, 1), 2);
    assert_int_equal(tb_context_threads(context, 17), 1);
    check_scores(context, 1);
    check_scores(context, 13);
    check_scores(context, DOCS);
    tb_context_free(context);
    tb_pool_free(pool);
}

static void a_pool_has_one_context_at_a_time(void **state) {
    (void)state;
    struct tb_context *first = create_context(), *second = create_context();
    struct tb_pool *pool = create_pool(), *other = create_pool();
    struct tb_error error;
    assert_int_equal(tb_context_use_pool(first, pool, NULL), TB_OK);
    assert_int_equal(tb_context_use_pool(first, pool, NULL), TB_OK);
    assert_int_equal(tb_context_use_pool(second, pool, &error), TB_INPUT);
    assert_string_equal(error.text, "the pool belongs to another context. Take it from that one "
                                    "first, or create another pool");
    assert_int_equal(tb_context_threads(second, 1), 1);
    assert_int_equal(tb_context_use_pool(first, other, NULL), TB_OK);
    assert_int_equal(tb_context_use_pool(second, pool, NULL), TB_OK);
    assert_int_equal(tb_context_use_pool(second, NULL, NULL), TB_OK);
    assert_int_equal(tb_context_threads(second, 1), 1);
    assert_int_equal(tb_context_use_pool(first, pool, NULL), TB_OK);
    check_scores(first, 1);
    check_scores(second, 1);
    tb_context_free(first);
    tb_context_free(second);
    tb_pool_free(pool);
    tb_pool_free(other);
}

static void either_may_be_freed_first(void **state) {
    (void)state;
    struct tb_context *context = create_context();
    struct tb_pool *pool = create_pool();
    assert_int_equal(tb_context_use_pool(context, pool, NULL), TB_OK);
    check_scores(context, 1);
    tb_pool_free(pool);
    assert_int_equal(tb_context_threads(context, 1), 1);
    check_scores(context, 1);
    pool = create_pool();
    assert_int_equal(tb_context_use_pool(context, pool, NULL), TB_OK);
    tb_context_free(context);
    context = create_context();
    assert_int_equal(tb_context_use_pool(context, pool, NULL), TB_OK);
    check_scores(context, 1);
    tb_context_free(context);
    tb_pool_free(pool);
}

static void mistakes_are_refused(void **state) {
    (void)state;
    struct tb_pool *pool = NULL;
    struct tb_error error;
    assert_int_equal(tb_pool_create(2, NULL, 0, NULL, &error), TB_INPUT);
    assert_string_equal(error.text, "the place for the pool is NULL");
    assert_int_equal(tb_pool_create(0, NULL, 0, &pool, NULL), TB_INPUT);
    assert_int_equal(tb_pool_create(2, (int[]){-1}, 0, &pool, &error), TB_MACHINE);
    assert_non_null(strstr(error.text, "cannot be pinned to processor -1"));
    assert_null(pool);
    pool = create_pool();
    assert_int_equal(tb_pool_threads(pool), 2);
    assert_int_equal(tb_context_use_pool(NULL, pool, &error), TB_INPUT);
    assert_string_equal(error.text, "the context is NULL");
    tb_pool_free(pool);
    tb_pool_free(NULL);
    assert_int_equal(tb_pool_threads(NULL) + tb_context_threads(NULL, 1), 0);
}

/* --- auto ------------------------------------------------------------------------------------- */

static size_t threads_of_auto(uint32_t n_trees, uint32_t leaves) {
    char path[64];
    struct tb_model *model;
    struct tb_scorer *scorer;
    struct tb_context *context;
    struct forest forest = forest_begin(FEATURES, 8);
    for (uint32_t t = 0; t < n_trees; t++)
        forest_add_random_tree(&forest, leaves);
    struct ensemble *e = forest_end(&forest);
    snprintf(path, sizeof path, "%s/auto.json", scratch_folder);
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    ensemble_free(e);
    assert_int_equal(tb_model_open(path, &model, NULL), TB_OK);
    assert_int_equal(tb_scorer_build(model, NULL, &scorer, NULL), TB_OK);
    assert_int_equal(tb_context_create(scorer, &context, NULL), TB_OK);
    struct tb_pool *pool = create_pool();
    assert_int_equal(tb_context_use_pool(context, pool, NULL), TB_OK);
    size_t threads = tb_context_threads(context, 1);
    tb_pool_free(pool);
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
    return threads;
}

static void auto_shares_long_calls_out(void **state) {
    (void)state;
    assert_int_equal(threads_of_auto(20, 8), 1);
    assert_int_equal(threads_of_auto(1500, 60), 2);
}

/* --- the fixture ------------------------------------------------------------------------------ */

static struct ensemble *make_ensemble(void) {
    struct forest forest = forest_begin(FEATURES, 5);
    forest.nan_left = true;
    forest.n_outputs = OUTPUTS;
    for (uint32_t t = 0; t < TREES; t++)
        forest_add_random_tree(&forest, 1 + t % 9);
    struct ensemble *e = forest_end(&forest);
    for (size_t i = 0; i < e->n_leaves; i++)
        e->value[i] = (double)random_float(&forest.random) / 3;
    e->base[1] = 0.1;
    return e;
}

static void make_documents(const struct ensemble *e) {
    struct matrix *rows;
    assert_int_equal(synth_probes(e, DOCS, 3, &rows, NULL), STATUS_OK);
    for (size_t i = 0; i < DOCS * FEATURES; i++) {
        fixture.rows[i] = matrix_row(rows, i / FEATURES)[i % FEATURES];
        fixture.doubles[i] = (double)fixture.rows[i];
    }
    matrix_free(rows);
}

static void expect_scores(void) {
    struct tb_scorer *reference;
    struct tb_context *context;
    assert_int_equal(tb_scorer_build(fixture.model, "reference", &reference, NULL), TB_OK);
    assert_int_equal(tb_context_create(reference, &context, NULL), TB_OK);
    assert_int_equal(
        tb_score(context, fixture.rows, DOCS, FEATURES, FEATURES, fixture.expected, NULL), TB_OK);
    tb_context_free(context);
    tb_scorer_free(reference);
}

static int choose_processor(void) {
    struct cpu_affinity allowed;
    int two[2] = {0};
    cpu_get_affinity(&allowed);
    return two[cpu_list_cores(&allowed, two, 2) - 1];
}

static int set_up(void **state) {
    char path[64];
    if (scratch_begin(state))
        return -1;
    struct ensemble *e = make_ensemble();
    make_documents(e);
    snprintf(path, sizeof path, "%s/model.json", scratch_folder);
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    ensemble_free(e);
    fixture.processor = choose_processor();
    assert_int_equal(tb_model_open(path, &fixture.model, NULL), TB_OK);
    assert_int_equal(tb_scorer_build(fixture.model, "interleaved", &fixture.scorer, NULL), TB_OK);
    expect_scores();
    return 0;
}

static int tear_down(void **state) {
    tb_scorer_free(fixture.scorer);
    tb_model_free(fixture.model);
    return scratch_end(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_stay_the_same),
        cmocka_unit_test(a_pool_has_one_context_at_a_time),
        cmocka_unit_test(either_may_be_freed_first),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(auto_shares_long_calls_out),
    };
    return cmocka_run_group_tests_name("pools", tests, set_up, tear_down);
}
