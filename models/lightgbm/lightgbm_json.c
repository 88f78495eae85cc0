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
#include "base/number.h"
#include "models/feature_names.h"
#include "models/formats.h"
#include "models/lightgbm/lightgbm_reader.h"
#include "models/nested_tree.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USE_TEXT "Save the model with save_model(\"model.txt\") instead"

struct node {
    struct nested_node child;
    uint32_t feature;
    uint32_t decision, missing; /* indices of the words of LightGBM */
    bool default_left;
    bool has_set; /* the threshold is a set of categories */
    size_t first_category, n_categories;
    double threshold, value;
    uint64_t count;
};

struct reader {
    struct json_reader json;
    struct lightgbm_model model;
    struct json_place trees, names, infos, categories;
    struct json_token objective;
    struct feature_names feature_names;
    uint32_t n_names, tree_index;
    size_t n_counted;      /* trees */
    bool has_values;       /* does the info of a feature list its values? */
    bool is_known_average; /* does the dump say whether it is an average? */
    bool is_average;

    /* The current tree. */
    struct nested_tree tree;
    struct memory_list categories_of_tree; /* of u32 */
};

/* dump_model writes infinite thresholds, and all others beyond this, as this number. */
static const double LARGEST = 1e300;

/* --- thresholds ------------------------------------------------------------------------------- */

/* Reads categories such as "0||3||4". */
static enum status read_categories(struct reader *r, const struct json_token *token) {
    const char *at = token->text, *end = at + token->size;
    struct node *node = nested_tree_node(&r->tree);
    int64_t last = -1;
    enum status status = STATUS_OK;
    node->has_set = true;
    node->first_category = r->categories_of_tree.count;
    while (at < end && !status) {
        uint32_t category = 0;
        at = number_parse_u32(at, end, &category);
        if (!at || category > INT32_MAX || category <= last || (at < end && end - at < 3) ||
            (at < end && memcmp(at, "||", 2) != 0))
            return json_wrong(&r->json, "threshold", "increasing categories, such as \"0||3||4\"");
        last = category;
        at += at < end ? 2 : 0;
        node->n_categories++;
        status = json_list_add(&r->json, &r->categories_of_tree, &category, sizeof category);
    }
    return status;
}

static enum status take_threshold(void *data, const struct json_member *member,
                                  const struct json_token *token) {
    struct reader *r = data;
    struct node *node = nested_tree_node(&r->tree);
    if (token->kind == JSON_STRING)
        return read_categories(r, token);
    if (!json_token_double(token, &node->threshold))
        return json_wrong(&r->json, member->name, "a finite number or categories");
    if (fabs(node->threshold) >= LARGEST) {
        json_fail(&r->json,
                  "the threshold %g may stand for infinity, because dump_model writes both "
                  "alike. " USE_TEXT,
                  node->threshold);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

/* --- other members of a node ------------------------------------------------------------------ */

static enum status read_feature(void *data, const struct json_member *member) {
    struct reader *r = data;
    struct node *node = nested_tree_node(&r->tree);
    int64_t feature = 0;
    enum status status =
        json_read_integer(&r->json, member->name, 0, (int64_t)r->model.n_features - 1, &feature);
    node->feature = (uint32_t)feature;
    return status;
}

static enum status refuse_linear(void *data, const struct json_member *member) {
    (void)member;
    struct reader *r = data;
    json_stream_error(&r->json.stream, r->json.error, "tree %zu is " LIGHTGBM_LINEAR,
                      r->json.part.number);
    return STATUS_UNSUPPORTED;
}

#define NODE(member) .offset = offsetof(struct node, member)

static const char *const decisions[] = {"<=", "==", NULL};
static const char *const missing_types[] = {[LIGHTGBM_MISSING_NONE] = "None",
                                            [LIGHTGBM_MISSING_ZERO] = "Zero",
                                            [LIGHTGBM_MISSING_NAN] = "NaN",
                                            NULL};
static const struct nested_member node_members[] = {
    {JSON_REQUIRED(DOUBLE, "leaf_value", NODE(value)), .of_leaves = true},
    {JSON_REQUIRED(READ, "split_feature", .read = read_feature), .of_inner = true},
    {JSON_REQUIRED(TAKEN, "threshold", .take = take_threshold), .of_inner = true},
    {JSON_REQUIRED(WORD, "decision_type", NODE(decision), .words = decisions), true, false},
    {JSON_REQUIRED(BOOL, "default_left", NODE(default_left)), .of_inner = true},
    {JSON_REQUIRED(WORD, "missing_type", NODE(missing), .words = missing_types), true, false},
    {JSON_OPTIONAL(U64, "internal_count", NODE(count), .high = INT32_MAX), .of_inner = true},
    {JSON_OPTIONAL(U64, "leaf_count", NODE(count), .high = INT32_MAX), .of_leaves = true},
    {JSON_OPTIONAL(READ, "leaf_const", .read = refuse_linear), .of_leaves = true},
    {JSON_SKIPPED("split_index"), .of_inner = true},
    {JSON_SKIPPED("split_gain"), .of_inner = true},
    {JSON_SKIPPED("internal_value"), .of_inner = true},
    {JSON_SKIPPED("internal_weight"), .of_inner = true},
    {JSON_SKIPPED("leaf_index"), .of_leaves = true},
    {JSON_SKIPPED("leaf_weight"), .of_leaves = true},
};
static const struct nested_format format = {.members = node_members,
                                            .n_members = sizeof node_members / sizeof *node_members,
                                            .left = "left_child",
                                            .right = "right_child",
                                            .node_size = sizeof(struct node),
                                            .blank =
                                                &(const struct node){.count = ENSEMBLE_NO_COUNT}};

/* --- trees ------------------------------------------------------------------------------------ */

static bool make_split(struct reader *r, const struct node *node) {
    unsigned bits = (node->decision ? LIGHTGBM_CATEGORICAL : 0) |
                    (node->default_left ? LIGHTGBM_DEFAULT_LEFT : 0) |
                    node->missing << LIGHTGBM_MISSING_SHIFT;
    if (!node->has_set)
        return lightgbm_split_numbers(&r->model.split, bits, node->threshold);
    lightgbm_split_nothing(&r->model.split);
    for (size_t i = 0; i < node->n_categories; i++)
        if (!lightgbm_split_category(&r->model.split,
                                     r->categories_of_tree.u32[node->first_category + i]))
            return false;
    return true;
}

static enum status add_node(struct reader *r, const struct node *node) {
    struct inner_node inner = {.feature = node->feature,
                               .threshold = node->threshold,
                               .left = node->child.left,
                               .right = node->child.right,
                               .count = node->count};
    if (!node->child.left) {
        lightgbm_add_leaf(&r->model, node->value, node->count);
        return STATUS_OK;
    }
    if (node->decision != node->has_set)
        return json_wrong(&r->json, "threshold", node->decision ? "categories" : "a number");
    return make_split(r, node) ? lightgbm_add_split(&r->model, &inner)
                               : error_memory(r->json.error, "the splits of a tree");
}

static enum status read_root(void *data, const struct json_member *member) {
    struct reader *r = data;
    r->tree.json = &r->json;
    r->tree.format = &format;
    r->tree.data = r;
    r->categories_of_tree.count = 0;
    enum status status = json_begin(&r->json, member->name, JSON_OBJECT);
    if (status || (status = nested_tree_read(&r->tree)))
        return status;
    const struct node *nodes = r->tree.nodes;
    lightgbm_begin_tree(&r->model);
    for (size_t i = 0; i < r->tree.n_nodes && !status; i++) {
        r->json.inner = (struct json_part){"node", i};
        status = add_node(r, &nodes[i]);
    }
    r->json.inner.what = NULL;
    return status;
}

#define AT(member) .offset = offsetof(struct reader, member)

/* Outputs take turns, so trees must be in order. A dump of later trees begins with a larger
 * index. */
static enum status read_tree(void *data) {
    static const struct json_member members[] = {
        JSON_REQUIRED(U32, "tree_index", AT(tree_index), .high = INT32_MAX),
        JSON_SKIPPED("num_leaves"),
        JSON_SKIPPED("num_cat"),
        JSON_SKIPPED("shrinkage"),
        JSON_REQUIRED(READ, "tree_structure", .read = read_root),
        JSON_REFUSE_OTHERS};
    struct reader *r = data;
    uint32_t number = r->model.n_trees, outputs = r->model.trees_per_iteration;
    r->json.part = (struct json_part){"tree", number};
    enum status status = json_read_members(&r->json, "", members, r);
    if (!status && r->tree_index % outputs != number % outputs)
        status = json_fail(&r->json, "tree_index is %" PRIu32 ", so the trees are not in order",
                           r->tree_index);
    r->json.part.what = NULL;
    return status;
}

static enum status count_tree(void *data) {
    static const struct json_member none[] = {JSON_SKIP_OTHERS};
    struct reader *r = data;
    r->n_counted++;
    return json_read_members(&r->json, "", none, r);
}

static enum status read_trees(struct reader *r, enum status (*each)(void *data)) {
    const struct json_member trees = JSON_REQUIRED(OBJECTS, "tree_info", .each = each);
    json_stream_go(&r->json.stream, &r->trees);
    return json_read_member(&r->json, &trees, r);
}

/* --- the dump --------------------------------------------------------------------------------- */

static enum status check_version(void *data, const struct json_member *member,
                                 const struct json_token *token) {
    struct reader *r = data;
    return token->kind == JSON_STRING &&
                   lightgbm_supports_version(token->text, token->text + token->size)
               ? STATUS_OK
               : json_wrong(&r->json, member->name, "a supported version. " LIGHTGBM_VERSIONS);
}

static const struct json_member members[] = {
    JSON_SKIPPED("name"),
    JSON_REQUIRED(TAKEN, "version", .take = check_version),
    JSON_SKIPPED("num_class"),
    JSON_REQUIRED(U32, "num_tree_per_iteration", AT(model.trees_per_iteration), .low = 1,
                  .high = ENSEMBLE_MAX_OUTPUTS),
    JSON_SKIPPED("label_index"),
    JSON_REQUIRED(U32, "max_feature_idx", AT(model.n_features), .high = ENSEMBLE_MAX_FEATURES - 1),
    JSON_OPTIONAL(TEXT, "objective", AT(objective)),
    JSON_OPTIONAL(BOOL, "average_output", AT(is_average),
                  .has = offsetof(struct reader, is_known_average)),
    JSON_REQUIRED(LATER, "feature_names", AT(names)),
    JSON_SKIPPED("monotone_constraints"),
    JSON_OPTIONAL(LATER, "feature_infos", AT(infos)),
    JSON_REQUIRED(LATER, "tree_info", AT(trees)),
    JSON_SKIPPED("feature_importances"),
    JSON_OPTIONAL(LATER, "pandas_categorical", AT(categories)),
    JSON_REFUSE_OTHERS};

/* Members may come in any order, so the trees are read after the others. The divisor of an average
 * is needed before the first leaf is added. */
static enum status read_dump(struct reader *r) {
    enum status status = json_read_root(&r->json, members, r);
    r->model.n_features++;
    if (!status && !r->is_known_average)
        return error_set(r->model.error, STATUS_UNSUPPORTED,
                         "%s: average_output is missing, so LightGBM 2.2.2 or an older version "
                         "wrote the dump, and it may be an average. " USE_TEXT,
                         r->model.name);
    if (!status && r->is_average) {
        status = read_trees(r, count_tree);
        r->model.divisor = (double)r->n_counted / r->model.trees_per_iteration;
    }
    return status ? status : read_trees(r, read_tree);
}

/* --- the training data ------------------------------------------------------------------------ */

static enum status name_features(struct reader *r, struct ensemble *ensemble) {
    static const struct json_member names =
        JSON_REQUIRED(ITEMS, "feature_names", AT(feature_names), .take = feature_names_take);
    char where[ERROR_TEXT_SIZE / 2];
    json_stream_go(&r->json.stream, &r->names);
    snprintf(where, sizeof where, "%s:%zu", r->model.name, r->names.line);
    enum status status = json_read_member(&r->json, &names, r);
    r->n_names = r->feature_names.count;
    return feature_names_give(&r->feature_names, status, ensemble, where, r->model.error);
}

static enum status read_values(void *data, const struct json_member *member) {
    struct reader *r = data;
    struct json_place values = json_stream_place(&r->json.stream);
    struct json_token token;
    enum status status = json_begin(&r->json, member->name, JSON_ARRAY);
    r->has_values = json_read_item(&r->json, &token, &status);
    json_stream_go(&r->json.stream, &values);
    return status ? status : json_stream_skip(&r->json.stream, r->json.error);
}

struct info {
    struct json_token name; /* the first member, for json_token_compare */
    unsigned char kind;
};

/* Reads the info of each feature: {"min_value": 1, "max_value": 9, "values": []}. */
static enum status read_info_list(struct reader *r, struct memory_list *list) {
    static const struct json_member info_members[] = {
        JSON_SKIPPED("min_value"), JSON_SKIPPED("max_value"),
        JSON_REQUIRED(READ, "values", .read = read_values), JSON_REFUSE_OTHERS};
    struct json_token name;
    json_stream_go(&r->json.stream, &r->infos);
    enum status status = json_begin(&r->json, "feature_infos", JSON_OBJECT);
    while (json_read_item(&r->json, &name, &status)) {
        struct info info = {.name = name};
        status = json_read_object(&r->json, "feature_infos", info_members, r);
        info.kind = r->has_values ? LIGHTGBM_CATEGORIES : LIGHTGBM_NUMBERS;
        if (!status)
            status = json_list_add(&r->json, list, &info, sizeof info);
    }
    return status;
}

/* The keys are names of features. A feature without values in the training data is left out. The
 * array of names has been read before, so it is correct. */
static enum status read_infos(struct reader *r, unsigned char *infos) {
    struct memory_list list = {.count = 0};
    struct json_token name;
    enum status status = read_info_list(r, &list);
    if (list.count)
        qsort(list.values, list.count, sizeof(struct info), json_token_compare);
    json_stream_go(&r->json.stream, &r->names);
    if (!status)
        status = json_begin(&r->json, "feature_names", JSON_ARRAY);
    while (json_read_item(&r->json, &name, &status)) {
        const struct info *info =
            list.count ? bsearch(&name, list.values, list.count, sizeof *info, json_token_compare)
                       : NULL;
        *infos++ = info ? info->kind : LIGHTGBM_NO_VALUES;
    }
    free(list.values);
    return status;
}

static enum status describe(struct reader *r, struct ensemble *ensemble) {
    struct json_stream *stream = &r->json.stream;
    if (r->objective.text)
        ensemble_set_objective(ensemble, r->objective.text, r->objective.text + r->objective.size);
    enum status status = name_features(r, ensemble);
    if (status)
        return status;
    unsigned char *infos = calloc((size_t)r->n_names + 1, 1);
    struct lightgbm_facts facts = {.name = r->model.name,
                                   .infos = r->infos.at ? infos : NULL,
                                   .n_infos = r->infos.at ? r->n_names : 0,
                                   .categories = r->categories.at};
    if (!infos)
        status = error_memory(r->model.error, "the features of a model");
    else if (r->infos.at)
        status = read_infos(r, infos);
    if (!status && r->categories.at) {
        json_stream_go(stream, &r->categories);
        status = json_stream_skip(stream, r->model.error);
        facts.categories_end = stream->at;
    }
    if (!status)
        status = lightgbm_read_facts(&facts, ensemble, r->model.error);
    free(infos);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status json_read_dump(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    struct reader r = {.model = lightgbm_begin_model(name, error)};
    struct ensemble *made = NULL;
    json_reader_open(&r.json, name, text, size, error);
    enum status status = lightgbm_finish(&r.model, read_dump(&r), &made);
    if (!status)
        status = describe(&r, made);
    free(r.tree.nodes);
    free(r.categories_of_tree.values);
    return ensemble_give(status, made, ensemble);
}

static bool json_recognise(const char *text, size_t size) {
    return reader_finds(text, size, "{", "\"num_tree_per_iteration\"") ||
           reader_finds(text, size, "{", "\"average_output\"");
}

const struct model_format model_format_lightgbm_json = {
    .name = "lightgbm-json",
    .title = "LightGBM JSON dump",
    .recognise = json_recognise,
    .read = json_read_dump,
    .compares_doubles = true,
    .numbers_as_written = true,
};
