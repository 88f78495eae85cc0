/* Latencies of single documents: one line of a run's latency.jsonl, for artefacts with "measure":
 * "latency". */
#ifndef HARNESS_PAPERS_LATENCIES_PARTS_H
#define HARNESS_PAPERS_LATENCIES_PARTS_H

#include "harness/artefacts/artefact_run.h"
#include "harness/latency/proof.h"
#include "harness/papers/report_parts.h"

/* What one implementation reached. */
struct latency_result {
    char variant[ROW_NAME_SIZE];
    char version[64]; /* of a library; "" for treebench's own code */
    enum row_status status;
    char reason[ROW_REASON_SIZE];  /* why there are no latencies */
    uint64_t calls;                /* number of latencies */
    double proven_ns[PERCENTILES]; /* NaN: not proven */
    double completed_rate;         /* server: calls that ended per second; NaN: a stream */
};

/* The last result is that of the empty call. */
enum { LATENCY_RESULTS_MAX = 8 };

/* What one interleaved measurement gave. */
struct latency_item {
    struct workload workload;
    double rate; /* server: calls per second; 0: a stream */
    char processor[128];
    double steal; /* share of the machine's time that the hypervisor took; NaN if unknown */
    struct latency_result results[LATENCY_RESULTS_MAX];
    size_t n_results;
};

/* Items of the same workload, rate and variants are the same. */
extern const struct json_lines latency_lines;

/* Returns true if the artefact's table is about servers and not about streams. */
bool latencies_is_server(const struct artefact *artefact);

/* A server is rated by this index in percentiles. */
enum { LATENCIES_SERVER_INDEX = 2 };

/* Returns the item at a point, or NULL: the k-th rate of a server, or the stream (k = 0). Sets
 * *is_past if there is no such item. */
const struct latency_item *latencies_at(const struct artefact_report *report,
                                        const struct panel *panel, const struct point *point,
                                        size_t k, bool *is_past);

/* Functions of the kind. All variants of the artefact are measured in the same rounds. */
bool latencies_ask(const struct artefact *artefact, const struct panel *panel,
                   const struct point *point, size_t k, void *item);
enum status latencies_measure(struct artefact_run *run, const struct artefact *artefact, void *item,
                              bool *is_missing, struct error *error);

#endif
