#include "harness/instruments/spearman.h"

#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

/* Writes the rank of each value, from 1; takes n^2 steps. */
static void rank(const double *x, size_t n, double *ranks) {
    for (size_t i = 0; i < n; i++) {
        size_t less = 0, equal = 0;
        for (size_t k = 0; k < n; k++) {
            less += x[k] < x[i];
            equal += x[k] == x[i];
        }
        ranks[i] = (double)less + ((double)equal + 1) / 2;
    }
}

static double correlation(const double *x, const double *y, size_t n) {
    double mean_x = stats_mean(x, n), mean_y = stats_mean(y, n), xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}

double spearman(const double *x, const double *y, size_t n) {
    if (n < 2)
        return NAN;
    double *ranks = stats_allocate(2 * n, sizeof *ranks);
    if (!ranks)
        return NAN;
    rank(x, n, ranks);
    rank(y, n, ranks + n);
    double value = correlation(ranks, ranks + n, n);
    free(ranks);
    return value;
}
