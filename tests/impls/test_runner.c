/* Threads: every part of the work is done once, by as many threads as were asked for, each on a
 * core; and every implementation gives the reference's scores in all three ways. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "impls/runner.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 4, DOCS_MAX = 300, WAYS = 3 };
static const char *const way_names[WAYS] = {"documents", "trees", "both"};

static struct runner *create(const struct scorer *scorer, unsigned threads, enum parallel parallel,
                             size_t n_docs) {
    const struct plan plan = {.doc_block = 16, .threads = threads, .parallel = parallel};
    struct runner *runner = NULL;
    struct error error = {""};
    if (runner_create(scorer, &plan, n_docs, &runner, &error))
        fail_msg("%s", error.text);
    return runner;
}

/* --- the work is shared out ------------------------------------------------------------------- */

enum { NOTE_DOCS = 11, NOTE_UNITS = 7 };
static atomic_int calls[NOTE_DOCS][NOTE_UNITS];
static atomic_int calls_of_thread[THREADS_MAX];
static atomic_int untied, cut; /* calls off their core; calls that begin within a step */

static void note_call(const struct scorer *scorer, struct span units, struct span docs,
                      const struct batch *batch) {
    (void)batch;
    struct cpu_affinity cores;
    cpu_get_affinity(&cores);
    untied += cores.known && CPU_COUNT(&cores.cores) != 1;
    cut += scorer->lanes > 0 && docs.begin % scorer->lanes != 0;
    calls_of_thread[omp_get_thread_num()]++;
    for (size_t doc = docs.begin; doc < docs.end; doc++)
        for (size_t unit = units.begin; unit < units.end; unit++)
            calls[doc][unit]++;
}

static void check_work(unsigned threads, enum parallel parallel, unsigned lanes) {
    const struct impl impl = {.score = note_call};
    const struct scorer scorer = {
        .impl = &impl, .n_units = NOTE_UNITS, .lanes = lanes, .n_outputs = 1};
    const float x[1] = {0};
    double scores[NOTE_DOCS] = {0};
    struct runner *runner = create(&scorer, threads, parallel, NOTE_DOCS);
    memset(calls, 0, sizeof calls);
    memset(calls_of_thread, 0, sizeof calls_of_thread);
    untied = cut = 0;
    runner_run(runner, x, 0, NOTE_DOCS, scores);
    for (size_t doc = 0; doc < NOTE_DOCS; doc++)
        for (size_t unit = 0; unit < NOTE_UNITS; unit++)
            assert_int_equal(calls[doc][unit], 1);
    assert_true(threads == 1 || untied == 0);
    assert_int_equal(cut, 0);
    runner_destroy(runner);
}

/* Without steps, shares are equal. */
static void check_shares(unsigned threads, enum parallel parallel) {
    check_work(threads, parallel, 0);
    for (unsigned thread = 0; thread < THREADS_MAX; thread++)
        assert_int_equal(calls_of_thread[thread], thread < threads);
}

static void every_thread_has_its_share_on_its_core(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++)
        for (int way = 0; way < WAYS; way++)
            check_shares(threads, (enum parallel)way);
}

static void pieces_of_documents_are_scored_once(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++)
        for (unsigned lanes = 1; lanes <= NOTE_DOCS + 1; lanes++)
            check_work(threads, PARALLEL_DOCUMENTS, lanes);
}

/* Threads that share trees have partial sums of so many documents as the runner was created for. */
static void larger_calls_are_scored_in_parts(void **state) {
    (void)state;
    const struct impl impl = {.score = note_call};
    const struct scorer scorer = {.impl = &impl, .n_units = NOTE_UNITS, .lanes = 1, .n_outputs = 1};
    const float x[1] = {0};
    double scores[NOTE_DOCS] = {0};
    struct runner *runner = create(&scorer, 2, PARALLEL_TREES, 4);
    memset(calls, 0, sizeof calls);
    runner_run(runner, x, 0, NOTE_DOCS, scores);
    for (size_t unit = 0; unit < NOTE_UNITS; unit++) {
        assert_int_equal(calls[0][unit], 3);
        assert_int_equal(calls[3][unit], 2); /* the last part has 3 documents */
        assert_int_equal(calls[4][unit], 0);
    }
    runner_destroy(runner);
}

/* Pieces would cut the blocks of an order. */
static void an_order_gets_whole_shares(void **state) {
    (void)state;
    const struct impl impl = {.score = note_call};
    const struct scorer scorer = {.impl = &impl, .n_units = NOTE_UNITS, .lanes = 1, .n_outputs = 1};
    const struct plan plan = {.order = ORDER_DSD, .doc_block = NOTE_DOCS, .threads = 2};
    const float x[1] = {0};
    double scores[NOTE_DOCS] = {0};
    struct runner *runner = NULL;
    assert_int_equal(runner_create(&scorer, &plan, NOTE_DOCS, &runner, NULL), STATUS_OK);
    memset(calls_of_thread, 0, sizeof calls_of_thread);
    runner_run(runner, x, 0, NOTE_DOCS, scores);
    assert_int_equal(calls_of_thread[0], 1);
    assert_int_equal(calls_of_thread[1], 1);
    runner_destroy(runner);
}

static struct cpu_affinity at_start;

static void the_caller_is_where_it_was(void **state) {
    (void)state;
    struct cpu_affinity after;
    check_shares(3, PARALLEL_TREES);
    cpu_get_affinity(&after);
    assert_true(!at_start.known || CPU_EQUAL(&at_start.cores, &after.cores));
}

static void helpers_are_free_afterwards(void **state) {
    (void)state;
    atomic_int tied = 0;
    check_shares(4, PARALLEL_BOTH);
#pragma omp parallel num_threads(4)
    {
        struct cpu_affinity now;
        cpu_get_affinity(&now);
        tied += at_start.known && !CPU_EQUAL(&now.cores, &at_start.cores);
    }
    assert_int_equal(tied, 0);
}

/* --- scores ----------------------------------------------------------------------------------- */

struct workload {
    struct ensemble *ensemble;
    struct matrix *rows;
    struct scorer *reference;
    double expected[DOCS_MAX * 3]; /* at most three outputs */
};

static void workload_init(struct workload *work, struct ensemble *ensemble) {
    *work = (struct workload){.ensemble = ensemble};
    const struct plan plan = {.order = ORDER_DS};
    assert_true(ensemble->n_outputs <= 3);
    assert_int_equal(synth_probes(ensemble, DOCS_MAX, 1, &work->rows, NULL), STATUS_OK);
    assert_int_equal(scorer_build("reference", ensemble, &work->reference, NULL), STATUS_OK);
    const struct batch batch = {work->rows->values, work->rows->stride, work->expected, NULL};
    scorer_run(work->reference, &plan, DOCS_MAX, &batch);
}

static void workload_free(struct workload *work) {
    scorer_destroy(work->reference);
    matrix_free(work->rows);
    ensemble_free(work->ensemble);
}

static struct ensemble *exact(struct ensemble *ensemble) {
    struct ensemble *copy = NULL;
    assert_int_equal(ensemble_copy_with_exact_leaves(ensemble, 1, &copy, NULL), STATUS_OK);
    ensemble_free(ensemble);
    return copy;
}

/* Scores of the first n documents, in memory that holds no more. */
static double *run(struct runner *runner, const struct workload *work, size_t n) {
    double *scores = calloc(n * work->ensemble->n_outputs + 1, sizeof *scores);
    assert_non_null(scores);
    runner_run(runner, work->rows->values, work->rows->stride, n, scores);
    return scores;
}

static void check_scores(struct runner *runner, const struct workload *work, size_t n,
                         const char *name, unsigned threads, int way) {
    double *scores = run(runner, work, n);
    for (size_t i = 0; i < n * work->ensemble->n_outputs; i++)
        if (scores[i] != work->expected[i])
            fail_msg("%s, %u threads over %s, %zu documents: score %zu is %.17g instead of %.17g",
                     name, threads, way_names[way], n, i, scores[i], work->expected[i]);
    free(scores);
}

static void check_impl(const char *spec, const struct workload *work, size_t step) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(spec, work->ensemble, &scorer, &error);
    if (status == STATUS_UNSUPPORTED || status == STATUS_MACHINE)
        return;
    assert_int_equal(status, STATUS_OK);
    for (unsigned threads = 1; threads <= THREADS_MAX; threads++)
        for (int way = 0; way < WAYS; way++) {
            struct runner *runner = create(scorer, threads, (enum parallel)way, DOCS_MAX);
            for (size_t n = 0; n <= DOCS_MAX; n += n < 10 ? 1 : step)
                check_scores(runner, work, n, spec, threads, way);
            runner_destroy(runner);
        }
    scorer_destroy(scorer);
}

static void every_implementation_gives_the_references_scores(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, exact(several_outputs()));
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->kind != IMPL_BASELINE)
            check_impl(impls[i]->name, &work, 29);
    workload_free(&work);
}

static void any_number_of_documents(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, exact(random_shapes()));
    check_impl("struct-plus", &work, 1);
    workload_free(&work);
}

static void more_threads_than_trees(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, exact(balanced_over_one_feature())); /* two trees */
    check_impl("struct-plus", &work, 97);
    workload_free(&work);
}

/* What is scored at a time is what memory there is for. */
static void more_documents_than_the_runner_was_made_for(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, exact(several_outputs()));
    for (size_t n_docs = 0; n_docs <= 200; n_docs += 50)
        for (int way = 0; way < WAYS; way++) {
            struct runner *runner = create(work.reference, 4, (enum parallel)way, n_docs);
            check_scores(runner, &work, DOCS_MAX, "reference", 4, way);
            runner_destroy(runner);
        }
    workload_free(&work);
}

/* --- rounding --------------------------------------------------------------------------------- */

/* Leaves whose sums depend on the order in which they are added. */
static struct ensemble *inexact(struct ensemble *ensemble) {
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = (double)random_float(&random) / 3;
    return ensemble;
}

static void over_documents_every_bit_is_the_same(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, inexact(small_trees_over_many_features()));
    struct runner *runner = create(work.reference, 3, PARALLEL_DOCUMENTS, DOCS_MAX);
    check_scores(runner, &work, DOCS_MAX, "reference", 3, PARALLEL_DOCUMENTS);
    runner_destroy(runner);
    workload_free(&work);
}

/* One thread that runs the code of several. */
static void a_team_of_one_gives_every_score(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, inexact(small_trees_over_many_features()));
    const struct plan plan = {.doc_block = 16, .threads = 1, .team = true};
    struct runner *runner = NULL;
    assert_int_equal(runner_create(work.reference, &plan, DOCS_MAX, &runner, NULL), STATUS_OK);
    for (size_t n = 0; n <= DOCS_MAX; n += 50)
        check_scores(runner, &work, n, "reference", 1, PARALLEL_DOCUMENTS);
    runner_destroy(runner);
    workload_free(&work);
}

/* Partial sums of the shares, added in their order: worked out here by one thread. */
static void over_trees_rounding_is_that_of_the_shares(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, inexact(small_trees_over_many_features())); /* 60 trees */
    struct runner *runner = create(work.reference, 3, PARALLEL_TREES, DOCS_MAX);
    double *scores = run(runner, &work, DOCS_MAX);
    bool rounds_differently = false;
    for (size_t doc = 0; doc < DOCS_MAX; doc++) {
        double sum = 0;
        for (size_t part = 0; part < 3; part++) {
            double partial[DOCS_MAX] = {0};
            const struct batch batch = {work.rows->values, work.rows->stride, partial, NULL};
            work.reference->impl->score(work.reference, (struct span){20 * part, 20 * part + 20},
                                        (struct span){doc, doc + 1}, &batch);
            sum += partial[doc];
        }
        assert_true(scores[doc] == sum);
        rounds_differently |= sum != work.expected[doc];
    }
    assert_true(rounds_differently);
    free(scores);
    runner_destroy(runner);
    workload_free(&work);
}

/* --- threads that are not to be had ----------------------------------------------------------- */

static void too_many_threads_are_refused(void **state) {
    (void)state;
    const struct scorer scorer = {.n_units = 1, .n_outputs = 1};
    const struct plan plan = {.threads = RUNNER_MAX_THREADS + 1};
    struct runner *runner = NULL;
    struct error error = {""};
    assert_int_equal(runner_create(&scorer, &plan, 1, &runner, &error), STATUS_INPUT);
    assert_null(runner);
    assert_non_null(strstr(error.text, "the limit is 1024"));
}

/* Inside a parallel region OpenMP gives one thread: none can be made, and one that was made before
 * scores all the same. */
static void fewer_threads_are_told_or_make_no_difference(void **state) {
    (void)state;
    struct workload work;
    workload_init(&work, exact(several_outputs()));
    struct runner *before = create(work.reference, 4, PARALLEL_BOTH, DOCS_MAX), *inside = NULL;
    const struct plan plan = {.threads = 2};
    struct error error = {""};
    enum status status = STATUS_OK;
    double *scores = NULL;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        status = runner_create(work.reference, &plan, 1, &inside, &error);
        scores = run(before, &work, DOCS_MAX);
    }
    assert_int_equal(status, STATUS_MACHINE);
    assert_non_null(strstr(error.text, "only 1 of 2 threads are available"));
    assert_memory_equal(scores, work.expected,
                        DOCS_MAX * work.ensemble->n_outputs * sizeof *scores);
    free(scores);
    runner_destroy(before);
    workload_free(&work);
}

static int begin(void **state) {
    (void)state;
    cpu_get_affinity(&at_start);
    return scratch_begin(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_has_its_share_on_its_core),
        cmocka_unit_test(pieces_of_documents_are_scored_once),
        cmocka_unit_test(larger_calls_are_scored_in_parts),
        cmocka_unit_test(an_order_gets_whole_shares),
        cmocka_unit_test(the_caller_is_where_it_was),
        cmocka_unit_test(helpers_are_free_afterwards),
        cmocka_unit_test(every_implementation_gives_the_references_scores),
        cmocka_unit_test(any_number_of_documents),
        cmocka_unit_test(more_threads_than_trees),
        cmocka_unit_test(more_documents_than_the_runner_was_made_for),
        cmocka_unit_test(over_documents_every_bit_is_the_same),
        cmocka_unit_test(a_team_of_one_gives_every_score),
        cmocka_unit_test(over_trees_rounding_is_that_of_the_shares),
        cmocka_unit_test(too_many_threads_are_refused),
        cmocka_unit_test(fewer_threads_are_told_or_make_no_difference),
    };
    return cmocka_run_group_tests(tests, begin, scratch_end);
}
