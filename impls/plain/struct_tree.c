/* The traversal of STRUCT and STRUCT+ (asadi2014 section 3).
 *
 * Machine code per level (gcc 12 -O3, x86-64): 10 or 11 instructions. They include an unpredictable
 * branch and the branch that ends the loop. A step to the left loads 4 times: the feature, the
 * threshold, x[feature] and the child's left pointer. The child's left pointer also tells whether
 * the child is a leaf (NULL). If the next step goes left, it needs no other load for the pointer. A
 * step to the right loads 5 times. clang 14 has the same branches, thanks to branch_keep. */
#include "impls/plain/struct_tree.h"

#include "impls/shared/branch.h"
#include "impls/shared/node.h"

struct struct_scorer *struct_scorer_create(const struct impl *impl, const struct ensemble *ensemble,
                                           struct error *error) {
    size_t trees = ensemble->n_trees * sizeof(struct struct_tree);
    size_t nodes = (ensemble->n_nodes + ensemble->n_leaves) * sizeof(struct struct_node);
    struct struct_scorer *made =
        scorer_create(sizeof *made + trees, impl, ensemble, ensemble->n_trees, 1, error);
    if (!made)
        return NULL;
    node_sets_copy(ensemble, &made->sets, &made->scorer.pool);
    made->scorer.bytes = trees + nodes + made->scorer.pool.bytes;
    made->any_nan_left = ensemble->any_nan_left;
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        made->trees[t].output = ensemble->tree_output[t];
    return made;
}

size_t struct_tree_size(const struct ensemble *ensemble, uint32_t t) {
    return (size_t)ensemble_tree_nodes(ensemble, t) + ensemble_tree_leaves(ensemble, t);
}

/* Fills in nodes[place] for `child`: an inner node if >= 0, the leaf ~child if < 0. The ensemble
 * numbers the inner nodes of a tree breadth first. `nodes` has its inner nodes and leaves, also
 * breadth first. Therefore the children of the ensemble's inner node i are nodes[2i + 1] and
 * nodes[2i + 2]. */
static void fill_node(struct struct_node *const *nodes, const struct ensemble *ensemble, uint32_t t,
                      size_t place, int32_t child) {
    if (child < 0) {
        double value = ensemble->value[ensemble->tree_leaf[t] + (size_t)~child];
        *nodes[place] = (struct struct_node){.value = value};
        return;
    }
    size_t node = ensemble->tree_node[t] + (size_t)child;
    *nodes[place] = (struct struct_node){.feature = node_feature(ensemble, node),
                                         .threshold = ensemble->threshold[node],
                                         .left = nodes[2 * (size_t)child + 1],
                                         .right = nodes[2 * (size_t)child + 2]};
    if (ensemble_is_set(ensemble, node)) {
        nodes[place]->feature |= NODE_IS_SET;
        nodes[place]->set = ensemble->set[node];
    }
}

void struct_tree_fill(struct struct_scorer *made, const struct ensemble *ensemble, uint32_t t,
                      struct struct_node *const *nodes) {
    uint32_t inner = ensemble_tree_nodes(ensemble, t);
    fill_node(nodes, ensemble, t, 0, inner ? 0 : ~0);
    for (size_t i = 0; i < inner; i++) {
        fill_node(nodes, ensemble, t, 2 * i + 1, ensemble->left[ensemble->tree_node[t] + i]);
        fill_node(nodes, ensemble, t, 2 * i + 2, ensemble->right[ensemble->tree_node[t] + i]);
    }
    made->trees[t].root = nodes[0];
}

static inline double exit_value(const struct struct_node *node, const float *x, bool any_nan_left) {
    while (node->left) {
        if (node_goes_left(x, node->feature, node->threshold, any_nan_left)) {
            node = node->left;
            branch_keep();
        } else {
            node = node->right;
        }
    }
    return node->value;
}

static inline void score_trees(const struct scorer *scorer, struct span units, struct span docs,
                               const struct batch *batch, bool any_nan_left) {
    const struct struct_scorer *made = (const struct struct_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct struct_tree *tree = &made->trees[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            batch->scores[doc * scorer->n_outputs + tree->output] +=
                exit_value(tree->root, batch->x + doc * batch->stride, any_nan_left);
    }
}

/* Not inlined, so that the code for sets does not change the machine code of this function. */
static __attribute__((noinline)) void score_plain(const struct scorer *scorer, struct span units,
                                                  struct span docs, const struct batch *batch) {
    if (((const struct struct_scorer *)scorer)->any_nan_left)
        score_trees(scorer, units, docs, batch, true);
    else
        score_trees(scorer, units, docs, batch, false);
}

/* --- with sets -------------------------------------------------------------------------------- */

static inline bool goes_left(const struct struct_node *node, const float *x,
                             const struct node_sets *sets) {
    if (!(node->feature & NODE_IS_SET))
        return node_goes_left(x, node->feature, node->threshold, true);
    float value = x[node->feature & ~(NODE_NAN_LEFT | NODE_IS_SET)];
    return value != value ? (node->feature & NODE_NAN_LEFT) != 0
                          : node_sets_have(sets, node->set, value);
}

static double exit_value_by_sets(const struct struct_node *node, const float *x,
                                 const struct node_sets *sets) {
    while (node->left) {
        if (goes_left(node, x, sets)) {
            node = node->left;
            branch_keep();
        } else {
            node = node->right;
        }
    }
    return node->value;
}

static void score_by_sets(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    const struct struct_scorer *made = (const struct struct_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct struct_tree *tree = &made->trees[unit];
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            batch->scores[doc * scorer->n_outputs + tree->output] +=
                exit_value_by_sets(tree->root, batch->x + doc * batch->stride, &made->sets);
    }
}

/* --- votes ------------------------------------------------------------------------------------ */

static inline void vote_trees(const struct scorer *scorer, struct span units, struct span docs,
                              const struct batch *batch, bool any_nan_left, bool by_sets) {
    const struct struct_scorer *made = (const struct struct_scorer *)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++) {
        const struct struct_node *root = made->trees[unit].root;
        for (size_t doc = docs.begin; doc < docs.end; doc++) {
            const float *x = batch->x + doc * batch->stride;
            double class = by_sets ? exit_value_by_sets(root, x, &made->sets)
                                   : exit_value(root, x, any_nan_left);
            batch->scores[doc * scorer->n_outputs + (size_t) class] += 1;
        }
    }
}

static __attribute__((noinline)) void score_votes(const struct scorer *scorer, struct span units,
                                                  struct span docs, const struct batch *batch) {
    const struct struct_scorer *made = (const struct struct_scorer *)scorer;
    if (made->sets.begin)
        vote_trees(scorer, units, docs, batch, true, true);
    else if (made->any_nan_left)
        vote_trees(scorer, units, docs, batch, true, false);
    else
        vote_trees(scorer, units, docs, batch, false, false);
}

void struct_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch) {
    if (scorer->votes)
        score_votes(scorer, units, docs, batch);
    else if (((const struct struct_scorer *)scorer)->sets.begin)
        score_by_sets(scorer, units, docs, batch);
    else
        score_plain(scorer, units, docs, batch);
}
