/* Wilcoxon's signed-rank test of paired differences. */
#ifndef HARNESS_WILCOXON_H
#define HARNESS_WILCOXON_H

#include <stddef.h>

struct wilcoxon {
    size_t n;           /* differences that are not 0 */
    double plus, minus; /* sums of the ranks of the positive and of the negative ones */
    double p;           /* two-sided; 1 where every difference is 0, NaN where one is NaN */
};

/* Conventions: differences of 0 are left out (Wilcoxon's own); equal sizes share the mean of their
 * ranks. Up to WILCOXON_EXACT differences p is exact, ties included: the share of the 2^n ways to
 * give signs to these ranks that are at least as far from the middle. Over that it is the normal
 * approximation, with the variance corrected for ties and half a rank for continuity. NaN without
 * memory, too. */
enum { WILCOXON_EXACT = 30 };
struct wilcoxon wilcoxon_test(const double *differences, size_t n);

#endif
