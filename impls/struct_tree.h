/* What STRUCT and STRUCT+ share: the node, the traversal, and everything but where the nodes lie.
 * Private to struct.c and struct_plus.c. */
#ifndef IMPLS_STRUCT_TREE_H
#define IMPLS_STRUCT_TREE_H

#include "impls/impl.h"
#include "impls/node_sets.h"

#include <stdbool.h>

/* 24 bytes where a pointer has 8. */
struct struct_node {
    union {
        struct {
            uint32_t feature; /* see impls/node.h */
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

/* A scorer without nodes: the roots are NULL. NULL when there is no memory. */
struct struct_scorer *struct_scorer_create(const struct impl *impl,
                                           const struct ensemble *ensemble);

/* Frees all but the nodes; NULL is fine. */
void struct_scorer_free(struct struct_scorer *made);

/* How many nodes tree t has, leaves included. */
size_t struct_tree_size(const struct ensemble *ensemble, uint32_t t);

/* Fills the nodes of tree t, whose addresses stand breadth first in `nodes`. */
void struct_tree_fill(struct struct_scorer *made, const struct ensemble *ensemble, uint32_t t,
                      struct struct_node *const *nodes);

/* `score` of both. */
void struct_score(const struct scorer *scorer, struct span units, struct span docs,
                  const struct batch *batch);

#endif
