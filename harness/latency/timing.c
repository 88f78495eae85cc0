#include "harness/latency/timing.h"

#include <math.h>
#include <stdlib.h>

const char *const timing_mode_words[4] = {"stream", "server", "peak", NULL};

const struct timing_line *timing_partner(const struct timing_line *line, size_t target) {
    return line - line->target + target;
}

/* --- summaries -------------------------------------------------------------------------------- */

static bool all_known(const double *samples, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(samples[i]))
            return false;
    return n > 0;
}

static struct placed_samples placed(const struct timing *timing, const double *samples, size_t n) {
    return (struct placed_samples){samples, n, timing->placement_rounds};
}

static struct ratio ratio_of(const struct timing *timing, const double *numerator,
                             const double *denominator, size_t n) {
    if (!numerator || !denominator || !all_known(numerator, n) || !all_known(denominator, n))
        return (struct ratio){(double)NAN, {(double)NAN, (double)NAN}};
    return placements_ratio(placed(timing, numerator, n), placed(timing, denominator, n), 0.95,
                            timing->request.document_seed);
}

static size_t common_rounds(const struct timing_line *a, const struct timing_line *b) {
    return a->rounds < b->rounds ? a->rounds : b->rounds;
}

struct ratio timing_ratio(const struct timing *timing, const struct timing_line *numerator,
                          const struct timing_line *denominator, size_t index) {
    return ratio_of(timing, numerator->samples[index], denominator->samples[index],
                    common_rounds(numerator, denominator));
}

struct ratio timing_gap_ratio(const struct timing *timing, const struct timing_line *numerator,
                              const struct timing_line *denominator) {
    return ratio_of(timing, numerator->gaps, denominator->gaps,
                    common_rounds(numerator, denominator));
}

struct ratio timing_peak(const struct timing *timing, const struct timing_line *line) {
    if (!line->gaps || !all_known(line->gaps, line->rounds))
        return (struct ratio){(double)NAN, {(double)NAN, (double)NAN}};
    struct placed_samples gaps = placed(timing, line->gaps, line->rounds);
    struct interval gap = placements_median_interval(gaps, 0.95, timing->request.document_seed);
    return (struct ratio){1e9 / placements_median(gaps), {1e9 / gap.high, 1e9 / gap.low}};
}

double timing_completed_rate(const struct timing_line *line) {
    return line->completed > 0 ? line->completed / line->completed_ns * 1e9 : (double)NAN;
}

/* --- memory ----------------------------------------------------------------------------------- */

void timing_free(struct timing *timing) {
    for (size_t i = 0; timing->lines && i < timing->n_lines; i++) {
        free(timing->lines[i].histogram);
        free(timing->lines[i].gaps);
        for (size_t k = 0; k < PERCENTILES; k++)
            free(timing->lines[i].samples[k]);
    }
    for (size_t i = 0; timing->targets && i < timing->n_targets; i++)
        target_close(&timing->targets[i]);
    free(timing->lines);
    free(timing->targets);
    *timing = (struct timing){.lines = NULL};
}
