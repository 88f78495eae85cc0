/* A sequential test for slowdowns.
 *
 * The unit of evidence is a pair of processes, and its value the logarithm of head's time divided
 * by base's time. The mean of the values is estimated by the mean of the middle 60 %, because a
 * disturbed machine gives wild values, with the standard error that Yuen ("The two-sample trimmed t
 * for unequal population variances", 1974) derives from winsorised values.
 *
 * The values are looked at when there are 10, 20, 40 and 80. Each look that could raise an alarm
 * takes a quarter of the allowed rate of false alarms, so that all looks together keep the rate.
 * A slowdown is an alarm only if it is above a margin, because differences below it depend on the
 * layout of code and data, which any change shifts. */
#ifndef HARNESS_REGRESS_SEQUENTIAL_H
#define HARNESS_REGRESS_SEQUENTIAL_H

#include "harness/instruments/stats.h"

#include <stddef.h>

enum { SEQUENTIAL_FIRST_LOOK = 10, SEQUENTIAL_MOST = 80 };

enum sequential_verdict {
    SEQUENTIAL_OPEN,       /* take values up to the next look */
    SEQUENTIAL_NONE,       /* no slowdown above the tolerance */
    SEQUENTIAL_FASTER,     /* as SEQUENTIAL_NONE, and faster by more than the margin */
    SEQUENTIAL_REGRESSION, /* slower by more than the margin */
    SEQUENTIAL_UNCLEAR     /* neither after all values */
};

struct sequential_rule {
    double margin;    /* 0.01: slowdowns of at most 1 % are no regressions */
    double tolerance; /* 0.03: stop when a slowdown of over 3 % is excluded */
    double alarms;    /* allowed rate of false alarms of this test: 0.01, or less for many tests */
};

struct sequential_state {
    enum sequential_verdict verdict;
    struct ratio ratio; /* head / base, with a 95 % interval for this number of values */
};

/* Judges the first `count` values. Only at looks may the verdict differ from SEQUENTIAL_OPEN. */
struct sequential_state sequential_judge(const double *logs, size_t count,
                                         const struct sequential_rule *rule);

/* Judges by at least 3 values, each a mean over a layout of code, whether a slowdown remains
 * whatever the layout. `count` is one of several looks of which `looks` are planned. */
struct sequential_state sequential_judge_layouts(const double *logs, size_t count, size_t looks,
                                                 const struct sequential_rule *rule);

#endif
