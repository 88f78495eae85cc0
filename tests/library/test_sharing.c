/* Calls that are shared out over the threads of a pool: the scores of one thread, bit for bit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "impls/scorer.h"
#include "library/sharing.h"
#include "tests/impls/forests.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { DOCS = 18, FEATURES = 7, MOST_THREADS = 4, MOST_OUTPUTS = 3 };
static const uint64_t SPIN_NS = 100000000;

/* --- fixtures --------------------------------------------------------------------------------- */

/* Values whose sums are rounded, so that another order of adding would show. Some are -0.0. */
static void set_values(struct ensemble *e, struct random *random) {
    for (size_t i = 0; i < e->n_leaves; i++)
        e->value[i] = i % 5 ? (double)random_float(random) / 3 - 0.1 : -0.0;
}

static struct ensemble *make_ensemble(uint32_t n_trees, uint32_t n_outputs, uint32_t n_classes) {
    struct forest forest = forest_begin(FEATURES, n_trees);
    forest.nan_left = true;
    forest.n_outputs = n_outputs;
    forest.n_classes = n_classes;
    for (uint32_t t = 0; t < n_trees; t++)
        forest_add_random_tree(&forest, 1 + t % 9);
    struct ensemble *e = forest_end(&forest);
    if (!n_classes)
        set_values(e, &forest.random);
    return e;
}

/* Sums that are -0.0 stay so. */
static struct ensemble *make_zeros(void) {
    struct ensemble *e = make_ensemble(300, 1, 0);
    for (size_t i = 0; i < e->n_leaves; i++)
        e->value[i] = -0.0;
    return e;
}

/* The processors that this process may use, again and again. */
static void list_processors(int processors[static MOST_THREADS]) {
    struct cpu_affinity allowed;
    int all[MOST_THREADS];
    cpu_get_affinity(&allowed);
    unsigned n = cpu_list_cores(&allowed, all, MOST_THREADS);
    assert_true(n > 0);
    for (size_t i = 0; i < MOST_THREADS; i++)
        processors[i] = all[(i + 1) % n];
}

static struct pool *make_pool(size_t n_threads) {
    int processors[MOST_THREADS];
    struct pool *pool = NULL;
    struct error error = {""};
    list_processors(processors);
    if (pool_create(n_threads, processors, SPIN_NS, &pool, &error))
        fail_msg("%s", error.text);
    return pool;
}

/* --- exactness -------------------------------------------------------------------------------- */

static void start(const struct ensemble *e, double *scores) {
    for (size_t i = 0; i < (size_t)DOCS * e->n_outputs; i++)
        scores[i] = e->votes ? 0 : i % 2 ? 0.1 : -0.0;
}

/* Until no thread slept. */
static void score_shared(struct sharing *sharing, struct span docs, const struct batch *batch) {
    while (!sharing_score(sharing, docs, batch))
        sched_yield();
}

static void check_scores(const struct scorer *scorer, const struct ensemble *e,
                         const struct matrix *rows, struct sharing *sharing, size_t call) {
    double expected[DOCS * MOST_OUTPUTS], scores[DOCS * MOST_OUTPUTS];
    void *workspace = scorer_workspace(scorer);
    struct batch batch = {rows->values, rows->stride, expected, workspace};
    start(e, expected);
    scorer_run(scorer, &(struct plan){0}, DOCS, &batch);
    start(e, scores);
    batch.scores = scores;
    for (size_t doc = 0; doc < DOCS; doc += call)
        score_shared(sharing, (struct span){doc, doc + call < DOCS ? doc + call : DOCS}, &batch);
    if (memcmp(expected, scores, DOCS * e->n_outputs * sizeof *scores) != 0)
        fail_msg("%s, %u trees, calls of %zu: other scores", scorer->impl->name, e->n_trees, call);
    free(workspace);
}

static void check_threads(const struct scorer *scorer, const struct ensemble *e,
                          const struct matrix *rows, size_t n_threads) {
    struct pool *pool = make_pool(n_threads);
    struct sharing *sharing;
    size_t usable = n_threads < scorer->n_units ? n_threads : scorer->n_units;
    assert_int_equal(sharing_create(scorer, pool, &sharing, NULL), STATUS_OK);
    assert_int_equal(sharing_threads(sharing, 1), usable);
    assert_int_equal(sharing_threads(sharing, SHARING_DOCS), usable);
    assert_int_equal(sharing_threads(sharing, SHARING_DOCS + 1), 1);
    if (usable > 1) {
        check_scores(scorer, e, rows, sharing, usable == 2 ? 1 : 5);
        check_scores(scorer, e, rows, sharing, SHARING_DOCS);
    } else {
        const struct batch batch = {rows->values, rows->stride, NULL, NULL};
        assert_false(sharing_score(sharing, (struct span){0, 1}, &batch));
    }
    sharing_free(sharing);
    pool_free(pool);
}

static void check_ensemble(const struct impl *impl, struct ensemble *e, size_t most_threads) {
    struct matrix *rows;
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(synth_probes(e, DOCS, 3, &rows, NULL), STATUS_OK);
    if (scorer_build(impl->name, e, &scorer, &error))
        fail_msg("%s", error.text);
    for (size_t n_threads = 1; n_threads <= most_threads; n_threads++)
        check_threads(scorer, e, rows, n_threads);
    scorer_destroy(scorer);
    matrix_free(rows);
    ensemble_free(e);
}

static void scores_are_those_of_one_thread(void **state) {
    (void)state;
    size_t count, checked = 0;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (!impls[i]->spread || !impl_runs_here(impls[i]))
            continue;
        check_ensemble(impls[i], make_ensemble(1, 1, 0), 2);
        check_ensemble(impls[i], make_ensemble(129, 1, 0), 2);
        check_ensemble(impls[i], make_zeros(), 2);
        check_ensemble(impls[i], make_ensemble(333, 1, 0), MOST_THREADS);
        check_ensemble(impls[i], make_ensemble(300, MOST_OUTPUTS, 0), 2);
        check_ensemble(impls[i], make_ensemble(300, 1, MOST_OUTPUTS), 2);
        checked++;
    }
    assert_in_range(checked, 1, count);
}

static void others_are_not_shared_out(void **state) {
    (void)state;
    struct ensemble *e = make_ensemble(300, 1, 0);
    struct pool *pool = make_pool(2);
    struct scorer *scorer;
    struct sharing *sharing;
    assert_int_equal(scorer_build("struct-plus", e, &scorer, NULL), STATUS_OK);
    assert_int_equal(sharing_create(scorer, pool, &sharing, NULL), STATUS_OK);
    for (size_t n_docs = 1; n_docs <= SHARING_DOCS; n_docs++)
        assert_int_equal(sharing_threads(sharing, n_docs), 1);
    sharing_free(sharing);
    scorer_destroy(scorer);
    pool_free(pool);
    ensemble_free(e);
}

/* --- shares ----------------------------------------------------------------------------------- */

static void without_a_cost_shares_are_equal(void **state) {
    (void)state;
    struct shares shares = sharing_choose(NULL, 16, 64, 1, 2);
    assert_int_equal(shares.threads, 2);
    assert_int_equal(shares.own, 8);
    shares = sharing_choose(NULL, 3, 64, 1, 8);
    assert_int_equal(shares.threads, 3);
    assert_int_equal(shares.own, 1);
    assert_int_equal(sharing_choose(NULL, 1, 64, 1, 8).threads, 1);
}

static void a_short_call_is_not_shared_out(void **state) {
    (void)state;
    const struct call_cost shorter = {150, 50}, longer = {50000, 100}, fixed = {5000, 5000};
    assert_int_equal(sharing_choose(&shorter, 10, 1, 1, 4).threads, 1);
    assert_int_equal(sharing_choose(&longer, 100, 1, 1, 4).threads, 4);
    assert_int_equal(sharing_choose(&fixed, 100, 1, 1, 4).threads, 1);
}

/* The caller has more units than a helper, because it need not wait for a job. */
static void threads_take_equally_long(void **state) {
    (void)state;
    const struct call_cost cost = {10000, 0};
    struct shares shares = sharing_choose(&cost, 100, 1, 1, 2);
    assert_int_equal(shares.threads, 2);
    assert_int_equal(shares.own, 51);
}

/* Adding a helper's values takes a time of its own, which a large number of trees makes too long.
 */
static void additions_count(void **state) {
    (void)state;
    const struct call_cost cost = {10000, 0};
    assert_int_equal(sharing_choose(&cost, 100, 10, 1, 2).threads, 2);
    assert_int_equal(sharing_choose(&cost, 100, 100, 1, 2).threads, 1);
    assert_int_equal(sharing_choose(&cost, 100, 10, 100, 2).threads, 1);
}

/* --- pools ------------------------------------------------------------------------------------ */

static void mistakes_are_refused(void **state) {
    (void)state;
    struct pool *pool = NULL;
    struct error error;
    assert_int_equal(pool_create(0, NULL, SPIN_NS, &pool, &error), STATUS_INPUT);
    assert_string_equal(error.text, "a pool has 1 to 256 threads, not 0");
    assert_int_equal(pool_create(POOL_MAX_THREADS + 1, NULL, SPIN_NS, &pool, NULL), STATUS_INPUT);
    assert_int_equal(pool_create(3, (int[]){0, CPU_SETSIZE - 1}, SPIN_NS, &pool, &error),
                     STATUS_MACHINE);
    assert_string_equal(error.text, "a thread cannot be pinned to processor 1023. Name one that "
                                    "this process may use");
    assert_null(pool);
}

static void a_thread_per_processor(void **state) {
    (void)state;
    struct cpu_affinity before;
    struct pool *pool = NULL;
    struct error error;
    assert_true(cpu_pin_here(&before) >= 0);
    assert_int_equal(pool_create(2, NULL, SPIN_NS, &pool, &error), STATUS_MACHINE);
    assert_non_null(strstr(error.text, "but this thread may use 1"));
    assert_int_equal(pool_create(1, NULL, SPIN_NS, &pool, NULL), STATUS_OK);
    assert_int_equal(pool_threads(pool), 1);
    pool_free(pool);
    cpu_unpin(&before);
}

static void count_job(const struct pool_job *job) {
    *(size_t *)(uintptr_t)job->part += job->n_docs;
}

/* Also while helpers fall asleep at the same time, because they hardly spin. */
static void jobs_are_done_once(void **state) {
    (void)state;
    int processors[MOST_THREADS];
    struct pool *pool;
    size_t done[2] = {0}, given = 0;
    list_processors(processors);
    assert_int_equal(pool_create(3, processors, 1, &pool, NULL), STATUS_OK);
    for (size_t i = 0; i < 600; i++) {
        bool is_awake = i % 3 == 0 || pool_is_awake(pool, 2);
        for (size_t k = 0; is_awake && k < 2; k++)
            pool_give(pool, k, &(struct pool_job){.run = count_job, .part = &done[k], .n_docs = 1});
        for (size_t k = 0; is_awake && k < 2; k++)
            pool_wait(pool, k);
        given += is_awake;
        assert_int_equal(done[0], given);
        assert_int_equal(done[1], given);
    }
    pool_free(pool);
}

static void a_sleeping_thread_gets_no_job(void **state) {
    (void)state;
    int processors[MOST_THREADS];
    struct pool *pool;
    list_processors(processors);
    assert_int_equal(pool_create(2, processors, 1, &pool, NULL), STATUS_OK);
    while (pool_is_awake(pool, 1))
        sched_yield();
    pool_free(pool);
    pool_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_one_thread),
        cmocka_unit_test(others_are_not_shared_out),
        cmocka_unit_test(without_a_cost_shares_are_equal),
        cmocka_unit_test(a_short_call_is_not_shared_out),
        cmocka_unit_test(threads_take_equally_long),
        cmocka_unit_test(additions_count),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(a_thread_per_processor),
        cmocka_unit_test(jobs_are_done_once),
        cmocka_unit_test(a_sleeping_thread_gets_no_job),
    };
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
