/* Walks on a GPU: one thread per document, as libraries do. Nodes have 8 bytes and lie in shared
 * memory. Each step of a walk waits for a node and then for a value of the document. */
#include "impls/gpu/gpu_scorer.h"

#include "base/memory.h"
#include "impls/shared/float_key.h"

#include <inttypes.h>

enum {
    THREADS = 128,
    WALK_NODE_BYTES = 8,
    WALK_LEAF = 0x7fff,
    WALK_NAN_LEFT = 0x8000,
    MOST_NODES = 1 << 16, /* of a chunk */
    CHILD_SHIFT = 16,
    CHUNK_BYTES = 24 << 10 /* several blocks of threads fit in the shared memory of a unit */
};

/* The arrays are those of struct walk_nodes and of the ensemble. */
enum argument { CHUNK_TREE = GPU_OWN, CHUNK_NODE, N_CHUNKS, TREE_ROOT, TREE_OUTPUT, NODES, VALUES };

struct walk_gpu {
    struct gpu_scorer gpu;
    size_t shared; /* bytes of the largest chunk */
};

/* --- trees as nodes --------------------------------------------------------------------------- */

/* Trees as packed nodes of 8 bytes, in chunks that fit in a device's shared memory. In host memory.
 *
 * An inner node has the key of its threshold (float_key.h), and in the second number its feature
 * (bits 0 to 14), whether NaN goes left (bit 15) and its left child (bits 16 to 31, counted from
 * the start of the chunk). The right child follows the left one. A leaf has the index of its value,
 * and the feature 0x7fff. */
struct walk_node {
    uint32_t key; /* or the index of a leaf's value */
    uint32_t links;
};

struct walk_nodes {
    uint32_t n_chunks, most_nodes; /* most_nodes: of a chunk */
    uint32_t *chunk_tree;          /* [n_chunks + 1] first tree */
    uint32_t *chunk_node;          /* [n_chunks + 1] first node */
    uint32_t *tree_root;           /* [n_trees] root, counted from the start of the chunk */
    struct walk_node *nodes;       /* [chunk_node[n_chunks]] */
    struct memory_pool pool;
};

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

/* Packs the trees into chunks of about `usual` bytes. A tree that is larger gets a chunk of its
 * own, of at most `limit` bytes. STATUS_UNSUPPORTED if a tree is larger than that, or a feature's
 * number too large. */
static enum status build_nodes(const struct ensemble *ensemble, size_t usual, size_t limit,
                               struct walk_nodes *walk, struct error *error) {
    *walk = (struct walk_nodes){.n_chunks = 0};
    enum status status = check(ensemble, limit, error);
    if (status)
        return status;
    size_t n_chunks = ensemble->n_trees + 1u, n_nodes = ensemble->n_nodes + ensemble->n_leaves;
    walk->chunk_tree = memory_pool_array(&walk->pool, n_chunks, sizeof *walk->chunk_tree);
    walk->chunk_node = memory_pool_array(&walk->pool, n_chunks, sizeof *walk->chunk_node);
    walk->tree_root = memory_pool_array(&walk->pool, n_chunks, sizeof *walk->tree_root);
    walk->nodes = memory_pool_array(&walk->pool, n_nodes, sizeof *walk->nodes);
    if (walk->pool.failed)
        return error_memory(error, "packed nodes");
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

/* ---------------------------------------------------------------------------------------------- */

static enum status run(struct gpu_scorer *gpu, uint32_t n_docs, struct error *error) {
    struct walk_gpu *walk = (struct walk_gpu *)gpu;
    struct gpu_grid grid = {{(n_docs + THREADS - 1) / THREADS, 1}, THREADS, walk->shared};
    return gpu->arguments[N_CHUNKS].value ? gpu_scorer_launch(gpu, 0, grid, error) : STATUS_OK;
}

static enum status upload(struct walk_gpu *walk, const struct ensemble *e,
                          const struct walk_nodes *nodes, struct error *error) {
    size_t number = sizeof(uint32_t), chunks = nodes->n_chunks + 1u;
    const struct gpu_array arrays[] = {
        {nodes->chunk_tree, chunks * number, CHUNK_TREE},
        {nodes->chunk_node, chunks * number, CHUNK_NODE},
        {nodes->tree_root, e->n_trees * number, TREE_ROOT},
        {e->tree_output, e->n_trees * number, TREE_OUTPUT},
        {nodes->nodes, nodes->chunk_node[nodes->n_chunks] * sizeof *nodes->nodes, NODES},
        {e->value, e->n_leaves * sizeof *e->value, VALUES}};
    walk->gpu.arguments[N_CHUNKS].value = nodes->n_chunks;
    walk->shared = nodes->most_nodes * sizeof *nodes->nodes;
    return gpu_scorer_upload(&walk->gpu, arrays, sizeof arrays / sizeof *arrays, error);
}

static enum status make(struct gpu_scorer *gpu, const struct ensemble *ensemble,
                        const struct options *options, struct error *error) {
    struct walk_nodes nodes;
    size_t limit = device_facts(gpu->device)->shared_per_block;
    enum status status = build_nodes(ensemble, limit < CHUNK_BYTES ? limit : (size_t)CHUNK_BYTES,
                                     limit, &nodes, error);
    if (!status)
        status = upload((struct walk_gpu *)gpu, ensemble, &nodes, error);
    memory_pool_free(&nodes.pool);
    return status ? status : gpu_scorer_reserve(gpu, options, NULL, 0, error);
}

static enum status build(const struct impl *impl, const struct ensemble *ensemble,
                         const struct options *options, struct scorer **scorer,
                         struct error *error) {
    static const struct gpu_kind kind = {
        .bytes = sizeof(struct walk_gpu),
        .program = "walk",
        .kernels = {{"walk_trees",
                     DEVICE_SCORING,
                     {GPU_COLUMNS, GPU_STRIDE, CHUNK_TREE, CHUNK_NODE, N_CHUNKS, TREE_ROOT,
                      TREE_OUTPUT, NODES, VALUES, GPU_DOCUMENTS, GPU_SCORES, GPU_OUTPUTS}}},
        .make = make,
        .run = run};
    return gpu_scorer_build(impl, &kind, ensemble, options, scorer, error);
}

static const struct impl_param params[] = {GPU_BATCH_PARAM, {NULL, NULL, NULL, NULL}};

const struct impl impl_walk_gpu = {.name = "walk-gpu",
                                   .title = "walks on a GPU",
                                   .source = "-",
                                   .params = params,
                                   .build = build,
                                   GPU_FACTS};
