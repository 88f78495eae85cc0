/* Calls that score one document take no lock, ask for no memory and start no thread, in one thread
 * or in several that share a scorer. The program's own malloc, pthread_mutex_lock and the like,
 * which every library of the process calls, count what is called during such calls. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "library/treebench.h"
#include "models/format.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"
#include "tests/sanitizers.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNTS (!SANITIZERS)

/* --- what is counted -------------------------------------------------------------------------- */

/* Of this thread. Volatile, because compilers know that malloc reads no variables. */
static _Thread_local volatile bool is_counting;
static _Thread_local const char *called; /* the last function that was called while counting */

static __attribute__((unused)) void note(const char *function) {
    if (is_counting)
        called = function;
}

#if COUNTS
#define PUBLIC __attribute__((visibility("default"), noinline))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

PUBLIC void *malloc(size_t size) {
    note("malloc");
    return __libc_malloc(size);
}

PUBLIC void *calloc(size_t count, size_t size) {
    note("calloc");
    return __libc_calloc(count, size);
}

PUBLIC void *realloc(void *memory, size_t size) {
    note("realloc");
    return __libc_realloc(memory, size);
}

PUBLIC void *aligned_alloc(size_t alignment, size_t size) {
    note("aligned_alloc");
    return __libc_memalign(alignment, size);
}

PUBLIC int posix_memalign(void **memory, size_t alignment, size_t size) {
    note("posix_memalign");
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

PUBLIC void free(void *memory) {
    note("free");
    __libc_free(memory);
}

/* Defines a function that notes its name and calls the one of the next library. */
#define NOTED(result, name, parameters, arguments)                                                 \
    PUBLIC result name parameters {                                                                \
        static result(*next) parameters;                                                           \
        if (!next)                                                                                 \
            *(void **)&next = dlsym(RTLD_NEXT, #name);                                             \
        note(#name);                                                                               \
        return next arguments;                                                                     \
    }
NOTED(int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
NOTED(int, pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
NOTED(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
NOTED(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
NOTED(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
NOTED(int, pthread_once, (pthread_once_t * once, void (*run)(void)), (once, run))
NOTED(int, sem_wait, (sem_t * semaphore), (semaphore))
NOTED(int, pthread_create,
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *data),
      (thread, attributes, run, data))
PUBLIC void GOMP_parallel(void (*run)(void *), void *data, unsigned n_threads, unsigned flags) {
    static void (*next)(void (*)(void *), void *, unsigned, unsigned);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "GOMP_parallel");
    note("GOMP_parallel");
    next(run, data, n_threads, flags);
}
#endif

/* --- calls ------------------------------------------------------------------------------------ */

enum { DOCS = 60, FEATURES = 9, OUTPUTS = 2, MOST_THREADS = 4 };

static struct {
    struct tb_model *model;
    float floats[DOCS * FEATURES];
    double doubles[DOCS * FEATURES];
    double expected[DOCS * OUTPUTS]; /* by the reference */
} fixture;

struct thread {
    pthread_t id;
    const struct tb_scorer *scorer;
    const char *called;
    bool is_right;
};

/* Scores each document by a call of its own. */
static void score_singly(struct thread *thread, struct tb_context *context) {
    thread->is_right = true;
    for (size_t i = 0; i < 2 * DOCS; i++) {
        size_t doc = i / 2, at = doc * FEATURES;
        double scores[OUTPUTS];
        is_counting = true;
        enum tb_status status =
            i % 2 ? tb_score(context, fixture.floats + at, 1, FEATURES, FEATURES, scores, NULL)
                  : tb_score_doubles(context, fixture.doubles + at, 1, FEATURES, FEATURES, scores,
                                     NULL);
        is_counting = false;
        thread->is_right &=
            !status && memcmp(scores, fixture.expected + doc * OUTPUTS, sizeof scores) == 0;
    }
    thread->called = called;
}

static void *run_thread(void *argument) {
    struct thread *thread = argument;
    struct tb_context *context;
    if (tb_context_create(thread->scorer, &context, NULL))
        return NULL;
    score_singly(thread, context);
    tb_context_free(context);
    return NULL;
}

static void check_threads(const struct tb_scorer *scorer, const char *name, size_t n_threads) {
    struct thread threads[MOST_THREADS];
    for (size_t i = 0; i < n_threads; i++) {
        threads[i] = (struct thread){.scorer = scorer};
        assert_int_equal(pthread_create(&threads[i].id, NULL, run_thread, &threads[i]), 0);
    }
    for (size_t i = 0; i < n_threads; i++) {
        assert_int_equal(pthread_join(threads[i].id, NULL), 0);
        if (threads[i].called)
            fail_msg("%s, %zu threads: a call called %s", name, n_threads, threads[i].called);
        if (!threads[i].is_right)
            fail_msg("%s, %zu threads: wrong scores", name, n_threads);
    }
}

static bool is_of_library(const struct impl *impl) {
    return impl->kind != IMPL_LIBRARY && impl->kind != IMPL_DEVICE && impl->kind != IMPL_BASELINE &&
           impl_runs_here(impl);
}

static void a_call_takes_no_lock_and_no_memory(void **state) {
    (void)state;
    size_t count, checked = 0;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++) {
        struct tb_scorer *scorer = NULL;
        if (!is_of_library(impls[i]) ||
            tb_scorer_build(fixture.model, impls[i]->name, &scorer, NULL) != TB_OK)
            continue;
        for (size_t n_threads = 1; n_threads <= MOST_THREADS; n_threads++)
            check_threads(scorer, impls[i]->name, n_threads);
        tb_scorer_free(scorer);
        checked++;
    }
    assert_in_range(checked, 10, count);
}

#if COUNTS
/* Would the counts show it? */
static void what_is_called_is_noted(void **state) {
    (void)state;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    is_counting = true;
    pthread_mutex_lock(&lock);
    is_counting = false;
    pthread_mutex_unlock(&lock);
    assert_string_equal(called, "pthread_mutex_lock");
    is_counting = true;
    void *volatile memory = malloc(1);
    is_counting = false;
    free(memory);
    assert_string_equal(called, "malloc");
    called = NULL;
}
#endif

/* --- the fixture ------------------------------------------------------------------------------ */

static void make_documents(const struct ensemble *e) {
    struct matrix *rows;
    assert_int_equal(synth_probes(e, DOCS, 3, &rows, NULL), STATUS_OK);
    for (size_t i = 0; i < DOCS * FEATURES; i++) {
        fixture.floats[i] = matrix_row(rows, i / FEATURES)[i % FEATURES];
        fixture.doubles[i] = (double)fixture.floats[i];
    }
    matrix_free(rows);
}

static void expect_scores(void) {
    struct tb_scorer *scorer;
    struct tb_context *context;
    assert_int_equal(tb_scorer_build(fixture.model, "reference", &scorer, NULL), TB_OK);
    assert_int_equal(tb_context_create(scorer, &context, NULL), TB_OK);
    assert_int_equal(
        tb_score(context, fixture.floats, DOCS, FEATURES, FEATURES, fixture.expected, NULL), TB_OK);
    tb_context_free(context);
    tb_scorer_free(scorer);
}

static int set_up(void **state) {
    if (scratch_begin(state))
        return -1;
    struct forest forest = forest_begin(FEATURES, 5);
    forest.nan_left = true;
    forest.n_outputs = OUTPUTS;
    for (uint32_t i = 0; i < 40; i++)
        forest_add_random_tree(&forest, 1 + i % 9); /* for all implementations */
    struct ensemble *e = forest_end(&forest);
    char path[64];
    snprintf(path, sizeof path, "%s/model.json", scratch_folder);
    assert_int_equal(model_write(e, path, NULL, NULL), STATUS_OK);
    make_documents(e);
    ensemble_free(e);
    assert_int_equal(tb_model_open(path, &fixture.model, NULL), TB_OK);
    expect_scores();
    return 0;
}

static int tear_down(void **state) {
    tb_model_free(fixture.model);
    return scratch_end(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#if COUNTS
        cmocka_unit_test(what_is_called_is_noted),
#endif
        cmocka_unit_test(a_call_takes_no_lock_and_no_memory),
    };
    return cmocka_run_group_tests_name("single calls", tests, set_up, tear_down);
}
