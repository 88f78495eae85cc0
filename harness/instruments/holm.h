/* Holm's correction of p-values for the number of tests. */
#ifndef HARNESS_INSTRUMENTS_HOLM_H
#define HARNESS_INSTRUMENTS_HOLM_H

#include <stddef.h>

/* Returns the number of tests that stay significant at `level`, of n tests with these p-values,
 * which are sorted. The chance that at least one of them is significant without any difference is
 * at most `level`, whether or not the tests are independent. */
size_t holm_count(double *p, size_t n, double level);

/* Returns the corrected p of the smallest p-value: p times n, at most 1. */
double holm_least(double p, size_t n);

#endif
