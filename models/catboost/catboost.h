/* Declarations shared by the readers of CatBoost's JSON and binary files. Sources: CatBoost's
 * quantization.h, evaluator_impl.cpp and model.cpp.
 *
 * A bin is a test that trees can make: `x > border` in float32, or whether a category has a given
 * hash. Bins are numbered over all features. The bins of categories come last. In an oblivious
 * tree, bit i of a document's leaf number is the result of the tree's i-th bin. NaN normally fails
 * all bins of a feature. It passes them all if the feature had NaNs in training and its
 * NanValueTreatment is AsTrue.
 *
 * Documents hold a number for each category: a code if a tree tests the category, otherwise NaN. A
 * score is scale * sum + bias. It is raw, without the softmax or sigmoid of a classifier. */
#ifndef MODELS_CATBOOST_CATBOOST_H
#define MODELS_CATBOOST_CATBOOST_H

#include "models/ensemble.h"

enum { CATBOOST_MAX_DEPTH = 24 }; /* CatBoost's own limit is 16 */

/* The end of error messages about bins that test neither floats nor categories. */
#define CATBOOST_ONLY                                                                              \
    ", which only CatBoost can compute. Train with one_hot_max_size greater than the number of "   \
    "categories, or encode categories as numbers"

struct catboost_feature {
    uint32_t index; /* among the float features */
    uint32_t column;
    bool nan_holds;
    uint32_t first_bin, n_bins;
};

/* A categorical feature that trees test. */
struct catboost_category {
    uint32_t index;  /* among the categorical features */
    uint32_t column; /* increasing */
    size_t first_hash;
    uint32_t n_hashes;
    uint32_t n_codes; /* number of hashes that trees have tested so far */
};

/* The name of a feature. `text` points into the content of the file. */
struct catboost_name {
    uint32_t column, length;
    const char *text;
};

struct catboost_list {
    double *values;
    size_t count, capacity;
};

struct catboost_model {
    struct catboost_feature *features; /* sorted by index, and therefore by bin */
    uint32_t n_features, n_columns;
    size_t features_capacity;
    float *borders;                       /* one per bin of float features */
    size_t n_bins, bins_capacity;         /* number of bins of float features */
    struct catboost_category *categories; /* sorted by index, and therefore by first_hash */
    size_t n_categories, categories_capacity;
    int32_t *hashes; /* one per bin of categories */
    size_t n_hashes, hashes_capacity;
    uint32_t *codes;     /* [n_hashes] code of the hash plus 1; 0 if no tree has tested it yet */
    uint32_t *with_code; /* the hashes that have a code, in the order of their first tests */
    size_t n_with_code, with_code_capacity;
    bool out_of_memory;
    struct catboost_name *names;
    size_t n_names, names_capacity, names_size;
    bool no_names;      /* some feature has no usable name */
    uint32_t n_outputs; /* 0 if not known yet */
    double scale;
    struct catboost_list bias;
    bool one_bias; /* one bias for all outputs */
    struct ensemble_builder *builder;
};

/* A node of a tree that is not symmetric. Children come after their parents. */
struct catboost_node {
    uint32_t bin;
    uint32_t over, under; /* the next node if the bin's test holds, and if not; both 0 for a leaf */
    size_t value;         /* leaves only: index of the first value */
};

/* Returns false if out of memory. */
bool catboost_create(struct catboost_model *model);
void catboost_free(struct catboost_model *model);

bool catboost_add_value(struct catboost_list *list, double value);

/* Begins a feature; NULL if out of memory. The caller sets the feature's members, adds its borders
 * and calls catboost_end_feature, which checks it. Errors do not name the file. */
struct catboost_feature *catboost_begin_feature(struct catboost_model *model);
enum status catboost_add_border(struct catboost_model *model, float border, struct error *error);
enum status catboost_end_feature(struct catboost_model *model, struct error *error);

/* The same three functions for a categorical feature. */
struct catboost_category *catboost_begin_category(struct catboost_model *model);
enum status catboost_add_hash(struct catboost_model *model, int32_t hash, struct error *error);
enum status catboost_end_category(struct catboost_model *model, struct error *error);

/* Adds the name of a feature. All names together may be at most file_size bytes long. The names are
 * used only if every feature has one. Returns false if out of memory. */
bool catboost_add_name(struct catboost_model *model, uint32_t column, const char *text,
                       size_t length, size_t file_size);

/* Declares that documents have this column. */
void catboost_add_column(struct catboost_model *model, uint32_t column);

const struct catboost_feature *catboost_find_feature(const struct catboost_model *model,
                                                     uint32_t index);

/* The feature that a hash belongs to. The hash must exist. */
struct catboost_category *catboost_find_category(const struct catboost_model *model, size_t hash);

size_t catboost_count_bins(const struct catboost_model *model);

/* Sets one bias per output and allocates the codes. Call it after the features and before the
 * trees. */
enum status catboost_begin_trees(struct catboost_model *model, struct error *error);

/* Add a tree for each output. Bins must be in range. The values of a leaf's outputs are contiguous.
 * If memory runs out, catboost_finish reports it. */
void catboost_add_oblivious(struct catboost_model *model, uint32_t depth, const uint32_t *bins,
                            const double *values);
void catboost_add_tree(struct catboost_model *model, const struct catboost_node *nodes,
                       uint32_t n_nodes, const double *values);

/* Moves the names to the ensemble if every feature has one. */
enum status catboost_give_names(struct catboost_model *model, struct ensemble *ensemble,
                                struct error *error);

/* Creates the ensemble. Always frees the model. */
enum status catboost_finish(struct catboost_model *model, const char *name,
                            struct ensemble **ensemble, struct error *error);

enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error);
enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error);

#endif
