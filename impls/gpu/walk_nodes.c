#include "impls/gpu/walk_nodes.h"

#include "base/memory.h"
#include "impls/shared/float_key.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_NODES = 1 << 16, CHILD_SHIFT = 16 }; /* of a chunk */

static uint32_t count_nodes(const struct ensemble *e, uint32_t t) {
    return 2 * ensemble_tree_nodes(e, t) + 1;
}

static enum status check(const struct ensemble *e, size_t limit, struct error *error) {
    size_t most = limit / WALK_NODE_BYTES < MOST_NODES ? limit / WALK_NODE_BYTES : MOST_NODES;
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (ensemble_tree_nodes(e, t) > (most - 1) / 2)
            return error_set(error, STATUS_UNSUPPORTED,
                             "walk-gpu: tree %" PRIu32 " has %" PRIu32
                             " leaves; the limit on this device is %zu. Use planes-gpu",
                             t, ensemble_tree_leaves(e, t), (most + 1) / 2);
    for (size_t node = 0; node < e->n_nodes; node++)
        if (e->feature[node] >= WALK_LEAF)
            return error_set(error, STATUS_UNSUPPORTED,
                             "walk-gpu: feature %" PRIu32 " is tested; the limit is %d. Use "
                             "planes-gpu",
                             e->feature[node], WALK_LEAF - 1);
    if (e->n_leaves > UINT32_MAX / 2)
        return error_set(error, STATUS_UNSUPPORTED, "walk-gpu: the model has too many leaves");
    return STATUS_OK;
}

static bool allocate(const struct ensemble *e, struct walk_nodes *walk) {
    size_t n_nodes = e->n_nodes + e->n_leaves;
    walk->chunk_tree = memory_aligned_alloc((e->n_trees + 1u) * sizeof *walk->chunk_tree);
    walk->chunk_node = memory_aligned_alloc((e->n_trees + 1u) * sizeof *walk->chunk_node);
    walk->tree_root = memory_aligned_alloc(e->n_trees * sizeof *walk->tree_root);
    walk->nodes = memory_aligned_alloc(n_nodes * sizeof *walk->nodes);
    return walk->chunk_tree && walk->chunk_node && walk->tree_root && walk->nodes;
}

/* Writes a child of a node. The children of inner node i are at places 1 + 2i and 2 + 2i of the
 * tree. */
static void write_child(const struct ensemble *e, uint32_t t, int32_t child, uint32_t root,
                        struct walk_node *to) {
    if (child < 0) {
        *to = (struct walk_node){(uint32_t)(e->tree_leaf[t] + (size_t)~child), WALK_LEAF};
        return;
    }
    size_t node = e->tree_node[t] + (size_t)child;
    uint32_t left = root + 1 + 2 * (uint32_t)child;
    *to = (struct walk_node){(uint32_t)float_key(e->threshold[node]),
                             e->feature[node] | (e->nan_left[node] ? WALK_NAN_LEFT : 0u) |
                                 left << CHILD_SHIFT};
}

static void write_tree(const struct ensemble *e, uint32_t t, uint32_t root,
                       struct walk_node *nodes) {
    uint32_t n_nodes = ensemble_tree_nodes(e, t);
    write_child(e, t, n_nodes ? 0 : ~0, root, &nodes[0]);
    for (uint32_t i = 0; i < n_nodes; i++) {
        size_t node = e->tree_node[t] + i;
        write_child(e, t, e->left[node], root, &nodes[1 + 2 * i]);
        write_child(e, t, e->right[node], root, &nodes[2 + 2 * i]);
    }
}

enum status walk_nodes_build(const struct ensemble *ensemble, size_t usual, size_t limit,
                             struct walk_nodes *walk, struct error *error) {
    *walk = (struct walk_nodes){.n_chunks = 0};
    enum status status = check(ensemble, limit, error);
    if (status)
        return status;
    if (!allocate(ensemble, walk)) {
        walk_nodes_free(walk);
        return error_memory(error, "packed nodes");
    }
    uint32_t used = 0, in_chunk = 0; /* nodes */
    size_t most = usual / WALK_NODE_BYTES < MOST_NODES ? usual / WALK_NODE_BYTES : MOST_NODES;
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        uint32_t count = count_nodes(ensemble, t);
        if (t == 0 || in_chunk + count > most) {
            walk->chunk_tree[walk->n_chunks] = t;
            walk->chunk_node[walk->n_chunks++] = used;
            in_chunk = 0;
        }
        walk->tree_root[t] = in_chunk;
        write_tree(ensemble, t, in_chunk, walk->nodes + used);
        used += count;
        in_chunk += count;
        walk->most_nodes = in_chunk > walk->most_nodes ? in_chunk : walk->most_nodes;
    }
    walk->chunk_tree[walk->n_chunks] = ensemble->n_trees;
    walk->chunk_node[walk->n_chunks] = used;
    return STATUS_OK;
}

void walk_nodes_free(struct walk_nodes *walk) {
    free(walk->chunk_tree);
    free(walk->chunk_node);
    free(walk->tree_root);
    free(walk->nodes);
    *walk = (struct walk_nodes){.n_chunks = 0};
}
