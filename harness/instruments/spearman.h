/* Spearman's rank correlation. */
#ifndef HARNESS_INSTRUMENTS_SPEARMAN_H
#define HARNESS_INSTRUMENTS_SPEARMAN_H

#include <stddef.h>

/* Returns the correlation of the ranks of x[n] and y[n], from -1 to 1. Equal values share their
 * mean rank. NaN if n < 2, if all values of x or of y are equal, or if memory runs out. */
double spearman(const double *x, const double *y, size_t n);

#endif
