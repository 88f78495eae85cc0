/* Declarations shared by the readers of CatBoost's JSON. */
#ifndef MODELS_CATBOOST_CATBOOST_JSON_H
#define MODELS_CATBOOST_CATBOOST_JSON_H

#include "base/files/json_members.h"
#include "models/catboost/catboost.h"

/* A test of a tree, or an element of a CTR's combination. */
struct json_test {
    enum { SPLIT_FLOAT, SPLIT_CATEGORY, SPLIT_CTR } split;
    enum ctr_part_kind part;
    uint32_t feature, category, bin;
    float border;
    int32_t hash;
    bool has_feature, has_category, has_border, has_hash;
};

struct json_identifier {
    struct json_token name; /* the first member, for json_token_compare */
    uint32_t ctr;
    bool has_table;
};

struct catboost_json {
    struct json_reader json;
    /* Parts that are read after others. */
    struct json_place oblivious, trees, ctrs, ctr_tables;
    struct catboost_model model;

    struct { /* the current feature */
        uint32_t index, column;
        bool has_nans, has_index;
        uint32_t treatment;
        struct json_token name;
    } feature;
    struct memory_list borders, hashes; /* of the current feature or CTR */
    struct json_test test;

    struct ctr ctr; /* the current CTR */
    struct json_token identifier;
    struct memory_list identifiers; /* of struct json_identifier, one per CTR */
    struct {                        /* the current table of CTRs */
        uint32_t stride;            /* hash_stride */
        int32_t total;
        size_t n_values; /* of hash_map */
        struct json_place entries;
    } table;

    /* The current tree. */
    uint32_t bins[CATBOOST_MAX_DEPTH], depth;
    struct memory_list leaves;
    struct nested_tree tree;
};

#define CATBOOST_AT(member) .offset = offsetof(struct catboost_json, member)
#define CATBOOST_TEST(member)                                                                      \
    CATBOOST_AT(test.member), .has = offsetof(struct catboost_json, test.has_##member)

/* The members that splits and elements of CTRs share. */
#define CATBOOST_TEST_MEMBERS                                                                      \
    JSON_OPTIONAL(U32, "float_feature_index", CATBOOST_TEST(feature),                              \
                  .high = ENSEMBLE_MAX_FEATURES - 1),                                              \
        JSON_OPTIONAL(U32, "cat_feature_index", CATBOOST_TEST(category),                           \
                      .high = ENSEMBLE_MAX_FEATURES - 1),                                          \
        JSON_OPTIONAL(FLOAT, "border", CATBOOST_TEST(border)),                                     \
        JSON_OPTIONAL(I32, "value", CATBOOST_TEST(hash))

/* If a function of catboost.h has failed with `status`, reports its error with the place in the
 * file. `key` is "" or "KEY: ". */
enum status catboost_json_place(const struct catboost_json *r, const char *key, enum status status);

/* Reads the CTRs and their tables. Call it after all features and before the trees. */
enum status catboost_json_ctrs(struct catboost_json *r);

/* Adds the current borders to the last feature of the list. */
enum status catboost_json_borders(struct catboost_json *r, struct catboost_borders *list);

enum status catboost_json_trees(struct catboost_json *r);

#endif
