#include "harness/instruments/holm.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t holm_count(double *p, size_t n, double level) {
    size_t count = 0;
    if (n > 0)
        qsort(p, n, sizeof *p, compare_numbers);
    while (count < n && p[count] * (double)(n - count) <= level)
        count++;
    return count;
}

double holm_least(double p, size_t n) {
    return fmin(1, p * (double)n);
}
