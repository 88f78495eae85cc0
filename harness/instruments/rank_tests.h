/* Tests and correlations that use ranks or signs, and the correction of p-values for many tests. */
#ifndef HARNESS_INSTRUMENTS_RANK_TESTS_H
#define HARNESS_INSTRUMENTS_RANK_TESTS_H

#include <stddef.h>
#include <stdint.h>

/* The exact sign test, which is also the exact McNemar test. */

/* Returns the two-sided p of `plus` positive and `minus` negative differences: the chance that fair
 * coins give numbers at least as unequal. 1 without any difference. */
double sign_test(uint64_t plus, uint64_t minus);

/* Holm's correction of p-values for the number of tests. */

/* Returns the number of tests that stay significant at `level`, of n tests with these p-values,
 * which are sorted. The chance that at least one of them is significant without any difference is
 * at most `level`, whether or not the tests are independent. */
size_t holm_count(double *p, size_t n, double level);

/* Returns the corrected p of the smallest p-value: p times n, at most 1. */
double holm_least(double p, size_t n);

/* Spearman's rank correlation. */

/* Returns the correlation of the ranks of x[n] and y[n], from -1 to 1. Equal values share their
 * mean rank. NaN if n < 2, if all values of x or of y are equal, or if memory runs out. */
double spearman(const double *x, const double *y, size_t n);

/* Wilcoxon's signed-rank test for paired differences. */

struct wilcoxon {
    size_t n;           /* number of differences that are not 0 */
    double plus, minus; /* sums of the ranks of positive and of negative differences */
    double p;           /* two-sided; 1 if every difference is 0, NaN if any difference is NaN */
};

/* Differences of 0 are left out (Wilcoxon's own rule). Differences of equal size share their mean
 * rank. For up to WILCOXON_EXACT differences, p is exact, even with ties. It is the share of the
 * 2^n sign assignments whose rank sum is at least as far from the middle as the observed one. For
 * more differences, p comes from the normal approximation, with a variance corrected for ties and a
 * continuity correction of half a rank. p is NaN if memory runs out. */
enum { WILCOXON_EXACT = 30 };
struct wilcoxon wilcoxon_test(const double *differences, size_t n);

#endif
