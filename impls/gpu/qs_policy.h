/* How lettich2018 (section 6.3) chooses the sizes of GPU-QuickScorer's launches. */
#ifndef IMPLS_GPU_QS_POLICY_H
#define IMPLS_GPU_QS_POLICY_H

#include "devices/device.h"

/* Bytes per tree that should stay in the L2 cache while a block of trees scores documents: masks,
 * numbers of trees and leaf values of a full tree. Thresholds are not counted, because only the
 * first kernel reads them. `leaves` is 32 or 64: 442 or 1,142 bytes. */
size_t qs_policy_tree_bytes(unsigned leaves);

/* Threads per block of updateScores for blocks of `tau` trees: the fewest, from 32 to 1,024 in
 * powers of two, so that a unit is full with no more blocks than its shared memory holds, and with
 * at least two. 1,024, or the most that the device allows, if a unit's shared memory does not hold
 * two blocks. */
unsigned qs_policy_threads(const struct device_facts *facts, size_t tau, unsigned leaves);

/* The most trees per block that shared memory and 16-bit numbers of trees allow. */
size_t qs_policy_most_trees(const struct device_facts *facts, unsigned leaves);

/* The default tau: the most trees whose bytes fit in L2 and whose leaf sets fit in shared memory,
 * and no more blocks of trees than that needs, all of about the same size. At least 1. */
size_t qs_policy_tau(const struct device_facts *facts, size_t n_trees, unsigned leaves);

#endif
