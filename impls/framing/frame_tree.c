#include "impls/framing/frame_tree.h"

void frame_tree_create(struct frame_tree *tree, size_t n_nodes, struct memory_pool *pool) {
    *tree = (struct frame_tree){.left = memory_pool_array(pool, n_nodes, sizeof *tree->left),
                                .right = memory_pool_array(pool, n_nodes, sizeof *tree->right),
                                .weight = memory_pool_array(pool, n_nodes, sizeof *tree->weight),
                                .number = memory_pool_array(pool, n_nodes, sizeof *tree->number)};
}

/* Fills in a node from a child as the ensemble stores it: an inner node if >= 0, the leaf ~child if
 * < 0. The ensemble numbers inner nodes breadth first, so the children of its inner node i are the
 * nodes 2i + 1 and 2i + 2 here. */
static void fill_node(struct frame_tree *tree, const struct ensemble *e, uint32_t t, uint32_t node,
                      int32_t child, double share) {
    bool is_leaf = child < 0;
    uint32_t number = (uint32_t)(is_leaf ? ~child : child);
    tree->number[node] = number;
    tree->left[node] = is_leaf ? FRAME_NONE : 2 * number + 1;
    tree->right[node] = is_leaf ? FRAME_NONE : 2 * number + 2;
    tree->weight[node] = !e->node_count ? share
                         : is_leaf      ? (double)e->leaf_count[e->tree_leaf[t] + number]
                                        : (double)e->node_count[e->tree_node[t] + number];
}

/* Without counts, weights below the depth of 1,074 are 0. The layout then takes nodes in the order
 * of their numbers, which is the order of their depths all the same. */
void frame_tree_fill(struct frame_tree *tree, const struct ensemble *e, uint32_t t) {
    uint32_t inner = ensemble_tree_nodes(e, t);
    tree->n_nodes = 2 * inner + 1;
    fill_node(tree, e, t, 0, inner ? 0 : ~0, 1.0);
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        if (frame_is_leaf(tree, node))
            continue;
        size_t number = e->tree_node[t] + tree->number[node];
        double share = tree->weight[node] / 2;
        fill_node(tree, e, t, tree->left[node], e->left[number], share);
        fill_node(tree, e, t, tree->right[node], e->right[number], share);
    }
}
