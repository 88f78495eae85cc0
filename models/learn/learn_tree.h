/* Grows one tree of a forest, or CART's single tree. */
#ifndef MODELS_LEARN_LEARN_TREE_H
#define MODELS_LEARN_LEARN_TREE_H

#include "models/learn/learner.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The data and parameters shared by all trees of a forest. */
struct tree_task {
    const struct learner_data *data;
    const uint32_t *class_of; /* [n_rows] class of each document, less than n_classes; NULL for
                                 regression on the labels */
    uint32_t n_classes;       /* 0 for regression */
    uint32_t n_tried;         /* number of features tried at a node, 1 .. n_features */
    uint32_t max_depth;
    bool bootstrap;
    bool random_threshold; /* try one random threshold per feature instead of the best */
};

/* Children come after their parent. The root is 0, so no child is 0. */
struct grown_node {
    uint32_t left, right; /* 0 for a leaf */
    uint32_t feature;
    float threshold;
    uint32_t leaf;  /* leaves only: index of the leaf among the leaves of the tree */
    uint64_t count; /* number of documents, counting repeated draws */
    double mean;    /* leaves of regression only: the mean label */
};

struct grown_tree {
    struct grown_node *nodes;
    size_t n_nodes, nodes_capacity;
    uint32_t n_leaves;
    uint64_t *class_counts; /* [n_leaves * n_classes] */
    size_t class_counts_capacity;
};

void grown_tree_free(struct grown_tree *tree);

/* Grows a tree into an empty `tree`. The seed determines all random numbers. False if out of
 * memory. */
bool grow_tree(const struct tree_task *task, uint64_t seed, struct grown_tree *tree);

#endif
