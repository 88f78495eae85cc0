/* Declarations shared by the readers of CatBoost's JSON and binary files. Sources: CatBoost's
 * quantization.h, evaluator_impl.cpp and model.cpp.
 *
 * A bin is a test that trees can make: `x > border` in float32, or whether a category has a given
 * hash. Bins are numbered over all features: first those of float features, then those of
 * categories, then those of CTRs (models/ctrs.h). In an oblivious tree, bit i of a
 * document's leaf number is the result of the tree's i-th bin. NaN normally fails all bins of a
 * feature. It passes them all if the feature had NaNs in training and its NanValueTreatment is
 * AsTrue.
 *
 * Documents hold a number for each category: a code if a tree tests the category, otherwise NaN.
 * CTRs are additional columns, after those of the file. A score is scale * sum + bias. It is raw,
 * without the softmax or sigmoid of a classifier. */
#ifndef MODELS_CATBOOST_CATBOOST_H
#define MODELS_CATBOOST_CATBOOST_H

#include "models/ctrs.h"
#include "models/ensemble.h"
#include "models/nested_tree.h"

enum { CATBOOST_MAX_DEPTH = 24 }; /* CatBoost's own limit is 16 */

/* The end of error messages about bins of other features. */
#define CATBOOST_ONLY ", which only CatBoost can compute. Train on numbers and categories"

struct catboost_feature {
    uint32_t index; /* among the float features or CTRs */
    uint32_t column;
    bool nan_holds;
    uint32_t first_bin, n_bins;
};

/* Features that trees compare with borders. */
struct catboost_borders {
    struct catboost_feature *features; /* sorted by index, and therefore by bin */
    size_t n_features, features_capacity;
    struct memory_list bins; /* the border of each, a float */
};

/* The column of a categorical feature. */
struct catboost_column {
    uint32_t index, column; /* both increasing */
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

/* The caller sets `scale` to 1 and `builder`, and zeroes the others. */
struct catboost_model {
    struct catboost_borders floats, statistics; /* of float features and of CTRs */
    struct ctrs *ctrs;                          /* NULL if there are none */
    uint32_t n_columns;                         /* in the file */
    struct catboost_column *columns;
    size_t columns_count, columns_capacity;
    struct catboost_category *categories; /* sorted by index, and therefore by first_hash */
    size_t n_categories, categories_capacity;
    struct memory_list hashes; /* i32: one per bin of categories */
    uint32_t *codes; /* [hashes] code of the hash plus 1; 0 if no tree has tested it yet */
    struct memory_list with_code; /* u32: the hashes with a code, in the order of first tests */
    bool out_of_memory;
    struct catboost_name *names;
    size_t n_names, names_capacity, names_size;
    bool no_names;      /* some feature has no usable name */
    uint32_t n_outputs; /* 0 if not known yet */
    double scale;
    struct memory_list bias; /* of doubles */
    bool one_bias;           /* one bias for all outputs */
    struct ensemble_builder *builder;
    struct error inner; /* the last error, which does not name the file */
};

/* A node of a tree that is not symmetric. Children come after their parents. */
struct catboost_node {
    struct nested_node child; /* right if the bin's test holds */
    uint32_t bin;
    size_t value; /* leaves only: index of the first value */
};

/* Begins a feature, of which its bins need not be set. The caller adds its borders. The errors of
 * these functions go to model->inner. */
enum status catboost_begin_feature(struct catboost_model *model, struct catboost_borders *list,
                                   struct catboost_feature feature);
enum status catboost_add_border(struct catboost_model *model, struct catboost_borders *list,
                                float border);

/* Checks a float feature and declares its column. */
enum status catboost_end_feature(struct catboost_model *model);

/* Adds the column of a categorical feature, which documents may fill with words. */
enum status catboost_add_categorical(struct catboost_model *model, uint32_t index, uint32_t column);

/* Returns the column of a categorical feature; NULL if there is none with this index. */
const struct catboost_column *catboost_find_column(const struct catboost_model *model,
                                                   uint32_t index);

/* The same three functions for a categorical feature. */
enum status catboost_begin_category(struct catboost_model *model, uint32_t index, uint32_t column);
enum status catboost_add_hash(struct catboost_model *model, int32_t hash);
enum status catboost_end_category(struct catboost_model *model);

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

/* Returns the categorical feature with this index that trees test; NULL if there is none. */
const struct catboost_category *catboost_find_tested(const struct catboost_model *model,
                                                     uint32_t index);

size_t catboost_count_bins(const struct catboost_model *model);
size_t catboost_first_ctr_bin(const struct catboost_model *model);

/* --- CTRs (catboost_ctrs.c); all other features must have been added ----------------------------
 */

/* Begins a combination, to which the caller adds parts: a category, whether a float feature is over
 * one of its borders, or whether a category has a hash that trees test. */
enum status catboost_begin_combination(struct catboost_model *model);
enum status catboost_add_category(struct catboost_model *model, uint32_t index);
enum status catboost_add_over(struct catboost_model *model, uint32_t index, float border);
enum status catboost_add_is_category(struct catboost_model *model, uint32_t index, int32_t hash);

/* Begins a CTR. The caller adds its borders to model->statistics, then calls catboost_add_ctr,
 * which takes the last combination, and catboost_give_table. */
enum status catboost_begin_ctr(struct catboost_model *model);
enum status catboost_add_ctr(struct catboost_model *model, struct ctr ctr);

/* The number of counts of a table's entry. 0 if there is no table of so many classes. */
uint32_t catboost_ctr_stride(enum ctr_kind kind, uint32_t n_classes);

/* Sets the table of a CTR, and checks that the CTR's class exists in it. */
enum status catboost_give_table(struct catboost_model *model, uint32_t ctr, uint32_t table);

/* --- trees -------------------------------------------------------------------------------------
 */

/* Sets one bias per output, the columns of CTRs, and allocates the codes. Call it after the
 * features and before the trees. */
enum status catboost_begin_trees(struct catboost_model *model);

/* Add a tree for each output. Bins must be in range. The values of a leaf's outputs are contiguous.
 * If memory runs out, catboost_finish reports it. */
void catboost_add_oblivious(struct catboost_model *model, uint32_t depth, const uint32_t *bins,
                            const double *values);
void catboost_add_tree(struct catboost_model *model, const struct catboost_node *nodes,
                       uint32_t n_nodes, const double *values);

/* Ends a reader that ends with `status`: frees the model. If the status is no error, creates the
 * ensemble first. */
enum status catboost_finish(struct catboost_model *model, enum status status, const char *name,
                            struct ensemble **ensemble, struct error *error);

enum status catboost_read_json(const char *name, const char *text, size_t size,
                               struct ensemble **ensemble, struct error *error);
enum status catboost_read_binary(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error);

#endif
