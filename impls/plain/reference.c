/* The simplest traversal. All other implementations are checked against it. Therefore it shares no
 * code with them, not even the comparison. */
#include "impls/impl.h"

#include <math.h>
#include <stdbool.h>

struct node {
    uint32_t feature;
    float threshold;
    int32_t left,
        right; /* as in the ensemble: an inner node if >= 0; if < 0, the leaf ~left or ~right */
    bool nan_left;
    const float *cuts; /* the cuts of a set node; NULL for a plain node */
    size_t n_cuts;
};

struct tree {
    const struct node *nodes;
    const double *values;
    int32_t root; /* encoded like a child: 0, or ~0 if the tree is a single leaf */
    uint32_t output;
};

struct reference {
    struct scorer scorer;
    struct tree *trees;
    struct node *nodes; /* of all trees */
    double *values;     /* of all trees */
    float *cuts;        /* of all sets */
};

/* The intervals between a set's cuts are alternately inside and outside the set. The lowest
 * interval is inside. */
static bool is_in_set(const struct node *node, float value) {
    bool inside = true;
    for (size_t i = 0; i < node->n_cuts && node->cuts[i] < value; i++)
        inside = !inside;
    return inside;
}

static double exit_value(const struct tree *tree, const float *x) {
    int32_t child = tree->root;
    while (child >= 0) {
        const struct node *node = &tree->nodes[child];
        float value = x[node->feature];
        bool goes_left = isnan(value) ? node->nan_left
                         : node->cuts ? is_in_set(node, value)
                                      : value <= node->threshold;
        child = goes_left ? node->left : node->right;
    }
    return tree->values[~child];
}

static void add(double *scores, const struct tree *tree, double value, bool votes) {
    if (votes)
        scores[(size_t)value] += 1;
    else
        scores[tree->output] += value;
}

static void reference_score(const struct scorer *scorer, struct span units, struct span docs,
                            const struct batch *batch) {
    const struct reference *reference = (const struct reference *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct tree *tree = &reference->trees[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            add(batch->scores + doc * scorer->n_outputs, tree,
                exit_value(tree, batch->x + doc * batch->stride), scorer->votes);
    }
}

static void copy_ensemble(struct reference *reference, const struct ensemble *ensemble) {
    for (size_t i = 0; i < ensemble->n_nodes; i++) {
        struct node *node = &reference->nodes[i];
        *node = (struct node){.feature = ensemble->feature[i],
                              .threshold = ensemble->threshold[i],
                              .left = ensemble->left[i],
                              .right = ensemble->right[i],
                              .nan_left = ensemble->nan_left[i]};
        if (ensemble->set && ensemble->set[i] != ENSEMBLE_NO_SET) {
            const size_t *begin = ensemble->set_cut + ensemble->set[i];
            node->cuts = reference->cuts + begin[0];
            node->n_cuts = begin[1] - begin[0];
        }
    }
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        reference->trees[t] = (struct tree){
            reference->nodes + ensemble->tree_node[t], reference->values + ensemble->tree_leaf[t],
            ensemble_tree_nodes(ensemble, t) ? 0 : ~0, ensemble->tree_output[t]};
}

static enum status reference_build(const struct impl *impl, const struct ensemble *ensemble,
                                   const struct options *options, struct scorer **scorer,
                                   struct error *error) {
    (void)options;
    struct reference *reference =
        scorer_create(sizeof *reference, impl, ensemble, ensemble->n_trees, 1, error);
    if (!reference)
        return STATUS_MEMORY;
    struct memory_pool *pool = &reference->scorer.pool;
    size_t n_cuts = ensemble->n_sets ? ensemble->set_cut[ensemble->n_sets] : 0;
    reference->trees = memory_pool_array(pool, ensemble->n_trees, sizeof *reference->trees);
    reference->nodes = memory_pool_array(pool, ensemble->n_nodes, sizeof *reference->nodes);
    reference->values =
        memory_pool_copy(pool, ensemble->value, ensemble->n_leaves, sizeof *reference->values);
    reference->cuts = memory_pool_copy(pool, ensemble->cut, n_cuts, sizeof *reference->cuts);
    if (!pool->failed)
        copy_ensemble(reference, ensemble);
    return scorer_finish(&reference->scorer, STATUS_OK, scorer, error);
}

const struct impl impl_reference = {.name = "reference",
                                    .title = "reference",
                                    .roles = IMPL_REFERENCE,
                                    .source = "-",
                                    .kind = IMPL_TRAVERSAL,
                                    .sets = true,
                                    .votes = true,
                                    .build = reference_build,
                                    .score = reference_score};
