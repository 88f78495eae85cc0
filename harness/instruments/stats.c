#include "harness/instruments/stats.h"

#include "base/order.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const double INTERVAL_HIGH = 0.975;
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

/* Returns a sorted copy of the samples, which the caller frees. Returns NULL if there are no
 * samples, if a sample is NaN (NaN has no rank), or if memory runs out. */
static double *sorted_copy(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return NULL;
    double *sorted = n > 0 ? stats_allocate(n, sizeof *sorted) : NULL;
    if (sorted == NULL)
        return NULL;
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_doubles);
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

struct interval stats_t_interval(const double *x, size_t n) {
    if (n < 2)
        return NO_INTERVAL;
    double mean = stats_mean(x, n);
    double reach =
        stats_t_quantile(INTERVAL_HIGH, (double)(n - 1)) * stats_deviation(x, n) / sqrt((double)n);
    return (struct interval){mean - reach, mean + reach};
}
