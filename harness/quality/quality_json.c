/* Lines of quality.jsonl: the tables of their fields. */
#include "base/files/json.h"
#include "base/files/origin_form.h"
#include "base/origin.h"
#include "harness/quality/quality.h"
#include "harness/rows/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- NDCG ------------------------------------------------------------------------------------- */

static cJSON *means_to_json(const void *data) {
    const struct quality *quality = data;
    cJSON *means = cJSON_CreateObject();
    for (size_t i = 0; i < QUALITY_RANKS; i++)
        cJSON_AddNumberToObject(means, quality_ranks[i], quality->ndcg[i]);
    return means;
}

static enum status means_from_json(const char *name, const char *key, const cJSON *json, void *data,
                                   struct error *error) {
    struct quality *quality = data;
    enum status status = STATUS_OK;
    (void)key;
    for (size_t i = 0; i < QUALITY_RANKS && !status; i++)
        status = json_get_number(name, json, quality_ranks[i], 0, 1, &quality->ndcg[i], error);
    return status;
}

static cJSON *of_queries_to_json(const void *data) {
    const struct quality *quality = data;
    cJSON *of_queries = cJSON_CreateObject();
    size_t n = (size_t)quality->test.queries;
    for (size_t i = 0; i < QUALITY_RANKS; i++)
        cJSON_AddItemToObject(of_queries, quality_ranks[i],
                              cJSON_CreateDoubleArray(quality->of_queries + i * n, (int)n));
    return of_queries;
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

static enum status of_queries_from_json(const char *name, const char *key, const cJSON *json,
                                        void *data, struct error *error) {
    struct quality *quality = data;
    size_t n = (size_t)quality->test.queries;
    enum status status = STATUS_OK;
    /* checked before memory is allocated, so that a short line cannot cause a huge allocation */
    const cJSON *first = cJSON_GetObjectItemCaseSensitive(json, quality_ranks[0]);
    if ((size_t)cJSON_GetArraySize(first) != n)
        return error_set(error, STATUS_INPUT, "%s: %s: must have one number for each test query",
                         name, key);
    quality->of_queries = malloc(QUALITY_RANKS * n * sizeof *quality->of_queries);
    if (!quality->of_queries)
        return error_memory(error, "the NDCG of queries");
    for (size_t i = 0; i < QUALITY_RANKS && !status; i++)
        status = get_values(name, json, quality_ranks[i], n, quality->of_queries + i * n, error);
    return status;
}

static const struct record_form means_form = {"object", means_to_json, means_from_json, NULL, NULL},
                                of_queries_form = {"object", of_queries_to_json,
                                                   of_queries_from_json, NULL, NULL};

/* --- the fields ------------------------------------------------------------------------------- */

static bool is_forest(const void *data) {
    return kind_is_forest(((const struct quality *)data)->workload.kind);
}

static bool is_ranker(const void *data) {
    return !is_forest(data);
}

#define PART(NAME, LOW, HELP)                                                                      \
    FIELD(struct quality_part, COUNT, #NAME, NAME, .low = LOW, .high = UINT32_MAX, .help = HELP)
static const struct record_field part_fields[] = {PART(rows, 1, "number of documents"),
                                                  PART(queries, 0, "number of queries")};
static const struct record part_record = RECORD_OF(part_fields);

#define LINE(KIND, NAME, MEMBER, ...) FIELD(struct quality, KIND, NAME, MEMBER, __VA_ARGS__)
#define FORESTS .applies = is_forest, .refusal = "forests only"
#define RANKERS .applies = is_ranker, .refusal = "rankers only"
static const struct record_field fields[] = {
    LINE(TEXT, "data", workload.data, .high = ROW_NAME_SIZE - 1, .help = "name of the data set"),
    LINE(TEXT, "note", note, .help = "of the model: stand-in or sample; empty otherwise"),
    LINE(FORM, "origin", origin, .help = "of the model, as in the rows above", .form = &origin_form,
         .since = 2),
    LINE(U32, "fold", workload.trial, .help = "from 0"),
    LINE(U32, "max_trees", workload.trees, .low = 1, .help = "requested limit"),
    LINE(U64, "max_documents", workload.documents,
         .help = "requested limit of test documents; `0`: no limit"),
    LINE(U64, "seed", workload.seed, .help = "the model's: see below"),
    LINE(U32, "features", features, .low = 1, .help = "of the documents"),
    LINE(OBJECT, "train", train, .record = &part_record, .help = "`rows` and `queries`"),
    LINE(OBJECT, "test", test, .record = &part_record, .help = "`rows` and `queries`"),
    LINE(U32, "trees", trees, .low = 1, .help = "of the model"),
    LINE(NUMBER, "mean_tree_depth", mean_tree_depth, .high = ENSEMBLE_MAX_DEPTH,
         .help = "longest path in decisions, mean over the trees"),
    LINE(TEXT, "learner", workload.kind, .names = forest_kinds,
         .help = "`random-forest`, `extra-trees` or `cart`", FORESTS),
    LINE(U32, "max_depth", workload.depth, .low = 1, .high = ENSEMBLE_MAX_DEPTH,
         .help = "requested limit", FORESTS),
    LINE(COUNT, "right", right, .help = "test documents whose class most trees vote for", FORESTS),
    LINE(COUNT, "votes_only", votes_only, .help = "documents right by votes, not by shares",
         FORESTS),
    LINE(COUNT, "shares_only", shares_only, .help = "documents right by shares, not by votes",
         FORESTS),
    LINE(U32, "max_leaves", workload.max_leaves, .low = 2, .help = "requested limit", RANKERS),
    LINE(U32, "patience", workload.patience, .help = "as in the rows above", RANKERS),
    LINE(U32, "stand_in_features", workload.features, .low = 1, .is_optional = true,
         .help = "requested; absent: default", RANKERS),
    LINE(OBJECT, "validation", validation, .record = &part_record, .help = "`rows` and `queries`",
         RANKERS),
    LINE(NUMBER, "features_examined", examined, .high = 1,
         .help = "share of the features tested: see below", RANKERS),
    WHOLE(FORM, "ndcg", .form = &means_form, .help = "mean NDCG at ranks `1`, `3`, ..., `inf`",
          RANKERS),
    WHOLE(FORM, "ndcg_of_queries", .form = &of_queries_form,
          .help = "NDCG of each test query, in the queries' order", RANKERS),
};
/* Lines of schema 1 have a note alone. */
static void complete(void *data, int schema) {
    struct quality *quality = data;
    if (schema < 2)
        quality->origin = origin_of_model_note(quality->note);
}

const struct record quality_record = {.what = "a line of quality",
                                      .fields = fields,
                                      .n_fields = FIELDS(fields),
                                      .schema = QUALITY_SCHEMA,
                                      .oldest = 1,
                                      .docs = "docs/rows.md",
                                      .complete = complete};

/* --- lines ------------------------------------------------------------------------------------ */

static cJSON *to_json(const void *item) {
    return record_to_json(&quality_record, item);
}

/* Counts must agree: no more documents than there are. */
static enum status check_counts(const char *name, const struct quality *quality,
                                struct error *error) {
    const struct {
        const char *key;
        uint64_t value, low, high;
    } counts[] = {
        {"train: queries", quality->train.queries, !is_forest(quality), quality->train.rows},
        {"test: queries", quality->test.queries, !is_forest(quality), quality->test.rows},
        {"validation: queries", quality->validation.queries, !is_forest(quality),
         quality->validation.rows},
        {"right", quality->right, 0, quality->test.rows},
        {"votes_only", quality->votes_only, 0, quality->right},
        {"shares_only", quality->shares_only, 0, quality->test.rows - quality->right}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].value < counts[i].low || counts[i].value > counts[i].high)
            return error_set(error, STATUS_INPUT,
                             "%s: %s: %" PRIu64 " is out of range (%" PRIu64 " to %" PRIu64 ")",
                             name, counts[i].key, counts[i].value, counts[i].low, counts[i].high);
    return STATUS_OK;
}

static enum status from_json(const char *name, const cJSON *json, void *item, struct error *error) {
    struct quality *quality = item;
    *quality = (struct quality){.features = 0};
    /* the fields of a line depend on its kind; only forests have a learner, which is read later */
    snprintf(quality->workload.kind, sizeof quality->workload.kind, "%s",
             cJSON_HasObjectItem(json, "learner") ? forest_kinds[0] : "trained");
    enum status status = record_from_json(name, &quality_record, json, quality, error);
    if (!status)
        status = check_counts(name, quality, error);
    if (status)
        quality_free(quality);
    return status;
}

static bool is_same(const void *a, const void *b) {
    const struct quality *first = a, *second = b;
    return workload_same(&first->workload, &second->workload);
}

static void free_item(void *item) {
    quality_free(item);
}

const struct json_lines quality_lines = {.file = "quality.jsonl",
                                         .things = "models",
                                         .thing = "a model",
                                         .size = sizeof(struct quality),
                                         .from_json = from_json,
                                         .to_json = to_json,
                                         .is_same = is_same,
                                         .free = free_item};

const struct quality *quality_find(const struct json_list *qualities,
                                   const struct workload *workload) {
    return json_list_find(&quality_lines, qualities, &(struct quality){.workload = *workload});
}
