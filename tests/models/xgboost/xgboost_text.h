/* Hand-made XGBoost models for the tests, and the same as UBJSON. Include after cmocka.h. */
#ifndef TESTS_MODELS_XGBOOST_XGBOOST_TEXT_H
#define TESTS_MODELS_XGBOOST_XGBOOST_TEXT_H

#include "base/files/json_stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A model whose trees begin in line 3. */
#define XGB_MODEL_IN(booster_begin, booster_end, objective, base, classes, features, n, info,      \
                     trees)                                                                        \
    "{\"learner\": {\"attributes\": {\"a\": \"\\u00e4\"}, \"feature_names\": [],\n"                \
    "\"gradient_booster\": {" booster_begin "\"model\": {\"gbtree_model_param\": "                 \
    "{\"num_trees\": \"" n "\", \"size_leaf_vector\": \"0\"}, \"tree_info\": [" info               \
    "], \"trees\": [\n" trees "]}" booster_end "},\n"                                              \
    "\"learner_model_param\": {\"base_score\": \"" base "\", \"num_class\": \"" classes            \
    "\", \"num_feature\": \"" features "\"},\n"                                                    \
    "\"objective\": {\"name\": \"" objective "\"}}, \"version\": [1, 4, 0]}\n"
#define XGB_MODEL(objective, base, classes, features, n, info, trees)                              \
    XGB_MODEL_IN("", ", \"name\": \"gbtree\"", objective, base, classes, features, n, info, trees)

#define XGB_TREE_OF(more, left, right, feature, condition, default_left, n)                        \
    "{" more "\"left_children\": [" left "],\n\"right_children\": [" right                         \
    "],\n\"split_indices\": [" feature "],\n\"split_conditions\": [" condition                     \
    "],\n\"default_left\": [" default_left "],\n\"tree_param\": {\"num_nodes\": \"" n              \
    "\", \"size_leaf_vector\": \"1\"}}\n"
#define XGB_TREE(left, right, feature, condition, default_left, n)                                 \
    XGB_TREE_OF("", left, right, feature, condition, default_left, n)

/* x1 < 0.5 (or missing): 1.5; else x0 < -1: 2.5; else (or missing) 3.5. Node 3 was pruned. */
#define XGB_THREE_LEAVES                                                                           \
    XGB_TREE_OF("\"id\": 0, \"parents\": [0,0,0,0,0,0], \"loss_changes\": [NaN, -Infinity],",      \
                "2,-1,4,-1,-1,-1", "1,-1,5,-1,-1,-1", "1,0,0,2147483647,0,0",                      \
                "0.5,1.5,-1,0,2.5,3.5", "true,false,false,true,false,false", "6")
#define XGB_LEAF(value) XGB_TREE("-1", "-1", "0", value, "0", "1")

#define XGB_TWO_TREES                                                                              \
    XGB_MODEL("reg:squarederror", "5E-1", "0", "2", "2", "0, 0",                                   \
              XGB_THREE_LEAVES "," XGB_LEAF("10"))
#define XGB_ONE_LEAF(objective, base) XGB_MODEL(objective, base, "0", "1", "1", "0", XGB_LEAF("0"))
#define XGB_CATEGORIES(set, first, size)                                                           \
    "\"categories\": [" set "], \"categories_nodes\": [0], \"categories_segments\": [" first       \
    "], \"categories_sizes\": [" size "], \"split_type\": [1, 0, 0],"
#define XGB_CATEGORICAL(set, first, size, default_left)                                            \
    XGB_MODEL("reg:squarederror", "0", "0", "1", "1", "0",                                         \
              XGB_TREE_OF(XGB_CATEGORIES(set, first, size), "1,-1,-1", "2,-1,-1", "0,0,0",         \
                          "0,1,2", default_left ",0,0", "3"))

/* A copy of a model with one part replaced. The caller frees it. */
static inline char *xgb_replaced(const char *model, const char *part, const char *by) {
    const char *at = strstr(model, part);
    assert_non_null(at);
    size_t size = strlen(model) + strlen(by) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s", (int)(at - model), model, by, at + strlen(part));
    return text;
}

struct bytes {
    char *data;
    size_t size;
};

static inline void put(FILE *out, char type, uint64_t value, int size) {
    if (type)
        fputc(type, out);
    for (int i = size - 1; i >= 0; i--)
        fputc((int)(value >> (8 * i) & 255), out);
}

static inline void put_text(FILE *out, const struct json_token *token) {
    put(out, 'L', token->size, 8);
    fwrite(token->text, 1, token->size, out);
}

static inline void put_number(FILE *out, const struct json_token *token, char array_type) {
    uint32_t bits;
    memcpy(&bits, &token->real, sizeof bits);
    bool as_float = array_type == 'd' || (!array_type && !token->is_integer);
    if (as_float)
        put(out, array_type ? 0 : 'd', bits, 4);
    else
        put(out, array_type ? 0 : 'l', (uint64_t)token->integer, 4);
}

/* Begins an array like XGBoost: with a type if all elements are numbers, with a count. */
static inline char put_array_begin(FILE *out, struct json_stream ahead) {
    struct json_token token;
    unsigned depth = ahead.depth;
    uint64_t count = 0;
    bool numbers = true, integers = true;
    for (;;) {
        if (ahead.depth == depth)
            count++;
        assert_int_equal(json_stream_next(&ahead, &token, NULL), STATUS_OK);
        if (ahead.depth < depth)
            break;
        numbers = numbers && token.kind == JSON_NUMBER;
        integers = integers && numbers && token.is_integer;
    }
    char type = (char)(!numbers || count == 1 ? 0 : integers ? 'l' : 'd');
    fputc('[', out);
    if (type)
        put(out, '$', (uint64_t)type, 1);
    fputc('#', out);
    put(out, 'L', count - 1, 8);
    return type;
}

static inline struct bytes to_ubjson(const char *json) {
    struct bytes bytes = {NULL, 0};
    FILE *out = open_memstream(&bytes.data, &bytes.size);
    struct json_stream in;
    struct json_token token = {.kind = JSON_NULL};
    char type = 0;
    assert_non_null(out);
    json_stream_open_text(&in, "json", json, strlen(json));
    while (token.kind != JSON_END) {
        assert_int_equal(json_stream_next(&in, &token, NULL), STATUS_OK);
        switch (token.kind) {
        case JSON_OBJECT:
            fputc('{', out);
            break;
        case JSON_OBJECT_END:
            fputc('}', out);
            break;
        case JSON_ARRAY:
            type = put_array_begin(out, in);
            break;
        case JSON_KEY:
            put_text(out, &token);
            break;
        case JSON_STRING:
            fputc('S', out);
            put_text(out, &token);
            break;
        case JSON_NUMBER:
            put_number(out, &token, type);
            break;
        case JSON_TRUE:
        case JSON_FALSE:
            fputc(token.kind == JSON_TRUE ? 'T' : 'F', out);
            break;
        case JSON_ARRAY_END:
            type = 0;
            break;
        case JSON_NULL:
            fputc('Z', out);
            break;
        case JSON_END:
            break;
        }
    }
    assert_int_equal(fclose(out), 0);
    return bytes;
}

#endif
