/* The code that STRUCT and STRUCT+ share: everything except the addresses of the nodes. */
#ifndef IMPLS_PLAIN_STRUCT_TREE_H
#define IMPLS_PLAIN_STRUCT_TREE_H

#include "impls/impl.h"
#include "impls/shared/node_sets.h"

#include <stdbool.h>

/* 24 bytes if pointers have 8 bytes. */
struct struct_node {
    union {
        struct {
            uint32_t feature; /* see impls/shared/node.h */
            union {
                float threshold;
                uint32_t set; /* of a set node */
            };
        };
        double value; /* of a leaf */
    };
    struct struct_node *left, *right; /* both NULL in a leaf */
};

struct struct_tree {
    struct struct_node *root;
    uint32_t output;
};

struct struct_scorer {
    struct scorer scorer;
    bool any_nan_left;
    struct node_sets sets;
    struct struct_tree trees[];
};

/* Creates a scorer whose trees have no nodes yet: their roots are NULL. Returns NULL, with the
 * error, if memory runs out. */
struct struct_scorer *struct_scorer_create(const struct impl *impl, const struct ensemble *ensemble,
                                           struct error *error);

/* The number of nodes of tree t, leaves included. */
size_t struct_tree_size(const struct ensemble *ensemble, uint32_t t);

/* Fills in the nodes of tree t. `nodes` has the addresses of the nodes, leaves included, breadth
 * first. */
void struct_tree_fill(struct struct_scorer *made, const struct ensemble *ensemble, uint32_t t,
                      struct struct_node *const *nodes);

/* `score` of STRUCT and STRUCT+. */
void struct_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

#endif
