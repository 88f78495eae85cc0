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

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct identifier {
    const char *text;
    size_t size;
    uint32_t ctr;
    bool has_table;
};

struct json_ctrs {
    struct identifier *identifiers; /* one per CTR */
    size_t count, capacity;
    struct ctr ctr; /* the current CTR */
    struct identifier identifier;

    enum ctr_part_kind part; /* the current part of its combination */
    uint32_t category, feature;
    float border;
    int32_t hash;
    bool has_category, has_feature, has_border, has_hash;

    uint32_t stride; /* of the current table: hash_stride */
    int64_t total;
    size_t n_values; /* of its hash_map */
};

void catboost_json_free_ctrs(struct catboost_json *r) {
    if (r->ctr)
        free(r->ctr->identifiers);
    free(r->ctr);
}

/* --- combinations ----------------------------------------------------------------------------- */

static enum status read_word(struct catboost_json *r, const char *key, const char *const *words,
                             uint32_t n_words, uint32_t *word) {
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    for (uint32_t i = 0; i < n_words && !status; i++) {
        *word = i;
        if (token.kind == JSON_STRING && json_token_is(&token, words[i]))
            return STATUS_OK;
    }
    return status ? status : catboost_json_wrong(r, key, "the name of a known kind");
}

static enum status read_part_kind(void *data) {
    static const char *const words[] = {"cat_feature_value", "float_feature",
                                        "cat_feature_exact_value"};
    struct catboost_json *r = data;
    uint32_t word = 0;
    enum status status =
        read_word(r, "combination_element", words, sizeof words / sizeof *words, &word);
    r->ctr->part = (enum ctr_part_kind)word;
    return status;
}

static enum status read_category(void *data) {
    struct catboost_json *r = data;
    r->ctr->has_category = true;
    return catboost_json_u32(r, "cat_feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->ctr->category);
}

static enum status read_feature(void *data) {
    struct catboost_json *r = data;
    r->ctr->has_feature = true;
    return catboost_json_u32(r, "float_feature_index", ENSEMBLE_MAX_FEATURES - 1, &r->ctr->feature);
}

static enum status read_real(struct catboost_json *r, const char *key, float *value) {
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && (token.kind != JSON_NUMBER || !isfinite(token.real)))
        status = catboost_json_wrong(r, key, "a number in the range of float32");
    *value = token.real;
    return status;
}

static enum status read_border(void *data) {
    struct catboost_json *r = data;
    r->ctr->has_border = true;
    return read_real(r, "border", &r->ctr->border);
}

static enum status read_value(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    r->ctr->has_hash = true;
    return status ? status : catboost_json_hash(r, &token, "value", &r->ctr->hash);
}

static enum status add_part(struct catboost_json *r, struct error *error) {
    const struct json_ctrs *c = r->ctr;
    switch (c->part) {
    case CTR_CATEGORY:
        return catboost_add_category(&r->model, c->category, error);
    case CTR_IS_OVER:
        return catboost_add_over(&r->model, c->feature, c->border, error);
    default:
        return catboost_add_is_category(&r->model, c->category, c->hash, error);
    }
}

static enum status read_part(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"combination_element", read_part_kind, true},
        {"cat_feature_index", read_category, false},
        {"float_feature_index", read_feature, false},
        {"border", read_border, false},
        {"value", read_value, false},
    };
    struct json_ctrs *c = r->ctr;
    struct error inner;
    c->has_category = c->has_feature = c->has_border = c->has_hash = false;
    enum status status = CATBOOST_JSON_MEMBERS(r, members);
    if (status)
        return status;
    bool is_over = c->part == CTR_IS_OVER;
    if (c->has_feature != is_over || c->has_border != is_over || c->has_category == is_over ||
        c->has_hash != (c->part == CTR_IS_CATEGORY))
        return catboost_json_wrong(r, "elements", "the members of this kind of element");
    status = add_part(r, &inner);
    return catboost_json_place(r, status, "elements: ", &inner);
}

/* --- CTRs ------------------------------------------------------------------------------------- */

static enum status read_identifier(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_STRING)
        status = catboost_json_wrong(r, "identifier", "a string");
    r->ctr->identifier.text = token.text;
    r->ctr->identifier.size = token.size;
    return status;
}

static enum status read_kind(void *data) {
    static const char *const words[CTR_KINDS] = {
        "Borders", "Buckets",    "BinarizedTargetMeanValue", "FloatTargetMeanValue",
        "Counter", "FeatureFreq"};
    struct catboost_json *r = data;
    uint32_t word = 0;
    enum status status = read_word(r, "ctr_type", words, CTR_KINDS, &word);
    r->ctr->ctr.kind = (enum ctr_kind)word;
    return status;
}

static enum status read_class(void *data) {
    struct catboost_json *r = data;
    return catboost_json_u32(r, "target_border_idx", INT32_MAX, &r->ctr->ctr.class);
}

static enum status read_prior(void *data) {
    struct catboost_json *r = data;
    return read_real(r, "prior_numerator", &r->ctr->ctr.prior);
}

static enum status read_prior_total(void *data) {
    struct catboost_json *r = data;
    return read_real(r, "prior_denomerator", &r->ctr->ctr.prior_total);
}

static enum status read_shift(void *data) {
    struct catboost_json *r = data;
    return read_real(r, "shift", &r->ctr->ctr.shift);
}

static enum status read_scale(void *data) {
    struct catboost_json *r = data;
    return read_real(r, "scale", &r->ctr->ctr.scale);
}

static enum status read_parts(void *data) {
    struct catboost_json *r = data;
    struct error inner;
    enum status status = catboost_begin_combination(&r->model, &inner);
    status = catboost_json_place(r, status, "", &inner);
    return status ? status : catboost_json_objects(r, "elements", false, read_part);
}

static enum status read_borders(void *data) {
    struct catboost_json *r = data;
    return catboost_json_borders(r, &r->model.statistics);
}

/* The borders of a CTR come before its combination, so the feature is begun first. */
static enum status read_ctr(struct catboost_json *r) {
    static const struct json_stream_member members[] = {
        {"identifier", read_identifier, true}, {"elements", read_parts, true},
        {"ctr_type", read_kind, true},         {"target_border_idx", read_class, true},
        {"prior_numerator", read_prior, true}, {"prior_denomerator", read_prior_total, true},
        {"shift", read_shift, true},           {"scale", read_scale, true},
        {"borders", read_borders, true},
    };
    struct json_ctrs *c = r->ctr;
    struct error inner;
    enum status status = catboost_begin_ctr(&r->model, &inner);
    snprintf(r->where, sizeof r->where, "CTR %" PRIu32 ": ", ctrs_count(r->model.ctrs));
    if ((status = catboost_json_place(r, status, "", &inner)) ||
        (status = CATBOOST_JSON_MEMBERS(r, members)))
        return status;
    c->identifier.ctr = ctrs_count(r->model.ctrs);
    status = catboost_add_ctr(&r->model, c->ctr, &inner);
    if ((status = catboost_json_place(r, status, "", &inner)))
        return status;
    r->where[0] = '\0';
    if (!memory_grow((void **)&c->identifiers, &c->capacity, c->count, sizeof c->identifier))
        return error_memory(r->error, "the CTRs of a model");
    c->identifiers[c->count++] = c->identifier;
    return STATUS_OK;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int compare_identifiers(const void *a, const void *b) {
    const struct identifier *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->text, y->text, x->size);
}

static enum status read_stride(void *data) {
    struct catboost_json *r = data;
    return catboost_json_u32(r, "hash_stride", INT32_MAX, &r->ctr->stride);
}

static enum status read_total(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    int32_t total = 0;
    enum status status = catboost_json_next(r, &token);
    if (!status)
        status = catboost_json_hash(r, &token, "counter_denominator", &total);
    r->ctr->total = total;
    return status;
}

/* Counts the values, so that the table takes no more memory than needed. */
static enum status count_values(void *data) {
    struct catboost_json *r = data;
    struct json_token token;
    r->ctr_entries = r->stream;
    r->ctr->n_values = 0;
    enum status status = catboost_json_list(r, "hash_map", false, &token);
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
        if (token.kind != JSON_STRING && token.kind != JSON_NUMBER)
            return catboost_json_wrong(r, "hash_map", "hashes and numbers");
        r->ctr->n_values++;
    }
    return status;
}

static enum status read_hash(struct catboost_json *r, uint64_t *hash) {
    struct json_token token;
    enum status status = catboost_json_next(r, &token);
    char digits[24];
    if (status)
        return status;
    bool is_number = token.kind == JSON_STRING && token.size > 0 && token.size < sizeof digits;
    for (size_t i = 0; is_number && i < token.size; i++)
        is_number = token.text[i] >= '0' && token.text[i] <= '9';
    if (is_number) {
        memcpy(digits, token.text, token.size);
        digits[token.size] = '\0';
        errno = 0;
        *hash = strtoull(digits, NULL, 10);
        is_number = errno == 0;
    }
    return is_number ? STATUS_OK
                     : catboost_json_wrong(r, "hash_map", "a hash of 64 bits in quotes");
}

/* Reads a count. The sum of a mean is stored as float32. CatBoost writes it as it is, but rounds it
 * down when it reads it back, so that only integers give the scores of the original model. */
static enum status read_count(struct catboost_json *r, bool is_sum, uint32_t *count) {
    struct json_token token;
    int32_t integer = 0;
    enum status status = catboost_json_next(r, &token);
    if (!status && is_sum && token.kind == JSON_NUMBER && token.real == truncf(token.real)) {
        memcpy(count, &token.real, sizeof token.real);
        return STATUS_OK;
    }
    if (!status && is_sum) {
        json_stream_error(
            &r->stream, r->error,
            "ctr_data: a CTR's sum is not an integer, which CatBoost cannot read from "
            "JSON either. Save the model as .cbm");
        return STATUS_UNSUPPORTED;
    }
    if (!status)
        status = catboost_json_hash(r, &token, "hash_map", &integer);
    *count = (uint32_t)integer;
    return status;
}

static enum status read_entries(struct catboost_json *r, enum ctr_kind kind,
                                struct ctr_table *table, size_t n_entries) {
    bool is_mean = kind == CTR_BINARIZED_MEAN || kind == CTR_FLOAT_MEAN;
    struct json_token token;
    enum status status = catboost_json_next(r, &token); /* the beginning of the array */
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
        status = catboost_json_wrong(r, "hash_map", "different hashes");
    return status ? status : catboost_json_next(r, &token); /* the end of the array */
}

/* Skips the members of an object that follow the current one. */
static enum status skip_members(struct catboost_json *r) {
    struct json_token token;
    enum status status = STATUS_OK;
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_OBJECT_END)
        status = json_stream_skip(&r->stream, r->error);
    return status;
}

static enum status read_table(struct catboost_json *r, enum ctr_kind kind) {
    static const struct json_stream_member members[] = {
        {"hash_stride", read_stride, true},
        {"counter_denominator", read_total, false},
        {"hash_map", count_values, true},
    };
    struct json_ctrs *c = r->ctr;
    struct json_token token;
    c->total = 0;
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = catboost_json_wrong(r, "ctr_data", "an object of objects");
    if (status || (status = CATBOOST_JSON_MEMBERS(r, members)))
        return status;
    size_t n_entries = c->stride ? c->n_values / c->stride : 0;
    if (c->stride < 2 || catboost_ctr_stride(kind, c->stride - 1) != c->stride - 1 ||
        c->n_values % c->stride != 0)
        return catboost_json_wrong(r, "hash_stride", "the size of the entries of hash_map");
    struct ctr_table *table = ctrs_add_table(r->model.ctrs, n_entries, c->n_values - n_entries);
    if (!table)
        return error_memory(r->error, "the CTRs of a model");
    table->stride = c->stride - 1;
    table->total = (int32_t)c->total;
    r->stream = r->ctr_entries;
    status = read_entries(r, kind, table, n_entries);
    return status ? status : skip_members(r);
}

/* The first CTR with this identifier; the number of CTRs if there is none. */
static size_t find_identifier(const struct json_ctrs *c, const struct json_token *key) {
    const struct identifier wanted = {.text = key->text, .size = key->size};
    size_t low = 0, high = c->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_identifiers(&c->identifiers[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = low < c->count && compare_identifiers(&c->identifiers[low], &wanted) == 0;
    return is_found ? low : c->count;
}

/* Reads a table and gives it to the CTRs of its key. A table without CTRs is skipped. */
static enum status read_tables_of(struct catboost_json *r, const struct json_token *key) {
    struct json_ctrs *c = r->ctr;
    size_t first = find_identifier(c, key);
    if (first == c->count)
        return json_stream_skip(&r->stream, r->error);
    struct identifier *found = &c->identifiers[first];
    if (found->has_table)
        return catboost_json_wrong(r, "ctr_data", "different keys");
    enum ctr_kind kind = ctrs_get(r->model.ctrs, found->ctr)->kind;
    enum status status = read_table(r, kind);
    for (struct identifier *i = found;
         i < c->identifiers + c->count && compare_identifiers(i, found) == 0 && !status; i++) {
        struct error inner;
        i->has_table = true;
        if (ctrs_get(r->model.ctrs, i->ctr)->kind != kind)
            return catboost_json_wrong(r, "ctrs", "one ctr_type per identifier");
        status =
            catboost_give_table(&r->model, i->ctr, ctrs_count_tables(r->model.ctrs) - 1, &inner);
        status = catboost_json_place(r, status, "", &inner);
    }
    return status;
}

static enum status read_tables(struct catboost_json *r) {
    struct json_ctrs *c = r->ctr;
    struct json_token token;
    qsort(c->identifiers, c->count, sizeof *c->identifiers, compare_identifiers);
    enum status status = catboost_json_next(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = catboost_json_wrong(r, "ctr_data", "an object");
    while (!status && !(status = catboost_json_next(r, &token)) && token.kind != JSON_OBJECT_END)
        status = read_tables_of(r, &token);
    for (size_t i = 0; i < c->count && !status; i++)
        if (!c->identifiers[i].has_table)
            status = json_stream_error(&r->stream, r->error,
                                       "ctr_data: CTR %" PRIu32 " has no table in the file",
                                       c->identifiers[i].ctr);
    return status;
}

enum status catboost_json_ctrs(struct catboost_json *r) {
    if (!(r->ctr = calloc(1, sizeof *r->ctr)))
        return error_memory(r->error, "the CTRs of a model");
    r->stream = r->ctrs;
    enum status status = catboost_json_objects(r, "ctrs", true, read_ctr);
    if (status || r->ctr->count == 0)
        return status;
    if (!r->has_ctr_tables)
        return json_stream_error(&r->stream, r->error,
                                 "ctr_data: missing, but the trees test CTRs. Save the model as "
                                 ".cbm");
    r->stream = r->ctr_tables;
    return read_tables(r);
}
