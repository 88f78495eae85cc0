/* The state of the walk over the tokens of XGBoost's JSON, and functions that read values. */
#ifndef MODELS_XGBOOST_XGBOOST_WALK_H
#define MODELS_XGBOOST_XGBOOST_WALK_H

#include "base/files/json_stream.h"
#include "models/feature_names.h"
#include "models/xgboost/xgboost_model.h"

enum { WALK_NAME_SIZE = 64 };

struct categories;

struct u32_list {
    uint32_t *values;
    size_t count, capacity;
};

struct float_list {
    float *values;
    size_t count, capacity;
};

/* The arrays of a tree. */
enum column {
    LEFT_CHILDREN,
    RIGHT_CHILDREN,
    SPLIT_INDICES,
    SPLIT_CONDITIONS,
    DEFAULT_LEFT,
    SPLIT_TYPE,
    COLUMNS
};
struct walk {
    struct json_stream *stream;
    struct error *error;
    struct xgboost_model *model;

    /* The current tree. All trees share the memory. */
    struct xgboost_node *nodes;
    size_t n_nodes, nodes_capacity; /* n_nodes is the length of the longest column so far */
    size_t column_size[COLUMNS];
    uint32_t said_nodes; /* the number of nodes stated in tree_param.num_nodes */
    struct u32_list categories, set_nodes, set_first, set_size;
    uint32_t leaf_size; /* values per leaf; more than 1 means vectors */
    bool has_leaf_weights, has_base_weights;
    struct float_list leaf_weights;  /* the leaf vectors */
    struct json_stream base_weights; /* the stream at the vectors of all nodes (before 3.2) */

    uint32_t n_trees, said_trees;
    uint32_t n_features, n_classes, n_targets;
    char objective[WALK_NAME_SIZE], booster[WALK_NAME_SIZE];
    struct u32_list tree_output, iteration_begin, version;
    struct xgboost_early_stop early_stop; /* its iteration_begin is set after the walk */
    struct float_list tree_weight, base;
    struct feature_names names;

    /* The number of category lists: n_features, or 0 if there are no lists. */
    uint32_t n_cats;
    struct json_stream cats; /* the stream at the category lists, which are read last */
};

/* "FILE:LINE: WHAT: expected EXPECTED" */
enum status walk_wrong(const struct walk *w, const char *what, const char *expected);
enum status walk_next(struct walk *w, struct json_token *token);

/* Reads an object. The `read` functions of its members receive the walk. */
#define WALK_OBJECT(w, what, members, skip_unknown)                                                \
    walk_object((w), (what), (members), sizeof(members) / sizeof *(members), (skip_unknown))
enum status walk_object(struct walk *w, const char *what, const struct json_stream_member *members,
                        size_t n_members, bool skip_unknown);

enum status walk_array_begin(struct walk *w, const char *what);
enum status walk_string(struct walk *w, const char *what, struct json_token *token);
enum status walk_name(struct walk *w, const char *what, char name[static WALK_NAME_SIZE]);

/* Reads an integer in a string, as XGBoost writes its parameters. */
enum status walk_parameter(struct walk *w, const char *what, uint32_t *value);

enum status walk_append_float(struct walk *w, struct float_list *list, float value);
enum status walk_u32_list(struct walk *w, const char *what, struct u32_list *list);
enum status walk_float_list(struct walk *w, const char *what, struct float_list *list);

/* Reads the array of all trees and adds each to the walk's model. */
enum status walk_trees(void *walk);
/* walk_check_categories checks the category lists. walk_categories creates the categories;
 * *categories is NULL if there are none. */
enum status walk_check_categories(void *walk);
enum status walk_categories(struct walk *w, struct categories **categories);

#endif
