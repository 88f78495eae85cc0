/* Loop orders, shared by all implementations: the order of pairs of documents and units.
 *
 * D stands for documents and S for scorers, as jin2016 calls trees. DS: for each block of
 * documents, for each block of units. SD: for each block of units, for each block of documents.
 * Within a pair of blocks, `score` (impl.h) handles one unit after the other. DS with doc_block =
 * lanes is the loop order that papers call document at a time. */
#ifndef IMPLS_ORDER_H
#define IMPLS_ORDER_H

#include "impls/impl.h"

enum order { ORDER_DS, ORDER_SD };
const char *order_name(enum order order); /* "DS" or "SD" */

enum parallel {
    PARALLEL_DOCUMENTS, /* each thread gets a share of the documents: throughput */
    PARALLEL_TREES,     /* each thread gets a share of the units: latency */
    PARALLEL_BOTH
};

struct plan {
    enum order order;
    size_t doc_block, unit_block; /* documents and units per block; 0: all of them */
    unsigned threads;             /* 0 means 1; more than one thread needs impls/runner.h */
    enum parallel parallel;
};

/* Adds the leaf values of the units in `units` to the scores of the documents in `docs`. */
void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch);

#endif
