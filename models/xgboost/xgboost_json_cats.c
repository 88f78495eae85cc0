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
#include "models/xgboost/xgboost_walk.h"

#include <stdlib.h>

/* The "type" of a column. */
enum { TYPE_NONE = 0, TYPE_U16 = 12, TYPE_U32 = 14, TYPE_U64 = 16, TYPE_FIRST = 9, TYPE_LAST = 16 };

#define LARGEST_NUMBER (INT64_C(1) << 53) /* doubles represent all integers up to this exactly */

/* The state while reading one "cats". `categories` is NULL during the first pass, which only
 * checks. */
struct cats {
    struct walk *walk;
    struct categories *categories;
    uint32_t n_columns;
    bool any;

    /* The current column. */
    int64_t type; /* TYPE_NONE means words */
    bool has_offsets;
    struct u32_list offsets;
    char *text; /* the bytes of all words */
    size_t text_size, text_capacity;
    uint32_t n_numbers;
};

static enum status wrong(const struct cats *c, const char *what, const char *expected) {
    return json_stream_error(c->walk->stream, c->walk->error, "cats: column %u: %s: expected %s",
                             c->n_columns, what, expected);
}

static enum status read_offsets(void *data) {
    struct cats *c = data;
    c->has_offsets = true;
    return walk_u32_list(c->walk, "offsets", &c->offsets);
}

static enum status read_type(void *data) {
    struct cats *c = data;
    struct json_token token;
    enum status status = walk_next(c->walk, &token);
    if (status)
        return status;
    if (token.kind != JSON_NUMBER || !token.is_integer || token.integer < TYPE_FIRST ||
        token.integer > TYPE_LAST)
        return wrong(c, "type", "a type of integers, 9 to 16");
    c->type = token.integer;
    return STATUS_OK;
}

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
        return wrong(c, "values", "numbers of at most 9007199254740992");
    c->n_numbers++;
    if (c->categories && !categories_add_number(c->categories, c->n_columns, (double)number))
        return error_memory(c->walk->error, "the categories of a model");
    return STATUS_OK;
}

static enum status add_byte(struct cats *c, int64_t value) {
    if (value < -128 || value > 255)
        return wrong(c, "values", "bytes");
    if (!memory_grow((void **)&c->text, &c->text_capacity, c->text_size, 1))
        return error_memory(c->walk->error, "the categories of a model");
    c->text[c->text_size++] = (char)(value < 128 ? value : value - 256);
    return STATUS_OK;
}

static enum status read_values(void *data) {
    struct cats *c = data;
    if (!c->has_offsets && c->type == TYPE_NONE)
        return wrong(c, "values", "a place after offsets or type");
    enum status status = walk_array_begin(c->walk, "values");
    while (!status) {
        struct json_token token;
        if ((status = walk_next(c->walk, &token)) || token.kind == JSON_ARRAY_END)
            break;
        if (token.kind != JSON_NUMBER || !token.is_integer)
            return wrong(c, "values", "integers");
        status = c->has_offsets ? add_byte(c, token.integer) : add_number(c, token.integer);
    }
    return status;
}

static enum status add_words(struct cats *c) {
    const struct u32_list *offsets = &c->offsets;
    for (size_t i = 0; i + 1 < offsets->count; i++) {
        uint32_t begin = offsets->values[i], end = offsets->values[i + 1];
        if (begin > end || end > c->text_size)
            return wrong(c, "offsets", "increasing positions in values");
        if (c->categories && !categories_add_word(c->categories, c->n_columns,
                                                  c->text_size ? c->text + begin : "", end - begin))
            return error_memory(c->walk->error, "the categories of a model");
    }
    return STATUS_OK;
}

static enum status read_column(struct cats *c) {
    static const struct json_stream_member members[] = {
        {"offsets", read_offsets, false},
        {"type", read_type, false},
        {"values", read_values, true},
    };
    c->type = TYPE_NONE;
    c->has_offsets = false;
    c->offsets.count = c->text_size = 0;
    c->n_numbers = 0;
    enum status status =
        json_stream_members(c->walk->stream, "cats: ", members, sizeof members / sizeof *members,
                            false, c, c->walk->error);
    if (!status && c->has_offsets && c->type != TYPE_NONE)
        status = wrong(c, "type", "no type in a column with offsets");
    if (!status && c->has_offsets)
        status = add_words(c);
    c->any = c->any || c->offsets.count > 1 || c->n_numbers > 0;
    c->n_columns++;
    return status;
}

static enum status read_columns(void *data) {
    struct cats *c = data;
    enum status status = walk_array_begin(c->walk, "enc");
    while (!status) {
        struct json_token token;
        if ((status = walk_next(c->walk, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = token.kind == JSON_OBJECT ? read_column(c)
                                           : walk_wrong(c->walk, "enc", "an array of objects");
    }
    return status;
}

static enum status read_cats(struct cats *c) {
    static const struct json_stream_member members[] = {
        {"enc", read_columns, true},
        {"feature_segments", NULL, false}, /* the running sums of the columns' category counts */
        {"sorted_idx", NULL, false},       /* the categories of each column in sorted order */
    };
    struct json_token token;
    enum status status = walk_next(c->walk, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = walk_wrong(c->walk, "cats", "an object");
    if (!status)
        status = json_stream_members(c->walk->stream, "cats: ", members,
                                     sizeof members / sizeof *members, false, c, c->walk->error);
    free(c->offsets.values);
    free(c->text);
    return status;
}

enum status walk_check_categories(void *data) {
    struct walk *w = data;
    struct cats c = {.walk = w};
    w->cats = *w->stream;
    enum status status = read_cats(&c);
    w->n_cats = c.any ? c.n_columns : 0;
    return status;
}

enum status walk_categories(struct walk *w, struct categories **categories) {
    struct json_stream *stream = w->stream;
    *categories = NULL;
    if (w->n_cats == 0)
        return STATUS_OK;
    if (w->n_cats != w->n_features)
        return error_set(w->error, STATUS_INPUT,
                         "%s: cats: the number of columns is %u, expected %u (one per feature)",
                         stream->name, w->n_cats, w->n_features);
    struct cats c = {.walk = w, .categories = categories_create(true)};
    if (!c.categories)
        return error_memory(w->error, "the categories of a model");
    w->stream = &w->cats;
    enum status status = read_cats(&c);
    w->stream = stream;
    if (status)
        categories_free(c.categories);
    else
        *categories = c.categories;
    return status;
}
