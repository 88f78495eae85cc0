#include "impls/plain/pred_scorer.h"

/* A multiple of all lanes, so that only the last documents of a call need kernels of fewer lanes.
 */
enum { VOTES_AT_ONCE = 256 };

bool pred_scorer_allocate(struct pred_scorer *s, const struct ensemble *ensemble,
                          const struct pred_sizes *sizes) {
    struct memory_pool *pool = &s->scorer.pool;
    s->trees = memory_pool_array(pool, ensemble->n_trees, sizeof *s->trees);
    s->nodes = memory_pool_array(pool, sizes->nodes, sizes->node_size);
    s->values = memory_pool_array(pool, sizes->values, sizeof *s->values);
    for (uint32_t t = 0; t < ensemble->n_trees && !pool->failed; t++) {
        s->trees[t].depth = ensemble->tree_depth[t];
        s->trees[t].output = ensemble->tree_output[t];
    }
    return !pool->failed;
}

enum status pred_build(const struct impl *impl, pred_nodes_builder *build_nodes,
                       const struct ensemble *ensemble, const struct pred_kernels *const *kernels,
                       unsigned lanes, struct scorer **scorer, struct error *error) {
    struct pred_scorer *s = scorer_create(sizeof *s, impl, ensemble, ensemble->n_trees, 0, error);
    if (!s)
        return STATUS_MEMORY;
    while (kernels[0]->lanes > lanes)
        kernels++;
    s->kernels = kernels;
    s->scorer.lanes = kernels[0]->lanes;
    return scorer_finish(&s->scorer, build_nodes(s, ensemble, error), scorer, error);
}

/* Adds what a tree adds to the scores of documents, which are `scorer->n_outputs` apart. */
static inline void score_tree(const struct pred_scorer *s, const struct pred_tree *tree,
                              const float *x, size_t stride, size_t n_docs, double *scores,
                              size_t n_outputs) {
    const struct pred_kernels *const *kernels = s->kernels;
    for (size_t doc = 0; doc < n_docs; kernels++) {
        size_t rest = n_docs - doc;
        size_t count = rest - rest % (*kernels)->lanes;
        pred_kernel *kernel = tree->depth <= PRED_UNROLLED_DEPTH ? (*kernels)->by_depth[tree->depth]
                                                                 : (*kernels)->deep;
        if (count)
            kernel(tree, x + doc * stride, stride, count, scores + doc * n_outputs, n_outputs);
        doc += count;
    }
}

/* The kernels add the class of each document to a 0 in `class`. */
static void vote(const struct pred_scorer *s, const struct pred_tree *tree, struct span docs,
                 const struct batch *batch) {
    double class[VOTES_AT_ONCE];
    size_t n_outputs = s->scorer.n_outputs;
    for (size_t doc = docs.begin; doc < docs.end; doc += VOTES_AT_ONCE) {
        size_t left = docs.end - doc, n = left < VOTES_AT_ONCE ? left : VOTES_AT_ONCE;
        for (size_t i = 0; i < n; i++)
            class[i] = 0;
        score_tree(s, tree, batch->x + doc * batch->stride, batch->stride, n, class, 1);
        for (size_t i = 0; i < n; i++)
            batch->scores[(doc + i) * n_outputs + (size_t) class[i]] += 1;
    }
}

void pred_score(const struct scorer *scorer, struct span units, struct span docs,
                const struct batch *batch) {
    const struct pred_scorer *s = (const struct pred_scorer *)scorer;
    size_t n_outputs = scorer->n_outputs;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct pred_tree *tree = &s->trees[unit];
        if (scorer->votes)
            vote(s, tree, docs, batch);
        else
            score_tree(s, tree, batch->x + docs.begin * batch->stride, batch->stride,
                       docs.end - docs.begin, batch->scores + docs.begin * n_outputs + tree->output,
                       n_outputs);
    }
}
