/* XGBoost's JSON (1.0 and later) and the same as UBJSON: one walk over a stream of tokens.
 *
 *     {"learner": {
 *        "gradient_booster": {"name": "gbtree", "model": {
 *           "gbtree_model_param": {"num_trees": "100", "size_leaf_vector": "0", ...},
 *           "tree_info": [0, ...],          the output of every tree
 *           "trees": [{"left_children": [...], "split_conditions": [...], ...}, ...]}},
 *        "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "13"},
 *        "objective": {"name": "binary:logistic", ...}},
 *      "version": [1, 4, 0]}
 *
 * The booster "dart" has the model in "gbtree", and "weight_drop", a factor for every tree. Members
 * that scores do not depend on are passed over; in a tree, whatever is unknown is refused. */
#include "base/memory.h"
#include "base/number.h"
#include "models/format.h"
#include "models/ubjson.h"
#include "models/xgboost_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };

struct u32_list {
    uint32_t *values;
    size_t count, capacity;
};

struct float_list {
    float *values;
    size_t count, capacity;
};

/* The arrays of a tree. */
enum column {
    LEFT_CHILDREN,
    RIGHT_CHILDREN,
    SPLIT_INDICES,
    SPLIT_CONDITIONS,
    DEFAULT_LEFT,
    SPLIT_TYPE,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {"left_children", "right_children",
                                                  "split_indices", "split_conditions",
                                                  "default_left",  "split_type"};

struct walk {
    struct json_stream *stream;
    struct error *error;
    struct xgboost_model *model;

    /* The current tree; all trees share the memory. */
    struct xgboost_node *nodes;
    size_t n_nodes, nodes_capacity; /* as many as the longest column so far */
    size_t column_size[COLUMNS];
    uint32_t said_nodes; /* tree_param.num_nodes */
    struct u32_list categories, set_nodes, set_first, set_size;

    uint32_t n_trees, said_trees;
    bool has_said_trees;
    uint32_t n_features, n_classes, n_targets;
    char objective[NAME_SIZE], booster[NAME_SIZE];
    struct u32_list tree_output;
    struct float_list tree_weight, base;
};

/* --- values ----------------------------------------------------------------------------------- */

/* A known member of an object; `read` reads its value, NULL passes over it. */
struct member {
    const char *name;
    enum status (*read)(struct walk *w);
    bool is_required;
};

static enum status wrong_value(const struct walk *w, const char *what, const char *expected) {
    return json_stream_error(w->stream, w->error, "%s: should be %s", what, expected);
}

static enum status next_token(struct walk *w, struct json_token *token) {
    return json_stream_next(w->stream, token, w->error);
}

static enum status read_member(struct walk *w, const struct json_token *key,
                               const struct member *members, size_t n_members, bool skip_unknown,
                               uint64_t *seen) {
    size_t i = 0;
    while (i < n_members && !json_token_is(key, members[i].name))
        i++;
    if (i == n_members && !skip_unknown)
        return json_stream_error(w->stream, w->error,
                                 "%.*s: unknown, and scores might depend on it",
                                 (int)(key->size < 100 ? key->size : 100), key->text);
    if (i == n_members)
        return json_stream_skip(w->stream, w->error);
    if (*seen >> i & 1)
        return json_stream_error(w->stream, w->error, "%s: stands twice in one object",
                                 members[i].name);
    *seen |= UINT64_C(1) << i;
    return members[i].read ? members[i].read(w) : json_stream_skip(w->stream, w->error);
}

/* The rest of an object whose "{" has been read. */
static enum status read_members(struct walk *w, const char *what, const struct member *members,
                                size_t n_members, bool skip_unknown) {
    uint64_t seen = 0;
    for (;;) {
        struct json_token key;
        enum status status = next_token(w, &key);
        if (status)
            return status;
        if (key.kind == JSON_OBJECT_END)
            break;
        if ((status = read_member(w, &key, members, n_members, skip_unknown, &seen)))
            return status;
    }
    for (size_t i = 0; i < n_members; i++) {
        if (members[i].is_required && !(seen >> i & 1))
            return json_stream_error(w->stream, w->error, "%s: has no %s, and should have", what,
                                     members[i].name);
    }
    return STATUS_OK;
}

#define READ_OBJECT(w, what, members, skip_unknown)                                                \
    read_object((w), (what), (members), sizeof(members) / sizeof *(members), (skip_unknown))
static enum status read_object(struct walk *w, const char *what, const struct member *members,
                               size_t n_members, bool skip_unknown) {
    struct json_token token;
    enum status status = next_token(w, &token);
    if (status)
        return status;
    if (token.kind != JSON_OBJECT)
        return wrong_value(w, what, "an object");
    return read_members(w, what, members, n_members, skip_unknown);
}

static enum status read_array_begin(struct walk *w, const char *what) {
    struct json_token token;
    enum status status = next_token(w, &token);
    if (!status && token.kind != JSON_ARRAY)
        status = wrong_value(w, what, "an array");
    return status;
}

static enum status read_string(struct walk *w, const char *what, struct json_token *token) {
    enum status status = next_token(w, token);
    if (!status && token->kind != JSON_STRING)
        status = wrong_value(w, what, "a string");
    return status;
}

static enum status read_name(struct walk *w, const char *what, char name[static NAME_SIZE]) {
    struct json_token token;
    enum status status = read_string(w, what, &token);
    if (status)
        return status;
    if (token.size >= NAME_SIZE || memchr(token.text, '\0', token.size))
        return wrong_value(w, what, "a name of at most 63 letters");
    memcpy(name, token.text, token.size);
    name[token.size] = '\0';
    return STATUS_OK;
}

/* XGBoost writes its parameters as strings. */
static enum status read_parameter(struct walk *w, const char *what, uint32_t *value) {
    struct json_token token;
    enum status status = read_string(w, what, &token);
    if (!status &&
        number_parse_u32(token.text, token.text + token.size, value) != token.text + token.size)
        status = wrong_value(w, what, "a string with an integer of 32 bits in it");
    return status;
}

static enum status append_float(struct walk *w, struct float_list *list, float value) {
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(w->error, "an array of a model");
    list->values[list->count++] = value;
    return STATUS_OK;
}

static enum status append_u32(struct walk *w, struct u32_list *list, const char *what,
                              const struct json_token *token) {
    if (token->kind != JSON_NUMBER || !token->is_integer || token->integer < 0 ||
        token->integer > UINT32_MAX)
        return wrong_value(w, what, "an array of integers from 0 to 4294967295");
    if (!memory_grow((void **)&list->values, &list->capacity, list->count, sizeof *list->values))
        return error_memory(w->error, "an array of a model");
    list->values[list->count++] = (uint32_t)token->integer;
    return STATUS_OK;
}

static enum status read_u32_list(struct walk *w, const char *what, struct u32_list *list) {
    enum status status = read_array_begin(w, what);
    struct json_token token = {.kind = JSON_ARRAY};
    while (!status && !(status = next_token(w, &token)) && token.kind != JSON_ARRAY_END)
        status = append_u32(w, list, what, &token);
    return status;
}

/* --- a tree ----------------------------------------------------------------------------------- */

static enum status wrong_node(const struct walk *w, enum column column, const char *expected) {
    return json_stream_error(w->stream, w->error, "tree %u, node %zu: its value in %s should be %s",
                             w->n_trees, w->column_size[column], column_names[column], expected);
}

static bool to_flag(const struct json_token *token, bool *flag) {
    bool is_number = token->kind == JSON_NUMBER && token->is_integer &&
                     (token->integer == 0 || token->integer == 1);
    *flag = token->kind == JSON_TRUE || (is_number && token->integer == 1);
    return is_number || token->kind == JSON_TRUE || token->kind == JSON_FALSE;
}

static bool to_integer(const struct json_token *token, int64_t low, int64_t high) {
    return token->kind == JSON_NUMBER && token->is_integer && token->integer >= low &&
           token->integer <= high;
}

static enum status set_node(struct walk *w, enum column column, const struct json_token *token,
                            struct xgboost_node *node) {
    switch (column) {
    case LEFT_CHILDREN:
    case RIGHT_CHILDREN:
        if (!to_integer(token, -1, INT32_MAX))
            return wrong_node(w, column, "a node or -1");
        *(column == LEFT_CHILDREN ? &node->left : &node->right) = (int32_t)token->integer;
        return STATUS_OK;
    case SPLIT_INDICES:
        if (!to_integer(token, 0, INT32_MAX))
            return wrong_node(w, column, "a feature");
        node->feature = (uint32_t)token->integer;
        return STATUS_OK;
    case SPLIT_CONDITIONS:
        node->number = token->real;
        return token->kind == JSON_NUMBER ? STATUS_OK : wrong_node(w, column, "a number");
    case DEFAULT_LEFT:
        return to_flag(token, &node->default_left) ? STATUS_OK
                                                   : wrong_node(w, column, "0, 1, true or false");
    case SPLIT_TYPE:
    default:
        return to_flag(token, &node->categorical)
                   ? STATUS_OK
                   : wrong_node(w, column, "0 (numeric) or 1 (categorical)");
    }
}

static enum status read_column(struct walk *w, enum column column) {
    enum status status = read_array_begin(w, column_names[column]);
    size_t i = 0;
    for (; !status; i++) {
        struct json_token token;
        w->column_size[column] = i;
        if ((status = next_token(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        if (i == w->n_nodes) {
            if (!memory_grow((void **)&w->nodes, &w->nodes_capacity, i, sizeof *w->nodes))
                return error_memory(w->error, "the nodes of a tree");
            w->nodes[w->n_nodes++] = (struct xgboost_node){0};
        }
        status = set_node(w, column, &token, &w->nodes[i]);
    }
    return status;
}

static enum status read_left_children(struct walk *w) {
    return read_column(w, LEFT_CHILDREN);
}
static enum status read_right_children(struct walk *w) {
    return read_column(w, RIGHT_CHILDREN);
}
static enum status read_split_indices(struct walk *w) {
    return read_column(w, SPLIT_INDICES);
}
static enum status read_split_conditions(struct walk *w) {
    return read_column(w, SPLIT_CONDITIONS);
}
static enum status read_default_left(struct walk *w) {
    return read_column(w, DEFAULT_LEFT);
}
static enum status read_split_type(struct walk *w) {
    return read_column(w, SPLIT_TYPE);
}
static enum status read_categories(struct walk *w) {
    return read_u32_list(w, "categories", &w->categories);
}
static enum status read_categories_nodes(struct walk *w) {
    return read_u32_list(w, "categories_nodes", &w->set_nodes);
}
static enum status read_categories_segments(struct walk *w) {
    return read_u32_list(w, "categories_segments", &w->set_first);
}
static enum status read_categories_sizes(struct walk *w) {
    return read_u32_list(w, "categories_sizes", &w->set_size);
}

static enum status read_num_nodes(struct walk *w) {
    return read_parameter(w, "num_nodes", &w->said_nodes);
}

static enum status read_size_leaf_vector(struct walk *w) {
    uint32_t size = 0;
    enum status status = read_parameter(w, "size_leaf_vector", &size);
    if (!status && size > 1) {
        json_stream_error(w->stream, w->error,
                          "tree %u: size_leaf_vector: leaves of %u values, should be one tree per "
                          "output (multi_strategy=one_output_per_tree)",
                          w->n_trees, size);
        status = STATUS_UNSUPPORTED;
    }
    return status;
}

static enum status read_tree_param(struct walk *w) {
    static const struct member members[] = {
        {"num_nodes", read_num_nodes, true},
        {"size_leaf_vector", read_size_leaf_vector, false},
    };
    return READ_OBJECT(w, "tree_param", members, true);
}

static const struct member tree_members[] = {
    {"left_children", read_left_children, true},
    {"right_children", read_right_children, true},
    {"split_indices", read_split_indices, true},
    {"split_conditions", read_split_conditions, true},
    {"default_left", read_default_left, true},
    {"split_type", read_split_type, false},
    {"categories", read_categories, false},
    {"categories_nodes", read_categories_nodes, false},
    {"categories_segments", read_categories_segments, false},
    {"categories_sizes", read_categories_sizes, false},
    {"tree_param", read_tree_param, true},
    {"id", NULL, false},
    {"parents", NULL, false},
    {"base_weights", NULL, false},
    {"loss_changes", NULL, false},
    {"sum_hessian", NULL, false},
    {"leaf_child_counts", NULL, false},
};

static enum status check_columns(const struct walk *w) {
    for (int c = 0; c < COLUMNS; c++) {
        bool is_absent = c == SPLIT_TYPE && w->column_size[c] == 0;
        if (!is_absent && w->column_size[c] != w->said_nodes)
            return json_stream_error(w->stream, w->error,
                                     "tree %u: %s: %zu values, should be %u (num_nodes)",
                                     w->n_trees, column_names[c], w->column_size[c], w->said_nodes);
    }
    return STATUS_OK;
}

/* Gives the categorical nodes their sets. */
static enum status spread_categories(struct walk *w) {
    size_t n = w->set_nodes.count;
    if (w->set_first.count != n || w->set_size.count != n)
        return json_stream_error(w->stream, w->error,
                                 "tree %u: categories_nodes, categories_segments and "
                                 "categories_sizes should have equally many values",
                                 w->n_trees);
    for (size_t i = 0; i < n; i++) {
        if (w->set_nodes.values[i] >= w->n_nodes)
            return json_stream_error(w->stream, w->error,
                                     "tree %u: categories_nodes: node %u of %zu (from 0 on)",
                                     w->n_trees, w->set_nodes.values[i], w->n_nodes);
        struct xgboost_node *node = &w->nodes[w->set_nodes.values[i]];
        if (node->has_set)
            return json_stream_error(w->stream, w->error,
                                     "tree %u: categories_nodes: node %u stands there twice",
                                     w->n_trees, w->set_nodes.values[i]);
        node->has_set = true;
        node->set_first = w->set_first.values[i];
        node->set_size = w->set_size.values[i];
    }
    return STATUS_OK;
}

/* A tree whose "{" has been read. */
static enum status read_tree(struct walk *w) {
    w->n_nodes = 0;
    memset(w->column_size, 0, sizeof w->column_size);
    w->categories.count = w->set_nodes.count = w->set_first.count = w->set_size.count = 0;
    char what[32];
    snprintf(what, sizeof what, "tree %u", w->n_trees);
    enum status status =
        read_members(w, what, tree_members, sizeof tree_members / sizeof *tree_members, false);
    if (!status)
        status = check_columns(w);
    if (!status)
        status = spread_categories(w);
    if (!status)
        status = xgboost_add_tree(w->model,
                                  &(struct xgboost_tree){w->nodes, (uint32_t)w->n_nodes,
                                                         w->categories.values, w->categories.count},
                                  w->error);
    w->n_trees++;
    return status;
}

static enum status read_trees(struct walk *w) {
    enum status status = read_array_begin(w, "trees");
    while (!status) {
        struct json_token token;
        if ((status = next_token(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = token.kind == JSON_OBJECT ? read_tree(w)
                                           : wrong_value(w, "trees", "an array of objects");
    }
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_num_trees(struct walk *w) {
    w->has_said_trees = true;
    return read_parameter(w, "num_trees", &w->said_trees);
}

static enum status read_gbtree_model_param(struct walk *w) {
    static const struct member members[] = {
        {"num_trees", read_num_trees, true},
        {"size_leaf_vector", read_size_leaf_vector, false},
    };
    return READ_OBJECT(w, "gbtree_model_param", members, true);
}

static enum status read_tree_info(struct walk *w) {
    return read_u32_list(w, "tree_info", &w->tree_output);
}

static enum status refuse_linear(struct walk *w) {
    return error_set(w->error, STATUS_UNSUPPORTED,
                     "%s: gradient_booster: a linear model (gblinear), should be trees (gbtree or "
                     "dart)",
                     w->stream->name);
}

static enum status read_model(struct walk *w) {
    static const struct member members[] = {
        {"gbtree_model_param", read_gbtree_model_param, true},
        {"tree_info", read_tree_info, false},
        {"trees", read_trees, true},
        {"iteration_indptr", NULL, false}, /* trees of a boosting round */
        {"cats", NULL, false},             /* the categories' names */
        {"weights", refuse_linear, false},
    };
    return READ_OBJECT(w, "model", members, false);
}

static enum status read_booster_name(struct walk *w) {
    return read_name(w, "gradient_booster: name", w->booster);
}

/* What "dart" is made of. */
static enum status read_gbtree(struct walk *w) {
    static const struct member members[] = {
        {"model", read_model, true},
        {"name", NULL, false},
    };
    return READ_OBJECT(w, "gbtree", members, true);
}

static enum status read_weight_drop(struct walk *w) {
    enum status status = read_array_begin(w, "weight_drop");
    while (!status) {
        struct json_token token;
        if ((status = next_token(w, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = token.kind == JSON_NUMBER ? append_float(w, &w->tree_weight, token.real)
                                           : wrong_value(w, "weight_drop", "an array of numbers");
    }
    return status;
}

static enum status read_gradient_booster(struct walk *w) {
    static const struct member members[] = {
        {"model", read_model, false},
        {"gbtree", read_gbtree, false},
        {"weight_drop", read_weight_drop, false},
        {"name", read_booster_name, true},
    };
    enum status status = READ_OBJECT(w, "gradient_booster", members, true);
    bool is_dart = strcmp(w->booster, "dart") == 0;
    if (!status && !is_dart && strcmp(w->booster, "gbtree") != 0)
        status = error_set(w->error, STATUS_UNSUPPORTED,
                           "%s: gradient_booster: '%s', should be gbtree or dart", w->stream->name,
                           w->booster);
    if (!status && is_dart && w->tree_weight.count != w->n_trees)
        status = json_stream_error(w->stream, w->error, "weight_drop: %zu values for %u trees",
                                   w->tree_weight.count, w->n_trees);
    return status;
}

/* "5E-1", and from 3.1 on "[5E-1]" with one value for every output. */
static enum status read_base_score(struct walk *w) {
    struct json_token token;
    enum status status = read_string(w, "base_score", &token);
    if (status)
        return status;
    const char *at = token.text, *end = at + token.size;
    bool is_list = at < end && *at == '[';
    if (is_list && end[-1] != ']')
        return wrong_value(w, "base_score", "a string with a number or a list of them in it");
    at += is_list;
    end -= is_list;
    do {
        float value;
        const char *behind = number_parse_float(at, end, &value);
        if (!behind || (behind < end && (!is_list || *behind != ',')))
            return wrong_value(w, "base_score", "a string with a number or a list of them in it");
        if ((status = append_float(w, &w->base, value)))
            return status;
        at = behind + 1;
    } while (at <= end);
    return STATUS_OK;
}

static enum status read_num_class(struct walk *w) {
    return read_parameter(w, "num_class", &w->n_classes);
}
static enum status read_num_target(struct walk *w) {
    return read_parameter(w, "num_target", &w->n_targets);
}
static enum status read_num_feature(struct walk *w) {
    return read_parameter(w, "num_feature", &w->n_features);
}

static enum status read_learner_model_param(struct walk *w) {
    static const struct member members[] = {
        {"base_score", read_base_score, true},
        {"num_class", read_num_class, false},
        {"num_target", read_num_target, false},
        {"num_feature", read_num_feature, true},
    };
    return READ_OBJECT(w, "learner_model_param", members, true);
}

static enum status read_objective_name(struct walk *w) {
    return read_name(w, "objective: name", w->objective);
}

static enum status read_objective(struct walk *w) {
    static const struct member members[] = {{"name", read_objective_name, true}};
    return READ_OBJECT(w, "objective", members, true);
}

static enum status read_learner(struct walk *w) {
    static const struct member members[] = {
        {"gradient_booster", read_gradient_booster, true},
        {"learner_model_param", read_learner_model_param, true},
        {"objective", read_objective, true},
    };
    return READ_OBJECT(w, "learner", members, true);
}

static enum status read_root(struct walk *w) {
    static const struct member members[] = {{"learner", read_learner, true}};
    enum status status = READ_OBJECT(w, "the model", members, true);
    struct json_token end;
    if (!status)
        status = next_token(w, &end);
    if (!status && w->has_said_trees && w->said_trees != w->n_trees)
        status = json_stream_error(w->stream, w->error, "trees: %u, should be %u (num_trees)",
                                   w->n_trees, w->said_trees);
    return status;
}

static uint32_t count_outputs(const struct walk *w) {
    uint32_t n = w->n_classes > w->n_targets ? w->n_classes : w->n_targets;
    return n ? n : 1;
}

static enum status finish(struct walk *w, struct ensemble **ensemble) {
    struct xgboost_header header = {.objective = w->objective,
                                    .base = w->base.values,
                                    .n_base = w->base.count,
                                    .n_features = w->n_features,
                                    .n_outputs = count_outputs(w),
                                    .tree_output = w->tree_output.values,
                                    .n_tree_output = w->tree_output.count,
                                    .tree_weight = w->tree_weight.values,
                                    .n_tree_weight = w->tree_weight.count};
    return xgboost_model_finish(w->model, &header, ensemble, w->error);
}

static enum status read_stream(struct json_stream *stream, struct ensemble **ensemble,
                               struct error *error) {
    struct walk w = {.stream = stream, .error = error};
    w.model = xgboost_model_create(stream->name);
    if (!w.model)
        return error_memory(error, "a model");
    enum status status = read_root(&w);
    if (!status)
        status = finish(&w, ensemble);
    else
        xgboost_model_free(w.model);
    free(w.nodes);
    free(w.categories.values);
    free(w.set_nodes.values);
    free(w.set_first.values);
    free(w.set_size.values);
    free(w.tree_output.values);
    free(w.tree_weight.values);
    free(w.base.values);
    return status;
}

/* --- the two formats -------------------------------------------------------------------------- */

static enum status json_read_model(const char *name, const char *text, size_t size,
                                   struct ensemble **ensemble, struct error *error) {
    struct json_stream stream;
    json_stream_open_text(&stream, name, text, size);
    return read_stream(&stream, ensemble, error);
}

static enum status ubjson_read_model(const char *name, const char *text, size_t size,
                                     struct ensemble **ensemble, struct error *error) {
    struct json_stream stream;
    ubjson_open(&stream, name, text, size);
    return read_stream(&stream, ensemble, error);
}

/* An object with a member "learner" near its beginning. */
static bool json_recognise(const char *text, size_t size) {
    static const char word[] = "\"learner\"";
    size_t near = size < 4096 ? size : 4096, at = 0;
    while (at < near && strchr(" \t\r\n", text[at]))
        at++;
    return at < near && text[at] == '{' && memmem(text, near, word, sizeof word - 1);
}

/* An object whose first key, behind its length, is "learner". */
static bool ubjson_recognise(const char *text, size_t size) {
    static const char word[] = "\7learner";
    size_t near = size < 17 ? size : 17;
    return near > 2 && text[0] == '{' && strchr("iUIlL", text[1]) && text[1] &&
           memmem(text, near, word, sizeof word - 1);
}

const struct model_format model_format_xgboost = {
    .name = "xgboost",
    .title = "XGBoost JSON",
    .recognise = json_recognise,
    .read = json_read_model,
    .write = xgboost_write_json,
};

const struct model_format model_format_xgboost_ubjson = {
    .name = "xgboost-ubjson",
    .title = "XGBoost UBJSON",
    .recognise = ubjson_recognise,
    .read = ubjson_read_model,
};
