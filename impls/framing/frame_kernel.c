#include "impls/framing/frame_kernel.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct frame_path {
    double weight;
    uint32_t rank, leaf; /* rank: the number of leaves further left */
};

void frame_kernel_create(struct frame_kernel *kernel, size_t n_nodes, struct memory_pool *pool) {
    *kernel =
        (struct frame_kernel){.has = memory_pool_array(pool, n_nodes, sizeof *kernel->has),
                              .known = memory_pool_array(pool, n_nodes, sizeof *kernel->known),
                              .parent = memory_pool_array(pool, n_nodes, sizeof *kernel->parent),
                              .stack = memory_pool_array(pool, n_nodes, sizeof *kernel->stack),
                              .paths = memory_pool_array(pool, n_nodes, sizeof *kernel->paths)};
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Lists the leaves from left to right, and finds all parents. Returns the number of leaves. */
static uint32_t list_paths(struct frame_kernel *kernel, const struct frame_tree *tree) {
    uint32_t n_leaves = 0, height = 0;
    kernel->stack[height++] = 0;
    kernel->parent[0] = FRAME_NONE;
    while (height > 0) {
        uint32_t node = kernel->stack[--height];
        if (frame_is_leaf(tree, node)) {
            kernel->paths[n_leaves] = (struct frame_path){tree->weight[node], n_leaves, node};
            n_leaves++;
            continue;
        }
        kernel->parent[tree->left[node]] = kernel->parent[tree->right[node]] = node;
        kernel->stack[height++] = tree->right[node];
        kernel->stack[height++] = tree->left[node];
    }
    return n_leaves;
}

static int compare_paths(const void *one, const void *other) {
    const struct frame_path *a = one, *b = other;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* --- Algorithm 1 ------------------------------------------------------------------------------ */

struct chooser {
    struct frame_kernel *kernel;
    const struct frame_tree *tree;
    struct frame_bytes bytes;
    size_t budget;
    bool strict;
    bool is_full; /* strict only */
};

static void take(struct chooser *chooser, uint32_t node, size_t bytes) {
    struct frame_kernel *kernel = chooser->kernel;
    double weight = chooser->tree->weight[node];
    kernel->has[node] = true;
    kernel->bytes += bytes;
    kernel->probability += weight;
    if (frame_is_leaf(chooser->tree, node))
        kernel->stay += weight;
}

/* Decides about a node whose parent is in the kernel. */
static void decide(struct chooser *chooser, uint32_t node) {
    bool is_leaf = frame_is_leaf(chooser->tree, node);
    size_t bytes = is_leaf ? chooser->bytes.leaf : chooser->bytes.split;
    bool fits = bytes <= chooser->budget && chooser->kernel->bytes <= chooser->budget - bytes;
    if ((fits || chooser->strict) && !chooser->is_full)
        take(chooser, node, bytes);
    if (!fits && chooser->strict)
        chooser->is_full = true;
}

/* Classifies the nodes of a path that are not classified yet, from the root to the leaf. */
static void classify_path(struct chooser *chooser, uint32_t leaf) {
    struct frame_kernel *kernel = chooser->kernel;
    uint32_t height = 0, node = leaf;
    for (; node != FRAME_NONE && !kernel->known[node]; node = kernel->parent[node])
        kernel->stack[height++] = node;
    while (height > 0) {
        uint32_t above = node;
        node = kernel->stack[--height];
        kernel->known[node] = true;
        if (above == FRAME_NONE || kernel->has[above])
            decide(chooser, node);
    }
}

static void divide_by_root(struct frame_kernel *kernel, const struct frame_tree *tree) {
    double all = tree->weight[0];
    kernel->probability = all > 0 ? kernel->probability / all : 0;
    kernel->stay = all > 0 ? kernel->stay / all : 0;
}

void frame_kernel_choose(struct frame_kernel *kernel, const struct frame_tree *tree,
                         struct frame_bytes bytes, size_t budget, bool strict) {
    struct chooser chooser = {kernel, tree, bytes, budget, strict, false};
    memset(kernel->has, false, tree->n_nodes * sizeof *kernel->has);
    memset(kernel->known, false, tree->n_nodes * sizeof *kernel->known);
    kernel->bytes = 0;
    kernel->probability = kernel->stay = 0;
    uint32_t n_paths = list_paths(kernel, tree);
    qsort(kernel->paths, n_paths, sizeof *kernel->paths, compare_paths);
    for (uint32_t i = 0; i < n_paths; i++)
        classify_path(&chooser, kernel->paths[i].leaf);
    divide_by_root(kernel, tree);
}

void frame_kernel_take_all(struct frame_kernel *kernel, const struct frame_tree *tree) {
    memset(kernel->has, true, tree->n_nodes * sizeof *kernel->has);
}

/* --- bytes ------------------------------------------------------------------------------------ */

struct frame_bytes ifelse_node_bytes(bool as_int, bool votes) {
#if defined(__aarch64__)
    return (struct frame_bytes){as_int ? 20 : 18, votes ? 8 : 12};
#else
    return (struct frame_bytes){as_int ? 21 : 17, votes ? 6 : 13};
#endif
}

size_t ifelse_cache_bytes(void) {
    enum { USUAL = 32 * 1024 };
    long bytes = -1;
#ifdef _SC_LEVEL1_ICACHE_SIZE
    bytes = sysconf(_SC_LEVEL1_ICACHE_SIZE);
#endif
    return bytes > 0 ? (size_t)bytes : USUAL;
}
