#include "harness/latency/peak.h"

#include <math.h>

/* At a small share of what a server can do, no queue is left to shorten. A clock that ticks in ns
 * cannot tell larger rates apart. */
static const double LEAST_SHARE = 1.0 / 64, MOST_RATE = 1e12;

/* 0.1 s is long enough for some of the machine's stalls. */
static const double LEAST_SECONDS = 0.1, LEAST_BOUNDS = 50;

size_t peak_trial_calls(double rate, double bound_ns, size_t least) {
    double n = fmax((double)least, rate * fmax(LEAST_SECONDS, LEAST_BOUNDS * bound_ns * 1e-9));
    return n <= PEAK_CALLS_MOST ? (size_t)n : 0;
}

double peak_find(peak_trial *meets, void *context, double start, double precision) {
    double good = start, bad = start;
    if (meets(context, start)) {
        while ((bad *= 2) < MOST_RATE && meets(context, bad))
            good = bad;
    } else {
        while ((good /= 2) >= start * LEAST_SHARE && !meets(context, good))
            bad = good;
        if (good < start * LEAST_SHARE)
            return 0;
    }
    while (bad > good * (1 + precision)) {
        double middle = (good + bad) / 2;
        *(meets(context, middle) ? &good : &bad) = middle;
    }
    return good;
}
