#include "harness/latency/scaling.h"

#include <math.h>
#include <stdlib.h>

const char *const scaling_words[SCALING_MEASURES + 1] = {"blocks", "calls", "p50", "p99", NULL};

size_t scaling_count(unsigned most, unsigned counts[static SCALING_COUNTS_MAX]) {
    size_t n = 0;
    for (unsigned threads = 1; threads < most && n + 1 < SCALING_COUNTS_MAX;
         threads = threads < 4 ? threads + 1 : 2 * threads)
        counts[n++] = threads;
    counts[n++] = most;
    return n;
}

/* --- summaries -------------------------------------------------------------------------------- */

static struct placed_samples placed(const struct scaling *scaling,
                                    const struct scaling_line *line) {
    return (struct placed_samples){line->samples, scaling->rounds, scaling->placement_rounds};
}

static struct ratio compare(const struct scaling *scaling, const struct scaling_line *line,
                            const struct scaling_line *first) {
    return placements_ratio(placed(scaling, line), placed(scaling, first), 0.95,
                            scaling->request.seed);
}

static struct ratio estimate(const struct scaling *scaling, const struct scaling_line *line) {
    struct placed_samples samples = placed(scaling, line);
    return (struct ratio){placements_median(samples),
                          placements_median_interval(samples, 0.95, scaling->request.seed)};
}

struct scaling_summary scaling_summarise(const struct scaling *scaling,
                                         enum scaling_measure measure, size_t count) {
    const struct scaling_line *line = scaling_line_at(scaling, measure, count),
                              *one = scaling_line_at(scaling, measure, 0),
                              *again = scaling_line_at(scaling, measure, scaling->request.n_counts);
    struct scaling_summary summary = {.line = *line,
                                      .ns = estimate(scaling, line),
                                      .per_second = (double)NAN,
                                      .to_one = {(double)NAN, {(double)NAN, (double)NAN}},
                                      .noise_floor = (double)NAN};
    if (measure == SCALING_BLOCKS || measure == SCALING_CALLS)
        summary.per_second = 1e9 / summary.ns.value;
    if (count == 0)
        return summary;
    summary.to_one = compare(scaling, line, one);
    if (isnan(summary.to_one.value))
        return summary;
    summary.noise_floor = verdict_noise_floor(compare(scaling, again, one).interval);
    summary.verdict = verdict_of(summary.to_one.interval, summary.noise_floor);
    return summary;
}

/* --- memory ----------------------------------------------------------------------------------- */

void scaling_free(struct scaling *scaling) {
    size_t n = scaling->request.n_counts + 1;
    for (size_t i = 0; scaling->lines && i < SCALING_MEASURES * n; i++)
        free(scaling->lines[i].samples);
    for (size_t i = 0; scaling->latencies && i < n; i++)
        free(scaling->latencies[i]);
    if (scaling->target.contender.row)
        target_close(&scaling->target);
    free(scaling->lines);
    free(scaling->latencies);
    *scaling = (struct scaling){.lines = NULL};
}
