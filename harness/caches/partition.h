/* QuickScorer's units under cache blocking (jin2016, sections 4.3 and 5.3). A unit is a block of
 * tau trees, so that m trees are m / tau units. */
#ifndef HARNESS_CACHES_PARTITION_H
#define HARNESS_CACHES_PARTITION_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

/* Returns how many documents fit a level beside one unit of a scorer: the mean bytes of its units,
 * and its workspace. The paper takes L3, because a unit may not fit L2. At least 1 and at most
 * n_docs. */
size_t partition_docs(const struct scorer *scorer, double doc_bytes, double level_bytes,
                      size_t n_docs);

/* Chooses the numbers of trees per unit to try, in ascending order: 1, 2, 5, 10, ... and all trees.
 * Returns their number. */
enum { PARTITIONS_MOST = 32 };
size_t partition_list(uint32_t n_trees, size_t taus[static PARTITIONS_MOST]);

#endif
