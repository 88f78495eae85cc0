/* STRUCT: a struct per node, each allocated by its own malloc (asadi2014 section 3).
 *
 * The nodes are allocated breadth first, in the order in which a tree is built. In a fresh heap,
 * the nodes then have ascending addresses, 32 bytes apart with glibc's malloc. The layout is almost
 * that of STRUCT+. The option scatter=1 simulates the fragmented memory that the paper describes.
 * The traversal is in struct_tree.c. */
#include "impls/plain/struct_tree.h"

#include "base/random.h"

#include <stdlib.h>

static void free_nodes(struct struct_node *const *nodes, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(nodes[i]);
}

static bool allocate_nodes(struct struct_node **nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        nodes[i] = malloc(sizeof *nodes[i]);
        if (!nodes[i]) {
            free_nodes(nodes, i);
            return false;
        }
    }
    return true;
}

/* Shuffles the addresses of the nodes of all trees (Fisher-Yates), so that the children of a node
 * are usually far from it. */
static void scatter_nodes(struct struct_node **nodes, size_t count) {
    struct random random;
    random_seed(&random, 1);
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(&random, i);
        struct struct_node *node = nodes[i - 1];
        nodes[i - 1] = nodes[j];
        nodes[j] = node;
    }
}

/* Recursion is safe because trees are at most ENSEMBLE_MAX_DEPTH deep. */
static void free_tree(struct struct_node *node) {
    if (node && node->left) {
        free_tree(node->left);
        free_tree(node->right);
    }
    free(node);
}

static void struct_destroy(struct scorer *scorer) {
    struct struct_scorer *made = (struct struct_scorer *)scorer;
    for (size_t t = 0; t < scorer->n_units; t++)
        free_tree(made->trees[t].root);
}

static enum status struct_build(const struct impl *impl, const struct ensemble *ensemble,
                                const struct options *options, struct scorer **scorer,
                                struct error *error) {
    long scatter;
    enum status status = options_integer(options, "scatter", 0, 1, 0, &scatter, error);
    if (status)
        return status;
    size_t count = ensemble->n_nodes + ensemble->n_leaves, begin = 0;
    struct struct_scorer *made = struct_scorer_create(impl, ensemble, error);
    if (!made)
        return STATUS_MEMORY;
    struct struct_node **nodes = malloc(count * sizeof *nodes + 1); /* malloc(0) may be NULL */
    if (!nodes || !allocate_nodes(nodes, count)) {
        free(nodes);
        return scorer_finish(&made->scorer, error_memory(error, impl->name), scorer, error);
    }
    if (scatter)
        scatter_nodes(nodes, count);
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        struct_tree_fill(made, ensemble, t, nodes + begin);
        begin += struct_tree_size(ensemble, t);
    }
    free(nodes);
    return scorer_finish(&made->scorer, STATUS_OK, scorer, error);
}

static const struct impl_param params[] = {
    {"scatter", "1: nodes are in random order, as on a fragmented heap", "0 1", "0"},
    {0},
};

const struct impl impl_struct = {.name = "struct",
                                 .title = "STRUCT",
                                 .roles = IMPL_SURPASSED,
                                 .source = "asadi2014 section 3",
                                 .kind = IMPL_TRAVERSAL,
                                 .params = params,
                                 .sets = true,
                                 .votes = true,
                                 .build = struct_build,
                                 .score = struct_score,
                                 .destroy = struct_destroy};
