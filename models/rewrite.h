/* Decisions that one test `x <= threshold` cannot make, rewritten into several tests.
 *
 * A split cuts the floats into pieces, (-inf, cut 0], (cut 0, cut 1], ..., (last cut, inf], which
 * go left and right by turns; NaN goes to a side of its own. One cut, the piece below it on the
 * left, is the plain test of an ensemble. More cuts become a balanced tree of tests, in which the
 * nodes below the split are copied for every piece but leave out what the pieces above have already
 * decided. The rewritten tree is exact; its nodes have no counts, since nobody knows how many
 * documents passed a copy. A tree of plain tests is added as it is. */
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

struct rewrite_split {
    uint32_t feature;
    size_t first_cut; /* its cuts in rewrite_tree.cuts, strictly increasing */
    uint32_t n_cuts;  /* 0: all floats go the same way */
    bool lowest_left; /* the side of the lowest piece */
    bool nan_left;
    uint32_t left, right; /* numbers as in reader_child */
    uint64_t count;
};

/* The cuts of the splits of a tree, one split after the other. */
struct rewrite_cuts {
    float *cuts;
    size_t count, capacity;
};

/* Adds a cut to the split, the last of the list: over its other cuts, or at the uppermost, which it
 * then removes, since the piece between the two is empty. False: no memory. */
bool rewrite_cuts_add(struct rewrite_cuts *list, struct rewrite_split *split, float cut);

struct rewrite_tree {
    uint32_t number, output; /* the number is for errors */
    uint32_t n_splits; /* the nodes 0..n_splits-1, the root at 0; n_splits + 1 leaves follow */
    const struct rewrite_split *splits;
    const uint32_t *node_number; /* [2 * n_splits + 1] in limits' errors; NULL: as they are here */
    const float *cuts;
    const double *value;        /* [n_splits + 1] */
    const uint64_t *leaf_count; /* [n_splits + 1] */
};

struct rewriter;                        /* what the trees of a model share */
struct rewriter *rewriter_create(void); /* NULL: no memory */
void rewriter_free(struct rewriter *rewriter);

/* Adds the tree to the builder. Children must be in range and features under ENSEMBLE_MAX_FEATURES;
 * what else is wrong is found here or by ensemble_builder_finish. Refuses over the limits.
 * Errors begin "tree 3, node 5: ". */
enum status rewriter_add_tree(struct rewriter *rewriter, const struct rewrite_tree *tree,
                              struct ensemble_builder *builder, struct error *error);

#endif
