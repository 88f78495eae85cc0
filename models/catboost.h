/* What the readers of CatBoost's JSON and of its binary files share. Private to them.
 *
 * As CatBoost (quantization.h, evaluator_impl.cpp, model.cpp) has it: a bin is one test that trees
 * make, `x > border` in float32, or whether a category's hash is a given one. Bins are numbered
 * over all features, those of categories behind the others. A document's leaf in an oblivious tree
 * is the number of which bit i says whether the tree's bin i holds. NaN holds in no bin, or in all
 * of a feature that had NaNs in training and treats them as true. Documents have numbers for
 * categories: codes of those that trees test, and NaN for all others. A score is scale * sum +
 * bias: raw, without the softmax or sigmoid of a classifier. */
#ifndef MODELS_CATBOOST_H
#define MODELS_CATBOOST_H

#include "models/ensemble.h"

enum { CATBOOST_MAX_DEPTH = 24 }; /* CatBoost's own limit is 16 */

/* Ends the error for bins that are neither of floats nor of categories. */
#define CATBOOST_ONLY                                                                              \
    ", which only CatBoost can compute; train with one_hot_max_size over the number of "           \
    "categories, or with numbers"

struct catboost_feature {
    uint32_t index; /* among the float features */
    uint32_t column;
    bool nan_holds;
    uint32_t first_bin, n_bins;
};

/* A feature of categories that trees test. */
struct catboost_category {
    uint32_t index;  /* among the categorical features */
    uint32_t column; /* rising */
    size_t first_hash;
    uint32_t n_hashes;
    uint32_t n_codes; /* hashes that trees have tested so far */
};

/* A feature's name; its text is the file's. */
struct catboost_name {
    uint32_t column, length;
    const char *text;
};

struct catboost_list {
    double *values;
    size_t count, capacity;
};

struct catboost_model {
    struct catboost_feature *features; /* by rising index, and so by rising bins */
    uint32_t n_features, n_columns;
    size_t features_capacity;
    float *borders;                       /* of all bins */
    size_t n_bins, bins_capacity;         /* of float features */
    struct catboost_category *categories; /* by rising index and hashes */
    size_t n_categories, categories_capacity;
    int32_t *hashes; /* of all bins of categories */
    size_t n_hashes, hashes_capacity;
    uint32_t *codes;     /* [n_hashes] one more than a hash's code; 0: no tree has tested it */
    uint32_t *with_code; /* the hashes that have one, in the order of their first tests */
    size_t n_with_code, with_code_capacity;
    bool out_of_memory;
    struct catboost_name *names;
    size_t n_names, names_capacity, names_size;
    bool no_names;      /* some feature has none that can be used */
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

/* The same for a feature of categories. */
struct catboost_category *catboost_begin_category(struct catboost_model *model);
enum status catboost_add_hash(struct catboost_model *model, int32_t hash, struct error *error);
enum status catboost_end_category(struct catboost_model *model, struct error *error);

/* A feature's name, of a file of that size; all together are used if all features have one. False:
 * no memory. */
bool catboost_add_name(struct catboost_model *model, uint32_t column, const char *text,
                       size_t length, size_t file_size);

/* Documents have this column. */
void catboost_add_column(struct catboost_model *model, uint32_t column);

const struct catboost_feature *catboost_find_feature(const struct catboost_model *model,
                                                     uint32_t index);

/* The feature that a hash belongs to, which must exist. */
struct catboost_category *catboost_find_category(const struct catboost_model *model, size_t hash);

size_t catboost_count_bins(const struct catboost_model *model);

/* One bias for each output, and room for codes; to be called before trees are added, when features
 * are known. */
enum status catboost_begin_trees(struct catboost_model *model, struct error *error);

/* A tree for each output. Bins are in range. Values of a leaf's outputs lie together. Lack of
 * memory is reported by catboost_finish. */
void catboost_add_oblivious(struct catboost_model *model, uint32_t depth, const uint32_t *bins,
                            const double *values);
void catboost_add_tree(struct catboost_model *model, const struct catboost_node *nodes,
                       uint32_t n_nodes, const double *values);

/* Makes the names those of the ensemble, if every feature has one. */
enum status catboost_give_names(struct catboost_model *model, struct ensemble *ensemble,
                                struct error *error);

/* Frees the model, whatever the outcome. */
enum status catboost_finish(struct catboost_model *model, const char *name,
                            struct ensemble **ensemble, struct error *error);

enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error);
enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error);

#endif
