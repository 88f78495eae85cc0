/* Reads treebench's own JSON. */
#include "models/treebench_json.h"

#include "base/json_stream.h"
#include "base/memory.h"
#include "base/number.h"
#include "models/feature_names.h"
#include "models/formats.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The lists of numbers of a tree, which are put together when the tree ends. */
enum tree_list { FEATURE, THRESHOLD, LEFT, RIGHT, NAN_LEFT, NODE_COUNT, VALUE, LEAF_COUNT, LISTS };
static const char *const list_names[LISTS] = {"feature",  "threshold",  "left",  "right",
                                              "nan_left", "node_count", "value", "leaf_count"};

struct number_list {
    double *values; /* exact: integers are under 2^53, thresholds are floats */
    size_t count, capacity;
    bool is_there; /* in this tree */
};

struct treebench_reader {
    struct json_stream stream;
    struct error *error;
    char where[32]; /* "tree 3: " while a tree is read, for errors */
    uint32_t tree, output;
    struct number_list lists[LISTS], base;
    struct number_list cuts,
        cuts_end; /* of the tree's set nodes: all cuts; where each node's end */
    struct categories *categories;
    bool refuse_unknown, first_is_empty;
    struct ensemble_shape shape;
    char note[ENSEMBLE_NOTE_SIZE];
    struct feature_names names;
    struct ensemble_builder *builder;
};

/* "FILE:LINE: tree 3: KEY: should be EXPECTED" */
static enum status wrong_value(const struct treebench_reader *r, const char *key,
                               const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: should be %s", r->where, key, expected);
}

static enum status wrong_item(const struct treebench_reader *r, const char *key, size_t i,
                              const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: value %zu should be %s", r->where, key, i,
                             expected);
}

enum { EXPECTED_SIZE = 80 };
static const char *describe_integer(double low, double high, char text[static EXPECTED_SIZE]) {
    snprintf(text, EXPECTED_SIZE, "an integer from %.0f to %.0f", low, high);
    return text;
}

static bool is_integer(double value, double low, double high) {
    return value >= low && value <= high && value == floor(value);
}

static enum status next_token(struct treebench_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

static enum status read_u32(struct treebench_reader *r, const char *key, uint32_t low,
                            uint32_t high, uint32_t *value) {
    struct json_token token;
    double number;
    char expected[EXPECTED_SIZE];
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &number) || !is_integer(number, low, high))
        return wrong_value(r, key, describe_integer(low, high, expected));
    *value = (uint32_t)number;
    return STATUS_OK;
}

static enum status read_string(struct treebench_reader *r, const char *key,
                               struct json_token *token) {
    enum status status = next_token(r, token);
    if (!status && token->kind != JSON_STRING)
        status = wrong_value(r, key, "a string");
    return status;
}

/* --- lists of numbers ------------------------------------------------------------------------- */

/* As the model compares it. */
static bool to_threshold(const struct treebench_reader *r, const struct json_token *token,
                         double *value) {
    if (token->kind == JSON_NUMBER && r->shape.compares_doubles)
        return json_token_double(token, value);
    *value = token->kind == JSON_NUMBER     ? (double)token->real
             : json_token_is(token, "inf")  ? INFINITY
             : json_token_is(token, "-inf") ? -INFINITY
                                            : NAN;
    return token->kind == JSON_NUMBER ? isfinite(*value) : !isnan(*value);
}

/* Whether a value is what its list may hold; children are checked when the tree ends. */
static enum status check_item(const struct treebench_reader *r, enum tree_list which,
                              const struct json_token *token, double *value) {
    static const struct {
        double low, high;
    } ranges[LISTS] = {
        [FEATURE] = {0, ENSEMBLE_MAX_FEATURES - 1},
        [LEFT] = {INT32_MIN, INT32_MAX},
        [RIGHT] = {INT32_MIN, INT32_MAX},
        [NAN_LEFT] = {0, 1},
        [NODE_COUNT] = {0, (double)TREEBENCH_JSON_LARGEST_COUNT},
        [LEAF_COUNT] = {0, (double)TREEBENCH_JSON_LARGEST_COUNT},
    };
    char expected[EXPECTED_SIZE];
    size_t i = r->lists[which].count;
    if (which == THRESHOLD)
        return to_threshold(r, token, value)
                   ? STATUS_OK
                   : wrong_item(r, list_names[which], i, "a number in range, \"inf\" or \"-inf\"");
    if (!json_token_double(token, value))
        return wrong_item(r, list_names[which], i,
                          which == VALUE ? "a finite number" : "an integer");
    if (which != VALUE && !is_integer(*value, ranges[which].low, ranges[which].high))
        return wrong_item(r, list_names[which], i,
                          describe_integer(ranges[which].low, ranges[which].high, expected));
    return STATUS_OK;
}

static enum status append(struct treebench_reader *r, struct number_list *list, double value) {
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(r->error, "a list of a model");
    list->values[list->count++] = value;
    return STATUS_OK;
}

static enum status begin_list(struct treebench_reader *r, const char *key) {
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = wrong_value(r, key, "an array");
    return status;
}

static enum status read_list(struct treebench_reader *r, enum tree_list which) {
    struct number_list *list = &r->lists[which];
    enum status status = begin_list(r, list_names[which]);
    list->is_there = true;
    while (!status) {
        struct json_token token;
        double value;
        if ((status = next_token(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        if (!(status = check_item(r, which, &token, &value)))
            status = append(r, list, value);
    }
    return status;
}

/* A list of cuts for each node. */
static enum status read_cuts(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    enum status status = begin_list(r, "cuts");
    r->cuts_end.is_there = true;
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END) {
        if (token.kind != JSON_ARRAY)
            return wrong_item(r, "cuts", r->cuts_end.count, "an array");
        while (!(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END) {
            double cut;
            if (!to_threshold(r, &token, &cut))
                return wrong_item(r, "cuts", r->cuts_end.count,
                                  "numbers in range, \"inf\" or \"-inf\"");
            if ((status = append(r, &r->cuts, cut)))
                return status;
        }
        if (!status)
            status = append(r, &r->cuts_end, (double)r->cuts.count);
    }
    return status;
}

static enum status read_feature(void *data) {
    return read_list(data, FEATURE);
}
static enum status read_threshold(void *data) {
    return read_list(data, THRESHOLD);
}
static enum status read_left(void *data) {
    return read_list(data, LEFT);
}
static enum status read_right(void *data) {
    return read_list(data, RIGHT);
}
static enum status read_nan_left(void *data) {
    return read_list(data, NAN_LEFT);
}
static enum status read_node_count(void *data) {
    return read_list(data, NODE_COUNT);
}
static enum status read_value(void *data) {
    return read_list(data, VALUE);
}
static enum status read_leaf_count(void *data) {
    return read_list(data, LEAF_COUNT);
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status read_output(void *data) {
    struct treebench_reader *r = data;
    uint32_t n_outputs = r->shape.n_outputs ? r->shape.n_outputs : ENSEMBLE_MAX_OUTPUTS;
    return read_u32(r, "output", 0, n_outputs - 1, &r->output);
}

/* All lists have a value for each inner node, or one more, for each leaf. */
static enum status check_sizes(const struct treebench_reader *r) {
    size_t n_inner = r->lists[FEATURE].count;
    if (n_inner > INT32_MAX)
        return wrong_value(r, "feature", "a list of fewer values");
    for (int i = 0; i < LISTS; i++) {
        const struct number_list *list = &r->lists[i];
        size_t expected = n_inner + (i == VALUE || i == LEAF_COUNT);
        if (list->is_there && list->count != expected)
            return json_stream_error(&r->stream, r->error,
                                     "%s%s: has %zu values, and should have %zu", r->where,
                                     list_names[i], list->count, expected);
    }
    if (r->cuts_end.is_there && r->cuts_end.count != n_inner)
        return json_stream_error(&r->stream, r->error, "%scuts: has %zu lists, and should have %zu",
                                 r->where, r->cuts_end.count, n_inner);
    bool nodes = r->lists[NODE_COUNT].is_there, leaves = r->lists[LEAF_COUNT].is_there;
    if (nodes != leaves)
        return json_stream_error(&r->stream, r->error, "%s%s: missing, and %s is there", r->where,
                                 list_names[nodes ? LEAF_COUNT : NODE_COUNT],
                                 list_names[nodes ? NODE_COUNT : LEAF_COUNT]);
    return STATUS_OK;
}

static enum status find_child(const struct treebench_reader *r, enum tree_list which, uint32_t i,
                              uint32_t *number) {
    uint32_t n_inner = (uint32_t)r->lists[FEATURE].count;
    double child = r->lists[which].values[i], low = -(double)n_inner - 1;
    char expected[EXPECTED_SIZE];
    if (!is_integer(child, low, (double)n_inner - 1))
        return wrong_item(r, list_names[which], i, describe_integer(low, n_inner - 1, expected));
    *number = reader_child(n_inner, (int32_t)child);
    return STATUS_OK;
}

static uint64_t count_of(const struct number_list *list, uint32_t i) {
    return list->is_there ? (uint64_t)list->values[i] : ENSEMBLE_NO_COUNT;
}

/* The cuts of a node; a list without any is that of a plain node. */
static void set_cuts(const struct treebench_reader *r, uint32_t i, struct inner_node *node) {
    if (!r->cuts_end.is_there)
        return;
    size_t begin = i ? (size_t)r->cuts_end.values[i - 1] : 0;
    node->n_cuts = (uint32_t)((size_t)r->cuts_end.values[i] - begin);
    node->cuts = node->n_cuts ? r->cuts.values + begin : NULL;
}

static enum status build_tree(struct treebench_reader *r) {
    const struct number_list *lists = r->lists;
    uint32_t n_inner = (uint32_t)lists[FEATURE].count;
    ensemble_builder_add_tree(r->builder, r->output);
    for (uint32_t i = 0; i < n_inner; i++) {
        struct inner_node node = {.feature = (uint32_t)lists[FEATURE].values[i],
                                  .threshold = lists[THRESHOLD].values[i],
                                  .nan_left =
                                      lists[NAN_LEFT].is_there && lists[NAN_LEFT].values[i] != 0,
                                  .count = count_of(&lists[NODE_COUNT], i)};
        enum status status = find_child(r, LEFT, i, &node.left);
        if (!status)
            status = find_child(r, RIGHT, i, &node.right);
        if (status)
            return status;
        set_cuts(r, i, &node);
        ensemble_builder_add_inner(r->builder, &node);
    }
    for (uint32_t i = 0; i <= n_inner; i++)
        ensemble_builder_add_leaf(r->builder, lists[VALUE].values[i],
                                  count_of(&lists[LEAF_COUNT], i));
    return STATUS_OK;
}

static enum status read_tree(struct treebench_reader *r) {
    static const struct json_member members[] = {
        {"output", read_output, true},
        {"feature", read_feature, true},
        {"threshold", read_threshold, true},
        {"left", read_left, true},
        {"right", read_right, true},
        {"nan_left", read_nan_left, false},
        {"node_count", read_node_count, false},
        {"value", read_value, true},
        {"leaf_count", read_leaf_count, false},
        {"cuts", read_cuts, false},
    };
    for (int i = 0; i < LISTS; i++) {
        r->lists[i].count = 0;
        r->lists[i].is_there = false;
    }
    r->cuts.count = r->cuts_end.count = 0;
    r->cuts_end.is_there = false;
    enum status status = json_stream_members(&r->stream, r->where, members,
                                             sizeof members / sizeof *members, false, r, r->error);
    if (!status)
        status = check_sizes(r);
    return status ? status : build_tree(r);
}

static enum status read_trees(void *data) {
    struct treebench_reader *r = data;
    enum status status = begin_list(r, "trees");
    for (; !status; r->tree++) {
        struct json_token token;
        if ((status = next_token(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        snprintf(r->where, sizeof r->where, "tree %" PRIu32 ": ", r->tree);
        if (token.kind != JSON_OBJECT)
            return json_stream_error(&r->stream, r->error, "tree %" PRIu32 ": should be an object",
                                     r->tree);
        status = read_tree(r);
    }
    r->where[0] = '\0';
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_format(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "format", &token);
    if (!status && !json_token_is(&token, "treebench"))
        status = json_stream_error(&r->stream, r->error,
                                   "format: is \"%.*s\", and should be \"treebench\"",
                                   (int)(token.size < 100 ? token.size : 100), token.text);
    return status;
}

static enum status read_version(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    double version;
    enum status status = next_token(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &version))
        return wrong_value(r, "version", "a number");
    if (version != TREEBENCH_JSON_VERSION) {
        json_stream_error(&r->stream, r->error, "version: is %g, and should be %d", version,
                          TREEBENCH_JSON_VERSION);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

static enum status read_features(void *data) {
    struct treebench_reader *r = data;
    return read_u32(r, "features", 1, ENSEMBLE_MAX_FEATURES, &r->shape.n_features);
}

static enum status read_outputs(void *data) {
    struct treebench_reader *r = data;
    return read_u32(r, "outputs", 1, ENSEMBLE_MAX_OUTPUTS, &r->shape.n_outputs);
}

static enum status read_base(void *data) {
    struct treebench_reader *r = data;
    enum status status = begin_list(r, "base");
    while (!status) {
        struct json_token token;
        double value;
        if ((status = next_token(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = json_token_double(&token, &value)
                     ? append(r, &r->base, value)
                     : wrong_item(r, "base", r->base.count, "a finite number");
    }
    return status;
}

/* A note has no escapes: ensemble_set_note would make '?' of what they stand for. */
static enum status read_note(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "note", &token);
    if (!status)
        snprintf(r->note, sizeof r->note, "%.*s",
                 (int)(token.size < sizeof r->note ? token.size : sizeof r->note), token.text);
    r->shape.note = r->note;
    return status;
}

static enum status read_feature_names(void *data) {
    struct treebench_reader *r = data;
    return feature_names_read_json(&r->names, &r->stream, r->error);
}

/* How a threshold is to be read: nearest float32, or nearest double. */
static enum status read_compares(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "compares", &token);
    if (!status && r->tree > 0)
        status = json_stream_error(&r->stream, r->error, "compares: should stand before trees");
    if (!status && !json_token_is(&token, "double"))
        status = wrong_value(r, "compares", "\"double\"");
    r->shape.compares_doubles = true;
    return status;
}

static enum status read_first_is_empty(void *data) {
    struct treebench_reader *r = data;
    uint32_t flag = 0;
    enum status status = read_u32(r, "first_feature_is_empty", 0, 1, &flag);
    r->first_is_empty = flag;
    return status;
}

static enum status read_unknown_category(void *data) {
    struct treebench_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "unknown_category", &token);
    r->refuse_unknown = !status && json_token_is(&token, "refused");
    if (!status && !r->refuse_unknown && !json_token_is(&token, "missing"))
        status = wrong_value(r, "unknown_category", "\"missing\" or \"refused\"");
    if (!status && r->categories)
        status = json_stream_error(&r->stream, r->error,
                                   "unknown_category: should stand before categories");
    return status;
}

static enum status read_lists(struct treebench_reader *r, bool hashed) {
    if (r->shape.n_features == 0)
        return json_stream_error(&r->stream, r->error, "categories: should stand behind features");
    if (!r->categories)
        r->categories = categories_create(r->refuse_unknown);
    if (!r->categories)
        return error_memory(r->error, "the categories of a model");
    return categories_read_json(&r->stream, r->shape.n_features, hashed, r->categories, r->error);
}

static enum status read_categories(void *data) {
    return read_lists(data, false);
}

static enum status read_hashed_categories(void *data) {
    return read_lists(data, true);
}

static enum status read_model(struct treebench_reader *r) {
    static const struct json_member members[] = {
        {"format", read_format, true},
        {"version", read_version, true},
        {"features", read_features, true},
        {"outputs", read_outputs, true},
        {"base", read_base, true},
        {"trees", read_trees, true},
        {"note", read_note, false},
        {"feature_names", read_feature_names, false},
        {"compares", read_compares, false},
        {"first_feature_is_empty", read_first_is_empty, false},
        {"unknown_category", read_unknown_category, false},
        {"categories", read_categories, false},
        {"hashed_categories", read_hashed_categories, false},
    };
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = json_stream_error(&r->stream, r->error, "should be a JSON object");
    if (!status)
        status = json_stream_members(&r->stream, "", members, sizeof members / sizeof *members,
                                     false, r, r->error);
    if (!status)
        status = next_token(r, &token); /* the end of the file */
    if (!status && r->base.count != r->shape.n_outputs)
        status = json_stream_error(&r->stream, r->error,
                                   "base: has %zu values, and should have %" PRIu32, r->base.count,
                                   r->shape.n_outputs);
    return status;
}

static enum status treebench_read(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    struct treebench_reader r = {.error = error};
    json_stream_open_text(&r.stream, name, text, size);
    r.builder = ensemble_builder_create();
    if (!r.builder)
        return error_memory(error, "a model");
    enum status status = read_model(&r);
    for (int i = 0; i < LISTS; i++)
        free(r.lists[i].values);
    free(r.cuts.values);
    free(r.cuts_end.values);
    r.shape.base = r.base.values;
    struct ensemble *made = NULL;
    if (!status)
        status = reader_finish(name, r.builder, &r.shape, &made, error);
    else
        ensemble_builder_free(r.builder);
    free(r.base.values);
    if (!status)
        status = feature_names_give(&r.names, made, name, error);
    feature_names_free(&r.names);
    if (status) {
        categories_free(r.categories);
        ensemble_free(made);
        return status;
    }
    made->categories = r.categories;
    made->first_is_empty = r.first_is_empty;
    *ensemble = made;
    return status;
}

/* A JSON object that names the format near its beginning. */
static bool treebench_recognise(const char *text, size_t size) {
    static const char word[] = "\"treebench\"";
    size_t near = size < 4096 ? size : 4096, at = 0;
    while (at < near && strchr(" \t\r\n", text[at]))
        at++;
    return at < near && text[at] == '{' && memmem(text, near, word, sizeof word - 1);
}

const struct model_format model_format_treebench = {
    .name = "treebench",
    .title = "treebench JSON",
    .suffix = ".json",
    .recognise = treebench_recognise,
    .read = treebench_read,
    .write = treebench_json_write,
    .sets = true,
    .compares_doubles = true,
    .names_features = true,
};
