#include "harness/instruments/stats.h"

#include "base/order.h"
#include "base/random.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct interval NO_INTERVAL = {NAN, NAN};

static atomic_bool lacked_memory;

bool stats_lacked_memory(void) {
    return lacked_memory;
}

void *stats_allocate(size_t count, size_t size) {
    void *memory = malloc(count * size);
    if (memory == NULL)
        lacked_memory = true;
    return memory;
}

static bool has_nan(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

/* Most samples are few. qsort takes two to four times as long for them. */
static void sort(double *x, size_t n) {
    enum { FEW = 40 };
    if (n > FEW) {
        qsort(x, n, sizeof *x, compare_doubles);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        double moved = x[i];
        size_t at = i;
        for (; at > 0 && x[at - 1] > moved; at--)
            x[at] = x[at - 1];
        x[at] = moved;
    }
}

/* Returns a sorted copy of the samples, which the caller frees. Returns NULL if there are no
 * samples, if a sample is NaN (NaN has no rank), or if memory runs out. */
static double *sorted_copy(const double *x, size_t n) {
    double *sorted = n > 0 && !has_nan(x, n) ? stats_allocate(n, sizeof *sorted) : NULL;
    if (sorted == NULL)
        return NULL;
    memcpy(sorted, x, n * sizeof *sorted);
    sort(sorted, n);
    return sorted;
}

static double sorted_quantile(const double *sorted, size_t n, double q) {
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    double part = position - (double)below;
    /* The sum below would become NaN if the neighbour is infinite and its weight is 0. */
    if (part == 0)
        return sorted[below];
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double stats_mean(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return n > 0 ? sum / (double)n : NAN;
}

double stats_deviation(const double *x, size_t n) {
    if (n < 2)
        return NAN;
    double mean = stats_mean(x, n), squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    return sqrt(squares / (double)(n - 1));
}

double stats_quantile(const double *x, size_t n, double q) {
    if (!(q >= 0 && q <= 1))
        return NAN;
    double *sorted = sorted_copy(x, n);
    double quantile = sorted != NULL ? sorted_quantile(sorted, n, q) : NAN;
    free(sorted);
    return quantile;
}

double stats_median(const double *x, size_t n) {
    return stats_quantile(x, n, 0.5);
}

double stats_median_in_place(double *x, size_t n) {
    if (n == 0)
        return NAN;
    sort(x, n);
    return (x[(n - 1) / 2] + x[n / 2]) / 2;
}

size_t stats_count_outliers(const double *x, size_t n) {
    double *sorted = sorted_copy(x, n);
    if (sorted == NULL)
        return 0;
    double low = sorted_quantile(sorted, n, 0.25), high = sorted_quantile(sorted, n, 0.75);
    double reach = 1.5 * (high - low);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += x[i] < low - reach || x[i] > high + reach;
    free(sorted);
    return count;
}

/* --- Student's t ------------------------------------------------------------------------------ */

/* Computes the continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method.
 * It converges fast if x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x) {
    enum { TERMS_MAX = 20000 }; /* about sqrt(max(a, b)) terms are needed */
    const double tiny = 1e-300, precision = 1e-15;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= TERMS_MAX; m++) {
        double odd_even[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                              -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double factor = 1;
        for (int i = 0; i < 2; i++) {
            d = 1 + odd_even[i] * d;
            c = 1 + odd_even[i] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            fraction *= factor;
        }
        if (fabs(factor - 1) < precision)
            break;
    }
    return fraction;
}

static double log_gamma(double x) {
    int sign; /* lgamma would write the sign to a global variable */
    return lgamma_r(x, &sign);
}

/* The regularised incomplete beta function I_x(a, b). */
static double beta_regularised(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* For y = t^2 / (degrees + t^2), P(|T| <= t) equals I_y(1/2, degrees/2). Bisection finds y: it
 * needs no first guess and cannot diverge. */
double stats_t_quantile(double p, double degrees) {
    if (!(p > 0 && p < 1 && degrees > 0))
        return NAN;
    if (p < 0.5)
        return -stats_t_quantile(1 - p, degrees);
    /* with more degrees than this, the quantile equals that of the normal distribution to 1e-7 */
    degrees = fmin(degrees, 1e7);
    double low = 0, high = 1;
    for (int i = 0; i < 100; i++) {
        double middle = low + (high - low) / 2;
        if (beta_regularised(0.5, degrees / 2, middle) < 2 * p - 1)
            low = middle;
        else
            high = middle;
    }
    return sqrt(degrees * low / (1 - low));
}

static struct interval t_interval(const double *x, size_t n, double confidence) {
    if (n < 2)
        return NO_INTERVAL;
    double mean = stats_mean(x, n);
    double reach = stats_t_quantile((1 + confidence) / 2, (double)(n - 1)) * stats_deviation(x, n) /
                   sqrt((double)n);
    return (struct interval){mean - reach, mean + reach};
}

struct interval stats_t_interval(const double *x, size_t n) {
    return t_interval(x, n, 0.95);
}

/* --- placements ------------------------------------------------------------------------------- */

enum { RESAMPLES = 2000 };

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

/* Returns false with fewer than `least` samples, if one is NaN, or if memory runs out. The caller
 * frees work->rounds. */
static bool workspace_create(struct placed_samples s, size_t least, struct workspace *work) {
    *work = (struct workspace){NULL, NULL};
    if (s.count < least || has_nan(s.values, s.count))
        return false;
    work->rounds = stats_allocate(rounds_of(s) + placements_of(s), sizeof *work->rounds);
    work->placements = work->rounds ? work->rounds + rounds_of(s) : NULL;
    return work->rounds != NULL;
}

/* Writes the placements' medians to work->placements. */
static void find_medians(struct placed_samples s, const struct workspace *work) {
    size_t n = placements_of(s), rounds = rounds_of(s);
    for (size_t i = 0; i < n; i++) {
        memcpy(work->rounds, s.values + i * rounds, size_of(s, i) * sizeof *work->rounds);
        work->placements[i] = stats_median_in_place(work->rounds, size_of(s, i));
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
        work->placements[i] = stats_median_in_place(work->rounds, size);
    }
    return stats_median_in_place(work->placements, n);
}

static struct interval bootstrap(struct placed_samples s, const struct workspace *work,
                                 double confidence, uint64_t seed) {
    double medians[RESAMPLES];
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < RESAMPLES; i++)
        medians[i] = draw_median(s, work, &random);
    if (has_nan(medians, RESAMPLES))
        return NO_INTERVAL;
    sort(medians, RESAMPLES);
    double tail = (1 - confidence) / 2;
    return (struct interval){sorted_quantile(medians, RESAMPLES, tail),
                             sorted_quantile(medians, RESAMPLES, 1 - tail)};
}

double placements_median(struct placed_samples samples) {
    struct workspace work;
    double median = NAN;
    if (workspace_create(samples, 1, &work)) {
        find_medians(samples, &work);
        median = stats_median_in_place(work.placements, placements_of(samples));
    }
    free(work.rounds);
    return median;
}

struct interval placements_median_interval(struct placed_samples samples, double confidence,
                                           uint64_t seed) {
    struct workspace work;
    struct interval interval = NO_INTERVAL;
    if (workspace_create(samples, 2, &work))
        interval = bootstrap(samples, &work, confidence, seed);
    free(work.rounds);
    return interval;
}

struct interval placements_t_interval(struct placed_samples samples, double confidence) {
    struct workspace work;
    struct interval interval = NO_INTERVAL;
    size_t n = placements_of(samples);
    if (n >= 2 && workspace_create(samples, 2, &work)) {
        find_medians(samples, &work);
        interval = t_interval(work.placements, n, confidence);
        free(work.rounds);
    }
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
