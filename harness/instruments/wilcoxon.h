/* Wilcoxon's signed-rank test for paired differences. */
#ifndef HARNESS_INSTRUMENTS_WILCOXON_H
#define HARNESS_INSTRUMENTS_WILCOXON_H

#include <stddef.h>

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
