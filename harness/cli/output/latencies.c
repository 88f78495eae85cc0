#include "harness/cli/output/latencies.h"

#include <math.h>
#include <string.h>

static const struct latencies_ratio no_ratio = {
    {(double)NAN, {(double)NAN, (double)NAN}}, (double)NAN, {VERDICT_NONE, 0}};

static struct latencies_ratio judge(struct ratio ratio, struct ratio noise) {
    double floor = verdict_noise_floor(noise.interval);
    return isnan(ratio.value)
               ? no_ratio
               : (struct latencies_ratio){ratio, floor, verdict_of(ratio.interval, floor)};
}

/* Is there a ratio of this line to the first implementation? */
static bool is_compared(const struct timing *t, const struct timing_line *line) {
    return line->target > 0 && line->target < t->again && t->targets[0].row.status == ROW_OK &&
           t->targets[line->target].row.status == ROW_OK;
}

static struct latencies_ratio compare(const struct timing *t, const struct timing_line *line,
                                      size_t index) {
    const struct timing_line *first = timing_partner(line, 0);
    return is_compared(t, line)
               ? judge(timing_ratio(t, line, first, index),
                       timing_ratio(t, timing_partner(line, t->again), first, index))
               : no_ratio;
}

static struct latencies_ratio compare_peaks(const struct timing *t,
                                            const struct timing_line *line) {
    const struct timing_line *first = timing_partner(line, 0);
    return is_compared(t, line) && line->gaps
               ? judge(timing_gap_ratio(t, line, first),
                       timing_gap_ratio(t, timing_partner(line, t->again), first))
               : no_ratio;
}

static void summarise(const struct timing *t, const struct timing_line *line, size_t index,
                      struct latencies_percentile *p) {
    const struct percentile *percentile = &percentiles[index];
    const struct histogram *h = line->histogram;
    *p = (struct latencies_percentile){.sample_ns = (double)NAN,
                                       .proven_ns = (double)NAN,
                                       .rank = proof_rank(h->total, percentile->over),
                                       .needed = proof_needed(1, percentile->over),
                                       .to_first = compare(t, line, index)};
    snprintf(p->name, sizeof p->name, "%s", percentile->name);
    if (h->total)
        p->sample_ns = (double)histogram_percentile(h, percentile->over);
    if (p->rank)
        p->proven_ns = (double)histogram_at(h, h->total - p->rank);
}

/* Slow calls are counted in streams only. */
static double of_stream(const struct timing *t, uint64_t count) {
    return t->request.mode == TIMING_STREAM ? (double)count : (double)NAN;
}

static double of_warm(const struct timing *t, double count) {
    return t->request.state == CALL_WARM ? count : (double)NAN;
}

/* Sets what the kernel counted. */
static void set_causes(const struct timing *t, const struct causes *causes,
                       struct latencies_line *line) {
    line->slow = of_stream(t, causes->slow);
    line->preemptions = of_warm(t, (double)causes->preemptions);
    line->waits = of_warm(t, (double)causes->waits);
    line->minor_faults = of_warm(t, (double)causes->minor_faults);
    line->major_faults = of_warm(t, (double)causes->major_faults);
    line->migrations = of_warm(t, (double)causes->migrations);
    line->slow_preempted = of_warm(t, of_stream(t, causes->slow_preempted));
    line->slow_faulted = of_warm(t, of_stream(t, causes->slow_faulted));
}

bool latencies_line(const struct latencies *latencies, size_t index, struct latencies_line *line) {
    const struct timing *t = &latencies->timing;
    const struct timing_line *from = &t->lines[index];
    const struct target *target = &t->targets[from->target];
    const struct impl *impl = impl_find(target->row.impl, NULL);
    const struct histogram *h = from->histogram;
    bool is_ok = target->row.status == ROW_OK;
    if (from->target == t->again && t->again != t->empty)
        return false;
    *line = (struct latencies_line){.row = target->row,
                                    .is_empty_call = from->target == t->empty,
                                    .line = *from,
                                    .calls = h->total,
                                    .least_ns = h->total ? (double)h->least : (double)NAN,
                                    .most_ns = h->total ? (double)h->most : (double)NAN,
                                    .completed_rate = timing_completed_rate(from),
                                    .peak = timing_peak(t, from),
                                    .peak_to_first = compare_peaks(t, from),
                                    .built = built_of(&target->row)};
    set_causes(t, &from->causes, line);
    if (impl && is_ok)
        impl_version(impl, line->version, sizeof line->version);
    if (impl && is_ok && impl->describe)
        impl->describe(target->contender.scorer, from->size.most, from->size.most, line->chosen,
                       sizeof line->chosen);
    for (size_t i = 0; i < PERCENTILES; i++)
        summarise(t, from, i, &line->percentiles[i]);
    return true;
}
