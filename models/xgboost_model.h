/* What all of XGBoost's file formats mean, once.
 *
 * A document goes left where x[feature] < number; a missing value (NaN) takes the default side. In
 * a categorical split (a set node) what is in the set goes right: x in
 * [c, c + 1) is category c, and what is under 0 or from 2^24 on is in no set. Scores are margins:
 * base + leaves, where the base score of a file is, but for binary files before 1.0, in the space
 * of predictions, and the objective takes it to a margin. Sources: xgboost's
 * src/common/categorical.h, src/objective/ (ProbToMargin), src/learner.cc, src/tree/tree_model.cc.
 */
#ifndef MODELS_XGBOOST_MODEL_H
#define MODELS_XGBOOST_MODEL_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdio.h>

struct xgboost_node {
    int32_t left, right; /* left < 0: a leaf */
    uint32_t feature;
    float number; /* threshold or leaf value */
    bool default_left;
    bool categorical;
    bool has_set; /* the categories are set[first, first + size) of the tree */
    uint32_t set_first, set_size;
};
#define XGBOOST_DELETED_FEATURE UINT32_C(0x7fffffff) /* with default_left: the node was pruned */

struct xgboost_tree {
    const struct xgboost_node *nodes;
    uint32_t n_nodes;
    const uint32_t *categories; /* of all nodes; xgboost_add_tree checks the nodes' ranges */
    size_t n_categories;

    /* Leaves of several values: one for each output. */
    uint32_t leaf_size;   /* 0 or 1: a leaf's value is its number */
    const float *vectors; /* [n_vectors], leaf_size values for a leaf */
    size_t n_vectors;
    bool vectors_by_node; /* node i has the vector i; otherwise a leaf's right says which it has */
};

/* The version that wrote a file. */
struct xgboost_version {
    bool is_known, has_patch;
    uint32_t major, minor, patch;
};

/* What early stopping left in a file, and what tells how many trees that is. */
struct xgboost_early_stop {
    bool is_known;
    uint32_t iteration;              /* the best, from 0 on */
    uint32_t ntree_limit;            /* trees of an output up to it; 0: the file does not say */
    uint32_t n_parallel;             /* trees of an output in an iteration; 0 is 1 */
    const uint32_t *iteration_begin; /* [n_begins] the first tree of each iteration, and the end */
    size_t n_begins;                 /* 0: the file does not say */
};

/* What a file says about the model as a whole. */
struct xgboost_header {
    struct xgboost_version version;
    struct xgboost_early_stop early_stop;
    const char *objective; /* NUL-terminated */
    bool base_is_margin;
    const float *base; /* one for all outputs, or one for each */
    size_t n_base;
    uint32_t n_features;
    uint32_t n_outputs;
    const uint32_t *tree_output; /* [n_tree_output], as many as trees; none: all are of output 0 */
    size_t n_tree_output;
    const float *tree_weight; /* [n_tree_weight], as many as trees (dart); none: all are 1 */
    size_t n_tree_weight;
};

struct xgboost_model;
struct xgboost_model *xgboost_model_create(const char *name); /* the file's; NULL: no memory */
void xgboost_model_free(struct xgboost_model *model);

/* Checks a tree and adds it; it may be freed afterwards. */
enum status xgboost_add_tree(struct xgboost_model *model, const struct xgboost_tree *tree,
                             struct error *error);

/* Frees the model, whatever the outcome. */
enum status xgboost_model_finish(struct xgboost_model *model, const struct xgboost_header *header,
                                 struct ensemble **ensemble, struct error *error);

/* XGBoost's JSON, as version 2.0 and later read it. Tests are exact; values of leaves and the base
 * are rounded to XGBoost's float32. */
enum status xgboost_write_json(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
