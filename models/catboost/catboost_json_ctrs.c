/* Reads the CTRs of CatBoost's JSON. features_info lists them, and ctr_data has their tables:
 *
 *     "ctrs": [{"identifier": "...", "ctr_type": "Borders", "target_border_idx": 0,
 *               "elements": [{"combination_element": "cat_feature_value", "cat_feature_index": 0},
 *                            {"combination_element": "float_feature", "float_feature_index": 0,
 *                             "border": 0.5},
 *                            {"combination_element": "cat_feature_exact_value",
 *                             "cat_feature_index": 1, "value": -12}],
 *               "prior_numerator": 0.5, "prior_denomerator": 1, "shift": 0, "scale": 15,
 *               "borders": [5.5]}, ...]
 *
 *     "ctr_data": {"...": {"hash_stride": 3, "counter_denominator": 0,
 *                          "hash_map": ["18446744073709551615", 1, 2, "1234", 5, 6, ...]}, ...}
 *
 * The key of a table is the identifier of its CTRs. A hash map has a hash and hash_stride - 1
 * counts for each entry. The hash of all ones marks unused entries. */
#include "models/catboost/catboost_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- combinations ----------------------------------------------------------------------------- */

static enum status add_part(struct catboost_json *r) {
    const struct json_test *test = &r->test;
    switch (test->part) {
    case CTR_CATEGORY:
        return catboost_add_category(&r->model, test->category);
    case CTR_IS_OVER:
        return catboost_add_over(&r->model, test->feature, test->border);
    default:
        return catboost_add_is_category(&r->model, test->category, test->hash);
    }
}

static enum status read_part(void *data) {
    static const char *const kinds[] = {[CTR_CATEGORY] = "cat_feature_value",
                                        [CTR_IS_OVER] = "float_feature",
                                        [CTR_IS_CATEGORY] = "cat_feature_exact_value",
                                        NULL};
    static const struct json_member members[] = {
        JSON_REQUIRED(WORD, "combination_element", CATBOOST_AT(test.part), .words = kinds),
        CATBOOST_TEST_MEMBERS, JSON_SKIP_OTHERS};
    struct catboost_json *r = data;
    r->test = (struct json_test){.bin = 0};
    enum status status = json_read_members(&r->json, "", members, r);
    if (status)
        return status;
    const struct json_test *test = &r->test;
    bool is_over = test->part == CTR_IS_OVER;
    if (test->has_feature != is_over || test->has_border != is_over ||
        test->has_category == is_over || test->has_hash != (test->part == CTR_IS_CATEGORY))
        return json_wrong(&r->json, "elements", "the members of this kind of element");
    return catboost_json_place(r, "elements: ", add_part(r));
}

/* --- CTRs ------------------------------------------------------------------------------------- */

static enum status read_parts(void *data, const struct json_member *member) {
    static const struct json_member elements =
        JSON_REQUIRED(OBJECTS, "elements", .each = read_part);
    (void)member;
    struct catboost_json *r = data;
    enum status status = catboost_json_place(r, "", catboost_begin_combination(&r->model));
    return status ? status : json_read_member(&r->json, &elements, r);
}

#define AT CATBOOST_AT

/* The borders of a CTR come before its combination, so the feature is begun first. */
static enum status read_ctr(void *data) {
    static const char *const kinds[CTR_KINDS + 1] = {
        "Borders", "Buckets",    "BinarizedTargetMeanValue", "FloatTargetMeanValue",
        "Counter", "FeatureFreq"};
    static const struct json_member members[] = {
        JSON_REQUIRED(TEXT, "identifier", AT(identifier)),
        JSON_REQUIRED(READ, "elements", .read = read_parts),
        JSON_REQUIRED(WORD, "ctr_type", AT(ctr.kind), .words = kinds),
        JSON_REQUIRED(U32, "target_border_idx", AT(ctr.class), .high = INT32_MAX),
        JSON_REQUIRED(FLOAT, "prior_numerator", AT(ctr.prior)),
        JSON_REQUIRED(FLOAT, "prior_denomerator", AT(ctr.prior_total)),
        JSON_REQUIRED(FLOAT, "shift", AT(ctr.shift)),
        JSON_REQUIRED(FLOAT, "scale", AT(ctr.scale)),
        JSON_REQUIRED(FLOATS, "borders", AT(borders), .or_null = true),
        JSON_SKIP_OTHERS};
    struct catboost_json *r = data;
    enum status status;
    r->borders.count = 0;
    r->json.part = (struct json_part){"CTR", ctrs_count(r->model.ctrs)};
    if ((status = catboost_json_place(r, "", catboost_begin_ctr(&r->model))) ||
        (status = json_read_members(&r->json, "", members, r)) ||
        (status = catboost_json_borders(r, &r->model.statistics)))
        return status;
    const struct json_identifier added = {r->identifier, ctrs_count(r->model.ctrs), false};
    if ((status = catboost_json_place(r, "", catboost_add_ctr(&r->model, r->ctr))))
        return status;
    r->json.part.what = NULL;
    return json_list_add(&r->json, &r->identifiers, &added, sizeof added);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Counts the values, so that the table takes no more memory than needed. */
static enum status count_values(void *data, const struct json_member *member) {
    struct catboost_json *r = data;
    struct json_token token;
    r->table.entries = json_stream_place(&r->json.stream);
    r->table.n_values = 0;
    enum status status = json_begin(&r->json, member->name, JSON_ARRAY);
    while (json_read_item(&r->json, &token, &status)) {
        if (token.kind != JSON_STRING && token.kind != JSON_NUMBER)
            return json_wrong(&r->json, member->name, "hashes and numbers");
        r->table.n_values++;
    }
    return status;
}

static enum status read_hash(struct catboost_json *r, uint64_t *hash) {
    struct json_token token;
    enum status status = json_read_token(&r->json, &token);
    if (status)
        return status;
    bool is_number = token.kind == JSON_STRING && token.size > 0 && token.size < 24;
    *hash = 0;
    for (size_t i = 0; is_number && i < token.size; i++) {
        unsigned digit = (unsigned)(unsigned char)token.text[i] - '0';
        is_number = digit <= 9 && !__builtin_mul_overflow(*hash, 10, hash) &&
                    !__builtin_add_overflow(*hash, digit, hash);
    }
    return is_number ? STATUS_OK : json_wrong(&r->json, "hash_map", "a hash of 64 bits in quotes");
}

/* Reads a count. The sum of a mean is stored as float32. CatBoost writes it as it is, but rounds it
 * down when it reads it back, so that only integers give the scores of the original model. */
static enum status read_count(struct catboost_json *r, bool is_sum, uint32_t *count) {
    struct json_token token;
    int64_t integer = 0;
    enum status status = json_read_token(&r->json, &token);
    if (!status && is_sum && token.kind == JSON_NUMBER && token.real == truncf(token.real)) {
        memcpy(count, &token.real, sizeof token.real);
        return STATUS_OK;
    }
    if (!status && is_sum) {
        json_fail(&r->json,
                  "ctr_data: a CTR's sum is not an integer, which CatBoost cannot read from "
                  "JSON either. Save the model as .cbm");
        return STATUS_UNSUPPORTED;
    }
    if (!status)
        status = json_check_integer(&r->json, "hash_map", &token, INT32_MIN, INT32_MAX, &integer);
    *count = (uint32_t)integer;
    return status;
}

static enum status read_entries(struct catboost_json *r, enum ctr_kind kind,
                                struct ctr_table *table, size_t n_entries) {
    bool is_mean = kind == CTR_BINARIZED_MEAN || kind == CTR_FLOAT_MEAN;
    struct json_token token;
    enum status status = json_read_token(&r->json, &token); /* the beginning of the array */
    size_t stored = 0;
    for (size_t i = 0; i < n_entries && !status; i++) {
        struct ctr_entry entry = {.first = i * table->stride};
        status = read_hash(r, &entry.hash);
        for (uint32_t k = 0; k < table->stride && !status; k++)
            status = read_count(r, is_mean && k == 0, &table->counts[entry.first + k]);
        if (entry.hash != UINT64_MAX)
            table->entries[stored++] = entry;
    }
    table->n_entries = stored;
    if (!status && !ctrs_sort_table(table))
        status = json_wrong(&r->json, "hash_map", "different hashes");
    return status ? status : json_read_token(&r->json, &token); /* the end of the array */
}

static enum status read_table(struct catboost_json *r, enum ctr_kind kind) {
    static const struct json_member members[] = {
        JSON_REQUIRED(U32, "hash_stride", AT(table.stride), .high = INT32_MAX),
        JSON_OPTIONAL(I32, "counter_denominator", AT(table.total)),
        JSON_REQUIRED(READ, "hash_map", .read = count_values), JSON_SKIP_OTHERS};
    r->table.total = 0;
    enum status status = json_begin(&r->json, "ctr_data", JSON_OBJECT);
    if (status || (status = json_read_members(&r->json, "", members, r)))
        return status;
    size_t n_values = r->table.n_values, stride = r->table.stride;
    size_t n_entries = stride ? n_values / stride : 0;
    if (stride < 2 || catboost_ctr_stride(kind, (uint32_t)stride - 1) != stride - 1 ||
        n_values % stride != 0)
        return json_wrong(&r->json, "hash_stride", "the size of the entries of hash_map");
    struct ctr_table *table = ctrs_add_table(r->model.ctrs, n_entries, n_values - n_entries);
    if (!table)
        return error_memory(r->json.error, "the CTRs of a model");
    table->stride = (uint32_t)stride - 1;
    table->total = r->table.total;
    const struct json_place end = json_stream_place(&r->json.stream);
    json_stream_go(&r->json.stream, &r->table.entries);
    status = read_entries(r, kind, table, n_entries);
    json_stream_go(&r->json.stream, &end);
    return status;
}

/* Reads a table and gives it to the CTRs of its key. A table without CTRs is skipped. */
static enum status read_tables_of(struct catboost_json *r, const struct json_token *key) {
    struct json_identifier *all = r->identifiers.values, *end = all + r->identifiers.count;
    struct json_identifier *found =
        bsearch(key, all, r->identifiers.count, sizeof *all, json_token_compare);
    if (!found)
        return json_stream_skip(&r->json.stream, r->json.error);
    while (found > all && json_token_compare(found - 1, key) == 0)
        found--;
    if (found->has_table)
        return json_wrong(&r->json, "ctr_data", "different keys");
    enum ctr_kind kind = ctrs_get(r->model.ctrs, found->ctr)->kind;
    enum status status = read_table(r, kind);
    for (struct json_identifier *i = found; i < end && json_token_compare(i, found) == 0 && !status;
         i++) {
        i->has_table = true;
        if (ctrs_get(r->model.ctrs, i->ctr)->kind != kind)
            return json_wrong(&r->json, "ctrs", "one ctr_type per identifier");
        uint32_t table = ctrs_count_tables(r->model.ctrs) - 1;
        status = catboost_json_place(r, "", catboost_give_table(&r->model, i->ctr, table));
    }
    return status;
}

static enum status read_tables(struct catboost_json *r) {
    struct json_identifier *all = r->identifiers.values;
    struct json_token token;
    qsort(all, r->identifiers.count, sizeof *all, json_token_compare);
    enum status status = json_begin(&r->json, "ctr_data", JSON_OBJECT);
    while (json_read_item(&r->json, &token, &status))
        status = read_tables_of(r, &token);
    for (size_t i = 0; i < r->identifiers.count && !status; i++)
        if (!all[i].has_table)
            status = json_fail(&r->json, "ctr_data: CTR %" PRIu32 " has no table in the file",
                               all[i].ctr);
    return status;
}

enum status catboost_json_ctrs(struct catboost_json *r) {
    static const struct json_member ctrs =
        JSON_REQUIRED(OBJECTS, "ctrs", .each = read_ctr, .or_null = true);
    json_stream_go(&r->json.stream, &r->ctrs);
    enum status status = json_read_member(&r->json, &ctrs, r);
    if (status || r->identifiers.count == 0)
        return status;
    if (!r->ctr_tables.at)
        return json_fail(&r->json,
                         "ctr_data: missing, but the trees test CTRs. Save the model as .cbm");
    json_stream_go(&r->json.stream, &r->ctr_tables);
    return read_tables(r);
}
