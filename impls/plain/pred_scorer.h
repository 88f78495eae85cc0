/* The built model and the loop that passes documents to kernels, shared by the four predicated
 * implementations: asadi2014 section 3 (PRED, VPRED) and asadi2012 (the heap form).
 *
 * A built tree is an array of nodes and an array of leaf values. Only the kernels know the type of
 * the nodes. A kernel takes `lanes` documents at once exactly `depth` levels down from node 0,
 * without branches on comparisons. The score of a document that ends at node i grows by
 * value[i - first_leaf]. */
#ifndef IMPLS_PLAIN_PRED_SCORER_H
#define IMPLS_PLAIN_PRED_SCORER_H

#include "impls/impl.h"

struct pred_tree {
    const void *nodes;
    const double *value;
    uint32_t first_leaf;
    uint32_t depth;
    uint32_t output;
};

/* Scores `n_docs` documents, a multiple of the kernel's lanes. Document k is at x + k * stride, and
 * its score is scores[k * n_outputs]. */
typedef void pred_kernel(const struct pred_tree *tree, const float *x, size_t stride, size_t n_docs,
                         double *scores, size_t n_outputs);

/* For trees up to this depth, there may be a kernel for each depth, with all levels unrolled. */
enum { PRED_UNROLLED_DEPTH = 12 };

/* The kernels for one number of lanes. */
struct pred_kernels {
    unsigned lanes;
    pred_kernel *by_depth[PRED_UNROLLED_DEPTH + 1];
    pred_kernel *deep; /* for depths above PRED_UNROLLED_DEPTH */
};

struct pred_scorer {
    struct scorer scorer;
    struct pred_tree *trees; /* [n_units] */
    void *nodes;
    double *values;
    /* From most lanes to fewest. The last kernels have one lane, so that any number of documents
     * can be scored. */
    const struct pred_kernels *const *kernels;
};

/* The number of nodes, the bytes per node, and the number of values. */
struct pred_sizes {
    size_t nodes, node_size, values;
};

/* Makes room for the nodes and values. Fills in only the depth and the output of each tree. False
 * if out of memory. */
bool pred_scorer_allocate(struct pred_scorer *scorer, const struct ensemble *ensemble,
                          const struct pred_sizes *sizes);

/* Makes room for the nodes and values, and fills them in. */
typedef enum status pred_nodes_builder(struct pred_scorer *scorer, const struct ensemble *ensemble,
                                       struct error *error);

/* Builds a scorer that uses the kernels of `lanes` lanes. The kernels after them in the list, which
 * have fewer lanes, score the last documents of a call. */
enum status pred_build(const struct impl *impl, pred_nodes_builder *build_nodes,
                       const struct ensemble *ensemble, const struct pred_kernels *const *kernels,
                       unsigned lanes, struct scorer **scorer, struct error *error);

/* `score` of all four implementations. */
void pred_score(const struct scorer *scorer, struct span units, struct span docs,
                const struct batch *batch);

/* What the descriptors have in common. */
#define PRED_FACTS .kind = IMPL_TRAVERSAL, .votes = true, .score = pred_score

/* --- the options of VPRED and VPRED-HEAP ------------------------------------------------------ */

enum { VPRED_STANDARD_V = 8, VPRED_UNROLLED_V = 16 };

extern const struct impl_param vpred_params[];

/* Reads `v`, the documents per step, and sets *unroll if `unroll` is `full`. STATUS_UNSUPPORTED if
 * there are no such kernels of v lanes. */
enum status vpred_read_options(const char *impl, const struct options *options, unsigned *v,
                               bool *unroll, struct error *error);

#endif
