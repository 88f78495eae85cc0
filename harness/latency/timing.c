#include "harness/latency/timing.h"

#include <math.h>
#include <stdlib.h>

const char *const timing_mode_words[4] = {"stream", "server", "peak", NULL};

const struct timing_line *timing_partner(const struct timing_line *line, size_t target) {
    return line - line->target + target;
}

/* --- summaries -------------------------------------------------------------------------------- */

/* The samples of the rounds of a line: percentiles, or gaps, which NULL says there are none of. */
static struct placed_samples placed(const struct timing *timing, const struct timing_line *line,
                                    const double *samples) {
    return (struct placed_samples){samples, samples ? line->rounds : 0, timing->placement_rounds};
}

struct ratio timing_ratio(const struct timing *timing, const struct timing_line *numerator,
                          const struct timing_line *denominator, size_t index) {
    return placements_ratio(placed(timing, numerator, numerator->samples[index]),
                            placed(timing, denominator, denominator->samples[index]), 0.95,
                            timing->request.document_seed);
}

struct ratio timing_gap_ratio(const struct timing *timing, const struct timing_line *numerator,
                              const struct timing_line *denominator) {
    return placements_ratio(placed(timing, numerator, numerator->gaps),
                            placed(timing, denominator, denominator->gaps), 0.95,
                            timing->request.document_seed);
}

struct ratio timing_peak(const struct timing *timing, const struct timing_line *line) {
    struct placed_samples gaps = placed(timing, line, line->gaps);
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
