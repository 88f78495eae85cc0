/* Declarations shared by the files that read LightGBM's models. lightgbm_model.c builds the
 * ensemble. Of the text, lightgbm.c reads the header and the model, lightgbm_lines.c reads lines
 * and keys, and lightgbm_tree.c reads trees. lightgbm_json.c reads dumps. */
#ifndef MODELS_LIGHTGBM_LIGHTGBM_READER_H
#define MODELS_LIGHTGBM_LIGHTGBM_READER_H

#include "models/lightgbm/lightgbm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- models ----------------------------------------------------------------------------------- */

#define LIGHTGBM_VERSIONS "Supported versions: v2, v3, v4"
#define LIGHTGBM_LINEAR "a linear tree, which is not supported. Train with linear_tree=false"

/* What both readers collect. */
struct lightgbm_model {
    const char *name; /* of the file */
    struct error *error;
    uint32_t n_features, trees_per_iteration;
    double divisor;              /* leaf values are divided by this */
    uint32_t n_trees;            /* trees begun so far */
    size_t n_cuts;               /* number of cuts of the splits in the current tree so far */
    struct lightgbm_split split; /* the current split; its memory is reused for every split */
    struct ensemble_builder *builder;
};

bool lightgbm_supports_version(const char *begin, const char *end);

/* Begin a tree, and add its nodes. A split decides as model->split says; the caller sets the other
 * members of `node`. */
void lightgbm_begin_tree(struct lightgbm_model *model);
enum status lightgbm_add_split(struct lightgbm_model *model, struct inner_node *node);
void lightgbm_add_leaf(struct lightgbm_model *model, double value, uint64_t count);

/* Begins a model. */
struct lightgbm_model lightgbm_begin_model(const char *name, struct error *error);

/* Ends a reader that ends with `status`. If that is no error, makes the ensemble. The caller then
 * sets the objective, the names and the facts of the training data. */
enum status lightgbm_finish(struct lightgbm_model *model, enum status status,
                            struct ensemble **ensemble);

/* --- text ------------------------------------------------------------------------------------- */

struct lightgbm_key {
    const char *name;
    bool required;
};

enum header_key {
    VERSION,
    NUM_CLASS,
    NUM_TREE_PER_ITERATION,
    LABEL_INDEX,
    MAX_FEATURE_IDX,
    OBJECTIVE,
    AVERAGE_OUTPUT,
    FEATURE_NAMES,
    MONOTONE_CONSTRAINTS,
    FEATURE_INFOS,
    TREE_SIZES,
    HEADER_KEYS
};

enum tree_key {
    SPLIT_FEATURE, /* lists with one number per split */
    THRESHOLD,
    DECISION_TYPE,
    LEFT_CHILD,
    RIGHT_CHILD,
    INTERNAL_COUNT,
    LEAF_VALUE, /* lists with one number per leaf */
    LEAF_COUNT,
    CAT_BOUNDARIES,
    CAT_THRESHOLD,
    N_LISTS,
    NUM_LEAVES = N_LISTS, /* single numbers */
    NUM_CAT,
    IS_LINEAR,
    SPLIT_GAIN, /* the keys from here on do not affect scores */
    LEAF_WEIGHT,
    INTERNAL_VALUE,
    INTERNAL_WEIGHT,
    SHRINKAGE,
    LEAF_CONST, /* of linear trees, which are not supported */
    NUM_FEATURES,
    LEAF_FEATURES,
    LEAF_COEFF,
    TREE_KEYS
};

/* The values of a key in the file. */
struct lightgbm_field {
    const char *begin, *end;
    size_t line; /* 0 if the key is absent */
};

struct lightgbm_reader {
    struct lightgbm_model model;
    enum lightgbm_leaves leaves;
    const char *at, *end;              /* the text after the current line */
    const char *line_begin, *line_end; /* the current line; both are NULL after the last line */
    size_t line;                       /* number of the current line */
    struct lightgbm_field header[HEADER_KEYS];

    /* The current tree. */
    uint32_t tree;
    size_t tree_line;
    struct lightgbm_field fields[TREE_KEYS];
    struct memory_list lists[N_LISTS]; /* of doubles */
    uint32_t n_splits;
    uint32_t n_sets_used; /* number of sets used by the categorical splits so far */
};

/* --- lines ------------------------------------------------------------------------------------ */

/* Moves to the next line. After the last line, line_begin is NULL. */
void lightgbm_next_line(struct lightgbm_reader *r);
bool lightgbm_line_begins(const struct lightgbm_reader *r, const char *words);
bool lightgbm_line_is(const struct lightgbm_reader *r, const char *words);
const char *lightgbm_skip_spaces(const char *at, const char *end);

/* The number of characters of a text to show in an error. */
int lightgbm_shown(const char *begin, const char *end);

/* Reads lines up to the next tree or the end of the trees. `what` names the section and what_line
 * is its first line, for errors. */
enum status lightgbm_read_section(struct lightgbm_reader *r, const char *what, size_t what_line,
                                  const struct lightgbm_key *keys, int n_keys,
                                  struct lightgbm_field *fields);

/* Reads an integer from `low` to `high`. */
enum status lightgbm_field_u32(const struct lightgbm_reader *r, const char *key,
                               const struct lightgbm_field *field, uint32_t low, uint32_t high,
                               uint32_t *value);

/* --- trees ------------------------------------------------------------------------------------ */

/* Reads a tree and adds it to the builder. The current line is "Tree=...". */
enum status lightgbm_read_tree(struct lightgbm_reader *r);

#endif
