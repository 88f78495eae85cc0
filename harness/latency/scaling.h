/* What more cores give: throughput of blocks and of single calls, with documents of its own in each
 * thread, and the latency of one document whose trees a pool of libtreebench shares out. All
 * numbers of threads take turns in rotated, interleaved rounds over placements. */
#ifndef HARNESS_LATENCY_SCALING_H
#define HARNESS_LATENCY_SCALING_H

#include "harness/judge/verdict.h"
#include "harness/latency/histogram.h"
#include "harness/latency/target.h"

enum { SCALING_COUNTS_MAX = 32, SCALING_BLOCK_MAX = 1 << 16 };

enum scaling_measure {
    SCALING_BLOCKS, /* throughput: ns per document, in calls of blocks */
    SCALING_CALLS,  /* throughput: ns per document, in calls of one document */
    SCALING_P50,    /* latency of a call of one document in ns, shared out by trees */
    SCALING_P99,
    SCALING_MEASURES
};
extern const char *const scaling_words[SCALING_MEASURES + 1]; /* "blocks", ...; ended by NULL */

struct scaling_request {
    const char *variant;
    unsigned threads[SCALING_COUNTS_MAX]; /* ascending; the first is 1 */
    size_t n_counts;
    uint32_t block;
    uint64_t calls;   /* latencies of each number of threads, shared by the rounds */
    double sample_ns; /* how long a sample of throughput takes */
    uint32_t rounds, placements;
    uint64_t seed;
    struct progress *progress;
    note_function *note;
};

struct scaling_line {
    enum scaling_measure measure;
    unsigned threads;
    unsigned used;    /* latency: threads that a call was shared out to; otherwise `threads` */
    double *samples;  /* [rounds] ns */
    double proven_ns; /* latency: the percentile with a proof; NaN: not proven */
};

struct scaling {
    struct scaling_request request;
    struct target target; /* its row has the status and the reason */
    /* [SCALING_MEASURES][n_counts + 1] The last of each measure is 1 thread again, which gives the
     * noise floor. */
    struct scaling_line *lines;
    struct histogram **latencies;                /* [n_counts + 1] */
    size_t placement_rounds, rounds, placements; /* of them, measured */
    uint64_t checked; /* replies that were compared with the reference's */
    double steal;     /* share of the machine's time that the hypervisor took; NaN if unknown */
    bool is_interrupted;
};

/* Returns the line of a measure and of the number of threads with an index. */
static inline struct scaling_line *scaling_line_at(const struct scaling *scaling,
                                                   enum scaling_measure measure, size_t count) {
    return &scaling->lines[measure * (scaling->request.n_counts + 1) + count];
}

/* The numbers of threads from 1 to `most`: each up to 4, then doubling, and `most`. Returns how
 * many there are. */
size_t scaling_count(unsigned most, unsigned counts[static SCALING_COUNTS_MAX]);

/* Measures. If the variant fails, the target's row has the status and the reason. Ctrl-C after the
 * first round ends the measurement. scaling_free frees the result, even after an error. */
enum status scaling_measure(const struct ensemble *ensemble, const struct matrix *documents,
                            const struct scaling_request *request, struct scaling *scaling,
                            struct error *error);
void scaling_free(struct scaling *scaling);

/* A line with what follows from it. Times are in ns. */
struct scaling_summary {
    struct scaling_line line;
    struct ratio ns;     /* the median over placements, and its interval */
    double per_second;   /* documents per second; latency: NaN */
    struct ratio to_one; /* to 1 thread; NaN for 1 thread */
    double noise_floor;
    struct verdict verdict;
};

/* Summarises the line of a measure and of the number of threads with an index. */
struct scaling_summary scaling_summarise(const struct scaling *scaling,
                                         enum scaling_measure measure, size_t count);

#endif
