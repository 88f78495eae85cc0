#include "impls/runner.h"

#include "base/cpu.h"
#include "base/float_mode.h"
#include "base/memory.h"
#include "impls/integers.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SCORES_PER_LINE = MEMORY_ALIGNMENT / sizeof(double) };

struct runner {
    const struct scorer *scorer;
    struct plan plan;
    struct cpu_affinity cores; /* the cores that the creating thread may use */
    int core_list[RUNNER_MAX_THREADS];
    unsigned n_cores;
    unsigned over_docs, over_units; /* the grid of over_docs * over_units threads */
    size_t capacity;                /* most documents scored at a time if units are divided */
    double *partial; /* Partial sums of each share of the units except the first, which adds to the
                        scores directly. */
    size_t partial_size;                  /* doubles per share of the units in `partial` */
    void *workspaces[RUNNER_MAX_THREADS]; /* one per thread */
    bool is_plain; /* one thread scores floats: the shortest path of a call */
    /* Documents that runner_prepare converted: `prepared` is their address before. */
    float *converted;
    const float *prepared;
    size_t prepared_stride, n_prepared;
};

/* The core to which this thread of OpenMP's pool is bound, or -1. The thread that calls runner_run
 * is bound only during the call, so its value stays -1. */
static _Thread_local int tied_to = -1;

/* --- shares ----------------------------------------------------------------------------------- */

static struct span share(size_t total, unsigned number, unsigned of) {
    /* The first `more` shares have one extra element. */
    size_t each = total / of, more = total % of;
    size_t begin = each * number + (number < more ? number : more);
    return (struct span){begin, begin + each + (number < more)};
}

static void choose_grid(struct runner *runner, unsigned threads, enum parallel parallel) {
    unsigned over_units = parallel == PARALLEL_TREES ? threads : 1;
    if (parallel == PARALLEL_BOTH)
        for (unsigned divisor = 2; divisor * divisor <= threads; divisor++)
            if (threads % divisor == 0)
                over_units = divisor;
    runner->over_units = over_units;
    runner->over_docs = threads / over_units;
}

static double *partial_of(const struct runner *runner, unsigned unit_share) {
    return runner->partial + (unit_share - 1) * runner->partial_size;
}

/* Sets the partial sums of some documents to zero. */
static void clear_partial(const struct runner *runner, unsigned unit_share, struct span docs) {
    size_t n_outputs = runner->scorer->n_outputs;
    memset(partial_of(runner, unit_share) + docs.begin * n_outputs, 0,
           (docs.end - docs.begin) * n_outputs * sizeof(double));
}

/* --- what one thread does --------------------------------------------------------------------- */

/* The number of documents in a piece: a multiple of scorer->lanes. Pieces are small, so that the
 * threads that have finished do not wait long for the last piece. */
static size_t piece_of_documents(const struct runner *runner, size_t n_docs) {
    enum { PIECES_PER_THREAD = 8 };
    size_t lanes = runner->scorer->lanes;
    size_t steps = n_docs / lanes / (runner->plan.threads * PIECES_PER_THREAD);
    return lanes * (steps ? steps : 1);
}

/* Are documents handed out in pieces? An order other than DS has blocks, which pieces would cut. */
static bool takes_pieces(const struct runner *runner) {
    return runner->over_units == 1 && runner->scorer->lanes > 0 && runner->plan.order == ORDER_DS;
}

/* All threads call this function. Each one takes the next piece whenever it is idle. */
static void score_pieces(const struct runner *runner, size_t n_docs, const struct batch *batch) {
    size_t piece = piece_of_documents(runner, n_docs);
    const struct span units = {0, runner->scorer->n_units};
    struct batch own = *batch;
    own.workspace = runner->workspaces[omp_get_thread_num()];
#pragma omp for schedule(dynamic) nowait
    for (size_t begin = 0; begin < n_docs; begin += piece) {
        size_t left = n_docs - begin;
        struct span docs = {begin, begin + (left < piece ? left : piece)};
        order_run(runner->scorer, &runner->plan, units, docs, &own);
    }
}

static void score_part(const struct runner *runner, unsigned part, size_t n_docs,
                       const struct batch *batch) {
    unsigned unit_share = part / runner->over_docs;
    struct span docs = share(n_docs, part % runner->over_docs, runner->over_docs);
    struct span units = share(runner->scorer->n_units, unit_share, runner->over_units);
    struct batch own = *batch;
    own.workspace = runner->workspaces[part];
    if (unit_share > 0) {
        clear_partial(runner, unit_share, docs);
        own.scores = partial_of(runner, unit_share);
    }
    order_run(runner->scorer, &runner->plan, units, docs, &own);
}

/* Adds the partial sums of all shares of the units to the scores of one share of the documents.
 * This thread need not be the one that scored these documents. */
static void add_partials(const struct runner *runner, unsigned part, size_t n_docs,
                         double *scores) {
    uint64_t mode = float_mode_begin();
    struct span docs = share(n_docs, part, runner->plan.threads);
    size_t begin = docs.begin * runner->scorer->n_outputs;
    size_t end = docs.end * runner->scorer->n_outputs;
    for (unsigned unit_share = 1; unit_share < runner->over_units; unit_share++) {
        const double *partial = partial_of(runner, unit_share);
        for (size_t i = begin; i < end; i++)
            scores[i] += partial[i];
    }
    float_mode_end(mode);
}

/* The core to which a thread is bound; -1 if the cores are not known. */
static int core_of(const struct runner *runner, unsigned thread) {
    return runner->n_cores ? runner->core_list[thread % runner->n_cores] : -1;
}

/* Binds the calling thread to its core, unless it is thread 0, which runner_run binds. */
static void tie_helper(const struct runner *runner) {
    int thread = omp_get_thread_num();
    if (thread == 0)
        return;
    int core = core_of(runner, (unsigned)thread);
    if (core != tied_to)
        tied_to = cpu_pin(core) ? core : -1;
}

/* --- all threads ------------------------------------------------------------------------------ */

/* The work has plan.threads parts. The loops are over parts, because OpenMP may provide fewer
 * threads, for example inside another parallel region. The scores are the same with any number of
 * threads. */
static void run_threads(const struct runner *runner, size_t n_docs, const struct batch *batch) {
    unsigned parts = runner->plan.threads;
#pragma omp parallel num_threads((int)parts)
    {
        unsigned first = (unsigned)omp_get_thread_num(), step = (unsigned)omp_get_num_threads();
        tie_helper(runner);
        if (takes_pieces(runner)) {
            score_pieces(runner, n_docs, batch);
        } else {
            for (unsigned part = first; part < parts; part += step)
                score_part(runner, part, n_docs, batch);
#pragma omp barrier
            for (unsigned part = first; part < parts; part += step)
                add_partials(runner, part, n_docs, batch->scores);
        }
    }
}

/* --- documents of integers -------------------------------------------------------------------- */

enum status runner_prepare(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                           struct error *error) {
    const struct scorer *scorer = runner->scorer;
    size_t to_stride = integers_stride(scorer->values, scorer->n_features), n_values, bytes;
    if (scorer->values == VALUES_FLOAT)
        return STATUS_OK;
    free(runner->converted);
    runner->converted = NULL;
    runner->n_prepared = 0;
    if (memory_multiply(n_docs, to_stride, &n_values) &&
        memory_multiply(n_values, sizeof(float), &bytes))
        runner->converted = memory_aligned_calloc(bytes + 1, 1);
    if (!runner->converted)
        return error_memory(error, "documents of integers");
    struct error reason;
    enum status status = integers_convert(scorer->values, x, stride, n_docs, scorer->n_features,
                                          runner->converted, &reason);
    if (status)
        return error_set(error, status, "%s: %s", scorer->impl->name, reason.text);
    runner->prepared = x;
    runner->prepared_stride = stride;
    runner->n_prepared = n_docs;
    return STATUS_OK;
}

/* Finds the converted documents of a call. False if they were not prepared. */
static bool find_converted(const struct runner *runner, size_t n_docs, struct batch *batch) {
    const struct scorer *scorer = runner->scorer;
    uintptr_t bytes = (uintptr_t)batch->x - (uintptr_t)runner->prepared;
    size_t first = bytes / (batch->stride ? batch->stride * sizeof(float) : 1);
    if (batch->stride != runner->prepared_stride || batch->x < runner->prepared ||
        first > runner->n_prepared || n_docs > runner->n_prepared - first)
        return false;
    batch->stride = integers_stride(scorer->values, scorer->n_features);
    batch->x = runner->converted + first * batch->stride;
    return true;
}

/* ---------------------------------------------------------------------------------------------- */

static void run_in_parts(const struct runner *runner, size_t n_docs, const struct batch *batch) {
    size_t most = runner->over_units > 1 ? runner->capacity : n_docs;
    for (size_t begin = 0; begin < n_docs;) {
        size_t left = n_docs - begin, count = left < most ? left : most;
        const struct batch part = {batch->x + begin * batch->stride, batch->stride,
                                   batch->scores + begin * runner->scorer->n_outputs, NULL};
        run_threads(runner, count, &part);
        begin += count;
    }
}

/* Scores converted documents with one thread. */
static bool run_alone(const struct runner *runner, size_t n_docs, struct batch *batch) {
    bool is_alone = runner->plan.threads == 1 && !runner->plan.team;
    if (is_alone)
        scorer_run(runner->scorer, &runner->plan, n_docs, batch);
    return is_alone;
}

void runner_run(struct runner *runner, const float *x, size_t stride, size_t n_docs,
                double *scores) {
    struct batch batch = {x, stride, scores, runner->workspaces[0]};
    if (runner->is_plain) {
        scorer_run(runner->scorer, &runner->plan, n_docs, &batch);
        return;
    }
    bool is_float = runner->scorer->values == VALUES_FLOAT;
    if ((!is_float && !find_converted(runner, n_docs, &batch)) || run_alone(runner, n_docs, &batch))
        return;
    struct cpu_affinity before;
    int core = core_of(runner, 0);
    cpu_get_affinity(&before);
    bool tied = core < 0 || (before.known && CPU_COUNT(&before.cores) == 1 &&
                             CPU_ISSET((size_t)core, &before.cores));
    if (!tied)
        cpu_pin(core);
    run_in_parts(runner, n_docs, &batch);
    if (!tied)
        cpu_unpin(&before);
}

/* --- creating and destroying ------------------------------------------------------------------ */

static enum status allocate_partials(struct runner *runner, size_t n_docs, struct error *error) {
    size_t n_scores, bytes;
    runner->capacity = n_docs ? n_docs : 1;
    if (runner->over_units == 1)
        return STATUS_OK;
    if (memory_multiply(runner->capacity, runner->scorer->n_outputs, &n_scores) &&
        n_scores < SIZE_MAX - SCORES_PER_LINE) {
        n_scores = (n_scores + SCORES_PER_LINE - 1) / SCORES_PER_LINE * SCORES_PER_LINE;
        runner->partial_size = n_scores;
        if (memory_multiply(n_scores, runner->over_units - 1, &n_scores) &&
            memory_multiply(n_scores, sizeof(double), &bytes))
            runner->partial = memory_aligned_alloc(bytes);
    }
    return runner->partial ? STATUS_OK : error_memory(error, "partial sums of threads");
}

static enum status allocate_workspaces(struct runner *runner, struct error *error) {
    for (unsigned part = 0; part < runner->plan.threads; part++)
        if (!(runner->workspaces[part] = scorer_workspace(runner->scorer)))
            return error_memory(error, "workspaces of threads");
    return STATUS_OK;
}

/* Starts the threads and binds them. Each thread then touches the memory that it will use, so that
 * this memory is on the thread's NUMA node. */
static enum status start_threads(const struct runner *runner, struct error *error) {
    unsigned wanted = runner->plan.threads, got = 1;
#pragma omp parallel num_threads((int)wanted)
    {
        unsigned part = (unsigned)omp_get_thread_num();
#pragma omp master
        got = (unsigned)omp_get_num_threads();
        tie_helper(runner);
        memset(runner->workspaces[part], 0, runner->scorer->workspace);
        struct span docs = share(runner->capacity, part % runner->over_docs, runner->over_docs);
        if (part >= runner->over_docs)
            clear_partial(runner, part / runner->over_docs, docs);
    }
    if (got == wanted)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "only %u of %u threads are available: see OMP_THREAD_LIMIT and OMP_DYNAMIC",
                     got, wanted);
}

enum status runner_create(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                          struct runner **runner, struct error *error) {
    if (plan->threads > RUNNER_MAX_THREADS)
        return error_set(error, STATUS_INPUT, "%u threads: the limit is %d", plan->threads,
                         (int)RUNNER_MAX_THREADS);
    struct runner *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a runner");
    made->scorer = scorer;
    made->plan = *plan;
    made->plan.threads = plan->threads ? plan->threads : 1;
    made->is_plain = made->plan.threads == 1 && !made->plan.team && scorer->values == VALUES_FLOAT;
    cpu_get_affinity(&made->cores);
    if (made->plan.threads > 1)
        made->n_cores = cpu_list_cores(&made->cores, made->core_list, RUNNER_MAX_THREADS);
    choose_grid(made, made->plan.threads, plan->parallel);
    enum status status = allocate_partials(made, n_docs, error);
    if (!status)
        status = allocate_workspaces(made, error);
    if (!status && made->plan.threads > 1)
        status = start_threads(made, error);
    if (status)
        runner_destroy(made);
    else
        *runner = made;
    return status;
}

/* OpenMP's threads outlive the runner, so they are released from their cores for other uses. */
static void untie_helpers(const struct runner *runner) {
#pragma omp parallel num_threads((int)runner->plan.threads)
    if (tied_to >= 0) {
        cpu_unpin(&runner->cores);
        tied_to = -1;
    }
}

void runner_destroy(struct runner *runner) {
    if (!runner)
        return;
    if (runner->plan.threads > 1)
        untie_helpers(runner);
    free(runner->partial);
    free(runner->converted);
    for (unsigned part = 0; part < runner->plan.threads; part++)
        free(runner->workspaces[part]);
    free(runner);
}
