/* Taking the rounds of a measurement. */
#include "harness/latency/timing.h"

#include "base/cpu.h"
#include "base/random.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/surroundings.h"
#include "harness/instruments/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARM_NUMBERS = 256,     /* at least the warm calls of a round */
    SLOW_TIMES = 10,        /* a slow call takes this many times the median of those before */
    STREAM_CHUNK = 4096,    /* calls between two looks at the time and at the kernel's counts */
    SERVER_CHUNK = 1 << 20, /* calls of one schedule */
    PEAK_RANK = 10,         /* the calls of a trial suffice for this rank at p99 */
    P99 = 2                 /* index in percentiles */
};
/* Numbers of calls that only warm up: no timed call has them. */
#define WARM_FIRST (UINT64_C(1) << 48)
#define PEAK_PRECISION 0.02
#define BETWEEN_TOLD_NS UINT64_C(200000000)

struct run {
    struct timing *timing;
    struct target_common common;
    struct stage stage;
    struct random random;
    struct cpu_affinity unpinned;
    uint64_t *latencies, *arrivals; /* [SERVER_CHUNK]; PEAK: [PEAK_CALLS_MOST] */
    struct histogram *scratch;      /* of a round, or of a trial */
    uint64_t begun_ns, told_ns;
};

/* Shows the round that is next, and what is done in it. */
static void tell(struct run *run, const char *what) {
    char text[4 * ROW_NAME_SIZE];
    const struct timing_request *request = &run->timing->request;
    uint64_t now = timer_wall_ns();
    if (!request->progress || now - run->told_ns < BETWEEN_TOLD_NS)
        return;
    run->told_ns = now;
    snprintf(text, sizeof text, "round %zu of %u%s", run->timing->rounds + 1, request->rounds,
             what);
    progress_note(request->progress, text);
}

/* Writes the pages of the latencies, so that none is touched first between two calls. */
static void touch_latencies(struct run *run, size_t n) {
    memset(run->latencies, 1, n * sizeof *run->latencies);
}

/* --- calls of a round ------------------------------------------------------------------------- */

static struct target *target_of(const struct run *run, const struct timing_line *line) {
    return &run->timing->targets[line->target];
}

static uint64_t share_of_calls(const struct timing_request *request) {
    return (request->calls + request->rounds - 1) / request->rounds;
}

static void record(struct run *run, size_t n) {
    for (size_t i = 0; i < n; i++)
        histogram_record(run->scratch, run->latencies[i]);
}

/* Makes calls that do not count, and sets which calls of a stream are slow. */
static void warm_up(struct run *run, struct service *service, uint32_t round) {
    size_t n = call_state_facts[run->common.state].warm_calls;
    loop_stream(service, WARM_FIRST + (uint64_t)round * WARM_NUMBERS, n, run->latencies);
    histogram_clear(run->scratch);
    record(run, n);
    service->slow_ns = SLOW_TIMES * histogram_percentile(run->scratch, percentiles[0].over);
    histogram_clear(run->scratch);
}

static void take_stream(struct run *run, struct timing_line *line, const struct service *service,
                        uint64_t first, size_t n) {
    struct causes_reading before = causes_read();
    ((struct target_calls *)service->context)->last = before;
    loop_stream(service, first, n, run->latencies);
    causes_add(&before, &line->causes);
    record(run, n);
}

static void take_server(struct run *run, struct timing_line *line, const struct service *service,
                        uint64_t first, size_t n, double rate) {
    schedule_arrivals(rate, random_derive(run->timing->request.arrival_seed, first), n,
                      run->arrivals);
    struct causes_reading before = causes_read();
    uint64_t took = loop_server(service, first, n, run->arrivals, run->latencies);
    causes_add(&before, &line->causes);
    line->completed += (double)(n - 1);
    line->completed_ns += (double)took;
    record(run, n);
}

/* Returns how many calls come next: up to the share of the round, then as many as the time needs.
 * 0: the round is complete. */
static size_t next_calls(const struct timing_request *request, uint64_t done, uint64_t begun_ns) {
    const size_t most = request->mode == TIMING_STREAM ? STREAM_CHUNK : SERVER_CHUNK;
    double left = request->seconds / request->rounds - (double)(timer_wall_ns() - begun_ns) * 1e-9;
    uint64_t share = share_of_calls(request), wanted = done < share ? share - done : 0;
    if (left > 0 && request->mode == TIMING_STREAM)
        return most;
    if (left > 0 && left * request->rate > (double)wanted)
        return (size_t)fmin(ceil(left * request->rate), (double)most);
    return wanted < most ? (size_t)wanted : most;
}

static void take_calls(struct run *run, struct timing_line *line, const struct service *service,
                       uint32_t round) {
    const struct timing_request *request = &run->timing->request;
    uint64_t first = round * share_of_calls(request), begun = timer_wall_ns(), done = 0;
    for (size_t n; (n = next_calls(request, done, begun)) > 0; done += n)
        if (request->mode == TIMING_STREAM)
            take_stream(run, line, service, first + done, n);
        else
            take_server(run, line, service, first + done, n, request->rate);
}

/* --- peak rates ------------------------------------------------------------------------------- */

struct peak_search {
    struct run *run;
    struct timing_line *line;
    const struct service *service;
    uint64_t first;
    struct histogram *best; /* of the last trial within the bound */
    bool is_limited;        /* a trial at the least rate that is too high has too many calls */
};

static size_t least_calls(const struct timing_request *request) {
    uint64_t share = share_of_calls(request),
             least = proof_needed(PEAK_RANK, percentiles[P99].over);
    return (size_t)(share < least ? least : share < SERVER_CHUNK ? share : SERVER_CHUNK);
}

static void tell_trial(const struct peak_search *search, double rate) {
    char text[3 * ROW_NAME_SIZE];
    snprintf(text, sizeof text, ": %s at %.0f calls/s",
             row_variant(&target_of(search->run, search->line)->row).text, rate);
    tell(search->run, text);
}

static bool is_within_bound(void *context, double rate) {
    struct peak_search *search = context;
    struct run *run = search->run;
    const struct timing_request *request = &run->timing->request;
    size_t n = peak_trial_calls(rate, request->bound_ns, least_calls(request));
    if (!n) {
        search->is_limited = true;
        return false;
    }
    tell_trial(search, rate);
    touch_latencies(run, n);
    histogram_clear(run->scratch);
    take_server(run, search->line, search->service, search->first, n, rate);
    search->first += n;
    uint64_t rank = proof_rank(n, percentiles[P99].over);
    bool is_within = (double)histogram_at(run->scratch, n - rank) <= run->timing->request.bound_ns;
    if (is_within)
        *search->best = *run->scratch;
    else
        search->is_limited = false;
    return is_within;
}

/* The search begins at half of what a single stream reaches. */
static void find_peak(struct run *run, struct timing_line *line, const struct service *service,
                      uint32_t round) {
    struct peak_search search = {run,  line, service, round * UINT64_C(1) << 32, histogram_create(),
                                 false};
    line->gaps[round] = (double)NAN;
    if (!search.best)
        return;
    take_stream(run, line, service, search.first, STREAM_CHUNK);
    double typical = fmax(1, (double)histogram_percentile(run->scratch, percentiles[0].over));
    double peak = peak_find(is_within_bound, &search, 0.5e9 / typical, PEAK_PRECISION);
    if (peak > 0)
        line->gaps[round] = 1e9 / peak;
    line->is_peak_limited |= search.is_limited;
    *run->scratch = *search.best;
    free(search.best);
}

/* --- rounds ----------------------------------------------------------------------------------- */

static void summarise_round(struct run *run, struct timing_line *line, uint32_t round) {
    const struct histogram *h = run->scratch;
    for (size_t k = 0; k < PERCENTILES; k++) {
        bool is_known = (double)h->total * percentiles[k].over >= 1;
        line->samples[k][round] =
            is_known ? (double)histogram_percentile(h, percentiles[k].over) : (double)NAN;
    }
    histogram_merge(line->histogram, h);
    line->rounds = round + 1;
}

static void take_line(struct run *run, struct timing_line *line, uint32_t round) {
    struct target_calls calls = {.common = &run->common,
                                 .target = target_of(run, line),
                                 .stage = &run->stage,
                                 .size = line->size,
                                 .documents = line->documents,
                                 .causes = &line->causes};
    struct service service = target_service(&calls);
    warm_up(run, &service, round);
    calls.checked = 0;
    uint64_t begun = timer_wall_ns();
    if (run->timing->request.mode == TIMING_PEAK)
        find_peak(run, line, &service, round);
    else
        take_calls(run, line, &service, round);
    line->seconds += (double)(timer_wall_ns() - begun) * 1e-9;
    summarise_round(run, line, round);
    line->checked += calls.checked;
}

/* Each group of lines has the same calls to all targets. */
static void take_round(struct run *run, uint32_t round) {
    struct timing *t = run->timing;
    for (size_t group = 0; group < t->n_lines; group += t->n_targets)
        for (size_t k = 0; k < t->n_targets; k++) {
            struct timing_line *line = &t->lines[group + sampling_turn(round, k, t->n_targets)];
            if (target_is_ok(target_of(run, line)))
                take_line(run, line, round);
        }
}

/* Moves everything to other addresses, as in harness/measure/sampling.c. */
static void place_again(struct run *run, double placement_ns) {
    struct stage previous = run->stage;
    struct timing *t = run->timing;
    if (!stage_open_elsewhere(run->common.documents, run->common.ensemble->n_outputs, &run->random,
                              &run->stage)) {
        run->stage = previous;
        return;
    }
    cpu_unpin(&run->unpinned);
    for (size_t i = 0; i < t->n_targets; i++)
        if (target_is_ok(&t->targets[i]))
            target_open_again(&run->common, placement_ns / (double)t->n_targets, &t->targets[i]);
    stage_close(&previous);
    cpu_pin_here(&run->unpinned);
}

static void take_rounds(struct run *run) {
    struct timing *t = run->timing;
    uint64_t placement_begun = timer_wall_ns();
    for (uint32_t round = 0; round < t->request.rounds && !interrupt_asked(); round++) {
        if (round > 0 && round % t->placement_rounds == 0) {
            place_again(run, (double)(timer_wall_ns() - placement_begun));
            placement_begun = timer_wall_ns();
        }
        tell(run, "");
        take_round(run, round);
        t->rounds = round + 1;
        interrupt_defer();
    }
    t->placements = (t->rounds + t->placement_rounds - 1) / t->placement_rounds;
    t->is_interrupted = interrupt_asked();
    interrupt_end_deferral();
}

static void measure_targets(struct run *run) {
    struct surroundings before, after;
    surroundings_read("", &before);
    cpu_pin_here(&run->unpinned);
    take_rounds(run);
    cpu_unpin(&run->unpinned);
    surroundings_read("", &after);
    run->timing->steal = surroundings_steal(&before.ticks, &after.ticks);
}

/* --- preparation ------------------------------------------------------------------------------ */

static bool create_line(struct timing_line *line, const struct timing_request *request) {
    line->histogram = histogram_create();
    bool has_memory = line->histogram;
    for (size_t k = 0; k < PERCENTILES; k++) {
        line->samples[k] = calloc(request->rounds, sizeof(double));
        has_memory &= line->samples[k] != NULL;
    }
    if (request->mode == TIMING_PEAK) {
        line->gaps = calloc(request->rounds, sizeof *line->gaps);
        has_memory &= line->gaps != NULL;
    }
    return has_memory;
}

static enum status create_lines(struct timing *t, struct error *error) {
    const struct timing_request *request = &t->request;
    size_t kinds = request->mode == TIMING_STREAM && request->state != CALL_FIRST ? 2 : 1;
    t->n_lines = request->n_sizes * kinds * t->n_targets;
    t->lines = calloc(t->n_lines, sizeof *t->lines);
    bool has_memory = t->lines;
    for (size_t i = 0; has_memory && i < t->n_lines; i++) {
        t->lines[i].target = i % t->n_targets;
        t->lines[i].documents = (enum call_documents)(i / t->n_targets % kinds);
        t->lines[i].size = request->sizes[i / t->n_targets / kinds];
        has_memory = create_line(&t->lines[i], request);
    }
    return has_memory ? STATUS_OK : error_memory(error, "latencies");
}

static enum status open_targets(struct run *run, struct error *error) {
    struct timing *t = run->timing;
    size_t n = t->request.n_variants;
    t->again = n;
    t->empty = n > 1 ? n + 1 : n;
    const char *empty = impl_with_role(IMPL_EMPTY)->name;
    bool is_asked = t->request.mode == TIMING_PEAK;
    for (size_t i = 0; i < n; i++)
        is_asked |= strcmp(t->request.variants[i], empty) == 0;
    size_t count = is_asked ? t->empty : t->empty + 1;
    t->targets = calloc(count, sizeof *t->targets);
    if (!t->targets)
        return error_memory(error, "implementations");
    for (size_t i = 0; i < count; i++, t->n_targets++)
        target_open(&run->common,
                    i == t->empty ? empty : t->request.variants[i == t->again ? 0 : i],
                    &t->targets[i]);
    return STATUS_OK;
}

static enum status create_sweep(struct run *run, struct error *error) {
    static const struct {
        bool is_swept;
        enum sweep_depth depth;
    } sweeps[CALL_STATES] = {[CALL_L2] = {true, SWEEP_L1},
                             [CALL_L3] = {true, SWEEP_L2},
                             [CALL_COLD] = {true, SWEEP_ALL}};
    struct cpu_info cpu;
    enum call_state state = run->common.state;
    if (!sweeps[state].is_swept)
        return STATUS_OK;
    cpu_read_info(&cpu);
    run->timing->room_bytes = (double)sweep_room(&cpu, sweeps[state].depth);
    return sweep_create(sweeps[state].depth, &run->common.sweep, error);
}

static enum status allocate(struct run *run, struct error *error) {
    size_t most = run->timing->request.mode == TIMING_PEAK ? PEAK_CALLS_MOST : SERVER_CHUNK;
    run->latencies = malloc(most * sizeof *run->latencies);
    run->arrivals = calloc(most, sizeof *run->arrivals);
    run->scratch = histogram_create();
    if (!run->latencies || !run->arrivals || !run->scratch)
        return error_memory(error, "latencies");
    touch_latencies(run, SERVER_CHUNK);
    return create_sweep(run, error);
}

static uint32_t largest_call(const struct timing_request *request) {
    uint32_t largest = 0;
    for (size_t i = 0; i < request->n_sizes; i++)
        largest = request->sizes[i].most > largest ? request->sizes[i].most : largest;
    return largest;
}

static enum status prepare(struct run *run, const struct ensemble *ensemble,
                           const struct matrix *shuffled, struct error *error) {
    const struct timing_request *request = &run->timing->request;
    double *expected;
    run->common = (struct target_common){
        .ensemble = ensemble,
        .documents = shuffled,
        .seed = request->size_seed,
        .state = request->state,
        .unpinned = &run->unpinned,
        .how = {.note = request->note,
                .progress = request->progress,
                .rounds = request->rounds,
                .reads_resident = true,
                .clock = "wall",
                .plan = {.order = ORDER_DS, .doc_block = largest_call(request)}}};
    enum status status = verifier_create(ensemble, shuffled, &run->common.verifier, error);
    if (!status) {
        status = target_expect(ensemble, shuffled, &expected, error);
        run->common.expected = expected;
    }
    if (!status)
        status = allocate(run, error);
    if (!status)
        status = open_targets(run, error);
    if (!status)
        status = create_lines(run->timing, error);
    if (!status && !stage_open(shuffled, ensemble->n_outputs, &run->stage))
        status = error_memory(error, "scores");
    return status;
}

static void release(struct run *run) {
    verifier_free(run->common.verifier);
    free((void *)run->common.expected);
    stage_close(&run->stage);
    sweep_free(&run->common.sweep);
    free(run->latencies);
    free(run->arrivals);
    free(run->scratch);
}

enum status timing_measure(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct timing_request *request, struct timing *timing,
                           struct error *error) {
    struct matrix *shuffled = NULL;
    struct run run = {.timing = timing};
    uint32_t per = (request->rounds + request->placements - 1) / request->placements;
    *timing = (struct timing){.request = *request, .placement_rounds = per};
    random_seed(&run.random, timer_wall_ns());
    enum status status = schedule_shuffle(documents, request->document_seed, &shuffled, error);
    if (!status)
        status = prepare(&run, ensemble, shuffled, error);
    if (!status)
        measure_targets(&run);
    release(&run);
    matrix_free(shuffled);
    return status;
}
