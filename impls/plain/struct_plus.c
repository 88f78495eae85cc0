/* STRUCT+: like STRUCT, but the nodes of each tree are in one array, with the root at 0 (asadi2014
 * section 3). The paper lays them out breadth first. The program that its authors published,
 * OptTrees, does it depth first (StructPlus.h, compressNodes): a left child then follows its
 * parent, mostly in the same cache line. The traversal is in struct_tree.c. */
#include "impls/plain/struct_tree.h"

#include <stdlib.h>

extern const struct impl impl_struct_plus;

#define LAYOUTS "breadth depth"
enum { LAYOUT_DEPTH = 1 };

static void struct_plus_destroy(struct scorer *scorer) {
    struct struct_scorer *made = (struct struct_scorer *)scorer;
    for (size_t t = 0; t < scorer->n_units; t++)
        free(made->trees[t].root); /* the first node of the tree's array */
    struct_scorer_free(made);
}

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

/* `nodes` has room for the addresses of the largest tree's nodes. */
static bool build_trees(struct struct_scorer *made, const struct ensemble *ensemble,
                        bool depth_first, struct struct_node **nodes) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        size_t size = struct_tree_size(ensemble, t);
        struct struct_node *array = malloc(size * sizeof *array);
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

static enum status struct_plus_build(const struct ensemble *ensemble, const struct options *options,
                                     struct scorer **scorer, struct error *error) {
    unsigned layout;
    enum status status =
        options_choice(options, impl_struct_plus.name, "layout", LAYOUTS, &layout, error);
    if (status)
        return status;
    struct struct_scorer *made = struct_scorer_create(&impl_struct_plus, ensemble);
    if (!made)
        return error_memory(error, "struct-plus");
    struct struct_node **nodes = malloc(ensemble_largest_tree(ensemble) * sizeof *nodes + 1);
    bool built = nodes && build_trees(made, ensemble, layout == LAYOUT_DEPTH, nodes);
    free(nodes);
    if (!built) {
        struct_plus_destroy(&made->scorer);
        return error_memory(error, "struct-plus");
    }
    *scorer = &made->scorer;
    return STATUS_OK;
}

static const struct impl_cost costs[IMPL_PROCESSORS] = {
    [IMPL_VBMI] = {.lanes = 1, .document = {.always = 10, .level = 2.8}},
    [IMPL_NO_VBMI] = {.lanes = 1, .document = {.always = 10, .level = 3.3}}};

static const struct impl_param params[] = {
    {"layout",
     "the order of a tree's nodes in memory: level by level, or a left child next to its parent",
     LAYOUTS, "breadth"},
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
                                      .score = struct_score,
                                      .destroy = struct_plus_destroy};
