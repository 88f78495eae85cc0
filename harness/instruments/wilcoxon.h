/* Wilcoxon's signed-rank test of paired differences. */
#ifndef HARNESS_INSTRUMENTS_WILCOXON_H
#define HARNESS_INSTRUMENTS_WILCOXON_H

#include <stddef.h>

struct wilcoxon {
    size_t n;           /* number of differences that are not 0 */
    double plus, minus; /* rank sums of the positive and of the negative differences */
    double p;           /* two-sided; 1 if every difference is 0, NaN if any difference is NaN */
};

/* Zero differences are left out (Wilcoxon's own rule). Differences of equal size share their mean
 * rank. Up to WILCOXON_EXACT differences, p is exact, even with ties: the share of the 2^n sign
 * assignments whose rank sum is at least as far from the middle. With more differences, p is the
 * normal approximation. Its variance is corrected for ties, and half a rank is subtracted for
 * continuity. p is NaN if memory runs out. */
enum { WILCOXON_EXACT = 30 };
struct wilcoxon wilcoxon_test(const double *differences, size_t n);

#endif
