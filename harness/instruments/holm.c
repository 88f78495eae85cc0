#include "harness/instruments/holm.h"

#include <math.h>

size_t holm_count(const double *sorted_p, size_t n, double level) {
    size_t count = 0;
    while (count < n && sorted_p[count] * (double)(n - count) <= level)
        count++;
    return count;
}

double holm_least(double p, size_t n) {
    return fmin(1, p * (double)n);
}
