/* STRUCT+: like STRUCT, but the nodes of each tree are in one array, with the root at 0 (asadi2014
 * section 3). The program that its authors published, OptTrees, lays them out depth first
 * (StructPlus.h, compressNodes): a left child then follows its parent, mostly in the same cache
 * line. The paper says breadth first. The traversal is in struct_tree.c. */
#include "impls/plain/struct_tree.h"

#include <stdlib.h>

#define LAYOUTS "depth breadth"
enum { LAYOUT_BREADTH = 1 };

/* Gives the subtree of `child`, whose place breadth first is `place`, the nodes from `next` on,
 * depth first. Returns the node after them. Recursion is safe because trees are at most
 * ENSEMBLE_MAX_DEPTH deep. */
static struct struct_node *lay_out(const struct ensemble *ensemble, uint32_t t, size_t place,
                                   int32_t child, struct struct_node *next,
                                   struct struct_node **nodes) {
    nodes[place] = next++;
    if (child < 0)
        return next;
    size_t node = ensemble->tree_node[t] + (size_t)child, left = 2 * (size_t)child + 1;
    next = lay_out(ensemble, t, left, ensemble->left[node], next, nodes);
    return lay_out(ensemble, t, left + 1, ensemble->right[node], next, nodes);
}

/* `nodes` has room for the addresses of the largest tree's nodes. False if out of memory. */
static bool build_trees(struct struct_scorer *made, const struct ensemble *ensemble,
                        bool depth_first, struct struct_node **nodes) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        size_t size = struct_tree_size(ensemble, t);
        struct struct_node *array = memory_pool_array(&made->scorer.pool, size, sizeof *array);
        if (!array)
            return false;
        if (depth_first)
            lay_out(ensemble, t, 0, ensemble_tree_nodes(ensemble, t) ? 0 : ~0, array, nodes);
        for (size_t i = 0; i < size && !depth_first; i++)
            nodes[i] = array + i;
        struct_tree_fill(made, ensemble, t, nodes);
    }
    return true;
}

static enum status struct_plus_build(const struct impl *impl, const struct ensemble *ensemble,
                                     const struct options *options, struct scorer **scorer,
                                     struct error *error) {
    unsigned layout;
    enum status status = options_choice(options, impl->name, "layout", LAYOUTS, &layout, error);
    struct struct_scorer *made = status ? NULL : struct_scorer_create(impl, ensemble, error);
    if (!made)
        return status ? status : STATUS_MEMORY;
    struct struct_node **nodes = malloc(ensemble_largest_tree(ensemble) * sizeof *nodes + 1);
    if (!nodes || !build_trees(made, ensemble, layout != LAYOUT_BREADTH, nodes))
        status = error_memory(error, impl->name);
    free(nodes);
    return scorer_finish(&made->scorer, status, scorer, error);
}

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1,
                   .document = {.always = 3.6, .tree = 0.26, .decision = 1.46, .surprise = 6.6}},
    [IMPL_NO_VBMI] = {.lanes = 1, .document = {.always = 10, .level = 3.3}}};

static const struct impl_param params[] = {
    {"layout",
     "the order of a tree's nodes in memory: a left child next to its parent, or level by level",
     LAYOUTS, "depth"},
    {0},
};

const struct impl impl_struct_plus = {.name = "struct-plus",
                                      .title = "STRUCT+",
                                      .roles = IMPL_PLAIN_WALK,
                                      .source = "asadi2014 section 3",
                                      .kind = IMPL_TRAVERSAL,
                                      .params = params,
                                      .sets = true,
                                      .votes = true,
                                      .costs = costs,
                                      .form = IMPL_TABLES,
                                      .build = struct_plus_build,
                                      .score = struct_score};
