/* Measures batches of queries (jin2016, section 5.4). A batch of B queries with n documents each is
 * a call of B * n documents, in which blocks of documents can be larger than a query. */
#ifndef HARNESS_TUNING_QUERY_BATCHES_H
#define HARNESS_TUNING_QUERY_BATCHES_H

#include "harness/blocking/batches.h"
#include "harness/tuning/blocking_bench.h"

#include <stdio.h>

enum { QUERY_BATCHES_MOST = 5 }; /* batches of 1, 10, 100, 1000 and 10,000 queries, as in Table 7 */

struct query_batches {
    size_t n;
    struct query_batch batches[QUERY_BATCHES_MOST];
    struct blocking blockings[QUERY_BATCHES_MOST];
    double ds_ns; /* per document and tree, without blocks */
};

/* Measures each batch in the order DSD, in the same rounds. A block has all documents of the batch,
 * but at most `most`, which is the best size for many documents. Batches of more documents than the
 * bench has are left out, so that n may be 0. */
enum status query_batches_measure(struct blocking_bench *bench, size_t query_docs, size_t most,
                                  struct query_batches *result, struct error *error);

/* Prints queries per second, the time of a full batch, and how long queries wait for their batch if
 * they come at half the rate that single queries allow. */
void query_batches_print(FILE *stream, const struct query_batches *result);

#endif
