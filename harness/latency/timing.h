/* Measures latencies of calls: implementations in rotated, interleaved rounds over placements. */
#ifndef HARNESS_LATENCY_TIMING_H
#define HARNESS_LATENCY_TIMING_H

#include "harness/instruments/stats.h"
#include "harness/latency/causes.h"
#include "harness/latency/histogram.h"
#include "harness/latency/proof.h"
#include "harness/latency/schedule.h"
#include "harness/latency/target.h"

enum timing_mode {
    TIMING_STREAM, /* each call begins when the one before has ended */
    TIMING_SERVER, /* calls arrive at a rate */
    TIMING_PEAK    /* the largest rate whose p99 is proven to be within a bound */
};
extern const char *const timing_mode_words[4]; /* "stream", "server", "peak", NULL */

struct timing_request {
    const char *const *variants; /* the first is the one to which others are compared */
    size_t n_variants;
    const struct call_size *sizes;
    size_t n_sizes;
    enum timing_mode mode;
    enum call_state state; /* STREAM; otherwise WARM */
    double rate;           /* SERVER: calls per second */
    double bound_ns;       /* PEAK */
    /* What a stream of each implementation has at least; each round has an equal share. */
    uint64_t calls;
    double seconds;
    uint32_t rounds, placements;
    /* Seeds: the order of the documents, the sizes of calls, the arrivals. */
    uint64_t document_seed, size_seed, arrival_seed;
    struct progress *progress;
    note_function *note;
};

/* The calls of one size to one implementation, with different documents or the same. */
struct timing_line {
    size_t target; /* index */
    struct call_size size;
    enum call_documents documents;
    struct histogram *histogram; /* ns; PEAK: of the last trial within the bound of each round */
    /* [rounds] the percentiles of each round in ns; NaN if a round has no call above it */
    double *samples[PERCENTILES];
    double *gaps; /* [rounds] PEAK: mean ns between arrivals at the peak; NaN: there is none */
    bool is_peak_limited; /* in some round, a higher rate needs more than PEAK_CALLS_MOST calls */
    size_t rounds;        /* that were measured */
    double seconds;       /* that the rounds took, with what lies between the calls */
    uint64_t checked;
    /* SERVER: the calls that ended, and the time to the last end; see timing_completed_rate */
    double completed, completed_ns;
    struct causes causes;
};

struct timing {
    struct timing_request request;
    /* [n_targets] the variants, then the first one again if there are several (the noise floor),
     * then the empty call, unless the mode is PEAK or the empty call is a variant */
    struct target *targets;
    size_t n_targets, again, empty; /* indices; again == empty: there is none */
    /* [n_lines] sizes, in each different and (STREAM, unless FIRST) same, in each targets */
    struct timing_line *lines;
    size_t n_lines;
    size_t placement_rounds, rounds, placements; /* of them, measured */
    /* State L2 or L3: what that cache has beside the sweep, for the model; otherwise 0 */
    double room_bytes;
    double steal; /* share of the machine's time that the hypervisor took; NaN if unknown */
    bool is_interrupted;
};

/* Measures. A variant that fails has the status and the reason in its target's row. Ctrl-C after
 * the first round ends the measurement. timing_free frees the result, even after an error. */
enum status timing_measure(const struct ensemble *ensemble, const struct matrix *documents,
                           const struct timing_request *request, struct timing *timing,
                           struct error *error);
void timing_free(struct timing *timing);

/* Returns the line of another target with the same calls. */
const struct timing_line *timing_partner(const struct timing_line *line, size_t target);

/* The ratio of percentile `index` to that of another line, by placements_ratio of the rounds'
 * percentiles. NaN if a round has too few calls. */
struct ratio timing_ratio(const struct timing *timing, const struct timing_line *numerator,
                          const struct timing_line *denominator, size_t index);

/* The same for the mean time between arrivals at the peak. */
struct ratio timing_gap_ratio(const struct timing *timing, const struct timing_line *numerator,
                              const struct timing_line *denominator);

/* PEAK: the median over placements of the peaks in calls per second, and its interval. NaN if a
 * round found none. */
struct ratio timing_peak(const struct timing *timing, const struct timing_line *line);

/* SERVER: calls per second from the beginning to the last end; NaN without calls. */
double timing_completed_rate(const struct timing_line *line);

#endif
