#include "harness/latency/peak.h"

/* Rates are from 1 call in 1,000 s to 10^12 calls/s. */
static const double LEAST_RATE = 1e-3, MOST_RATE = 1e12;

double peak_find(peak_trial *meets, void *context, double start, double precision) {
    double good = start, bad = start;
    if (meets(context, start)) {
        while ((bad *= 2) < MOST_RATE && meets(context, bad))
            good = bad;
    } else {
        while ((good /= 2) > LEAST_RATE && !meets(context, good))
            bad = good;
        if (good <= LEAST_RATE)
            return 0;
    }
    while (bad > good * (1 + precision)) {
        double middle = (good + bad) / 2;
        *(meets(context, middle) ? &good : &bad) = middle;
    }
    return good;
}
