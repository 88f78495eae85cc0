#include "harness/instruments/placements.h"

#include "base/order.h"
#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 2000 };

static const struct interval NO_INTERVAL = {NAN, NAN};

/* Memory for one resample. */
struct workspace {
    double *rounds;     /* [rounds] drawn rounds of a placement */
    double *placements; /* [n_placements] medians of drawn placements */
};

static size_t rounds_of(struct placed_samples s) {
    return s.rounds == 0 || s.rounds > s.count ? s.count : s.rounds;
}

static size_t placements_of(struct placed_samples s) {
    size_t rounds = rounds_of(s);
    return rounds ? (s.count + rounds - 1) / rounds : 0;
}

/* Returns how many samples a placement has. Only the last one may have fewer than the others. */
static size_t size_of(struct placed_samples s, size_t placement) {
    size_t rounds = rounds_of(s), begin = placement * rounds;
    return s.count - begin < rounds ? s.count - begin : rounds;
}

static void sort(double *x, size_t n) {
    qsort(x, n, sizeof *x, compare_doubles);
}

static double median_in_place(double *x, size_t n) {
    sort(x, n);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

static bool has_nan(struct placed_samples s) {
    for (size_t i = 0; i < s.count; i++)
        if (isnan(s.values[i]))
            return true;
    return false;
}

static bool workspace_create(struct placed_samples s, struct workspace *work) {
    work->rounds = stats_allocate(rounds_of(s), sizeof *work->rounds);
    work->placements = stats_allocate(placements_of(s), sizeof *work->placements);
    return work->rounds && work->placements;
}

static void workspace_free(struct workspace *work) {
    free(work->rounds);
    free(work->placements);
}

/* Writes the placements' medians to work->placements. */
static void find_medians(struct placed_samples s, const struct workspace *work) {
    size_t n = placements_of(s), rounds = rounds_of(s);
    for (size_t i = 0; i < n; i++) {
        memcpy(work->rounds, s.values + i * rounds, size_of(s, i) * sizeof *work->rounds);
        work->placements[i] = median_in_place(work->rounds, size_of(s, i));
    }
}

/* Draws placements, then rounds of each. A single placement cannot be drawn among others, so only
 * its rounds are drawn. */
static double draw_median(struct placed_samples s, const struct workspace *work,
                          struct random *random) {
    size_t n = placements_of(s), rounds = rounds_of(s);
    for (size_t i = 0; i < n; i++) {
        size_t drawn = random_below(random, n), size = size_of(s, drawn);
        for (size_t k = 0; k < size; k++)
            work->rounds[k] = s.values[drawn * rounds + random_below(random, size)];
        work->placements[i] = median_in_place(work->rounds, size);
    }
    return median_in_place(work->placements, n);
}

static struct interval bootstrap(struct placed_samples s, const struct workspace *work,
                                 double confidence, uint64_t seed) {
    double medians[RESAMPLES];
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < RESAMPLES; i++)
        medians[i] = draw_median(s, work, &random);
    double tail = (1 - confidence) / 2;
    return (struct interval){stats_quantile(medians, RESAMPLES, tail),
                             stats_quantile(medians, RESAMPLES, 1 - tail)};
}

double placements_median(struct placed_samples samples) {
    struct workspace work;
    double median = NAN;
    if (samples.count == 0 || has_nan(samples))
        return median;
    if (workspace_create(samples, &work)) {
        find_medians(samples, &work);
        median = median_in_place(work.placements, placements_of(samples));
    }
    workspace_free(&work);
    return median;
}

struct interval placements_median_interval(struct placed_samples samples, double confidence,
                                           uint64_t seed) {
    struct workspace work;
    struct interval interval = NO_INTERVAL;
    if (samples.count < 2 || has_nan(samples))
        return interval;
    if (workspace_create(samples, &work))
        interval = bootstrap(samples, &work, confidence, seed);
    workspace_free(&work);
    return interval;
}

struct interval placements_t_interval(struct placed_samples samples, double confidence) {
    struct workspace work;
    struct interval interval = NO_INTERVAL;
    size_t n = placements_of(samples);
    if (n < 2 || has_nan(samples))
        return interval;
    if (workspace_create(samples, &work)) {
        find_medians(samples, &work);
        double mean = stats_mean(work.placements, n);
        double reach = stats_t_quantile((1 + confidence) / 2, (double)(n - 1)) *
                       stats_deviation(work.placements, n) / sqrt((double)n);
        interval = (struct interval){mean - reach, mean + reach};
    }
    workspace_free(&work);
    return interval;
}

/* Returns the logarithms of the rounds' ratios, which the caller frees, or NULL. */
static double *log_ratios(struct placed_samples numerator, struct placed_samples denominator,
                          size_t *count) {
    *count = numerator.count < denominator.count ? numerator.count : denominator.count;
    double *logs = *count > 0 ? stats_allocate(*count, sizeof *logs) : NULL;
    for (size_t i = 0; logs && i < *count; i++)
        logs[i] = log(numerator.values[i] / denominator.values[i]);
    return logs;
}

struct ratio placements_ratio(struct placed_samples numerator, struct placed_samples denominator,
                              double confidence, uint64_t seed) {
    struct ratio ratio = {NAN, NO_INTERVAL};
    size_t n;
    double *logs = log_ratios(numerator, denominator, &n);
    if (!logs)
        return ratio;
    struct placed_samples of_ratios = {logs, n, numerator.rounds};
    ratio.value = exp(placements_median(of_ratios));
    struct interval interval = placements_median_interval(of_ratios, confidence, seed);
    ratio.interval = (struct interval){exp(interval.low), exp(interval.high)};
    free(logs);
    return ratio;
}

bool placements_ratio_is_beyond(struct placed_samples numerator, struct placed_samples denominator,
                                double margin, double confidence) {
    size_t n;
    double *logs = log_ratios(numerator, denominator, &n);
    if (!logs)
        return false;
    struct interval interval =
        placements_t_interval((struct placed_samples){logs, n, numerator.rounds}, confidence);
    free(logs);
    return interval.low > log1p(margin) || interval.high < log1p(-margin);
}
