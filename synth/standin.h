/* Creates documents with the shape of a data set that is not available: its features, queries,
 * documents per query, and classes. Features are skewed, discrete or sparse; some are the same for
 * all documents of a query. Labels depend on the features, so that models can be trained on them.
 * The values are not derived from the real data. The note of the matrix, which is shown with every
 * result, begins with "synthetic stand-in".
 *
 * The same seed gives the same bytes on any machine, because only exactly rounded operations are
 * used. */
#ifndef SYNTH_STANDIN_H
#define SYNTH_STANDIN_H

#include "base/status.h"
#include "datasets/catalogue.h"
#include "datasets/matrix.h"

#include <stdint.h>

/* Creates n_rows documents; 0 means the number of rows of the data set. Stand-ins with the same
 * seed but different n_rows begin with the same feature values. Their labels may differ, because
 * each label gets a share of all n_rows documents. */
enum status synth_standin(const struct data_set *like, size_t n_rows, uint64_t seed,
                          struct matrix **matrix, struct error *error);

#endif
