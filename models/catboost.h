/* What the readers of CatBoost's JSON and of its binary files share. Private to them.
 *
 * As CatBoost (quantization.h, evaluator_impl.cpp, model.cpp) has it: a bin is one test that trees
 * make, `x > border` in float32. Bins are numbered over all features. A document's leaf in an
 * oblivious tree is the number of which bit i says whether the tree's bin i holds. NaN holds in no
 * bin, or in all of a feature that had NaNs in training and treats them as true. A score is
 * scale * sum + bias: raw, without the softmax or sigmoid of a classifier. */
#ifndef MODELS_CATBOOST_H
#define MODELS_CATBOOST_H

#include "models/ensemble.h"

enum { CATBOOST_MAX_DEPTH = 24 }; /* CatBoost's own limit is 16 */

/* Ends the error for bins that are neither of floats nor of categories. */
#define CATBOOST_ONLY                                                                              \
    ", which only CatBoost can compute; train with numbers in place of categories and texts"

struct catboost_feature {
    uint32_t index; /* among the float features */
    uint32_t column;
    bool nan_holds;
    uint32_t first_bin, n_bins;
};

struct catboost_list {
    double *values;
    size_t count, capacity;
};

struct catboost_model {
    struct catboost_feature *features; /* by rising index, and so by rising bins */
    uint32_t n_features, n_columns;
    size_t features_capacity;
    float *borders; /* of all bins */
    size_t n_bins, bins_capacity;
    uint32_t n_outputs; /* 0: not known yet */
    double scale;
    struct catboost_list bias;
    bool one_bias; /* for all outputs */
    struct ensemble_builder *builder;
};

/* A node of a tree that is not symmetric: children come behind their parents. */
struct catboost_node {
    uint32_t bin;
    uint32_t over, under; /* the nodes if the bin holds and if not; both 0: a leaf */
    size_t value;         /* where the values of a leaf begin */
};

/* False: no memory. */
bool catboost_create(struct catboost_model *model);
void catboost_free(struct catboost_model *model);

bool catboost_add_value(struct catboost_list *list, double value);

/* A feature begins, whose members the caller sets; borders follow, and its end, which checks it.
 * NULL: no memory. Errors do not name the file. */
struct catboost_feature *catboost_begin_feature(struct catboost_model *model);
enum status catboost_add_border(struct catboost_model *model, float border, struct error *error);
enum status catboost_end_feature(struct catboost_model *model, struct error *error);

/* Documents have this column. */
void catboost_add_column(struct catboost_model *model, uint32_t column);

const struct catboost_feature *catboost_find_feature(const struct catboost_model *model,
                                                     uint32_t index);

/* One bias for each output; to be called before trees are added. */
enum status catboost_complete_bias(struct catboost_model *model, struct error *error);

/* A tree for each output. Bins are in range. Values of a leaf's outputs lie together. */
void catboost_add_oblivious(struct catboost_model *model, uint32_t depth, const uint32_t *bins,
                            const double *values);
void catboost_add_tree(struct catboost_model *model, const struct catboost_node *nodes,
                       uint32_t n_nodes, const double *values);

/* Frees the model, whatever the outcome. */
enum status catboost_finish(struct catboost_model *model, const char *name,
                            struct ensemble **ensemble, struct error *error);

enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error);
enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error);

#endif
