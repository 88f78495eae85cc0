/* Documents of a data set's shape, for where the data set itself is absent: its features, queries,
 * documents per query and classes; skewed, discrete and sparse features, some the same for all
 * documents of a query; labels that depend on the features, so that a learner has something to
 * learn. They say nothing about the real data: the matrix's note, which everything that shows a
 * result of them repeats, begins with "synthetic stand-in".
 *
 * The same seed gives the same bytes on any machine: only exactly rounded operations are used. */
#ifndef SYNTH_STANDIN_H
#define SYNTH_STANDIN_H

#include "base/status.h"
#include "datasets/catalogue.h"
#include "datasets/matrix.h"

#include <stdint.h>

/* n_rows documents (0: as many as the data set has). The first rows of a longer stand-in of the
 * same seed have the same features; labels are shares of the rows that there are. */
enum status synth_standin(const struct data_set *like, size_t n_rows, uint64_t seed,
                          struct matrix **matrix, struct error *error);

#endif
