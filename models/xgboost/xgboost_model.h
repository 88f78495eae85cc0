/* Declarations shared by the readers of XGBoost's file formats.
 *
 * A document goes left if x[feature] < number. A missing value (NaN) goes to the default side. A
 * categorical split (a set node) sends the categories in its set right. A value x in [c, c + 1) is
 * category c. Values below 0 and values of at least 2^24 are in no set.
 *
 * Scores are margins: base + leaves. The base score in a file is a prediction, and the objective
 * determines how it is converted to a margin. In binary files before 1.0, it already is a margin.
 * Sources: xgboost's src/common/categorical.h, src/objective/ (ProbToMargin), src/learner.cc,
 * src/tree/tree_model.cc. */
#ifndef MODELS_XGBOOST_XGBOOST_MODEL_H
#define MODELS_XGBOOST_XGBOOST_MODEL_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdio.h>

struct xgboost_node {
    int32_t left, right; /* left < 0 for a leaf */
    uint32_t feature;
    float number; /* threshold or leaf value */
    bool default_left;
    bool categorical;
    bool has_set; /* the set is set_size categories of the tree, beginning at set_first */
    uint32_t set_first, set_size;
};
#define XGBOOST_DELETED_FEATURE UINT32_C(0x7fffffff) /* and default_left: a pruned node */

struct xgboost_tree {
    const struct xgboost_node *nodes;
    uint32_t n_nodes;
    const uint32_t *categories; /* of all nodes; xgboost_add_tree checks each node's range */
    size_t n_categories;

    /* Leaf vectors: one value per output. */
    uint32_t leaf_size;   /* 0 or 1 if the value of a leaf is the node's `number` */
    const float *vectors; /* [n_vectors] leaf_size values per leaf */
    size_t n_vectors;
    bool vectors_by_node; /* node i has vector i; otherwise `right` of a leaf is its vector */
};

/* The version of XGBoost that wrote the file. */
struct xgboost_version {
    bool is_known, has_patch;
    uint32_t major, minor, patch;
};

/* The information about early stopping in a file, and the data needed to convert it to a number of
 * trees. */
struct xgboost_early_stop {
    bool is_known;
    uint32_t iteration;   /* the best iteration, from 0 */
    uint32_t ntree_limit; /* trees per output up to the best iteration; 0 if not stored */
    uint32_t n_parallel;  /* trees per output in an iteration; 0 means 1 */
    struct memory_list iteration_begin; /* u32: the first tree of each iteration, then the end */
};

enum { XGBOOST_NAME_SIZE = 64 };

/* The information in a file about the model as a whole. */
struct xgboost_header {
    struct xgboost_version version;
    struct xgboost_early_stop early_stop;
    char objective[XGBOOST_NAME_SIZE], booster[XGBOOST_NAME_SIZE];
    bool base_is_margin;
    struct memory_list base; /* floats: one for all outputs, or one per output */
    uint32_t n_features;
    uint32_t n_classes, n_targets; /* as stored; the larger one is the number of outputs if not 0 */
    uint32_t n_outputs;            /* set by xgboost_model_finish */
    struct memory_list tree_output; /* u32: one per tree; if empty, all trees add to output 0 */
    struct memory_list tree_weight; /* floats: one per tree (dart); if empty, all are 1 */
};

/* The trees of a file. The caller sets the first group of members and zeroes the others. */
struct xgboost_model {
    const char *name; /* of the file */
    struct error *error;
    struct ensemble_builder *builder;

    uint32_t n_trees;               /* in the file */
    struct xgboost_made_tree *made; /* [n_made] */
    size_t n_made, made_capacity;
    uint32_t leaf_size; /* of the trees with leaf vectors; 0 if there are none so far */
    uint32_t largest_feature, largest_feature_tree, largest_feature_node;

    /* The current tree. All trees share the memory. */
    struct memory_pool pool; /* of the three arrays */
    size_t capacity;         /* number of nodes for which there is memory */
    uint8_t *is_taken;       /* [n_nodes] nodes taken by a parent, or vectors taken by a leaf */
    uint32_t *order;         /* [n_order] the nodes reachable from the root, parents first */
    uint32_t *number;        /* [n_nodes] the position of a node in `order` */
    uint32_t n_order;
    struct memory_list cuts;   /* of one node */
    struct memory_list sorted; /* u32: the categories of one node */
};

/* Checks and adds a tree. The tree may be freed afterwards. */
enum status xgboost_add_tree(struct xgboost_model *model, const struct xgboost_tree *tree);

/* Ends a reader that ends with `status`: frees the model and the lists of the header. If the status
 * is no error, creates the ensemble first. */
enum status xgboost_model_finish(struct xgboost_model *model, enum status status,
                                 struct xgboost_header *header, struct ensemble **ensemble);

/* Computes the margin that the score of each output starts from: margins[header->n_outputs]. Fails
 * for objectives that are not XGBoost's own and for base scores without a finite margin. Errors
 * begin with the file name. */
enum status xgboost_margins(const char *name, const struct xgboost_header *header, double *margins,
                            struct error *error);

/* Writes XGBoost's JSON, which version 2.0 and later read. Tests are exact. Leaf values and base
 * scores are rounded to XGBoost's float32. */
enum status xgboost_write_json(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
