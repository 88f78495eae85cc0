/* More documents for the queries of a data set (jin2016, section 5).
 *
 * The paper adds "relatively more vectors that bear similarity to those with low labelled
 * relevance", and does not say how. Here a new document copies one of its query. A document with
 * label 0, 1, 2, 3 or 4 is copied in proportion to 16, 8, 4, 2 or 1. Each value is then replaced,
 * with probability 0.1, by that of another document of the query with label 0 or 1. */
#ifndef SYNTH_MORE_H
#define SYNTH_MORE_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stddef.h>
#include <stdint.h>

/* Copies the documents, and adds documents to each query until it has `per_query`. A query with
 * more keeps them all. A new document has the label of the one that it copies. The note says how
 * many are synthetic. `name` is for errors. STATUS_INPUT without queries or labels, or with a label
 * below 0 or over 4. */
enum status synth_more(const char *name, const struct matrix *documents, size_t per_query,
                       uint64_t seed, struct matrix **more, struct error *error);

#endif
