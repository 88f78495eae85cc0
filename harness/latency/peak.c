#include "harness/latency/peak.h"

/* At a small share of what a server can do, no queue is left to shorten. A clock that ticks in ns
 * cannot tell larger rates apart. */
static const double LEAST_SHARE = 1.0 / 64, MOST_RATE = 1e12;

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
