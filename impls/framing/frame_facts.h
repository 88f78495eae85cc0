/* What the layouts of buschjaeger2018 should save on an ensemble, by the probabilities of its
 * branches. */
#ifndef IMPLS_FRAMING_FRAME_FACTS_H
#define IMPLS_FRAMING_FRAME_FACTS_H

#include "base/status.h"
#include "models/ensemble.h"

enum { FRAME_LINE_BYTES = 64 };

/* Means over the trees; NaN without trees. */
struct frame_facts {
    /* expected cache lines of nodes that a path touches: native-folded, native-opt */
    double lines_by_level, lines_by_sets;
    /* the sum of the probabilities of all nodes, which is the expected length of a path with its
     * leaf, and of those that ifelse-opt has in its kernel: p(T) and p(K) of Eq. 1 */
    double nodes, kernel_nodes;
};

/* Computes the facts with the default options of native-opt and ifelse-opt on this machine. Without
 * counts, both children of a node are equally likely. */
enum status frame_facts_compute(const struct ensemble *ensemble, struct frame_facts *facts,
                                struct error *error);

#endif
