#include "harness/measure/contender.h"

#include "base/cpu.h"
#include "base/random.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/measure/stage.h"
#include "harness/measure/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample takes at least this many times the resolution of the coarser clock. */
enum { SAMPLE_RESOLUTIONS = 1000 };
/* Between two samples of a variant, the other variants evict its code and its documents from the
 * caches. An untimed pass before each sample loads them again. If a pass takes longer than
 * WARMED_NS, the untimed pass is omitted, because most of the timed pass is warm anyway. */
#define WARMED_NS 1e7
/* Limits the repetitions of a pass that takes almost no time (noop). */
#define MAX_REPETITIONS ((uint64_t)1 << 24)
/* Samples of the noisier variants are made longer, but not longer than this. */
#define LENGTHENED_NS 5e6
enum { LENGTHENED_MOST = 8 }; /* times */
/* Showing progress must not disturb the samples. */
#define BETWEEN_TOLD_NS UINT64_C(200000000)

struct sampling {
    const struct ensemble *ensemble;
    const struct matrix *documents;
    const struct measure_request *how;
    struct contender *contenders;
    size_t n;
    uint32_t placement_rounds;
    struct stage stage;
    struct random random;
    struct cpu_affinity unpinned;
    uint64_t begun_ns, told_ns; /* when the rounds began; when progress was last shown */
    struct sweep sweep;         /* for cold passes */
};

/* Measures the wall time and the CPU time of one sample (all repetitions), in ns. */
static void time_sample(const struct contender *c, double *wall, double *cpu) {
    uint64_t wall_begin = timer_wall_ns(), cpu_begin = timer_cpu_ns();
    for (uint64_t i = 0; i < c->repetitions; i++)
        contender_pass((void *)c);
    *cpu = (double)(timer_cpu_ns() - cpu_begin);
    *wall = (double)(timer_wall_ns() - wall_begin);
}

/* Doubles the repetitions, up to `most`, until a sample takes at least least_ns. Each attempt also
 * warms up. */
static void calibrate(struct contender *c, double least_ns, uint64_t most) {
    double wall, cpu, took = 0;
    for (c->repetitions = 1;; c->repetitions *= 2) {
        time_sample(c, &wall, &cpu);
        /* a thread that waits for a device takes no CPU time */
        took = c->plan.threads > 1 || c->scorer->impl->device ? wall : cpu;
        if (took >= least_ns || c->repetitions >= most)
            break;
    }
    double pass_ns = took / (double)c->repetitions;
    c->warmed = pass_ns < WARMED_NS;
    c->sample_ns = took + (c->warmed ? pass_ns : 0);
    c->row->repetitions = c->repetitions;
}

static void calibrate_all(struct sampling *s) {
    struct timer_info clocks;
    timer_measure(&clocks);
    double least_ns =
        SAMPLE_RESOLUTIONS * fmax(clocks.cpu_resolution_ns, clocks.wall_resolution_ns);
    for (size_t i = 0; i < s->n; i++)
        if (contender_is_ok(&s->contenders[i])) {
            contender_tell(s->how, "timing", s->contenders[i].variant);
            calibrate(&s->contenders[i], least_ns, s->how->is_cold ? 1 : MAX_REPETITIONS);
        }
}

static bool allocate_samples(struct row *row, uint32_t rounds) {
    row->samples.wall = calloc(rounds, sizeof(double));
    row->samples.cpu = calloc(rounds, sizeof(double));
    return row->samples.wall && row->samples.cpu;
}

/* --- placements ------------------------------------------------------------------------------- */

/* Pins this thread to its current core. If there are several threads, pins it to the first allowed
 * core, because runners reserve that core for it. */
static void pin(struct sampling *s) {
    int first;
    cpu_pin_here(&s->unpinned);
    if (measure_threads(s->how) > 1 && cpu_list_cores(&s->unpinned, &first, 1) == 1)
        cpu_pin(first);
}

static uint32_t rounds_per_placement(const struct measure_request *how) {
    uint32_t rounds = how->until_ns ? how->least_rounds : how->rounds;
    uint32_t per = how->placements ? (rounds + how->placements - 1) / how->placements : rounds;
    return how->placements < 2 ? how->rounds : per ? per : 1;
}

static void enter_stage(struct sampling *s) {
    for (size_t i = 0; i < s->n; i++) {
        s->contenders[i].documents = &s->stage.documents;
        s->contenders[i].scores = s->stage.scores;
    }
}

/* Moves everything to other addresses. The previous placement is kept until the next one is ready,
 * so that its addresses are not used again. Without memory for it, the samples stay where they
 * are. Compilers and libraries may start threads while they build, which must not be pinned. */
static void place_again(struct sampling *s) {
    struct stage previous = s->stage;
    bool (*open)(const struct matrix *, size_t, struct random *, struct stage *) =
        s->how->is_cold ? stage_open_scores : stage_open_elsewhere;
    if (!open(s->documents, s->ensemble->n_outputs, &s->random, &s->stage)) {
        s->stage = previous;
        return;
    }
    cpu_unpin(&s->unpinned);
    enter_stage(s);
    for (size_t i = 0; i < s->n; i++) {
        struct contender *c = &s->contenders[i];
        if (contender_is_ok(c))
            contender_build_again(s->ensemble, s->how, c->sample_ns * s->placement_rounds, c);
    }
    stage_close(&previous);
    pin(s);
}

/* --- the device ------------------------------------------------------------------------------- */

/* Adds the time that the scorer's device took so far, times `sign`: -1 before a sample, 1 after it.
 * Does nothing without a device. */
static void device_times_add(const struct scorer *scorer, double sign, struct device_times *times) {
    struct impl_device now;
    if (!scorer->impl->device)
        return;
    scorer->impl->device(scorer, &now);
    times->documents += sign * (double)now.documents;
    times->scoring_ns += sign * now.scoring_ns;
    times->preparing_ns += sign * now.preparing_ns;
    times->copying_ns += sign * now.copying_ns;
}

/* Stores the device and the times per document in a row. */
static void device_times_record(const struct scorer *scorer, const struct device_times *times,
                                struct row *row) {
    struct impl_device device;
    if (!scorer->impl->device)
        return;
    scorer->impl->device(scorer, &device);
    snprintf(row->device, sizeof row->device, "%s", device.name);
    snprintf(row->device_driver, sizeof row->device_driver, "%s", device.driver);
    row->device_units = device.units;
    row->device_l2_bytes = device.l2_bytes;
    if (times->documents <= 0)
        return;
    row->device_scoring_ns = times->scoring_ns / times->documents;
    row->device_preparing_ns = times->preparing_ns / times->documents;
    row->device_copying_ns = times->copying_ns / times->documents;
}

/* --- rounds ----------------------------------------------------------------------------------- */

size_t sampling_turn(size_t round, size_t k, size_t n) {
    size_t first = round % n;
    return round % 2 == 0 ? (first + k) % n : (first + n - k) % n;
}

static void take_sample(const struct sampling *s, struct contender *c, uint32_t round) {
    size_t n_docs = c->documents->n_rows;
    double wall, cpu, per = (double)c->repetitions * (double)n_docs;
    memset(c->scores, 0, n_docs * c->scorer->n_outputs * sizeof *c->scores);
    if (s->how->is_cold)
        sweep_run(&s->sweep);
    else if (c->warmed)
        contender_pass(c);
    device_times_add(c->scorer, -1, &c->device_times);
    time_sample(c, &wall, &cpu);
    device_times_add(c->scorer, 1, &c->device_times);
    c->row->samples.wall[round] = wall / per;
    c->row->samples.cpu[round] = cpu / per;
    c->row->samples.count = round + 1;
}

static void take_round(struct sampling *s, uint32_t round) {
    for (size_t k = 0; k < s->n; k++) {
        struct contender *c = &s->contenders[sampling_turn(round, k, s->n)];
        if (contender_is_ok(c))
            take_sample(s, c, round);
    }
}

/* Returns how much the samples of a row differ, as a share of their median. */
static double spread_of(const struct row *row) {
    const double *x = row_reported_samples(row);
    size_t n = row->samples.count;
    return (stats_quantile(x, n, 1) - stats_quantile(x, n, 0)) / stats_median(x, n);
}

/* Makes the samples of noisier variants longer, so that all ratios get about equally certain. The
 * noise of a mean falls with the root of the length. */
static void lengthen_noisy(struct sampling *s) {
    double least = INFINITY;
    for (size_t i = 0; i < s->n; i++)
        if (contender_is_ok(&s->contenders[i]))
            least = fmin(least, spread_of(s->contenders[i].row));
    for (size_t i = 0; i < s->n; i++) {
        struct contender *c = &s->contenders[i];
        if (!contender_is_ok(c))
            continue;
        double times = pow(spread_of(c->row) / least, 2);
        times = fmin(fmin(times, LENGTHENED_MOST), LENGTHENED_NS / c->sample_ns);
        if (times >= 2)
            c->row->repetitions = c->repetitions *= (uint64_t)times;
    }
}

/* Shows which round is next. Estimates the time left, unless a time limit decides that. */
static void tell_round(struct sampling *s, uint32_t round) {
    char text[96], left[48] = "";
    uint32_t rounds = s->how->rounds;
    uint64_t now = timer_wall_ns();
    if (!s->how->progress || now - s->told_ns < BETWEEN_TOLD_NS)
        return;
    s->told_ns = now;
    if (round > 0)
        snprintf(left, sizeof left, ", about %.0f s left",
                 (double)(now - s->begun_ns) * 1e-9 / round * (rounds - round));
    if (s->how->until_ns)
        snprintf(text, sizeof text, "round %u", round + 1);
    else
        snprintf(text, sizeof text, "round %u of %u%s", round + 1, rounds, left);
    progress_note(s->how->progress, text);
}

static bool is_over(const struct measure_request *how, uint32_t rounds_done) {
    return rounds_done == how->rounds || (rounds_done > 0 && interrupt_asked()) ||
           (how->until_ns && rounds_done >= how->least_rounds && timer_wall_ns() > how->until_ns);
}

static bool is_settled(const struct sampling *s) {
    return s->how->is_settled && s->how->is_settled(s->contenders[0].row, s->n);
}

static enum status take_rounds(struct sampling *s, struct error *error) {
    for (size_t i = 0; i < s->n; i++)
        if (contender_is_ok(&s->contenders[i])) {
            if (!allocate_samples(s->contenders[i].row, s->how->rounds))
                return error_memory(error, "samples");
            s->contenders[i].row->samples.rounds =
                s->placement_rounds < s->how->rounds ? s->placement_rounds : 0;
        }
    s->begun_ns = timer_wall_ns();
    for (uint32_t round = 0; !is_over(s->how, round); round++) {
        if (round > 0 && round % s->placement_rounds == 0) {
            if (is_settled(s))
                break;
            if (round == s->placement_rounds && !s->how->is_cold)
                lengthen_noisy(s);
            place_again(s);
        }
        tell_round(s, round);
        take_round(s, round);
        if (s->how->ends_on_interrupt)
            interrupt_defer();
    }
    interrupt_end_deferral();
    return STATUS_OK;
}

static void summarise(struct row *row) {
    struct placed_samples samples = row_placed_samples(row);
    row->median = placements_median(samples);
    row->mean = stats_mean(samples.values, samples.count);
    row->median_interval = placements_median_interval(samples, 0.95, row->workload.seed);
    row->outliers = (uint32_t)stats_count_outliers(samples.values, samples.count);
}

enum status sampling_begin(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct measure_request *how, struct contender *contenders,
                           size_t n, struct sampling **sampling, struct error *error) {
    struct sampling *s = calloc(1, sizeof *s);
    if (!s)
        return error_memory(error, "scores");
    enum status status = how->is_cold ? sweep_create(SWEEP_ALL, &s->sweep, error) : STATUS_OK;
    if (!status && !stage_open(documents, ensemble->n_outputs, &s->stage))
        status = error_memory(error, "scores");
    if (status) {
        sweep_free(&s->sweep);
        free(s);
        return status;
    }
    s->ensemble = ensemble;
    s->documents = documents;
    s->how = how;
    s->contenders = contenders;
    s->n = n;
    s->placement_rounds = rounds_per_placement(how);
    random_seed(&s->random, timer_wall_ns());
    enter_stage(s);
    *sampling = s;
    return STATUS_OK;
}

enum status sampling_run(struct sampling *s, struct error *error) {
    pin(s);
    calibrate_all(s);
    enum status status = take_rounds(s, error);
    for (size_t i = 0; i < s->n && !status; i++)
        if (contender_is_ok(&s->contenders[i])) {
            summarise(s->contenders[i].row);
            device_times_record(s->contenders[i].scorer, &s->contenders[i].device_times,
                                s->contenders[i].row);
        }
    cpu_unpin(&s->unpinned);
    return status;
}

void sampling_end(struct sampling *s) {
    if (s) {
        stage_close(&s->stage);
        sweep_free(&s->sweep);
    }
    free(s);
}
