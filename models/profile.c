#include "models/profile.h"

#include "base/memory.h"

#include <stdlib.h>

static void count_document(struct ensemble *e, const float *x) {
    for (uint32_t t = 0; t < e->n_trees; t++) {
        int32_t child = ensemble_tree_nodes(e, t) ? 0 : ~0;
        while (child >= 0) {
            size_t node = e->tree_node[t] + (size_t)child;
            e->node_count[node]++;
            child =
                ensemble_goes_left(e, node, x[e->feature[node]]) ? e->left[node] : e->right[node];
        }
        e->leaf_count[e->tree_leaf[t] + (size_t)~child]++;
    }
}

static void replace(struct ensemble *e, uint64_t *node_count, uint64_t *leaf_count) {
    free(e->node_count);
    free(e->leaf_count);
    e->node_count = node_count;
    e->leaf_count = leaf_count;
}

enum status profile_count(struct ensemble *ensemble, const float *x, size_t stride, size_t n_docs,
                          struct error *error) {
    uint64_t *node_count = memory_aligned_calloc(ensemble->n_nodes, sizeof *node_count);
    uint64_t *leaf_count = memory_aligned_calloc(ensemble->n_leaves, sizeof *leaf_count);
    if (!node_count || !leaf_count) {
        free(node_count);
        free(leaf_count);
        return error_memory(error, "counts of documents");
    }
    replace(ensemble, node_count, leaf_count);
    for (size_t doc = 0; doc < n_docs; doc++)
        count_document(ensemble, x + doc * stride);
    return STATUS_OK;
}

void profile_take(struct ensemble *ensemble, struct ensemble *from) {
    replace(ensemble, from->node_count, from->leaf_count);
    from->node_count = from->leaf_count = NULL;
}
