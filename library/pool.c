#include "library/pool.h"

#include "base/cpu.h"
#include "base/float_mode.h"
#include "base/memory.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LINE = 64,
    LOOKS = 1024,   /* looks for a job between two looks at the clock */
    PATIENCE = 4096 /* looks for a result before the caller lets other threads run */
};

/* Each line is written by one thread only, except `is_asleep`. */
struct helper {
    _Alignas(LINE) struct {
        atomic_uint given; /* number of jobs so far */
        bool stops;        /* a job without `run`: the thread ends */
        struct pool_job job;
    } order;
    _Alignas(LINE) struct { atomic_uint done; /* number of jobs so far */ } result;
    _Alignas(LINE) struct {
        atomic_bool is_asleep;
        sem_t wake; /* one post for each change of is_asleep to false by the caller */
        pthread_t thread;
        int processor;
        uint64_t spin_ns;
        atomic_int is_pinned; /* 0: not yet known, 1: yes, -1: no */
    } own;
};

struct pool {
    size_t n_helpers;
    struct helper helpers[];
};

static inline void relax(void) {
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("isb" : : : "memory");
#endif
}

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* --- helpers ---------------------------------------------------------------------------------- */

static bool has_job(struct helper *helper, unsigned done) {
    return atomic_load_explicit(&helper->order.given, memory_order_acquire) != done;
}

static bool spin(struct helper *helper, unsigned done) {
    uint64_t begin = now_ns();
    do
        for (int i = 0; i < LOOKS; i++) {
            if (has_job(helper, done))
                return true;
            relax();
        }
    while (now_ns() - begin < helper->own.spin_ns);
    return false;
}

/* Returns when there is a job, or when the caller woke the helper. A job may be given right before
 * the helper sleeps: pool_wait then wakes it. */
static void sleep_until_woken(struct helper *helper, unsigned done) {
    atomic_store(&helper->own.is_asleep, true);
    bool is_woken =
        atomic_load(&helper->order.given) != done && atomic_exchange(&helper->own.is_asleep, false);
    while (!is_woken)
        is_woken = sem_wait(&helper->own.wake) == 0;
}

static void *help(void *argument) {
    struct helper *helper = argument;
    int pinned = cpu_pin(helper->own.processor) ? 1 : -1;
    float_mode_begin(); /* inherited from the thread that created the pool */
    atomic_store(&helper->own.is_pinned, pinned);
    for (unsigned done = 0;; done++) {
        while (!spin(helper, done))
            sleep_until_woken(helper, done);
        if (helper->order.stops)
            return NULL;
        helper->order.job.run(&helper->order.job);
        atomic_store_explicit(&helper->result.done, done + 1, memory_order_release);
    }
}

/* --- the caller ------------------------------------------------------------------------------- */

/* Returns true if the helper slept. */
static bool wake(struct helper *helper) {
    bool slept =
        atomic_load(&helper->own.is_asleep) && atomic_exchange(&helper->own.is_asleep, false);
    if (slept)
        sem_post(&helper->own.wake);
    return slept;
}

bool pool_is_awake(struct pool *pool, size_t n) {
    bool slept = false;
    for (size_t i = 0; i < n; i++)
        slept |= wake(&pool->helpers[i]);
    return !slept;
}

static void count_job(struct helper *helper) {
    unsigned given = atomic_load_explicit(&helper->order.given, memory_order_relaxed);
    atomic_store_explicit(&helper->order.given, given + 1, memory_order_release);
}

void pool_give(struct pool *pool, size_t number, const struct pool_job *job) {
    pool->helpers[number].order.job = *job;
    count_job(&pool->helpers[number]);
}

void pool_wait(struct pool *pool, size_t number) {
    struct helper *helper = &pool->helpers[number];
    unsigned given = atomic_load_explicit(&helper->order.given, memory_order_relaxed);
    for (unsigned looks = 0;
         atomic_load_explicit(&helper->result.done, memory_order_acquire) != given; looks++) {
        relax();
        if (looks < PATIENCE)
            continue;
        wake(helper);
        sched_yield();
    }
}

size_t pool_threads(const struct pool *pool) {
    return pool->n_helpers + 1;
}

/* --- creating and freeing --------------------------------------------------------------------- */

/* Writes the processors of the helpers: those that this thread may use but does not run on. */
static enum status choose_processors(size_t n_helpers, int *processors, struct error *error) {
    struct cpu_affinity allowed;
    int all[CPU_SETSIZE], here = sched_getcpu();
    cpu_get_affinity(&allowed);
    unsigned n = cpu_list_cores(&allowed, all, CPU_SETSIZE);
    size_t found = 0;
    for (unsigned i = 0; i < n && found < n_helpers; i++)
        if (all[i] != here)
            processors[found++] = all[i];
    if (found == n_helpers)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "a pool of %zu threads needs as many processors, but this thread may use %u. "
                     "Name the processors, or pin the thread later",
                     n_helpers + 1, n);
}

/* Starts a helper, which takes no signals, and waits until it is pinned. */
static enum status start(struct helper *helper, struct error *error) {
    sigset_t all, before;
    sem_init(&helper->own.wake, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&helper->own.thread, NULL, help, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) {
        sem_destroy(&helper->own.wake);
        return error_set(error, STATUS_MACHINE, "cannot start a thread: %s", strerror(failure));
    }
    while (atomic_load(&helper->own.is_pinned) == 0)
        sched_yield();
    return STATUS_OK;
}

static void stop(struct helper *helper) {
    helper->order.stops = true;
    atomic_fetch_add(&helper->order.given, 1);
    wake(helper);
    pthread_join(helper->own.thread, NULL);
    sem_destroy(&helper->own.wake);
}

/* Starts the helpers one by one; n_helpers counts those that run. */
static enum status start_all(struct pool *pool, size_t n_helpers, const int *processors,
                             uint64_t spin_ns, struct error *error) {
    for (size_t i = 0; i < n_helpers; i++) {
        struct helper *helper = &pool->helpers[i];
        helper->own.processor = processors[i];
        helper->own.spin_ns = spin_ns;
        enum status status = start(helper, error);
        if (status)
            return status;
        pool->n_helpers++;
        if (atomic_load(&helper->own.is_pinned) < 0)
            return error_set(error, STATUS_MACHINE,
                             "a thread cannot be pinned to processor %d. Name one that this "
                             "process may use",
                             processors[i]);
    }
    return STATUS_OK;
}

enum status pool_create(size_t n_threads, const int *processors, uint64_t spin_ns,
                        struct pool **pool, struct error *error) {
    int chosen[POOL_MAX_THREADS];
    if (n_threads < 1 || n_threads > POOL_MAX_THREADS)
        return error_set(error, STATUS_INPUT, "a pool has 1 to %d threads, not %zu",
                         POOL_MAX_THREADS, n_threads);
    size_t n_helpers = n_threads - 1;
    enum status status = processors ? STATUS_OK : choose_processors(n_helpers, chosen, error);
    if (status)
        return status;
    struct pool *made = memory_aligned_calloc(1, sizeof *made + n_helpers * sizeof *made->helpers);
    if (!made)
        return error_memory(error, "a pool of threads");
    status = start_all(made, n_helpers, processors ? processors : chosen, spin_ns, error);
    if (status)
        pool_free(made);
    else
        *pool = made;
    return status;
}

void pool_free(struct pool *pool) {
    for (size_t i = 0; pool && i < pool->n_helpers; i++)
        stop(&pool->helpers[i]);
    free(pool);
}
