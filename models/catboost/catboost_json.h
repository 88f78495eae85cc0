/* Declarations shared by catboost_json.c and catboost_json_trees.c. */
#ifndef MODELS_CATBOOST_CATBOOST_JSON_H
#define MODELS_CATBOOST_CATBOOST_JSON_H

#include "base/files/json_stream.h"
#include "models/catboost/catboost.h"

enum json_split_kind { SPLIT_FLOAT, SPLIT_CATEGORY, SPLIT_CTR };

struct json_split {
    enum json_split_kind kind;
    uint32_t feature, place; /* float_feature_index or cat_feature_index, split_index */
    float border;
    int32_t hash;
    bool has_feature, has_category, has_border, has_hash;
};

/* A node of a tree that is not symmetric, while it is read. */
struct json_node {
    uint32_t parent;
    bool has_split, has_value;
};

struct catboost_json {
    struct json_stream stream;
    /* The stream at parts that are read after others. */
    struct json_stream trees, ctrs, ctr_tables, ctr_entries;
    bool has_trees, is_oblivious, has_ctrs, has_ctr_tables;
    struct error *error;
    char where[64]; /* "tree 3, split 1: ", for errors */
    struct catboost_model model;
    uint32_t index, column; /* of the current feature */
    bool has_nans, as_true, has_hashes, has_index;
    struct json_token name;
    struct json_ctrs *ctr; /* catboost_json_ctrs.c */

    uint32_t tree; /* number of the current tree; the members below are parts of this tree */
    struct json_split split;
    uint32_t bins[CATBOOST_MAX_DEPTH], depth;
    struct catboost_list leaves;
    struct catboost_node *nodes;
    struct json_node *states; /* [n_nodes] */
    size_t n_nodes, nodes_capacity, states_capacity;
};

enum status catboost_json_next(struct catboost_json *r, struct json_token *token);

/* "FILE:LINE: tree 3, split 1: KEY: expected EXPECTED" */
enum status catboost_json_wrong(const struct catboost_json *r, const char *key,
                                const char *expected);

/* If a function of catboost.h has failed with `status` and `error`, reports its message with the
 * location in the file. */
enum status catboost_json_place(const struct catboost_json *r, enum status status, const char *key,
                                const struct error *error);

enum status catboost_json_u32(struct catboost_json *r, const char *key, uint32_t high,
                              uint32_t *value);
enum status catboost_json_hash(struct catboost_json *r, const struct json_token *token,
                               const char *key, int32_t *hash);

/* Begins a list. If or_null is true, null means an empty list, as some versions write it. */
enum status catboost_json_list(struct catboost_json *r, const char *key, bool or_null,
                               struct json_token *token);

/* Reads an array of objects. `read` reads the rest of each object. */
enum status catboost_json_objects(struct catboost_json *r, const char *key, bool or_null,
                                  enum status (*read)(struct catboost_json *r));

#define CATBOOST_JSON_MEMBERS(r, members)                                                          \
    json_stream_members(&(r)->stream, (r)->where, members, sizeof(members) / sizeof *(members),    \
                        true, (r), (r)->error)

/* Reads the CTRs and their tables. Call it after all features and before the trees. */
enum status catboost_json_ctrs(struct catboost_json *r);
void catboost_json_free_ctrs(struct catboost_json *r);

/* Reads borders of the last feature of the list. */
enum status catboost_json_borders(struct catboost_json *r, struct catboost_borders *list);

/* Reads the list of trees that begins at the stream's position. */
enum status catboost_json_trees(struct catboost_json *r);

#endif
