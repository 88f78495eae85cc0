#include "harness/quality/quality.h"

#include "base/files/json.h"
#include "harness/rows/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------------- */

/* Adds a number as text, as rows do. Many JSON readers store numbers as doubles, which cannot
 * represent all 64-bit integers. */
static void add_u64(cJSON *json, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    cJSON_AddStringToObject(json, key, text);
}

static void add_part(cJSON *json, const char *key, const struct quality_part *part) {
    cJSON *object = cJSON_AddObjectToObject(json, key);
    cJSON_AddNumberToObject(object, "rows", (double)part->rows);
    cJSON_AddNumberToObject(object, "queries", (double)part->queries);
}

static void add_ndcg(cJSON *json, const struct quality *quality) {
    cJSON *means = cJSON_AddObjectToObject(json, "ndcg"),
          *of_queries = cJSON_AddObjectToObject(json, "ndcg_of_queries");
    size_t n = (size_t)quality->test.queries;
    for (size_t i = 0; i < QUALITY_RANKS; i++) {
        cJSON_AddNumberToObject(means, quality_ranks[i], quality->ndcg[i]);
        cJSON_AddItemToObject(of_queries, quality_ranks[i],
                              cJSON_CreateDoubleArray(quality->of_queries + i * n, (int)n));
    }
}

/* What was asked for, and what was found, of a forest. */
static void add_forest(cJSON *json, const struct quality *quality) {
    const struct workload *w = &quality->workload;
    cJSON_AddStringToObject(json, "learner", w->kind);
    cJSON_AddNumberToObject(json, "max_depth", w->depth);
    cJSON_AddNumberToObject(json, "right", (double)quality->right);
    cJSON_AddNumberToObject(json, "votes_only", (double)quality->votes_only);
    cJSON_AddNumberToObject(json, "shares_only", (double)quality->shares_only);
}

static void add_ranker(cJSON *json, const struct quality *quality) {
    const struct workload *w = &quality->workload;
    cJSON_AddNumberToObject(json, "max_leaves", w->max_leaves);
    cJSON_AddNumberToObject(json, "patience", w->patience);
    if (w->features > 0)
        cJSON_AddNumberToObject(json, "stand_in_features", w->features);
    add_part(json, "validation", &quality->validation);
    cJSON_AddNumberToObject(json, "features_examined", quality->examined);
    add_ndcg(json, quality);
}

cJSON *quality_to_json(const struct quality *quality) {
    const struct workload *w = &quality->workload;
    errno = 0;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", QUALITY_SCHEMA);
    cJSON_AddStringToObject(json, "data", w->data);
    cJSON_AddStringToObject(json, "note", quality->note);
    cJSON_AddNumberToObject(json, "fold", w->trial);
    cJSON_AddNumberToObject(json, "max_trees", w->trees);
    add_u64(json, "max_documents", w->documents);
    add_u64(json, "seed", w->seed);
    cJSON_AddNumberToObject(json, "features", quality->features);
    add_part(json, "train", &quality->train);
    add_part(json, "test", &quality->test);
    cJSON_AddNumberToObject(json, "trees", quality->trees);
    cJSON_AddNumberToObject(json, "mean_tree_depth", quality->mean_tree_depth);
    if (kind_is_forest(w->kind))
        add_forest(json, quality);
    else
        add_ranker(json, quality);
    return json_if_whole(json);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status check_keys(const char *name, const cJSON *json, struct error *error) {
    static const char *const keys[] = {"schema",
                                       "data",
                                       "note",
                                       "fold",
                                       "max_leaves",
                                       "max_trees",
                                       "patience",
                                       "max_documents",
                                       "stand_in_features",
                                       "seed",
                                       "features",
                                       "train",
                                       "validation",
                                       "test",
                                       "trees",
                                       "mean_tree_depth",
                                       "features_examined",
                                       "ndcg",
                                       "ndcg_of_queries",
                                       "learner",
                                       "max_depth",
                                       "right",
                                       "votes_only",
                                       "shares_only",
                                       NULL};
    return json_check_keys(name, json, keys, "docs/rows.md", error);
}

static enum status get_text(const char *name, const cJSON *json, const char *key, char *text,
                            size_t size, struct error *error) {
    const char *value = "";
    enum status status = json_get_string(name, json, key, &value, error);
    if (!status && strlen(value) >= size)
        status = error_set(error, STATUS_INPUT, "%s: %s: longer than %zu characters", name, key,
                           size - 1);
    if (!status)
        snprintf(text, size, "%s", value);
    return status;
}

static enum status get_u64(const char *name, const cJSON *json, const char *key, uint64_t *value,
                           struct error *error) {
    const char *text = "";
    char *end;
    enum status status = json_get_string(name, json, key, &text, error);
    if (status)
        return status;
    *value = strtoull(text, &end, 10);
    char again[24];
    snprintf(again, sizeof again, "%" PRIu64, *value);
    return strcmp(again, text) == 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: %s: \"%.40s\" is not an integer of 64 bits",
                           name, key, text);
}

static enum status get_share(const char *name, const cJSON *json, const char *key, double *value,
                             struct error *error) {
    return json_get_number(name, json, key, 0, 1, value, error);
}

static enum status get_part(const char *name, const cJSON *json, const char *key,
                            uint32_t lowest_queries, struct quality_part *part,
                            struct error *error) {
    const cJSON *object = NULL;
    uint32_t rows = 0, queries = 0;
    enum status status = json_get_object(name, json, key, &object, error);
    if (!status)
        status = json_get_u32(name, object, "rows", 1, UINT32_MAX, &rows, error);
    if (!status)
        status = json_get_u32(name, object, "queries", lowest_queries, rows, &queries, error);
    *part = (struct quality_part){rows, queries};
    return status;
}

static enum status get_values(const char *name, const cJSON *json, const char *key, size_t n,
                              double *values, struct error *error) {
    const cJSON *array = NULL, *item;
    enum status status = json_get_array(name, json, key, &array, error);
    if (status)
        return status;
    if ((size_t)cJSON_GetArraySize(array) != n)
        return error_set(error, STATUS_INPUT, "%s: ndcg_of_queries: %s: must have %zu numbers",
                         name, key, n);
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= 1))
            return error_set(error, STATUS_INPUT,
                             "%s: ndcg_of_queries: %s: contains something other than numbers from "
                             "0 to 1",
                             name, key);
        *values++ = item->valuedouble;
    }
    return STATUS_OK;
}

static enum status get_ndcg(const char *name, const cJSON *json, struct quality *quality,
                            struct error *error) {
    const cJSON *means = NULL, *of_queries = NULL;
    size_t n = (size_t)quality->test.queries;
    enum status status = json_get_object(name, json, "ndcg", &means, error);
    if (!status)
        status = json_get_object(name, json, "ndcg_of_queries", &of_queries, error);
    /* checked before memory is allocated, so that a short line cannot cause a huge allocation */
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(of_queries, quality_ranks[0]);
    if (!status && (size_t)cJSON_GetArraySize(first) != n)
        status = error_set(error, STATUS_INPUT,
                           "%s: ndcg_of_queries: must have one number for each test query", name);
    if (status)
        return status;
    quality->of_queries = malloc(QUALITY_RANKS * n * sizeof *quality->of_queries);
    if (!quality->of_queries)
        return error_memory(error, "the NDCG of queries");
    for (size_t i = 0; i < QUALITY_RANKS && !status; i++) {
        status = get_share(name, means, quality_ranks[i], &quality->ndcg[i], error);
        if (!status)
            status = get_values(name, of_queries, quality_ranks[i], n, quality->of_queries + i * n,
                                error);
    }
    return status;
}

static enum status get_learner(const char *name, const cJSON *json, struct workload *w,
                               struct error *error) {
    enum status status = get_text(name, json, "learner", w->kind, sizeof w->kind, error);
    if (!status && !kind_is_forest(w->kind))
        status = error_set(error, STATUS_INPUT, "%s: learner: '%s' is unknown", name, w->kind);
    if (!status)
        status = json_get_u32(name, json, "max_depth", 1, ENSEMBLE_MAX_DEPTH, &w->depth, error);
    return status;
}

static enum status get_limits(const char *name, const cJSON *json, struct workload *w,
                              struct error *error) {
    snprintf(w->kind, sizeof w->kind, "trained");
    enum status status =
        json_get_u32(name, json, "max_leaves", 2, UINT32_MAX, &w->max_leaves, error);
    if (!status)
        status = json_get_u32(name, json, "patience", 0, UINT32_MAX, &w->patience, error);
    if (!status && cJSON_HasObjectItem(json, "stand_in_features"))
        status = json_get_u32(name, json, "stand_in_features", 1, UINT32_MAX, &w->features, error);
    return status;
}

static enum status get_asked(const char *name, const cJSON *json, struct workload *w,
                             struct error *error) {
    enum status status = get_text(name, json, "data", w->data, ROW_NAME_SIZE, error);
    if (!status)
        status = json_get_u32(name, json, "fold", 0, UINT32_MAX, &w->trial, error);
    if (!status)
        status = cJSON_HasObjectItem(json, "learner") ? get_learner(name, json, w, error)
                                                      : get_limits(name, json, w, error);
    if (!status)
        status = json_get_u32(name, json, "max_trees", 1, UINT32_MAX, &w->trees, error);
    if (!status)
        status = get_u64(name, json, "max_documents", &w->documents, error);
    if (!status)
        status = get_u64(name, json, "seed", &w->seed, error);
    return status;
}

/* Counts must agree: no more documents than there are. */
static enum status get_classes(const char *name, const cJSON *json, struct quality *quality,
                               struct error *error) {
    uint32_t rows = (uint32_t)quality->test.rows, right = 0, votes_only = 0, shares_only = 0;
    enum status status = json_get_u32(name, json, "right", 0, rows, &right, error);
    if (!status)
        status = json_get_u32(name, json, "votes_only", 0, right, &votes_only, error);
    if (!status)
        status = json_get_u32(name, json, "shares_only", 0, rows - right, &shares_only, error);
    quality->right = right;
    quality->votes_only = votes_only;
    quality->shares_only = shares_only;
    return status;
}

static enum status get_ranking(const char *name, const cJSON *json, struct quality *quality,
                               struct error *error) {
    enum status status = get_part(name, json, "validation", 1, &quality->validation, error);
    if (!status)
        status = get_share(name, json, "features_examined", &quality->examined, error);
    return status ? status : get_ndcg(name, json, quality, error);
}

static enum status get_found(const char *name, const cJSON *json, struct quality *quality,
                             struct error *error) {
    bool is_forest = kind_is_forest(quality->workload.kind);
    uint32_t lowest_queries = is_forest ? 0 : 1;
    enum status status = get_text(name, json, "note", quality->note, sizeof quality->note, error);
    if (!status)
        status = json_get_u32(name, json, "features", 1, UINT32_MAX, &quality->features, error);
    if (!status)
        status = get_part(name, json, "train", lowest_queries, &quality->train, error);
    if (!status)
        status = get_part(name, json, "test", lowest_queries, &quality->test, error);
    if (!status)
        status = json_get_u32(name, json, "trees", 1, UINT32_MAX, &quality->trees, error);
    if (!status)
        status = json_get_number(name, json, "mean_tree_depth", 0, ENSEMBLE_MAX_DEPTH,
                                 &quality->mean_tree_depth, error);
    if (status)
        return status;
    return is_forest ? get_classes(name, json, quality, error)
                     : get_ranking(name, json, quality, error);
}

static enum status check_schema(const char *name, const cJSON *json, struct error *error) {
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(json, "schema");
    if (!cJSON_IsNumber(schema) || schema->valuedouble != QUALITY_SCHEMA)
        return error_set(error, STATUS_INPUT,
                         "%s: not an object with \"schema\": %d, as this treebench writes it", name,
                         QUALITY_SCHEMA);
    return STATUS_OK;
}

enum status quality_from_json(const char *name, const cJSON *json, struct quality *quality,
                              struct error *error) {
    *quality = (struct quality){.features = 0};
    enum status status = check_schema(name, json, error);
    if (!status)
        status = check_keys(name, json, error);
    if (!status)
        status = get_asked(name, json, &quality->workload, error);
    if (!status)
        status = get_found(name, json, quality, error);
    if (status)
        quality_free(quality);
    return status;
}
