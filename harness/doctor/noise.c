#include "harness/doctor/noise.h"

#include "datasets/catalogue.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"
#include "harness/measure/measure.h"
#include "synth/grown.h"
#include "synth/standin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A pass takes about a millisecond. A sample is then one pass, as in comparisons of most models. */
enum { DOCUMENTS = 2048, TREES = 100, LEAVES = 32, SEED = 1 };
/* As `compare` does by default, and more placements until the time is over. */
enum { LEAST_ROUNDS = 24, LEAST_PLACEMENTS = 8, MOST_ROUNDS = 3000, COMPARISONS_MOST = 32 };
static const char DATA_SET[] = "mslr-web10k";

static enum status make_inputs(struct matrix **documents, struct ensemble **ensemble,
                               struct error *error) {
    const struct data_set *like;
    enum status status = data_set_find(DATA_SET, &like, error);
    if (!status)
        status = synth_standin(like, DOCUMENTS, SEED, documents, error);
    if (!status)
        status =
            synth_grown(*documents, &(struct grown_shape){TREES, LEAVES}, SEED, ensemble, error);
    return status;
}

static const char *choose_impl(void) {
    size_t i;
    const struct impl *const *all = impl_all(&i);
    while (i-- > 0 && !((all[i]->roles & IMPL_EXAMPLE) && impl_runs_here(all[i])))
        ;
    return all[i]->name;
}

static void prepare_row(const char *variant, struct row *row) {
    row_init(row);
    row->workload = (struct workload){.kind = "grown", .seed = SEED};
    snprintf(row->workload.data, sizeof row->workload.data, "%s", DATA_SET);
    row_set_variant(row, variant);
}

/* --- results ---------------------------------------------------------------------------------- */

/* The standard deviation over placements of the median of the logarithms of their rounds' ratios. A
 * deviation of a logarithm by 0.01 is one of the ratio by 1 %. */
static double deviation_of_placements(struct placed_samples a, struct placed_samples b) {
    size_t rounds = a.rounds ? a.rounds : a.count;
    double *logs = a.count ? malloc(2 * a.count * sizeof *logs) : NULL;
    if (!logs)
        return (double)NAN;
    double *medians = logs + a.count;
    size_t n = 0;
    for (size_t i = 0; i < a.count; i++)
        logs[i] = log(a.values[i] / b.values[i]);
    for (size_t i = 0; i + rounds <= a.count; i += rounds)
        medians[n++] = stats_median(logs + i, rounds);
    double deviation = stats_deviation(medians, n); /* NaN of one */
    free(logs);
    return deviation;
}

static double floor_of(struct interval interval) {
    return fmax(fabs(interval.low - 1), fabs(interval.high - 1));
}

/* Cuts the samples into comparisons of LEAST_ROUNDS each. */
static double floor_of_compare(struct placed_samples a, struct placed_samples b) {
    double floors[COMPARISONS_MOST];
    size_t n = 0;
    for (size_t i = 0; i + LEAST_ROUNDS <= a.count && n < COMPARISONS_MOST; i += LEAST_ROUNDS)
        floors[n++] =
            floor_of(placements_ratio((struct placed_samples){a.values + i, LEAST_ROUNDS, a.rounds},
                                      (struct placed_samples){b.values + i, LEAST_ROUNDS, b.rounds},
                                      0.95, SEED)
                         .interval);
    return stats_median(floors, n);
}

static enum status summarise(const struct row rows[2], struct noise *noise, struct error *error) {
    for (int i = 0; i < 2; i++)
        if (rows[i].status != ROW_OK)
            return error_set(error, STATUS_MACHINE, "%s: %s", rows[i].impl, rows[i].reason);
    struct placed_samples a = row_placed_samples(&rows[0]), b = row_placed_samples(&rows[1]);
    size_t rounds = a.rounds ? a.rounds : a.count;
    snprintf(noise->impl, sizeof noise->impl, "%s", rows[0].impl);
    noise->trees = rows[0].model_trees;
    noise->leaves = LEAVES;
    noise->documents = rows[0].workload.documents;
    noise->rounds = (uint32_t)a.count;
    noise->placements = rounds ? (uint32_t)((a.count + rounds - 1) / rounds) : 0;
    noise->ratio = row_paired_ratio(&rows[0], &rows[1]);
    noise->floor = floor_of(noise->ratio.interval);
    noise->compare_floor = floor_of_compare(a, b);
    noise->placement_deviation = deviation_of_placements(a, b);
    return stats_lacked_memory() ? error_memory(error, "statistics") : STATUS_OK;
}

enum status noise_measure(double seconds, note_function *note, struct noise *noise,
                          struct error *error) {
    struct matrix *documents = NULL;
    struct ensemble *ensemble = NULL;
    struct row rows[2];
    const char *impl = choose_impl(), *variants[2] = {impl, impl};
    *noise = (struct noise){.seconds = seconds, .ratio = {.value = (double)NAN}};
    for (int i = 0; i < 2; i++)
        prepare_row(impl, &rows[i]);
    enum status status = make_inputs(&documents, &ensemble, error);
    if (!status) {
        const struct measure_request how = {.rounds = MOST_ROUNDS,
                                            .placements = LEAST_PLACEMENTS,
                                            .least_rounds = LEAST_ROUNDS,
                                            .until_ns = timer_wall_ns() + (uint64_t)(seconds * 1e9),
                                            .clock = "cpu",
                                            .counters = COUNTERS_NONE,
                                            .note = note,
                                            .plan = {.order = ORDER_DS},
                                            .single_documents = true};
        status = measure_cell(ensemble, documents, variants, 2, &how, rows, error);
    }
    if (!status)
        status = summarise(rows, noise, error);
    for (int i = 0; i < 2; i++)
        row_free(&rows[i]);
    ensemble_free(ensemble);
    matrix_free(documents);
    return status;
}

#define KEYED(KIND, NAME, MEMBER) PLAIN(struct noise, KIND, NAME, MEMBER)
static const struct record_field fields[] = {
    KEYED(TEXT, "impl", impl),
    KEYED(U32, "trees", trees),
    KEYED(U32, "leaves", leaves),
    KEYED(COUNT, "documents", documents),
    KEYED(NUMBER, "seconds", seconds),
    KEYED(U32, "placements", placements),
    KEYED(U32, "rounds", rounds),
    KEYED(NUMBER, "ratio", ratio.value),
    KEYED(NUMBER, "ratio_low", ratio.interval.low),
    KEYED(NUMBER, "ratio_high", ratio.interval.high),
    KEYED(NUMBER, "floor", floor),
    KEYED(NUMBER, "compare_floor", compare_floor),
    KEYED(NUMBER, "placement_deviation", placement_deviation)};
const struct record noise_record = RECORD_OF(fields);

/* --- stalls ----------------------------------------------------------------------------------- */

/* Longer than a reading of any clock that serves to time calls. */
enum { GAP_NS = 1000 };

struct stalls stalls_measure(double seconds, uint64_t (*now)(void)) {
    const uint64_t begun = now(), end = begun + (uint64_t)(seconds * 1e9);
    uint64_t gaps = 0, in_gaps = 0, longest = 0, last = begun;
    while (last < end) {
        uint64_t time = now(), gap = time - last;
        last = time;
        longest = gap > longest ? gap : longest;
        gaps += gap >= GAP_NS;
        in_gaps += gap >= GAP_NS ? gap : 0;
    }
    double took = (double)(last - begun);
    return (struct stalls){.seconds = took * 1e-9,
                           .per_second = (double)gaps / took * 1e9,
                           .share = (double)in_gaps / took,
                           .longest_ns = (double)longest};
}

static const struct record_field stall_fields[] = {
    PLAIN(struct stalls, NUMBER, "seconds", seconds),
    PLAIN(struct stalls, NUMBER, "per_second", per_second),
    PLAIN(struct stalls, NUMBER, "share", share),
    PLAIN(struct stalls, NUMBER, "longest_ns", longest_ns)};
const struct record stalls_record = RECORD_OF(stall_fields);
