/* Declarations shared by the files that read XGBoost's JSON: xgboost_json.c reads the model,
 * xgboost_json_tree.c its trees, xgboost_json_cats.c its categories, ubjson.c UBJSON. */
#ifndef MODELS_XGBOOST_XGBOOST_JSON_H
#define MODELS_XGBOOST_XGBOOST_JSON_H

#include "base/files/json_members.h"
#include "models/feature_names.h"
#include "models/xgboost/xgboost_model.h"

struct categories;

/* The arrays of a tree with one value per node. */
enum column {
    LEFT_CHILDREN,
    RIGHT_CHILDREN,
    SPLIT_INDICES,
    SPLIT_CONDITIONS,
    DEFAULT_LEFT,
    SPLIT_TYPE,
    COLUMNS
};

struct xgboost_json {
    struct json_reader json;
    struct xgboost_model model;

    /* The current tree. All trees share the memory. */
    struct xgboost_node *nodes;
    size_t n_nodes, nodes_capacity; /* n_nodes is the length of the longest column so far */
    size_t column_size[COLUMNS];
    uint32_t said_nodes; /* the number of nodes stated in tree_param.num_nodes */
    struct memory_list categories, set_nodes, set_first, set_size; /* of u32 */
    uint32_t leaf_size; /* values per leaf; more than 1 means vectors */
    bool has_leaf_weights;
    struct memory_list leaf_weights; /* of real: the leaf vectors */
    struct json_place base_weights;  /* the vectors of all nodes (before 3.2) */

    uint32_t n_trees, said_trees;
    struct xgboost_header header;
    struct memory_list version; /* of u32 */
    struct feature_names names;

    /* The number of category lists: the number of features, or 0 if there are no lists. */
    uint32_t n_cats;
    struct json_place cats; /* the category lists, which are read last */
};

/* Opens Universal Binary JSON (draft 12). Optimised objects, no-ops and high-precision numbers are
 * rejected, because no supported model format uses them. */
void ubjson_open(struct json_stream *stream, const char *name, const char *data, size_t size);

/* Reads an integer in a string, as XGBoost writes its parameters. */
enum status xgboost_json_parameter(void *reader, const struct json_member *member,
                                   const struct json_token *token);

/* Reads a tree after its "{" and adds it to the model. */
enum status xgboost_json_tree(void *reader);

/* xgboost_json_check_categories checks the category lists. xgboost_json_categories creates the
 * categories; *categories is NULL if there are none. */
enum status xgboost_json_check_categories(void *reader, const struct json_member *member);
enum status xgboost_json_categories(struct xgboost_json *reader, struct categories **categories);

#endif
