#include "harness/instruments/rank_tests.h"

#include "base/order.h"
#include "harness/instruments/stats.h"

#include <math.h>
#include <stdlib.h>

double sign_test(uint64_t plus, uint64_t minus) {
    uint64_t n = plus + minus, fewer = plus < minus ? plus : minus;
    double tail = 0, all = lgamma((double)n + 1) - (double)n * log(2);
    for (uint64_t k = 0; k <= fewer; k++)
        tail += exp(all - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
    return fmin(1, 2 * tail);
}

size_t holm_count(double *p, size_t n, double level) {
    size_t count = 0;
    if (n > 0)
        qsort(p, n, sizeof *p, compare_doubles);
    while (count < n && p[count] * (double)(n - count) <= level)
        count++;
    return count;
}

double holm_least(double p, size_t n) {
    return fmin(1, p * (double)n);
}

/* Writes the rank of each value, from 1; takes n^2 steps. */
static void rank_values(const double *x, size_t n, double *ranks) {
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
    rank_values(x, n, ranks);
    rank_values(y, n, ranks + n);
    double value = correlation(ranks, ranks + n, n);
    free(ranks);
    return value;
}

static int by_size(const void *a, const void *b) {
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

/* Writes the signed rank of each of the sorted[n] differences, which are ordered by absolute value.
 * Ranks are doubled, because the mean rank of equal values may end in .5. Returns the sum of t^3 -
 * t over all groups of t equal absolute values. */
static double rank(const double *sorted, size_t n, int64_t *ranks) {
    double ties = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        end = begin + 1;
        while (end < n && fabs(sorted[end]) == fabs(sorted[begin]))
            end++;
        for (size_t i = begin; i < end; i++)
            ranks[i] = (int64_t)(begin + end + 1) * (sorted[i] < 0 ? -1 : 1);
        double t = (double)(end - begin);
        ties += t * t * t - t;
    }
    return ties;
}

/* Returns the share of all sign assignments in which the positive ranks sum to at most `low`. Ranks
 * and `low` are doubled. ways[s] is the share in which the positive ranks so far sum to s. */
static double share_at_most(const int64_t *ranks, size_t n, int64_t low) {
    double *ways = calloc((size_t)low + 1, sizeof *ways);
    if (!ways)
        return NAN;
    ways[0] = 1;
    for (size_t i = 0; i < n; i++)
        for (int64_t s = low; s >= 0; s--) {
            int64_t r = ranks[i] < 0 ? -ranks[i] : ranks[i];
            ways[s] = (ways[s] + (s >= r ? ways[s - r] : 0)) / 2;
        }
    double share = 0;
    for (int64_t s = 0; s <= low; s++)
        share += ways[s];
    free(ways);
    return share;
}

static double normal_p(double low, size_t n, double ties) {
    double m = (double)n, mean = m * (m + 1) / 4;
    double variance = m * (m + 1) * (2 * m + 1) / 24 - ties / 48;
    double z = fmax(mean - low - 0.5, 0) / sqrt(variance);
    return erfc(z / sqrt(2));
}

static struct wilcoxon test_sorted(const double *sorted, size_t n, int64_t *ranks) {
    double ties = rank(sorted, n, ranks);
    int64_t plus = 0, minus = 0;
    for (size_t i = 0; i < n; i++) {
        plus += ranks[i] > 0 ? ranks[i] : 0;
        minus -= ranks[i] < 0 ? ranks[i] : 0;
    }
    int64_t low = plus < minus ? plus : minus;
    double p =
        n <= WILCOXON_EXACT ? 2 * share_at_most(ranks, n, low) : normal_p((double)low / 2, n, ties);
    return (struct wilcoxon){n, (double)plus / 2, (double)minus / 2, fmin(p, 1)};
}

struct wilcoxon wilcoxon_test(const double *differences, size_t n) {
    double *sorted = malloc((n + 1) * sizeof *sorted);
    int64_t *ranks = malloc((n + 1) * sizeof *ranks);
    struct wilcoxon test = {.p = NAN};
    size_t kept = 0, known = 0;
    for (size_t i = 0; sorted && i < n; i++) {
        known += isnan(differences[i]) ? 0 : 1;
        if (differences[i] != 0)
            sorted[kept++] = differences[i];
    }
    if (sorted && ranks && known == n) {
        qsort(sorted, kept, sizeof *sorted, by_size);
        test = kept > 0 ? test_sorted(sorted, kept, ranks) : (struct wilcoxon){.p = 1};
    }
    free(sorted);
    free(ranks);
    return test;
}
