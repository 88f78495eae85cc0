/* Reads the trees of treebench's JSON. */
#include "models/treebench/treebench_json_reader.h"

#include "base/memory.h"
#include "models/reader.h"
#include "models/treebench/treebench_json.h"

#include <inttypes.h>
#include <math.h>

static const char *const list_names[LISTS] = {"feature",  "threshold",  "left",  "right",
                                              "nan_left", "node_count", "value", "leaf_count"};

/* --- values ----------------------------------------------------------------------------------- */

enum status treebench_json_wrong(const struct treebench_json_reader *r, const char *key,
                                 const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: expected %s", r->where, key, expected);
}

enum status treebench_json_wrong_item(const struct treebench_json_reader *r, const char *key,
                                      size_t i, const char *expected) {
    return json_stream_error(&r->stream, r->error, "%s%s: entry %zu: expected %s", r->where, key,
                             i + 1, expected);
}

enum status treebench_json_next(struct treebench_json_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

enum status treebench_json_append(struct treebench_json_reader *r, struct treebench_json_list *list,
                                  double value) {
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(r->error, "a list of a model");
    list->values[list->count++] = value;
    return STATUS_OK;
}

enum status treebench_json_begin_list(struct treebench_json_reader *r, const char *key) {
    struct json_token token;
    enum status status = treebench_json_next(r, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = treebench_json_wrong(r, key, "an array");
    return status;
}

enum status treebench_json_u32(struct treebench_json_reader *r, const char *key, uint32_t low,
                               uint32_t high, uint32_t *value) {
    struct json_token token;
    double number;
    char expected[TREEBENCH_JSON_TEXT_SIZE];
    enum status status = treebench_json_next(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &number) || !treebench_json_is_integer(number, low, high))
        return treebench_json_wrong(r, key, treebench_json_describe(low, high, expected));
    *value = (uint32_t)number;
    return STATUS_OK;
}

const char *treebench_json_describe(double low, double high,
                                    char text[static TREEBENCH_JSON_TEXT_SIZE]) {
    snprintf(text, TREEBENCH_JSON_TEXT_SIZE, "an integer from %.0f to %.0f", low, high);
    return text;
}

bool treebench_json_is_integer(double value, double low, double high) {
    return value >= low && value <= high && value == floor(value);
}

/* --- lists of numbers ------------------------------------------------------------------------- */

/* Converts a threshold to the type that the model compares. */
static bool to_threshold(const struct treebench_json_reader *r, const struct json_token *token,
                         double *value) {
    if (token->kind == JSON_NUMBER && r->shape.compares_doubles)
        return json_token_double(token, value);
    *value = token->kind == JSON_NUMBER     ? (double)token->real
             : json_token_is(token, "inf")  ? INFINITY
             : json_token_is(token, "-inf") ? -INFINITY
                                            : NAN;
    return token->kind == JSON_NUMBER ? isfinite(*value) : !isnan(*value);
}

/* Checks that a list may hold the value. Children are checked when the tree ends. */
static enum status check_item(const struct treebench_json_reader *r, enum tree_list which,
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
    char expected[TREEBENCH_JSON_TEXT_SIZE];
    size_t i = r->lists[which].count;
    if (which == THRESHOLD)
        return to_threshold(r, token, value)
                   ? STATUS_OK
                   : treebench_json_wrong_item(r, list_names[which], i,
                                               "a number in range, \"inf\" or \"-inf\"");
    if (!json_token_double(token, value))
        return treebench_json_wrong_item(r, list_names[which], i,
                                         which == VALUE ? "a finite number" : "an integer");
    if (which != VALUE && !treebench_json_is_integer(*value, ranges[which].low, ranges[which].high))
        return treebench_json_wrong_item(
            r, list_names[which], i,
            treebench_json_describe(ranges[which].low, ranges[which].high, expected));
    return STATUS_OK;
}

static enum status read_list(struct treebench_json_reader *r, enum tree_list which) {
    struct treebench_json_list *list = &r->lists[which];
    enum status status = treebench_json_begin_list(r, list_names[which]);
    list->is_there = true;
    while (!status) {
        struct json_token token;
        double value;
        if ((status = treebench_json_next(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        if (!(status = check_item(r, which, &token, &value)))
            status = treebench_json_append(r, list, value);
    }
    return status;
}

/* Reads a list of cuts for each node. */
static enum status read_cuts(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    enum status status = treebench_json_begin_list(r, "cuts");
    r->cuts_end.is_there = true;
    while (!status && !(status = treebench_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
        if (token.kind != JSON_ARRAY)
            return treebench_json_wrong_item(r, "cuts", r->cuts_end.count, "an array");
        while (!(status = treebench_json_next(r, &token)) && token.kind != JSON_ARRAY_END) {
            double cut;
            if (!to_threshold(r, &token, &cut))
                return treebench_json_wrong_item(r, "cuts", r->cuts_end.count,
                                                 "numbers in range, \"inf\" or \"-inf\"");
            if ((status = treebench_json_append(r, &r->cuts, cut)))
                return status;
        }
        if (!status)
            status = treebench_json_append(r, &r->cuts_end, (double)r->cuts.count);
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
    struct treebench_json_reader *r = data;
    uint32_t n_outputs = r->shape.n_outputs ? r->shape.n_outputs : ENSEMBLE_MAX_OUTPUTS;
    return treebench_json_u32(r, "output", 0, n_outputs - 1, &r->output);
}

/* Checks the sizes: each list has one value per inner node, or one more (one per leaf). */
static enum status check_sizes(const struct treebench_json_reader *r) {
    size_t n_inner = r->lists[FEATURE].count;
    if (n_inner > INT32_MAX)
        return treebench_json_wrong(r, "feature", "a shorter list");
    for (int i = 0; i < LISTS; i++) {
        const struct treebench_json_list *list = &r->lists[i];
        size_t expected = n_inner + (i == VALUE || i == LEAF_COUNT);
        if (list->is_there && list->count != expected)
            return json_stream_error(&r->stream, r->error, "%s%s: length is %zu, expected %zu",
                                     r->where, list_names[i], list->count, expected);
    }
    if (r->cuts_end.is_there && r->cuts_end.count != n_inner)
        return json_stream_error(&r->stream, r->error, "%scuts: length is %zu, expected %zu",
                                 r->where, r->cuts_end.count, n_inner);
    bool nodes = r->lists[NODE_COUNT].is_there, leaves = r->lists[LEAF_COUNT].is_there;
    if (nodes != leaves)
        return json_stream_error(&r->stream, r->error, "%s%s: missing, but %s is present", r->where,
                                 list_names[nodes ? LEAF_COUNT : NODE_COUNT],
                                 list_names[nodes ? NODE_COUNT : LEAF_COUNT]);
    return STATUS_OK;
}

static enum status find_child(const struct treebench_json_reader *r, enum tree_list which,
                              uint32_t i, uint32_t *number) {
    uint32_t n_inner = (uint32_t)r->lists[FEATURE].count;
    double child = r->lists[which].values[i], low = -(double)n_inner - 1;
    char expected[TREEBENCH_JSON_TEXT_SIZE];
    if (!treebench_json_is_integer(child, low, (double)n_inner - 1))
        return treebench_json_wrong_item(r, list_names[which], i,
                                         treebench_json_describe(low, n_inner - 1, expected));
    *number = reader_child(n_inner, (int32_t)child);
    return STATUS_OK;
}

static uint64_t count_of(const struct treebench_json_list *list, uint32_t i) {
    return list->is_there ? (uint64_t)list->values[i] : ENSEMBLE_NO_COUNT;
}

/* Sets the cuts of a node. An empty list means a plain node. */
static void set_cuts(const struct treebench_json_reader *r, uint32_t i, struct inner_node *node) {
    if (!r->cuts_end.is_there)
        return;
    size_t begin = i ? (size_t)r->cuts_end.values[i - 1] : 0;
    node->n_cuts = (uint32_t)((size_t)r->cuts_end.values[i] - begin);
    node->cuts = node->n_cuts ? r->cuts.values + begin : NULL;
}

static enum status build_tree(struct treebench_json_reader *r) {
    const struct treebench_json_list *lists = r->lists;
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

static enum status read_tree(struct treebench_json_reader *r) {
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

enum status treebench_json_trees(void *data) {
    struct treebench_json_reader *r = data;
    enum status status = treebench_json_begin_list(r, "trees");
    for (; !status; r->tree++) {
        struct json_token token;
        if ((status = treebench_json_next(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        snprintf(r->where, sizeof r->where, "tree %" PRIu32 ": ", r->tree);
        if (token.kind != JSON_OBJECT)
            return json_stream_error(&r->stream, r->error, "tree %" PRIu32 ": expected an object",
                                     r->tree);
        status = read_tree(r);
    }
    r->where[0] = '\0';
    return status;
}
