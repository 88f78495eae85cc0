#include "models/merge_equal.h"

#include <math.h>

static const uint32_t NOT_NEEDED = UINT32_MAX;

void merge_tree_allocate(struct merge_tree *tree, size_t n_nodes, struct memory_pool *pool) {
    tree->nodes = memory_pool_array(pool, n_nodes, sizeof *tree->nodes);
    tree->value = memory_pool_array(pool, n_nodes, sizeof *tree->value);
    tree->number = memory_pool_array(pool, n_nodes, sizeof *tree->number);
}

static void find_values(struct merge_tree *tree) {
    for (size_t i = tree->n_nodes; i-- > 0;) {
        const struct inner_node *node = &tree->nodes[i];
        if (node->left)
            tree->value[i] =
                tree->value[node->left] == tree->value[node->right] ? tree->value[node->left] : NAN;
    }
}

/* Numbers the nodes of the merged tree: all nodes except those below a node whose leaves are
 * equal. Returns their number. */
static uint32_t number_needed(struct merge_tree *tree) {
    for (size_t i = 0; i < tree->n_nodes; i++)
        tree->number[i] = NOT_NEEDED;
    tree->number[0] = 0;
    uint32_t n = 0;
    for (size_t i = 0; i < tree->n_nodes; i++) {
        if (tree->number[i] == NOT_NEEDED)
            continue;
        tree->number[i] = n++;
        if (isnan(tree->value[i]))
            tree->number[tree->nodes[i].left] = tree->number[tree->nodes[i].right] = 0;
    }
    return n;
}

size_t merge_equal_add_tree(struct ensemble_builder *builder, uint32_t output,
                            struct merge_tree *tree) {
    find_values(tree);
    size_t n = number_needed(tree);
    ensemble_builder_add_tree(builder, output);
    for (size_t i = 0; i < tree->n_nodes; i++) {
        if (tree->number[i] == NOT_NEEDED)
            continue;
        struct inner_node node = tree->nodes[i];
        if (isnan(tree->value[i])) {
            node.left = tree->number[node.left];
            node.right = tree->number[node.right];
            ensemble_builder_add_inner(builder, &node);
        } else {
            ensemble_builder_add_leaf(builder, tree->value[i], node.count);
        }
    }
    return n;
}
