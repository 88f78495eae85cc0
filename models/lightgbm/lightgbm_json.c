/* Reads the JSON that LightGBM's dump_model returns:
 *
 *     {"name": "tree", "version": "v4", "num_tree_per_iteration": 1, "max_feature_idx": 1,
 *      "average_output": false, "feature_names": ["a", "b"],
 *      "feature_infos": {"a": {"min_value": 0, "max_value": 9, "values": []}},
 *      "tree_info": [{"tree_index": 0, "tree_structure":
 *          {"split_feature": 0, "threshold": 0.5, "decision_type": "<=", "default_left": true,
 *           "missing_type": "None", "internal_count": 50,
 *           "left_child": {"leaf_value": 1.5, "leaf_count": 20},
 *           "right_child": {"leaf_value": 2.5, "leaf_count": 30}}}],
 *      "pandas_categorical": []}
 *
 * The threshold of a categorical split ("==") is a list of categories: "0||3||4". Numbers have 17
 * digits, so doubles are exact. Trees mean what they mean in the text (lightgbm.c). Members may
 * come in any order, as Python's sort_keys orders them. */
#include "models/lightgbm/lightgbm_json.h"

#include "base/memory.h"
#include "models/feature_names.h"
#include "models/formats.h"
#include "models/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum status wrong(struct lightgbm_json *r, const char *key, const char *expected) {
    return json_stream_error(&r->stream, r->model.error, "%s: expected %s", key, expected);
}

static enum status next_token(struct lightgbm_json *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->model.error);
}

/* --- the members of the dump ------------------------------------------------------------------ */

static enum status read_u32(struct lightgbm_json *r, const char *key, uint32_t low, uint32_t high,
                            uint32_t *value) {
    struct json_token token;
    char expected[64];
    enum status status = next_token(r, &token);
    snprintf(expected, sizeof expected, "an integer from %" PRIu32 " to %" PRIu32, low, high);
    if (!status && (token.kind != JSON_NUMBER || !token.is_integer || token.integer < low ||
                    token.integer > high))
        status = wrong(r, key, expected);
    *value = status ? 0 : (uint32_t)token.integer;
    return status;
}

static enum status read_version(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && (token.kind != JSON_STRING ||
                    !lightgbm_supports_version(token.text, token.text + token.size)))
        status = wrong(r, "version", "a supported version. " LIGHTGBM_VERSIONS);
    return status;
}

static enum status read_outputs(void *data) {
    struct lightgbm_json *r = data;
    return read_u32(r, "num_tree_per_iteration", 1, ENSEMBLE_MAX_OUTPUTS,
                    &r->model.trees_per_iteration);
}

static enum status read_largest_feature(void *data) {
    struct lightgbm_json *r = data;
    enum status status =
        read_u32(r, "max_feature_idx", 0, ENSEMBLE_MAX_FEATURES - 1, &r->model.n_features);
    r->model.n_features++;
    return status;
}

static enum status read_objective(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_STRING)
        status = wrong(r, "objective", "a string");
    if (!status) {
        r->objective = token.text;
        r->objective_end = token.text + token.size;
    }
    return status;
}

static enum status read_average(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_TRUE && token.kind != JSON_FALSE)
        status = wrong(r, "average_output", "true or false");
    r->is_known_average = true;
    r->is_average = !status && token.kind == JSON_TRUE;
    return status;
}

/* Values that are read later, because members may come in any order. */
static enum status pass(struct lightgbm_json *r, struct dump_place *place) {
    *place = (struct dump_place){r->stream.at, r->stream.line};
    return json_stream_skip(&r->stream, r->model.error);
}

static enum status pass_names(void *data) {
    struct lightgbm_json *r = data;
    return pass(r, &r->names);
}

static enum status pass_infos(void *data) {
    struct lightgbm_json *r = data;
    return pass(r, &r->infos);
}

static enum status pass_trees(void *data) {
    struct lightgbm_json *r = data;
    return pass(r, &r->trees);
}

static enum status pass_categories(void *data) {
    struct lightgbm_json *r = data;
    struct dump_place place;
    enum status status = pass(r, &place);
    r->categories = place.at;
    r->categories_end = r->stream.at;
    return status;
}

static void go_to(struct lightgbm_json *r, const struct dump_place *place) {
    json_stream_open_text(&r->stream, r->model.name, place->at, (size_t)(r->end - place->at));
    r->stream.line = place->line;
}

static enum status read_members(struct lightgbm_json *r) {
    static const struct json_stream_member members[] = {
        {"name", NULL, false},
        {"version", read_version, true},
        {"num_class", NULL, false},
        {"num_tree_per_iteration", read_outputs, true},
        {"label_index", NULL, false},
        {"max_feature_idx", read_largest_feature, true},
        {"objective", read_objective, false},
        {"average_output", read_average, false},
        {"feature_names", pass_names, true},
        {"monotone_constraints", NULL, false},
        {"feature_infos", pass_infos, false},
        {"tree_info", pass_trees, true},
        {"feature_importances", NULL, false},
        {"pandas_categorical", pass_categories, false},
    };
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = json_stream_error(&r->stream, r->model.error, "expected an object (the dump)");
    if (!status)
        status = json_stream_members(&r->stream, "", members, sizeof members / sizeof *members,
                                     false, r, r->model.error);
    if (!status)
        status = next_token(r, &token); /* the end of the file */
    if (!status && !r->is_known_average)
        return error_set(r->model.error, STATUS_UNSUPPORTED,
                         "%s: average_output is missing, so LightGBM 2.2.2 or an older version "
                         "wrote the dump, and it may be an average. " LIGHTGBM_USE_TEXT,
                         r->model.name);
    return status;
}

/* --- trees ------------------------------------------------------------------------------------ */

static enum status begin_trees(struct lightgbm_json *r) {
    struct json_token token;
    go_to(r, &r->trees);
    enum status status = next_token(r, &token);
    return !status && token.kind != JSON_ARRAY ? wrong(r, "tree_info", "an array of trees")
                                               : status;
}

/* Sets the divisor, which is needed before the first leaf is added. */
static enum status count_trees(struct lightgbm_json *r) {
    struct json_token token = {.kind = JSON_ARRAY};
    size_t count = 0;
    enum status status = begin_trees(r);
    unsigned depth = r->stream.depth;
    while (!status && r->stream.depth >= depth) {
        status = next_token(r, &token);
        count += token.kind == JSON_OBJECT && r->stream.depth == depth + 1;
    }
    r->model.divisor = (double)count / r->model.trees_per_iteration;
    return status;
}

static enum status read_index(void *data) {
    struct lightgbm_json *r = data;
    return read_u32(r, "tree_index", 0, INT32_MAX, &r->tree_index);
}

static enum status read_structure(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = wrong(r, "tree_structure", "an object (the root)");
    return status ? status : lightgbm_json_tree(r);
}

/* Outputs take turns, so trees must be in order. A dump of later trees begins with a larger
 * index. */
static enum status read_tree(struct lightgbm_json *r) {
    static const struct json_stream_member members[] = {
        {"tree_index", read_index, true},
        {"num_leaves", NULL, false},
        {"num_cat", NULL, false},
        {"shrinkage", NULL, false},
        {"tree_structure", read_structure, true},
    };
    uint32_t number = r->model.n_trees, outputs = r->model.trees_per_iteration;
    char where[32];
    snprintf(where, sizeof where, "tree %" PRIu32 ": ", number);
    enum status status = json_stream_members(
        &r->stream, where, members, sizeof members / sizeof *members, false, r, r->model.error);
    if (!status && r->tree_index % outputs != number % outputs)
        status = json_stream_error(&r->stream, r->model.error,
                                   "%stree_index is %" PRIu32 ", so the trees are not in order",
                                   where, r->tree_index);
    return status;
}

static enum status read_trees(struct lightgbm_json *r) {
    struct json_token token;
    enum status status = begin_trees(r);
    while (!status && !(status = next_token(r, &token)) && token.kind != JSON_ARRAY_END)
        status =
            token.kind == JSON_OBJECT ? read_tree(r) : wrong(r, "tree_info", "an array of objects");
    return status;
}

static enum status read_dump(void *reader) {
    struct lightgbm_json *r = reader;
    enum status status = read_members(r);
    if (!status && r->is_average)
        status = count_trees(r);
    return status ? status : read_trees(r);
}

/* --- the training data ------------------------------------------------------------------------ */

static enum status name_features(struct lightgbm_json *r, struct ensemble *ensemble) {
    struct feature_names names = {0};
    char where[ERROR_TEXT_SIZE / 2];
    go_to(r, &r->names);
    snprintf(where, sizeof where, "%s:%zu", r->model.name, r->stream.line);
    enum status status = feature_names_read_json(&names, &r->stream, r->model.error);
    r->n_names = names.count;
    if (!status)
        return feature_names_give(&names, ensemble, where, r->model.error);
    feature_names_free(&names);
    return status;
}

static enum status read_values(void *data) {
    struct lightgbm_json *r = data;
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = wrong(r, "feature_infos", "an array of values");
    unsigned depth = r->stream.depth;
    if (!status)
        status = next_token(r, &token);
    r->has_values = token.kind != JSON_ARRAY_END;
    while (!status && r->stream.depth >= depth)
        status = next_token(r, &token);
    return status;
}

struct info {
    const char *name;
    size_t size;
    unsigned char kind;
};

struct info_list {
    struct info *items;
    size_t count, capacity;
};

static int compare_infos(const void *a, const void *b) {
    const struct info *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->name, y->name, x->size);
}

/* Reads the info of a feature: {"min_value": 1, "max_value": 9, "values": []}. */
static enum status read_info(struct lightgbm_json *r, const struct json_token *name,
                             struct info_list *list) {
    static const struct json_stream_member members[] = {
        {"min_value", NULL, false},
        {"max_value", NULL, false},
        {"values", read_values, true},
    };
    struct json_token token;
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = wrong(r, "feature_infos", "an object for each feature");
    if (!status)
        status = json_stream_members(&r->stream, "feature_infos: ", members,
                                     sizeof members / sizeof *members, false, r, r->model.error);
    if (status)
        return status;
    if (!memory_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items))
        return error_memory(r->model.error, "the features of a model");
    list->items[list->count++] = (struct info){
        name->text, name->size, r->has_values ? LIGHTGBM_CATEGORIES : LIGHTGBM_NUMBERS};
    return STATUS_OK;
}

static enum status read_info_list(struct lightgbm_json *r, struct info_list *list) {
    struct json_token token;
    go_to(r, &r->infos);
    enum status status = next_token(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = wrong(r, "feature_infos", "an object");
    while (!status && !(status = next_token(r, &token)) && token.kind == JSON_KEY)
        status = read_info(r, &token, list);
    return status;
}

/* The keys are names of features. A feature without values in the training data is left out. The
 * array of names has been read before, so it is correct. */
static enum status read_infos(struct lightgbm_json *r, unsigned char *infos) {
    struct info_list list = {0};
    struct json_token name;
    enum status status = read_info_list(r, &list);
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, compare_infos);
    go_to(r, &r->names);
    if (!status)
        status = next_token(r, &name);
    while (!status && !(status = next_token(r, &name)) && name.kind == JSON_STRING) {
        const struct info wanted = {name.text, name.size, 0};
        const struct info *info =
            list.count ? bsearch(&wanted, list.items, list.count, sizeof *list.items, compare_infos)
                       : NULL;
        *infos++ = info ? info->kind : LIGHTGBM_NO_VALUES;
    }
    free(list.items);
    return status;
}

static enum status describe(void *reader, struct ensemble *ensemble) {
    struct lightgbm_json *r = reader;
    if (r->objective)
        ensemble_set_objective(ensemble, r->objective, r->objective_end);
    enum status status = name_features(r, ensemble);
    if (status)
        return status;
    unsigned char *infos = calloc((size_t)r->n_names + 1, 1);
    struct lightgbm_facts facts = {.name = r->model.name,
                                   .infos = r->infos.at ? infos : NULL,
                                   .n_infos = r->infos.at ? r->n_names : 0,
                                   .categories = r->categories,
                                   .categories_end = r->categories_end};
    if (!infos)
        status = error_memory(r->model.error, "the features of a model");
    else if (r->infos.at)
        status = read_infos(r, infos);
    if (!status)
        status = lightgbm_read_facts(&facts, ensemble, r->model.error);
    free(infos);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status json_read_dump(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    static const struct lightgbm_reading reading = {read_dump, describe};
    struct lightgbm_json r = {.model = {.name = name, .error = error}, .end = text + size};
    json_stream_open_text(&r.stream, name, text, size);
    enum status status = lightgbm_read_model(&r.model, &reading, &r, ensemble);
    free(r.tree.nodes);
    free(r.splits);
    free(r.categories_of_tree);
    return status;
}

static bool json_recognise(const char *text, size_t size) {
    return reader_finds_key(text, size, "\"num_tree_per_iteration\"") ||
           reader_finds_key(text, size, "\"average_output\"");
}

const struct model_format model_format_lightgbm_json = {
    .name = "lightgbm-json",
    .title = "LightGBM JSON dump",
    .recognise = json_recognise,
    .read = json_read_dump,
    .compares_doubles = true,
    .numbers_as_written = true,
};
