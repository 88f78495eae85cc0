/* Reads treebench's own JSON. */
#include "models/formats/treebench_json.h"

#include "base/files/json_members.h"
#include "base/number.h"
#include "base/origin.h"
#include "models/categories.h"
#include "models/feature_names.h"
#include "models/formats.h"
#include "models/reader.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The members of a tree, all of which are lists but the first. Nodes are built when the tree ends.
 */
enum tree_list {
    OUTPUT,
    FEATURE,
    THRESHOLD,
    LEFT,
    RIGHT,
    NAN_LEFT,
    NODE_COUNT,
    VALUE,
    LEAF_COUNT,
    CUTS_END, /* where the cuts of each node end */
    LISTS
};

struct reader {
    struct json_reader json;
    uint32_t tree, output;
    struct memory_list lists[LISTS]; /* of numbers: THRESHOLD and VALUE; of integers: the others */
    bool has[LISTS];                 /* does the current tree have this list? */
    struct memory_list cuts;         /* numbers: the cuts of all set nodes of the tree */
    struct memory_list base;
    struct categories *categories;
    bool refuse_unknown, first_is_empty;
    struct ensemble_shape shape;
    struct json_token note;
    char note_text[ENSEMBLE_NOTE_SIZE];
    bool has_origin;
    struct feature_names names;
    struct ensemble_builder *builder;
};

#define AT(member) .offset = offsetof(struct reader, member)

/* --- the lists of a tree ---------------------------------------------------------------------- */

/* "FILE:LINE: tree 3: KEY: entry I: expected EXPECTED" */
static enum status wrong_entry(const struct reader *r, const char *key, size_t i,
                               const char *expected) {
    return json_fail(&r->json, "%s: entry %zu: expected %s", key, i + 1, expected);
}

/* Adds a threshold of the type that the model compares. */
static enum status add_threshold(const struct reader *r, const char *key, size_t i,
                                 const struct json_token *token, struct memory_list *list) {
    bool is_number = token->kind == JSON_NUMBER, is_right;
    double value = is_number                      ? (double)token->real
                   : json_token_is(token, "inf")  ? INFINITY
                   : json_token_is(token, "-inf") ? -INFINITY
                                                  : NAN;
    if (is_number && r->shape.compares_doubles)
        is_right = json_token_double(token, &value);
    else
        is_right = is_number ? isfinite(value) : !isnan(value);
    return is_right ? json_list_add(&r->json, list, &value, sizeof value)
                    : wrong_entry(r, key, i, "a number in range, \"inf\" or \"-inf\"");
}

static enum status take_threshold(void *data, const struct json_member *member,
                                  const struct json_token *token) {
    struct reader *r = data;
    struct memory_list *list = &r->lists[THRESHOLD];
    return add_threshold(r, member->name, list->count, token, list);
}

/* Reads the cuts of a node. */
static enum status take_cuts(void *data, const struct json_member *member,
                             const struct json_token *token) {
    struct reader *r = data;
    struct memory_list *ends = &r->lists[CUTS_END];
    struct json_token cut;
    enum status status = STATUS_OK;
    if (token->kind != JSON_ARRAY)
        return wrong_entry(r, member->name, ends->count, "an array");
    while (json_read_item(&r->json, &cut, &status))
        status = add_threshold(r, member->name, ends->count, &cut, &r->cuts);
    int64_t end = (int64_t)r->cuts.count;
    return status ? status : json_list_add(&r->json, ends, &end, sizeof end);
}

static enum status read_output(void *data, const struct json_member *member) {
    struct reader *r = data;
    uint32_t n_outputs = r->shape.n_outputs ? r->shape.n_outputs : ENSEMBLE_MAX_OUTPUTS;
    int64_t output = 0;
    enum status status =
        json_read_integer(&r->json, member->name, 0, (int64_t)n_outputs - 1, &output);
    r->output = (uint32_t)output;
    return status;
}

/* Children are checked when the tree ends. */
#define LIST(list) AT(lists[list]), .has = offsetof(struct reader, has[list])
#define COUNTS(list) LIST(list), .high = TREEBENCH_JSON_LARGEST_COUNT

static const struct json_member tree_members[] = {
    JSON_REQUIRED(READ, "output", .read = read_output),
    JSON_REQUIRED(INTEGERS, "feature", LIST(FEATURE), .high = ENSEMBLE_MAX_FEATURES - 1),
    JSON_REQUIRED(ITEMS, "threshold", LIST(THRESHOLD), .take = take_threshold),
    JSON_REQUIRED(INTEGERS, "left", LIST(LEFT), .low = INT32_MIN, .high = INT32_MAX),
    JSON_REQUIRED(INTEGERS, "right", LIST(RIGHT), .low = INT32_MIN, .high = INT32_MAX),
    JSON_OPTIONAL(INTEGERS, "nan_left", LIST(NAN_LEFT), .high = 1),
    JSON_OPTIONAL(INTEGERS, "node_count", COUNTS(NODE_COUNT)),
    JSON_REQUIRED(DOUBLES, "value", LIST(VALUE)),
    JSON_OPTIONAL(INTEGERS, "leaf_count", COUNTS(LEAF_COUNT)),
    JSON_OPTIONAL(ITEMS, "cuts", LIST(CUTS_END), .take = take_cuts),
    JSON_REFUSE_OTHERS};

/* --- trees ------------------------------------------------------------------------------------ */

/* Checks the sizes: each list has one value per inner node, or one more (one per leaf). */
static enum status check_sizes(const struct reader *r) {
    size_t n_inner = r->lists[FEATURE].count;
    if (n_inner > INT32_MAX)
        return json_wrong(&r->json, "feature", "a shorter list");
    for (int i = FEATURE; i < LISTS; i++) {
        size_t expected = n_inner + (i == VALUE || i == LEAF_COUNT), count = r->lists[i].count;
        if (r->has[i] && count != expected)
            return json_fail(&r->json, "%s: length is %zu, expected %zu", tree_members[i].name,
                             count, expected);
    }
    bool nodes = r->has[NODE_COUNT], leaves = r->has[LEAF_COUNT];
    if (nodes != leaves)
        return json_fail(&r->json, "%s: missing, but %s is present",
                         tree_members[nodes ? LEAF_COUNT : NODE_COUNT].name,
                         tree_members[nodes ? NODE_COUNT : LEAF_COUNT].name);
    return STATUS_OK;
}

static enum status find_child(const struct reader *r, enum tree_list which, uint32_t i,
                              uint32_t *number) {
    int64_t n_inner = (int64_t)r->lists[FEATURE].count, child = r->lists[which].integer[i];
    char expected[80];
    snprintf(expected, sizeof expected, "an integer from %" PRId64 " to %" PRId64, -n_inner - 1,
             n_inner - 1);
    if (child < -n_inner - 1 || child >= n_inner)
        return wrong_entry(r, tree_members[which].name, i, expected);
    *number = reader_child((uint32_t)n_inner, (int32_t)child);
    return STATUS_OK;
}

static uint64_t count_of(const struct reader *r, enum tree_list which, uint32_t i) {
    return r->has[which] ? (uint64_t)r->lists[which].integer[i] : ENSEMBLE_NO_COUNT;
}

/* Sets the cuts of a node. An empty list means a plain node. */
static void set_cuts(const struct reader *r, uint32_t i, struct inner_node *node) {
    const int64_t *ends = r->lists[CUTS_END].integer;
    if (!r->has[CUTS_END])
        return;
    size_t begin = i ? (size_t)ends[i - 1] : 0;
    node->n_cuts = (uint32_t)((size_t)ends[i] - begin);
    node->cuts = node->n_cuts ? r->cuts.number + begin : NULL;
}

static enum status build_tree(struct reader *r) {
    uint32_t n_inner = (uint32_t)r->lists[FEATURE].count;
    ensemble_builder_add_tree(r->builder, r->output);
    for (uint32_t i = 0; i < n_inner; i++) {
        struct inner_node node = {.feature = (uint32_t)r->lists[FEATURE].integer[i],
                                  .threshold = r->lists[THRESHOLD].number[i],
                                  .nan_left = r->has[NAN_LEFT] && r->lists[NAN_LEFT].integer[i],
                                  .count = count_of(r, NODE_COUNT, i)};
        enum status status = find_child(r, LEFT, i, &node.left);
        if (!status)
            status = find_child(r, RIGHT, i, &node.right);
        if (status)
            return status;
        set_cuts(r, i, &node);
        ensemble_builder_add_inner(r->builder, &node);
    }
    for (uint32_t i = 0; i <= n_inner; i++)
        ensemble_builder_add_leaf(r->builder, r->lists[VALUE].number[i],
                                  count_of(r, LEAF_COUNT, i));
    return STATUS_OK;
}

static enum status read_tree(void *data) {
    struct reader *r = data;
    r->json.part = (struct json_part){"tree", r->tree++};
    for (int i = 0; i < LISTS; i++)
        r->lists[i].count = 0;
    r->cuts.count = 0;
    memset(r->has, 0, sizeof r->has);
    enum status status = json_read_members(&r->json, "", tree_members, r);
    if (!status)
        status = check_sizes(r);
    if (!status)
        status = build_tree(r);
    r->json.part.what = NULL;
    return status;
}

/* --- categories ------------------------------------------------------------------------------- */

/* Adds a word. cJSON decodes the escapes; it needs the quotes around the token. */
static enum status add_word(struct reader *r, const struct json_token *token, uint32_t feature) {
    cJSON *string = cJSON_ParseWithLength(token->text - 1, token->size + 2);
    enum status status = STATUS_OK;
    if (!cJSON_IsString(string))
        status = json_fail(&r->json, "categories: a word is not valid text");
    else if (!categories_add_word(r->categories, feature, string->valuestring,
                                  strlen(string->valuestring)))
        status = error_memory(r->json.error, "the categories of a model");
    cJSON_Delete(string);
    return status;
}

static enum status add_hash(struct reader *r, const struct json_token *token, uint32_t feature) {
    int64_t hash;
    if (!json_to_integer(&r->json, token, 0, UINT32_MAX, &hash))
        return json_wrong(&r->json, "hashed_categories", "integers from 0 to 4294967295");
    return categories_add_hash(r->categories, feature, (uint32_t)hash)
               ? STATUS_OK
               : error_memory(r->json.error, "the categories of a model");
}

static enum status add_category(struct reader *r, const struct json_token *token,
                                uint32_t feature) {
    double number;
    if (categories_count(r->categories, feature) > 0 &&
        (token->kind == JSON_NUMBER) != categories_are_numbers(r->categories, feature))
        return json_fail(&r->json, "categories: a list contains both words and numbers");
    if (token->kind == JSON_STRING)
        return add_word(r, token, feature);
    if (!json_token_double(token, &number))
        return json_fail(&r->json,
                         "categories: a list contains something other than words or numbers");
    return categories_add_number(r->categories, feature, number)
               ? STATUS_OK
               : error_memory(r->json.error, "the categories of a model");
}

static enum status read_list(struct reader *r, uint32_t feature, bool hashed) {
    struct json_token token;
    enum status status = json_read_token(&r->json, &token);
    if (!status && (token.kind != JSON_ARRAY || categories_count(r->categories, feature) > 0))
        return json_fail(&r->json, "categories: feature %" PRIu32 ": expected a single array",
                         feature);
    if (!status && hashed && !categories_add_hashed(r->categories, feature))
        status = error_memory(r->json.error, "the categories of a model");
    while (json_read_item(&r->json, &token, &status))
        status = (hashed ? add_hash : add_category)(r, &token, feature);
    return status;
}

static enum status read_categories(void *data, const struct json_member *member) {
    struct reader *r = data;
    struct json_token key;
    if (r->shape.n_features == 0)
        return json_fail(&r->json, "categories: must come after features");
    if (!r->categories)
        r->categories = categories_create(r->refuse_unknown);
    if (!r->categories)
        return error_memory(r->json.error, "the categories of a model");
    enum status status = json_begin(&r->json, member->name, JSON_OBJECT);
    while (json_read_item(&r->json, &key, &status)) {
        uint32_t feature;
        const char *end = key.text + key.size;
        if (number_parse_u32(key.text, end, &feature) != end || feature >= r->shape.n_features)
            return json_fail(&r->json, "categories: '%.*s' is not a feature number",
                             (int)(key.size < 40 ? key.size : 40), key.text);
        status = read_list(r, feature, strcmp(member->name, "categories") != 0);
    }
    return status;
}

static enum status take_origin(void *data, const struct json_member *member,
                               const struct json_token *token) {
    struct reader *r = data;
    return token->kind == JSON_STRING && origin_read(token->text, token->size, &r->shape.origin)
               ? STATUS_OK
               : json_wrong(&r->json, member->name, "words such as \"stand-in trained\"");
}

static enum status take_unknown_category(void *data, const struct json_member *member,
                                         const struct json_token *token) {
    struct reader *r = data;
    r->refuse_unknown = json_token_is(token, "refused");
    if (!r->refuse_unknown && !json_token_is(token, "missing"))
        return json_wrong(&r->json, member->name, "\"missing\" or \"refused\"");
    return r->categories ? json_fail(&r->json, "unknown_category: must come before categories")
                         : STATUS_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status check_version(void *data, const struct json_member *member,
                                 const struct json_token *token) {
    struct reader *r = data;
    double version;
    if (!json_token_double(token, &version))
        return json_wrong(&r->json, member->name, "a number");
    if (version != TREEBENCH_JSON_VERSION) {
        json_fail(&r->json, "version: %g is not supported; expected %d", version,
                  TREEBENCH_JSON_VERSION);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

/* Thresholds are read as the nearest double if "compares" is "double", otherwise as the nearest
 * float32. */
static enum status take_compares(void *data, const struct json_member *member,
                                 const struct json_token *token) {
    struct reader *r = data;
    r->shape.compares_doubles = true;
    if (r->tree > 0)
        return json_fail(&r->json, "compares: must come before trees");
    return token->kind == JSON_STRING && json_token_is(token, "double")
               ? STATUS_OK
               : json_wrong(&r->json, member->name, "\"double\"");
}

static const char *const format_names[] = {"treebench", NULL};

static const struct json_member model_members[] = {
    JSON_REQUIRED(WORD, "format", AT(output), .words = format_names),
    JSON_REQUIRED(TAKEN, "version", .take = check_version),
    JSON_REQUIRED(U32, "features", AT(shape.n_features), .low = 1, .high = ENSEMBLE_MAX_FEATURES),
    JSON_REQUIRED(U32, "outputs", AT(shape.n_outputs), .low = 1, .high = ENSEMBLE_MAX_OUTPUTS),
    JSON_REQUIRED(DOUBLES, "base", AT(base)),
    JSON_REQUIRED(OBJECTS, "trees", .each = read_tree),
    JSON_OPTIONAL(TEXT, "note", AT(note)),
    JSON_OPTIONAL(TAKEN, "origin", .has = offsetof(struct reader, has_origin), .take = take_origin),
    JSON_OPTIONAL(ITEMS, "feature_names", AT(names), .take = feature_names_take),
    JSON_OPTIONAL(TAKEN, "compares", .take = take_compares),
    JSON_OPTIONAL(BIT, "first_feature_is_empty", AT(first_is_empty)),
    JSON_OPTIONAL(BIT, "votes", AT(shape.votes)),
    JSON_OPTIONAL(TAKEN, "unknown_category", .take = take_unknown_category),
    JSON_OPTIONAL(READ, "categories", .read = read_categories),
    JSON_OPTIONAL(READ, "hashed_categories", .read = read_categories),
    JSON_REFUSE_OTHERS};

static enum status read_model(struct reader *r) {
    enum status status = json_read_root(&r->json, model_members, r);
    if (!status && r->base.count != r->shape.n_outputs)
        status = json_fail(&r->json, "base: length is %zu, expected %" PRIu32, r->base.count,
                           r->shape.n_outputs);
    /* A note has no escapes: ensemble_set_note replaces the characters that need them. */
    size_t size = r->note.size < ENSEMBLE_NOTE_SIZE ? r->note.size : ENSEMBLE_NOTE_SIZE;
    snprintf(r->note_text, sizeof r->note_text, "%.*s", (int)size, r->note.text);
    r->shape.note = r->note.text ? r->note_text : NULL;
    if (!r->has_origin)
        r->shape.origin = origin_of_model_note(r->note_text);
    return status;
}

static enum status treebench_read(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    struct reader r = {.builder = ensemble_builder_create()};
    json_reader_open(&r.json, name, text, size, error);
    r.json.has_fractions = true;
    enum status status = read_model(&r);
    for (int i = 0; i < LISTS; i++)
        free(r.lists[i].values);
    free(r.cuts.values);
    r.shape.base = r.base.number;
    struct ensemble *made = NULL;
    status = reader_finish(name, status, r.builder, &r.shape, &made, error);
    free(r.base.values);
    status = feature_names_give(&r.names, status, made, name, error);
    if (!status) {
        made->categories = r.categories;
        made->first_is_empty = r.first_is_empty;
    } else {
        categories_free(r.categories);
    }
    return ensemble_give(status, made, ensemble);
}

/* Recognises a JSON object that names the format near its beginning. */
static bool treebench_recognise(const char *text, size_t size) {
    return reader_finds(text, size, "{", "\"treebench\"");
}

const struct model_format model_format_treebench = {
    .name = "treebench",
    .title = "treebench JSON",
    .suffix = ".json",
    .recognise = treebench_recognise,
    .read = treebench_read,
    .write = treebench_json_write,
    .sets = true,
    .votes = true,
    .compares_doubles = true,
    .names_features = true,
};
