/* Reads the categories in XGBoost's JSON (3.1 and later): the category lists of the training data
 * frame. Each column has words, integers or, without categories, two empty lists:
 *
 *     "cats": {"enc": [{"offsets": [0, 2, 5], "values": [114, 101, ...]},    bytes of all words
 *                      {"type": 15, "values": [3, 7, 12]},
 *                      {"offsets": [], "values": []}],
 *              "feature_segments": [...], "sorted_idx": [...]}
 *
 * Sources: xgboost's src/data/cat_container.cc and src/encoder/ordinal.h. */
#include "base/memory.h"
#include "models/categories.h"
#include "models/xgboost/xgboost_json.h"

#include <stdlib.h>

/* The "type" of a column. */
enum { TYPE_NONE = 0, TYPE_U16 = 12, TYPE_U32 = 14, TYPE_U64 = 16, TYPE_FIRST = 9, TYPE_LAST = 16 };

#define LARGEST_NUMBER (INT64_C(1) << 53) /* doubles represent all integers up to this exactly */

/* The state while reading one "cats". `categories` is NULL during the first pass, which only
 * checks. */
struct cats {
    struct xgboost_json *reader;
    struct json_reader *json;
    struct categories *categories;
    uint32_t n_columns;
    bool any;

    /* The current column. */
    int32_t type; /* TYPE_NONE means words */
    bool has_offsets;
    struct memory_list offsets; /* of u32 */
    struct memory_list words;   /* the characters of all words */
    uint32_t n_numbers;
};

#define AT(member) .offset = offsetof(struct cats, member)

/* UBJSON has no large unsigned integers, so XGBoost writes their bits as signed integers. */
static int64_t to_number(const struct cats *c, int64_t value) {
    if (value >= 0)
        return value;
    switch (c->type) {
    case TYPE_U16:
        return value + (INT64_C(1) << 16);
    case TYPE_U32:
        return value + (INT64_C(1) << 32);
    case TYPE_U64:
        return INT64_MAX;
    default:
        return value;
    }
}

static enum status add_number(struct cats *c, int64_t value) {
    int64_t number = to_number(c, value);
    if (number < -LARGEST_NUMBER || number > LARGEST_NUMBER)
        return json_wrong(c->json, "values", "numbers of at most 9007199254740992");
    c->n_numbers++;
    if (c->categories && !categories_add_number(c->categories, c->n_columns, (double)number))
        return error_memory(c->json->error, "the categories of a model");
    return STATUS_OK;
}

static enum status add_byte(struct cats *c, int64_t value) {
    if (value < -128 || value > 255)
        return json_wrong(c->json, "values", "bytes");
    const char byte = (char)(value < 128 ? value : value - 256);
    return memory_list_add(&c->words, &byte, 1)
               ? STATUS_OK
               : error_memory(c->json->error, "the categories of a model");
}

static enum status read_values(void *data, const struct json_member *member) {
    struct cats *c = data;
    struct json_token token;
    if (!c->has_offsets && c->type == TYPE_NONE)
        return json_wrong(c->json, "values", "a place after offsets or type");
    enum status status = json_begin(c->json, member->name, JSON_ARRAY);
    while (json_read_item(c->json, &token, &status)) {
        if (token.kind != JSON_NUMBER || !token.is_integer)
            return json_wrong(c->json, "values", "integers");
        status = c->has_offsets ? add_byte(c, token.integer) : add_number(c, token.integer);
    }
    return status;
}

static enum status add_words(struct cats *c) {
    const struct memory_list *offsets = &c->offsets;
    for (size_t i = 0; i + 1 < offsets->count; i++) {
        uint32_t begin = offsets->u32[i], end = offsets->u32[i + 1];
        if (begin > end || end > c->words.count)
            return json_wrong(c->json, "offsets", "increasing positions in values");
        if (c->categories &&
            !categories_add_word(c->categories, c->n_columns,
                                 c->words.count ? c->words.text + begin : "", end - begin))
            return error_memory(c->json->error, "the categories of a model");
    }
    return STATUS_OK;
}

static enum status read_column(void *data) {
    static const struct json_member members[] = {
        JSON_OPTIONAL(U32S, "offsets", AT(offsets), .has = offsetof(struct cats, has_offsets)),
        JSON_OPTIONAL(I32, "type", AT(type), .low = TYPE_FIRST, .high = TYPE_LAST),
        JSON_REQUIRED(READ, "values", .read = read_values), JSON_REFUSE_OTHERS};
    struct cats *c = data;
    c->json->part = (struct json_part){"cats: column", c->n_columns};
    c->type = TYPE_NONE;
    c->has_offsets = false;
    c->offsets.count = c->words.count = 0;
    c->n_numbers = 0;
    enum status status = json_read_members(c->json, "", members, c);
    if (!status && c->has_offsets && c->type != TYPE_NONE)
        status = json_wrong(c->json, "type", "no type in a column with offsets");
    if (!status && c->has_offsets)
        status = add_words(c);
    c->any = c->any || c->offsets.count > 1 || c->n_numbers > 0;
    c->n_columns++;
    c->json->part.what = NULL;
    return status;
}

static enum status read_cats(struct cats *c) {
    static const struct json_member members[] = {
        JSON_REQUIRED(OBJECTS, "enc", .each = read_column),
        JSON_SKIPPED("feature_segments"), /* the running sums of the columns' category counts */
        JSON_SKIPPED("sorted_idx"),       /* the categories of each column in sorted order */
        JSON_REFUSE_OTHERS};
    c->json = &c->reader->json;
    enum status status = json_read_object(c->json, "cats", members, c);
    free(c->offsets.values);
    free(c->words.values);
    return status;
}

enum status xgboost_json_check_categories(void *data, const struct json_member *member) {
    (void)member;
    struct xgboost_json *r = data;
    struct cats c = {.reader = r};
    r->cats = json_stream_place(&r->json.stream);
    enum status status = read_cats(&c);
    r->n_cats = c.any ? c.n_columns : 0;
    return status;
}

enum status xgboost_json_categories(struct xgboost_json *r, struct categories **categories) {
    *categories = NULL;
    if (r->n_cats == 0)
        return STATUS_OK;
    if (r->n_cats != r->header.n_features)
        return error_set(r->json.error, STATUS_INPUT,
                         "%s: cats: the number of columns is %u, expected %u (one per feature)",
                         r->json.stream.name, r->n_cats, r->header.n_features);
    struct cats c = {.reader = r, .categories = categories_create(true)};
    if (!c.categories)
        return error_memory(r->json.error, "the categories of a model");
    json_stream_go(&r->json.stream, &r->cats);
    enum status status = read_cats(&c);
    if (status)
        categories_free(c.categories);
    else
        *categories = c.categories;
    return status;
}
