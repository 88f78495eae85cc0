/* Growing one tree of a forest, or CART's one. Private to models/. */
#ifndef MODELS_LEARN_TREE_H
#define MODELS_LEARN_TREE_H

#include "models/learner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trees of a forest have in common. */
struct tree_task {
    const struct learner_data *data;
    const uint32_t *class_of; /* [n_rows] under n_classes; NULL: regression on the labels */
    uint32_t n_classes;       /* 0 for regression */
    uint32_t n_tried;         /* features that are tried at a node, 1 .. n_features */
    uint32_t max_depth;
    bool bootstrap;
    bool random_threshold; /* one for every feature that is tried, instead of the best */
};

/* Children come after their parent; the root is 0, and so nobody's child. */
struct grown_node {
    uint32_t left, right; /* 0: a leaf */
    uint32_t feature;
    float threshold;
    uint32_t leaf;  /* of a leaf its number, from 0 */
    uint64_t count; /* documents, as often as they were drawn */
    double mean;    /* of a leaf the mean label; regression only */
};

struct grown_tree {
    struct grown_node *nodes;
    size_t n_nodes, nodes_capacity;
    uint32_t n_leaves;
    uint64_t *class_counts; /* [n_leaves * n_classes] */
    size_t class_counts_capacity;
};

void grown_tree_free(struct grown_tree *tree);

/* Grows a tree from nothing; the seed decides all that is drawn. False: no memory. */
bool grow_tree(const struct tree_task *task, uint64_t seed, struct grown_tree *tree);

#endif
