#include "harness/regress/sequential.h"

#include "base/order.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKS = 4 };
/* The rate at which a real slowdown may be taken for none, at each look. */
static const double MISSES = 0.0125;
/* The share of values that is cut off at each end. */
static const double TRIMMED = 0.2;

/* A mean with its standard error. */
struct trimmed {
    double mean, error, degrees;
};

/* `x` is sorted. With `cut` values at each end replaced by the nearest value that remains. */
static double winsorised_deviation(double *x, size_t n, size_t cut) {
    for (size_t i = 0; i < cut; i++) {
        x[i] = x[cut];
        x[n - 1 - i] = x[n - 1 - cut];
    }
    return stats_deviation(x, n);
}

static struct trimmed trimmed_mean(const double *logs, size_t n, double share) {
    struct trimmed trimmed = {NAN, NAN, NAN};
    double *x = n > 1 ? stats_allocate(n, sizeof *x) : NULL;
    if (!x)
        return trimmed;
    memcpy(x, logs, n * sizeof *x);
    qsort(x, n, sizeof *x, compare_doubles);
    size_t cut = (size_t)(share * (double)n), kept = n - 2 * cut;
    trimmed.mean = stats_mean(x + cut, kept);
    trimmed.degrees = (double)(kept - 1);
    trimmed.error = winsorised_deviation(x, n, cut) / ((1 - 2 * share) * sqrt((double)n));
    free(x);
    return trimmed;
}

static double reach(const struct trimmed *t, double rate) {
    return stats_t_quantile(1 - rate, t->degrees) * t->error;
}

static struct ratio ratio_of(const struct trimmed *t) {
    double half = reach(t, 0.025);
    return (struct ratio){exp(t->mean), {exp(t->mean - half), exp(t->mean + half)}};
}

static bool is_slower(const struct trimmed *t, double rate, const struct sequential_rule *rule) {
    return t->mean - reach(t, rate) > log1p(rule->margin);
}

static bool is_tolerable(const struct trimmed *t, const struct sequential_rule *rule) {
    return t->mean + reach(t, MISSES) < log1p(rule->tolerance);
}

static bool is_faster(const struct trimmed *t, double rate, const struct sequential_rule *rule) {
    return t->mean + reach(t, rate) < log1p(-rule->margin);
}

static bool is_look(size_t count) {
    for (size_t look = SEQUENTIAL_FIRST_LOOK; look <= SEQUENTIAL_MOST; look *= 2)
        if (count == look)
            return true;
    return false;
}

struct sequential_state sequential_judge(const double *logs, size_t count,
                                         const struct sequential_rule *rule) {
    struct trimmed t = trimmed_mean(logs, count, TRIMMED);
    struct sequential_state state = {SEQUENTIAL_OPEN, ratio_of(&t)};
    double rate = rule->alarms / LOOKS;
    if (!is_look(count))
        return state;
    if (is_slower(&t, rate, rule))
        state.verdict = SEQUENTIAL_REGRESSION;
    else if (is_faster(&t, rate, rule))
        state.verdict = SEQUENTIAL_FASTER;
    else if (is_tolerable(&t, rule))
        state.verdict = SEQUENTIAL_NONE;
    else if (count == SEQUENTIAL_MOST)
        state.verdict = SEQUENTIAL_UNCLEAR;
    return state;
}

struct sequential_state sequential_judge_layouts(const double *logs, size_t count, size_t looks,
                                                 const struct sequential_rule *rule) {
    struct trimmed t = trimmed_mean(logs, count, 0);
    struct sequential_state state = {SEQUENTIAL_OPEN, ratio_of(&t)};
    if (is_slower(&t, rule->alarms / (double)looks, rule))
        state.verdict = SEQUENTIAL_REGRESSION;
    else if (is_tolerable(&t, rule))
        state.verdict = SEQUENTIAL_NONE;
    return state;
}
