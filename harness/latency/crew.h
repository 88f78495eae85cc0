/* Threads that score documents at the same time, each pinned to a core, with a context of its own
 * and calls of its own. All share one model. */
#ifndef HARNESS_LATENCY_CREW_H
#define HARNESS_LATENCY_CREW_H

#include "datasets/matrix.h"
#include "library/treebench.h"

#include <stddef.h>

struct crew_member {
    int core; /* -1: not pinned */
    struct tb_context *context;
    double *scores;    /* of a call */
    size_t row;        /* first document of the next call */
    size_t documents;  /* that were scored */
    double elapsed_ns; /* from the first call to the end of the last one */
    size_t last_row;   /* the first document of the last call, whose replies are in `scores` */
};

/* What all members share. */
struct crew_calls {
    const struct matrix *documents;
    size_t block;    /* documents per call, at most those that there are */
    double least_ns; /* how long each member scores */
};

/* Lets n members score at the same time. Returns the wall time per document of all of them
 * together, in ns; NaN if a thread cannot be started. */
double crew_run(const struct crew_calls *calls, struct crew_member *members, size_t n);

#endif
