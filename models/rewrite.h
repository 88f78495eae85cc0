/* Ensembles without set nodes, for what knows plain tests only.
 *
 * The cuts of a set part the numbers into pieces which go left and right by turns. Two cuts or more
 * become a balanced tree of plain tests. The nodes below are copied for every piece, but leave out
 * what the pieces above have already decided. The copy is exact. */
#ifndef MODELS_REWRITE_H
#define MODELS_REWRITE_H

#include "models/ensemble.h"

/* Limits over which a rewriting is refused, on the nodes of the original that are copied: per tree
 * REWRITE_MAX_GROWTH times its nodes and REWRITE_FREE_NODES more, REWRITE_MAX_NODES in a model, and
 * REWRITE_MAX_DEPTH steps (nodes of the original and tests of the copy) from the root to a leaf. */
enum {
    REWRITE_MAX_GROWTH = 64,
    REWRITE_FREE_NODES = 1024,
    REWRITE_MAX_NODES = 16 * 1000 * 1000,
    REWRITE_MAX_DEPTH = 2048
};

/* A copy of a model with plain nodes only. It has no counts if a tree was rewritten, because nobody
 * knows how many documents passed the copies. Refuses with STATUS_UNSUPPORTED over the limits;
 * errors begin with "tree 3, node 5: ". */
enum status ensemble_rewrite_sets(const struct ensemble *ensemble, struct ensemble **plain,
                                  struct error *error);

/* A copy with the trees as they are, but without the lists of categories. */
enum status ensemble_copy(const struct ensemble *ensemble, struct ensemble **copy,
                          struct error *error);

/* The same for a writer: the error ends with a format that needs no rewriting. */
enum status ensemble_rewrite_for_writer(const struct ensemble *ensemble, struct ensemble **plain,
                                        struct error *error);

#endif
