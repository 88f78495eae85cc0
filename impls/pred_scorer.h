/* What the four predicated implementations share: the built form and the loop that hands out
 * documents to kernels. asadi2014 section 3 (PRED, VPRED), asadi2012 (the heap form).
 *
 * A built tree is an array of nodes, whose kind only its kernels know, and an array of leaf values.
 * A kernel walks exactly `depth` levels down from node 0 for `lanes` documents at once, without a
 * branch on any comparison, and adds value[i - first_leaf] for the index i where each one ends. */
#ifndef IMPLS_PRED_SCORER_H
#define IMPLS_PRED_SCORER_H

#include "impls/impl.h"

struct pred_tree {
    const void *nodes;
    const double *value;
    uint32_t first_leaf;
    uint32_t depth;
    uint32_t output;
};

/* Scores `n_docs` documents, a multiple of the kernel's lanes: document k is at x + k * stride, its
 * score at scores[k * n_outputs]. */
typedef void pred_kernel(const struct pred_tree *tree, const float *x, size_t stride, size_t n_docs,
                         double *scores, size_t n_outputs);

/* Trees up to this depth have a kernel of their own for each number of lanes. */
enum { PRED_UNROLLED_DEPTH = 12 };

/* The kernels of one number of lanes. */
struct pred_kernels {
    unsigned lanes;
    pred_kernel *by_depth[PRED_UNROLLED_DEPTH + 1];
    pred_kernel *deep; /* any depth over that */
};

struct pred_scorer {
    struct scorer scorer;
    struct pred_tree *trees; /* [n_units] */
    void *nodes;
    double *values;
    /* From most lanes to fewest, ended by NULL; the last has one lane, so that any number of
     * documents can be scored. */
    const struct pred_kernels *const *kernels;
};

/* How much memory the nodes and the values of an ensemble take. */
struct pred_sizes {
    size_t nodes, node_size, values;
};

/* A scorer with room for its nodes and values; the trees know their depth and output only. */
enum status pred_scorer_create(const struct ensemble *ensemble, const struct pred_sizes *sizes,
                               struct pred_scorer **scorer, struct error *error);

/* Scores with the kernels of `lanes` and, for the rest, with those behind them in the list. */
void pred_scorer_choose(struct pred_scorer *scorer, const struct pred_kernels *const *kernels,
                        unsigned lanes);

/* `score` and `destroy` of all four. */
void pred_score(const struct scorer *scorer, struct span units, struct span docs,
                const struct batch *batch);
void pred_destroy(struct scorer *scorer);

#endif
