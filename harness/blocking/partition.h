/* QuickScorer's units under cache blocking (jin2016, sections 4.3 and 5.3). A unit is a block of
 * tau trees, so that m trees are m / tau units. */
#ifndef HARNESS_BLOCKING_PARTITION_H
#define HARNESS_BLOCKING_PARTITION_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

/* The paper's unit. Its leaves and thresholds take 4 bytes each. */
struct quickscorer_unit {
    size_t features, leaves, trees; /* per document; per tree; tau */
};

/* Returns the bytes of d documents and one unit, as the paper counts them: values, result bit
 * vectors, thresholds, offsets, tree ids, masks and leaves. */
double quickscorer_bytes(const struct quickscorer_unit *unit, double docs);

/* Returns how many documents (a fraction) fit a level beside one unit. The paper takes L3, because
 * a unit may not fit L2. Negative if the unit alone does not fit. */
double quickscorer_docs(const struct quickscorer_unit *unit, double level_bytes);

/* The same for a scorer that was built: the mean bytes of its units, and its workspace. At least 1
 * and at most n_docs. */
size_t partition_docs(const struct scorer *scorer, double doc_bytes, double level_bytes,
                      size_t n_docs);

/* Chooses the numbers of trees per unit to try, in ascending order: 1, 2, 5, 10, ... and all trees.
 * Returns their number. */
enum { PARTITIONS_MOST = 32 };
size_t partition_list(uint32_t n_trees, size_t taus[static PARTITIONS_MOST]);

#endif
