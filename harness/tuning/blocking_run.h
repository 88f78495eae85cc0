/* Finds the fastest order and blocks of a model, as jin2016 proposes: what `treebench blocking`
 * does for one model, and an artefact with "measure": "blocking" at each of its points. */
#ifndef HARNESS_TUNING_BLOCKING_RUN_H
#define HARNESS_TUNING_BLOCKING_RUN_H

#include "harness/tuning/blocking_bench.h"
#include "harness/tuning/blocking_report.h"

struct blocking_request {
    const struct ensemble *ensemble;
    const char *spec;               /* "struct-plus" */
    const struct matrix *documents; /* twice n_docs: n documents choose, and n others confirm */
    size_t n_docs;
    uint32_t rounds;
    unsigned busy_cores;                 /* cores that score at once and share caches */
    bool measures_caches;                /* false: sizes as reported, typical latencies */
    bool is_exhaustive;                  /* also searches a dense grid */
    struct candidate_request candidates; /* without `standard` */
    struct progress *progress;           /* may be NULL */
    note_function *note;                 /* may be NULL */
};

/* Describes the machine: result->problem.machine. */
enum status blocking_run_machine(const struct blocking_request *request,
                                 struct blocking_result *result, struct error *error);

/* Describes the machine and searches. The result refers to the request. The bench stays open for
 * further measurements. Free it even after an error; it must be all zeros before the call. */
enum status blocking_run(const struct blocking_request *request, struct blocking_bench *bench,
                         struct blocking_result *result, struct error *error);

#endif
