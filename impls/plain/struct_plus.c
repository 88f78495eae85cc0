/* STRUCT+: like STRUCT, but the nodes of each tree are in one array, breadth first, with the root
 * at 0 (asadi2014 section 3). The program that the paper's authors published stores nodes depth
 * first. The traversal is in struct_tree.c. */
#include "impls/plain/struct_tree.h"

#include <stdlib.h>

extern const struct impl impl_struct_plus;

static void struct_plus_destroy(struct scorer *scorer) {
    struct struct_scorer *made = (struct struct_scorer *)scorer;
    for (size_t t = 0; t < scorer->n_units; t++)
        free(made->trees[t].root); /* the first node of the tree's array */
    struct_scorer_free(made);
}

/* `nodes` has room for the addresses of the largest tree's nodes. */
static bool build_trees(struct struct_scorer *made, const struct ensemble *ensemble,
                        struct struct_node **nodes) {
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        size_t size = struct_tree_size(ensemble, t);
        struct struct_node *array = malloc(size * sizeof *array);
        if (!array)
            return false;
        for (size_t i = 0; i < size; i++)
            nodes[i] = array + i;
        struct_tree_fill(made, ensemble, t, nodes);
    }
    return true;
}

static enum status struct_plus_build(const struct ensemble *ensemble, const struct options *options,
                                     struct scorer **scorer, struct error *error) {
    (void)options;
    struct struct_scorer *made = struct_scorer_create(&impl_struct_plus, ensemble);
    if (!made)
        return error_memory(error, "struct-plus");
    struct struct_node **nodes = malloc(ensemble_largest_tree(ensemble) * sizeof *nodes + 1);
    bool built = nodes && build_trees(made, ensemble, nodes);
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

const struct impl impl_struct_plus = {.name = "struct-plus",
                                      .title = "STRUCT+",
                                      .roles = IMPL_PLAIN_WALK,
                                      .source = "asadi2014 section 3",
                                      .kind = IMPL_TRAVERSAL,
                                      .sets = true,
                                      .votes = true,
                                      .costs = costs,
                                      .form = IMPL_TABLES,
                                      .build = struct_plus_build,
                                      .score = struct_score,
                                      .destroy = struct_plus_destroy};
