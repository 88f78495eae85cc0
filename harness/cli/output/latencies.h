/* The result of `treebench latency`, and the forms in which it is printed. docs/timing.md
 * documents these forms. Change LATENCIES_SCHEMA whenever a key is renamed, removed or given
 * another meaning.
 */
#ifndef HARNESS_CLI_OUTPUT_LATENCIES_H
#define HARNESS_CLI_OUTPUT_LATENCIES_H

#include "harness/cli/shared/measured.h"
#include "harness/instruments/timer.h"
#include "harness/judge/verdict.h"
#include "harness/latency/timing.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define LATENCIES_SCHEMA 1

struct latencies {
    struct measured_inputs inputs;
    struct timer_info clocks;
    struct timing timing;
};

/* A ratio to the first implementation with the same calls, and what follows from it. All NaN for
 * the first implementation and for the empty call. */
struct latencies_ratio {
    struct ratio ratio;
    double noise_floor; /* of the first implementation to itself */
    struct verdict verdict;
};

struct latencies_percentile {
    char name[8];     /* "p99" */
    double sample_ns; /* of the sample; NaN without calls */
    double proven_ns; /* NaN: not proven */
    uint64_t rank;    /* it is the longest latency but rank - 1; 0: not proven */
    uint64_t needed;  /* calls that prove it */
    struct latencies_ratio to_first;
};

/* A line with what follows from it. */
struct latencies_line {
    struct row row;
    char version[64];   /* of the library; "" for treebench's own code */
    bool is_empty_call; /* it was not asked for */
    /* what `auto` scores a call of the largest size with; "" for other implementations */
    char chosen[512];
    struct timing_line line;
    uint64_t calls;
    double least_ns, most_ns; /* the shortest and the longest latency; NaN without calls */
    double completed_rate;
    struct ratio peak;
    struct latencies_ratio peak_to_first; /* of the times between arrivals */
    double slow;                          /* NaN unless the mode is stream */
    /* What the kernel counted; NaN unless the state is warm, because in others it also counts what
     * precedes calls. Slow calls: NaN unless the mode is stream. */
    double preemptions, waits, minor_faults, major_faults, migrations, slow_preempted, slow_faulted;
    struct built built;
    struct latencies_percentile percentiles[PERCENTILES];
};

/* Makes the line with this index. Returns false if it is not printed: it is the second
 * measurement of the first implementation. */
bool latencies_line(const struct latencies *latencies, size_t index, struct latencies_line *line);

/* The fields of the whole run, of a line and of a percentile, as JSON and CSV have them. */
extern const struct record latencies_record, latencies_line_record, latencies_percentile_record;

/* Errors of the stream are left to the caller. */
void latencies_print_table(const struct latencies *latencies, FILE *stream);
/* JSON or CSV. */
enum status latencies_print_records(const struct latencies *latencies,
                                    const struct measured_output *output, struct error *error);

/* Writes a log of HdrHistogram with a histogram of each line that was measured. Its tag has the
 * variant, the kind of calls and the documents per call: "vpred:v=8/different/1". */
enum status latencies_write_log(const struct latencies *latencies, FILE *stream,
                                struct error *error);

#endif
