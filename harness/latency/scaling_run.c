/* Taking the rounds of a measurement. */
#include "base/cpu.h"
#include "base/memory.h"
#include "base/random.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"
#include "harness/latency/crew.h"
#include "harness/latency/proof.h"
#include "harness/latency/scaling.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM_CALLS = 256,
    CALLS_MOST = 1 << 20, /* latencies of a round */
    SPIN_US = 1000,       /* a pool sleeps while others are measured */
    P50 = 0,
    P99 = 2 /* indices in percentiles */
};
/* Numbers of calls that only warm up: no timed call has them. */
#define WARM_FIRST (UINT64_C(1) << 48)

struct run {
    struct scaling *scaling;
    struct target_common common;
    struct stage stage;
    struct random random;
    struct cpu_affinity unpinned;
    int *cores;                  /* [n_threads] */
    struct crew_member *members; /* [n_threads] */
    /* by index of the number of threads; the last is 1 thread again */
    struct tb_pool *pools[SCALING_COUNTS_MAX + 1]; /* NULL for 1 thread */
    struct tb_context *contexts[SCALING_COUNTS_MAX + 1];
    uint64_t *latencies; /* [calls of a round] */
    struct histogram *scratch;
    struct causes causes; /* not reported */
};

static unsigned most_threads(const struct scaling_request *request) {
    return request->threads[request->n_counts - 1];
}

static unsigned threads_at(const struct scaling_request *request, size_t count) {
    return request->threads[count < request->n_counts ? count : 0];
}

static uint64_t calls_of_round(const struct scaling_request *request) {
    uint64_t calls = (request->calls + request->rounds - 1) / request->rounds;
    return calls < CALLS_MOST ? calls : CALLS_MOST;
}

static bool is_ok(const struct run *run) {
    return target_is_ok(&run->scaling->target);
}

/* --- contexts --------------------------------------------------------------------------------- */

static void close_contexts(struct run *run) {
    const struct scaling_request *request = &run->scaling->request;
    for (size_t i = 0; i <= request->n_counts; i++) {
        tb_context_free(run->contexts[i]);
        run->contexts[i] = NULL;
    }
    for (size_t i = 0; i < most_threads(request); i++) {
        tb_context_free(run->members[i].context);
        run->members[i].context = NULL;
    }
}

/* Makes the contexts of the scorer that the target has now. */
static void open_contexts(struct run *run) {
    const struct scaling_request *request = &run->scaling->request;
    const struct tb_scorer *scorer = run->scaling->target.wrapped;
    struct tb_error error;
    bool is_open = true;
    for (size_t i = 0; is_open && i <= request->n_counts; i++)
        is_open = !tb_context_create(scorer, &run->contexts[i], &error) &&
                  !tb_context_use_pool(run->contexts[i], run->pools[i], &error);
    for (size_t i = 0; is_open && i < most_threads(request); i++)
        is_open = !tb_context_create(scorer, &run->members[i].context, &error);
    if (!is_open)
        row_fail(&run->scaling->target.row, ROW_FAILED, error.text);
}

static enum status open_pools(struct run *run, struct error *error) {
    const struct scaling_request *request = &run->scaling->request;
    struct tb_error refused;
    for (size_t i = 0; i < request->n_counts; i++)
        if (request->threads[i] > 1 && tb_pool_create(request->threads[i], run->cores + 1, SPIN_US,
                                                      &run->pools[i], &refused) != TB_OK)
            return error_set(error, STATUS_MACHINE, "%s", refused.text);
    return STATUS_OK;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Compares the replies of each member's last call with the reference's. */
static void check_members(struct run *run, size_t n, size_t block) {
    const struct scorer *scorer = run->scaling->target.contender.scorer;
    if (scorer->impl->kind == IMPL_BASELINE)
        return;
    for (size_t m = 0; m < n; m++)
        for (size_t i = 0; i < block; i++) {
            const struct crew_member *member = &run->members[m];
            size_t row = member->last_row + i;
            if (!verifier_reply_agrees(run->common.verifier, scorer,
                                       matrix_row(run->common.documents, row),
                                       run->common.expected + row * scorer->n_outputs,
                                       member->scores + i * scorer->n_outputs))
                row_fail(&run->scaling->target.row, ROW_WRONG,
                         "a thread's reply differs from the reference's");
            run->scaling->checked++;
        }
}

static void take_throughput(struct run *run, enum scaling_measure measure, size_t count,
                            size_t round) {
    const struct scaling_request *request = &run->scaling->request;
    size_t n = threads_at(request, count);
    const struct crew_calls calls = {.documents = &run->stage.documents,
                                     .block = measure == SCALING_BLOCKS ? request->block : 1,
                                     .least_ns = request->sample_ns};
    for (size_t i = 0; i < n; i++)
        run->members[i].row = i * (calls.documents->n_rows / n) / calls.block * calls.block;
    struct scaling_line *line = scaling_line_at(run->scaling, measure, count);
    line->samples[round] = crew_run(&calls, run->members, n);
    line->used = (unsigned)n;
    check_members(run, n, calls.block);
}

static void take_latency(struct run *run, size_t count, size_t round) {
    struct scaling *s = run->scaling;
    struct target_calls calls = {.common = &run->common,
                                 .target = &s->target,
                                 .stage = &run->stage,
                                 .size = {1, 1},
                                 .causes = &run->causes};
    struct tb_context *own = s->target.context;
    uint64_t n = calls_of_round(&s->request);
    s->target.context = run->contexts[count];
    struct service service = target_service(&calls);
    loop_stream(&service, WARM_FIRST, WARM_CALLS, run->latencies);
    calls.checked = 0;
    loop_stream(&service, round * n, n, run->latencies);
    s->target.context = own;
    s->checked += calls.checked;
    histogram_clear(run->scratch);
    for (uint64_t i = 0; i < n; i++)
        histogram_record(run->scratch, run->latencies[i]);
    histogram_merge(s->latencies[count], run->scratch);
    struct scaling_line *p50 = scaling_line_at(run->scaling, SCALING_P50, count),
                        *p99 = scaling_line_at(run->scaling, SCALING_P99, count);
    p50->samples[round] = (double)histogram_percentile(run->scratch, percentiles[P50].over);
    p99->samples[round] = (double)histogram_percentile(run->scratch, percentiles[P99].over);
    p50->used = p99->used = (unsigned)tb_context_threads(run->contexts[count], 1);
}

static void take_round(struct run *run, size_t round) {
    size_t n = run->scaling->request.n_counts + 1;
    for (size_t k = 0; k < n && is_ok(run); k++) {
        size_t count = sampling_turn(round, k, n);
        take_throughput(run, SCALING_BLOCKS, count, round);
        take_throughput(run, SCALING_CALLS, count, round);
        take_latency(run, count, round);
    }
}

/* --- rounds ----------------------------------------------------------------------------------- */

/* Moves everything to other addresses, as in harness/measure/sampling.c. */
static void place_again(struct run *run, double placement_ns) {
    struct stage previous = run->stage;
    if (!stage_open_elsewhere(run->common.documents, run->common.ensemble->n_outputs, &run->random,
                              &run->stage)) {
        run->stage = previous;
        return;
    }
    close_contexts(run);
    target_open_again(&run->common, placement_ns, &run->scaling->target);
    if (is_ok(run))
        open_contexts(run);
    stage_close(&previous);
}

static void tell_round(const struct run *run, size_t round) {
    char text[48];
    const struct scaling_request *request = &run->scaling->request;
    snprintf(text, sizeof text, "round %zu of %u", round + 1, request->rounds);
    progress_note(request->progress, text);
}

static void take_rounds(struct run *run) {
    struct scaling *s = run->scaling;
    uint64_t begun = timer_wall_ns();
    for (size_t round = 0; round < s->request.rounds && is_ok(run) && !interrupt_asked(); round++) {
        if (round > 0 && round % s->placement_rounds == 0) {
            place_again(run, (double)(timer_wall_ns() - begun));
            begun = timer_wall_ns();
        }
        tell_round(run, round);
        take_round(run, round);
        s->rounds = round + 1;
        interrupt_defer();
    }
    s->placements = (s->rounds + s->placement_rounds - 1) / s->placement_rounds;
    s->is_interrupted = interrupt_asked();
    interrupt_end_deferral();
}

static void prove(struct scaling *s) {
    static const size_t index[SCALING_MEASURES] = {[SCALING_P50] = P50, [SCALING_P99] = P99};
    for (enum scaling_measure measure = 0; measure < SCALING_MEASURES; measure++)
        for (size_t i = 0; i <= s->request.n_counts; i++) {
            const struct histogram *h = s->latencies[i];
            uint64_t rank = proof_rank(h->total, percentiles[index[measure]].over);
            bool is_latency = measure == SCALING_P50 || measure == SCALING_P99;
            scaling_line_at(s, measure, i)->proven_ns =
                is_latency && rank ? (double)histogram_at(h, h->total - rank) : (double)NAN;
        }
}

static void measure(struct run *run) {
    struct surroundings before, after;
    surroundings_read("", &before);
    cpu_pin(run->cores[0]);
    open_contexts(run);
    take_rounds(run);
    close_contexts(run);
    cpu_unpin(&run->unpinned);
    surroundings_read("", &after);
    run->scaling->steal = surroundings_steal(&before.ticks, &after.ticks);
    prove(run->scaling);
}

/* --- preparation ------------------------------------------------------------------------------ */

static enum status find_cores(struct run *run, struct error *error) {
    unsigned most = most_threads(&run->scaling->request);
    cpu_get_affinity(&run->unpinned);
    run->cores = calloc(most, sizeof *run->cores);
    if (!run->cores)
        return error_memory(error, "cores");
    unsigned n = cpu_list_cores(&run->unpinned, run->cores, most);
    if (n == most)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE, "%u threads, but this process may use %u processor%s",
                     most, n, n == 1 ? "" : "s");
}

static bool allocate_lines(struct scaling *s) {
    size_t n = s->request.n_counts + 1;
    s->lines = calloc(SCALING_MEASURES * n, sizeof *s->lines);
    s->latencies = calloc(n, sizeof *s->latencies);
    bool has_memory = s->lines && s->latencies;
    for (size_t i = 0; has_memory && i < SCALING_MEASURES * n; i++) {
        s->lines[i].measure = (enum scaling_measure)(i / n);
        s->lines[i].threads = threads_at(&s->request, i % n);
        s->lines[i].samples = calloc(s->request.rounds, sizeof(double));
        has_memory = s->lines[i].samples;
    }
    for (size_t i = 0; has_memory && i < n; i++) {
        s->latencies[i] = histogram_create();
        has_memory = s->latencies[i];
    }
    return has_memory;
}

static bool allocate(struct run *run, uint32_t n_outputs) {
    const struct scaling_request *request = &run->scaling->request;
    unsigned most = most_threads(request);
    uint64_t calls = calls_of_round(request);
    run->members = calloc(most, sizeof *run->members);
    run->latencies = calloc(calls > WARM_CALLS ? calls : WARM_CALLS, sizeof *run->latencies);
    run->scratch = histogram_create();
    bool has_memory = run->members && run->latencies && run->scratch;
    for (unsigned i = 0; has_memory && i < most; i++) {
        size_t n_scores = (size_t)request->block * n_outputs;
        run->members[i].core = run->cores[i];
        run->members[i].scores = memory_aligned_calloc(n_scores, sizeof(double));
        has_memory = run->members[i].scores;
    }
    return has_memory;
}

static enum status prepare(struct run *run, const struct ensemble *ensemble,
                           const struct matrix *shuffled, struct error *error) {
    const struct scaling_request *request = &run->scaling->request;
    double *expected = NULL;
    run->common =
        (struct target_common){.ensemble = ensemble,
                               .documents = shuffled,
                               .seed = request->seed,
                               .how = {.note = request->note,
                                       .progress = request->progress,
                                       .rounds = request->rounds,
                                       .clock = "wall",
                                       .plan = {.order = ORDER_DS, .doc_block = request->block}}};
    enum status status = verifier_create(ensemble, shuffled, &run->common.verifier, error);
    if (!status)
        status = target_expect(ensemble, shuffled, &expected, error);
    run->common.expected = expected;
    if (!status)
        status = find_cores(run, error);
    if (!status && !(allocate(run, ensemble->n_outputs) && allocate_lines(run->scaling)))
        status = error_memory(error, "latencies");
    if (!status)
        status = open_pools(run, error);
    if (!status && !stage_open(shuffled, ensemble->n_outputs, &run->stage))
        status = error_memory(error, "scores");
    if (!status)
        target_open(&run->common, request->variant, &run->scaling->target);
    return status;
}

static void release(struct run *run) {
    for (size_t i = 0; i <= SCALING_COUNTS_MAX; i++)
        tb_pool_free(run->pools[i]);
    for (unsigned i = 0; run->members && i < most_threads(&run->scaling->request); i++)
        free(run->members[i].scores);
    verifier_free(run->common.verifier);
    free((void *)run->common.expected);
    stage_close(&run->stage);
    free(run->members);
    free(run->cores);
    free(run->latencies);
    free(run->scratch);
}

enum status scaling_measure(const struct ensemble *ensemble, const struct matrix *documents,
                            const struct scaling_request *request, struct scaling *scaling,
                            struct error *error) {
    struct matrix *shuffled = NULL;
    struct run run = {.scaling = scaling};
    size_t per = (request->rounds + request->placements - 1) / request->placements;
    *scaling = (struct scaling){.request = *request, .placement_rounds = per};
    row_init(&scaling->target.row);
    random_seed(&run.random, timer_wall_ns());
    enum status status = schedule_shuffle(documents, request->seed, &shuffled, error);
    if (!status)
        status = prepare(&run, ensemble, shuffled, error);
    if (!status && is_ok(&run))
        measure(&run);
    release(&run);
    matrix_free(shuffled);
    return status;
}
