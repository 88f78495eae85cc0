#include "harness/instruments/sign_test.h"

#include <math.h>

double sign_test(uint64_t plus, uint64_t minus) {
    uint64_t n = plus + minus, fewer = plus < minus ? plus : minus;
    double tail = 0, all = lgamma((double)n + 1) - (double)n * log(2);
    for (uint64_t k = 0; k <= fewer; k++)
        tail += exp(all - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
    return fmin(1, 2 * tail);
}
