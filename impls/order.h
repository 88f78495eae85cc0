/* Loop orders, the same for all implementations: either the loop over documents or the loop over
 * units is the outer loop.
 *
 * D stands for documents. S stands for scorers, which is jin2016's word for trees. DS: the outer
 * loop is over blocks of documents, and the inner loop is over blocks of units. SD is the reverse.
 * Each call of `score` (impl.h) gets one block of each and handles its units one after the other.
 * DS with doc_block = lanes is the loop order that papers call "document at a time". */
#ifndef IMPLS_ORDER_H
#define IMPLS_ORDER_H

#include "impls/impl.h"

enum order { ORDER_DS, ORDER_SD };
const char *order_name(enum order order); /* "DS" or "SD" */

enum parallel {
    PARALLEL_DOCUMENTS, /* the threads divide the documents, for high throughput */
    PARALLEL_TREES,     /* the threads divide the units, for low latency */
    PARALLEL_BOTH
};

struct plan {
    enum order order;
    size_t doc_block, unit_block; /* documents and units per block; 0: all of them */
    unsigned threads;             /* 0 means 1; more than one thread needs impls/runner.h */
    enum parallel parallel;
    /* one thread runs the code of several threads over documents, so that it can be counted */
    bool team;
};

/* Adds the leaf values of the units in `units` to the scores of the documents in `docs`. */
void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch);

#endif
