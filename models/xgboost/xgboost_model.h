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
    const uint32_t *iteration_begin; /* [n_begins] first tree of each iteration, then the end */
    size_t n_begins;                 /* 0 if not stored */
};

/* The information in a file about the model as a whole. */
struct xgboost_header {
    struct xgboost_version version;
    struct xgboost_early_stop early_stop;
    const char *objective; /* NUL-terminated */
    bool base_is_margin;
    const float *base; /* one for all outputs, or one per output */
    size_t n_base;
    uint32_t n_features;
    uint32_t n_classes, n_targets; /* as stored; the larger one is the number of outputs if not 0 */
    uint32_t n_outputs;            /* set by xgboost_model_finish */
    const uint32_t
        *tree_output; /* [n_tree_output] one per tree; if empty, all trees add to output 0 */
    size_t n_tree_output;
    const float *tree_weight; /* [n_tree_weight] one per tree (dart); if empty, all are 1 */
    size_t n_tree_weight;
};

struct xgboost_model;
/* `name` is the file's. All errors of the model go to `error`. NULL if out of memory. */
struct xgboost_model *xgboost_model_create(const char *name, struct error *error);
void xgboost_model_free(struct xgboost_model *model);

/* Checks and adds a tree. The tree may be freed afterwards. */
enum status xgboost_add_tree(struct xgboost_model *model, const struct xgboost_tree *tree);

/* Creates the ensemble. Always frees the model. */
enum status xgboost_model_finish(struct xgboost_model *model, struct xgboost_header *header,
                                 struct ensemble **ensemble);

/* Computes the margin that the score of each output starts from: margins[header->n_outputs]. Fails
 * for objectives that are not XGBoost's own and for base scores without a finite margin. Errors
 * begin with the file name. */
enum status xgboost_margins(const char *name, const struct xgboost_header *header, double *margins,
                            struct error *error);

/* Writes XGBoost's JSON, which version 2.0 and later read. Tests are exact. Leaf values and base
 * scores are rounded to XGBoost's float32. */
enum status xgboost_write_json(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
