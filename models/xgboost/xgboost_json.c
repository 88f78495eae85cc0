/* Reads XGBoost's JSON (1.0 and later) and the same model as UBJSON, in one walk over a stream of
 * tokens:
 *
 *     {"learner": {
 *        "attributes": {"best_iteration": "39", ...},  from early stopping
 *        "gradient_booster": {"name": "gbtree", "model": {
 *           "gbtree_model_param": {"num_trees": "100", "size_leaf_vector": "0", ...},
 *           "iteration_indptr": [0, 1, ...],  the trees of every iteration (2.0 and later)
 *           "tree_info": [0, ...],            the output of every tree
 *           "trees": [{"left_children": [...], "split_conditions": [...], ...}, ...]}},
 *        "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "13"},
 *        "objective": {"name": "binary:logistic", ...}},
 *      "version": [1, 4, 0]}
 *
 * "weight_drop" is a factor for every tree (dart). Version 3.3 stores it beside "model", other
 * versions beside the trees or beside "gbtree", which then contains the model. Members that do not
 * affect scores are skipped. Unknown members of a tree are errors. */
#include "base/number.h"
#include "models/format.h"
#include "models/reader.h"
#include "models/xgboost/ubjson.h"
#include "models/xgboost/xgboost_walk.h"

#include <stdlib.h>
#include <string.h>

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_num_trees(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_trees", &w->said_trees);
}

static enum status read_num_parallel_tree(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_parallel_tree", &w->early_stop.n_parallel);
}

static enum status read_gbtree_model_param(void *w) {
    static const struct json_stream_member members[] = {
        {"num_parallel_tree", read_num_parallel_tree, false},
        {"num_trees", read_num_trees, true},
    };
    return WALK_OBJECT(w, "gbtree_model_param", members, true);
}

static enum status read_tree_info(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "tree_info", &w->tree_output);
}

static enum status read_iteration_indptr(void *data) {
    struct walk *w = data;
    return walk_u32_list(w, "iteration_indptr", &w->iteration_begin);
}

static enum status read_weight_drop(void *data) {
    struct walk *w = data;
    return walk_float_list(w, "weight_drop", &w->tree_weight);
}

static enum status refuse_linear(void *data) {
    struct walk *w = data;
    return error_set(w->error, STATUS_UNSUPPORTED,
                     "%s: gradient_booster: linear models (gblinear) are not supported; expected "
                     "trees (gbtree or dart)",
                     w->stream->name);
}

static enum status read_model(void *w) {
    static const struct json_stream_member members[] = {
        {"gbtree_model_param", read_gbtree_model_param, true},
        {"tree_info", read_tree_info, false},
        {"trees", walk_trees, true},
        {"iteration_indptr", read_iteration_indptr, false},
        {"cats", walk_check_categories, false},
        {"weight_drop", read_weight_drop, false},
        {"boosted_rounds", refuse_linear, false},
        {"weights", refuse_linear, false},
    };
    return WALK_OBJECT(w, "model", members, false);
}

static enum status read_booster_name(void *data) {
    struct walk *w = data;
    return walk_name(w, "gradient_booster: name", w->booster);
}

/* The content of "dart". */
static enum status read_gbtree(void *w) {
    static const struct json_stream_member members[] = {
        {"model", read_model, true},
        {"name", NULL, false},
    };
    return WALK_OBJECT(w, "gbtree", members, true);
}

static enum status read_gradient_booster(void *data) {
    struct walk *w = data;
    static const struct json_stream_member members[] = {
        {"model", read_model, false},
        {"gbtree", read_gbtree, false},
        {"weight_drop", read_weight_drop, false},
        {"name", read_booster_name, true},
    };
    enum status status = WALK_OBJECT(w, "gradient_booster", members, true);
    bool is_dart = strcmp(w->booster, "dart") == 0;
    if (!status && !is_dart && strcmp(w->booster, "gbtree") != 0)
        status = error_set(w->error, STATUS_UNSUPPORTED,
                           "%s: gradient_booster: '%s' is not supported; expected gbtree or dart",
                           w->stream->name, w->booster);
    bool has_weights = is_dart || w->tree_weight.count > 0;
    if (!status && has_weights && w->tree_weight.count != w->n_trees)
        status = json_stream_error(w->stream, w->error,
                                   "weight_drop: length is %zu, expected %u (one entry per tree)",
                                   w->tree_weight.count, w->n_trees);
    return status;
}

/* Reads "5E-1" or, since 3.1, "[5E-1]" with one value per output. */
static enum status read_base_score(void *data) {
    struct walk *w = data;
    struct json_token token;
    enum status status = walk_string(w, "base_score", &token);
    if (status)
        return status;
    const char *at = token.text, *end = at + token.size;
    bool is_list = at < end && *at == '[';
    if (is_list && end[-1] != ']')
        return walk_wrong(w, "base_score", "a string with a number or a list of numbers");
    at += is_list;
    end -= is_list;
    do {
        float value;
        const char *behind = number_parse_float(at, end, &value);
        if (!behind || (behind < end && (!is_list || *behind != ',')))
            return walk_wrong(w, "base_score", "a string with a number or a list of numbers");
        if ((status = walk_append_float(w, &w->base, value)))
            return status;
        at = behind + 1;
    } while (at <= end);
    return STATUS_OK;
}

static enum status read_num_class(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_class", &w->n_classes);
}
static enum status read_num_target(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_target", &w->n_targets);
}
static enum status read_num_feature(void *data) {
    struct walk *w = data;
    return walk_parameter(w, "num_feature", &w->n_features);
}

static enum status read_learner_model_param(void *w) {
    static const struct json_stream_member members[] = {
        {"base_score", read_base_score, true},
        {"num_class", read_num_class, false},
        {"num_target", read_num_target, false},
        {"num_feature", read_num_feature, true},
    };
    return WALK_OBJECT(w, "learner_model_param", members, true);
}

static enum status read_objective_name(void *data) {
    struct walk *w = data;
    return walk_name(w, "objective: name", w->objective);
}

static enum status read_objective(void *w) {
    static const struct json_stream_member members[] = {{"name", read_objective_name, true}};
    return WALK_OBJECT(w, "objective", members, true);
}

static enum status read_feature_names(void *data) {
    struct walk *w = data;
    return feature_names_read_json(&w->names, w->stream, w->error);
}

/* Reads an attribute. Attributes are strings with any content, so text is not an error. */
static enum status read_attribute(struct walk *w, const char *what, uint32_t *value,
                                  bool *is_number) {
    struct json_token token;
    enum status status = walk_string(w, what, &token);
    if (status)
        return status;
    const char *end = token.text + token.size;
    *is_number = number_parse_u32(token.text, end, value) == end;
    return STATUS_OK;
}

static enum status read_best_iteration(void *data) {
    struct walk *w = data;
    return read_attribute(w, "best_iteration", &w->early_stop.iteration, &w->early_stop.is_known);
}

static enum status read_best_ntree_limit(void *data) {
    struct walk *w = data;
    bool is_number;
    return read_attribute(w, "best_ntree_limit", &w->early_stop.ntree_limit, &is_number);
}

static enum status read_attributes(void *w) {
    static const struct json_stream_member members[] = {
        {"best_iteration", read_best_iteration, false},
        {"best_ntree_limit", read_best_ntree_limit, false},
    };
    return WALK_OBJECT(w, "attributes", members, true);
}

static enum status read_learner(void *w) {
    static const struct json_stream_member members[] = {
        {"attributes", read_attributes, false},
        {"feature_names", read_feature_names, false},
        {"gradient_booster", read_gradient_booster, true},
        {"learner_model_param", read_learner_model_param, true},
        {"objective", read_objective, true},
    };
    return WALK_OBJECT(w, "learner", members, true);
}

static enum status read_version(void *data) {
    struct walk *w = data;
    enum status status = walk_u32_list(w, "version", &w->version);
    if (!status && w->version.count != 3)
        status = walk_wrong(w, "version", "three integers");
    return status;
}

static enum status read_root(struct walk *w) {
    static const struct json_stream_member members[] = {
        {"learner", read_learner, true},
        {"version", read_version, false},
    };
    enum status status = WALK_OBJECT(w, "the model", members, true);
    struct json_token end;
    if (!status)
        status = walk_next(w, &end);
    if (!status && w->said_trees != w->n_trees)
        status =
            json_stream_error(w->stream, w->error, "trees: length is %u, expected %u (num_trees)",
                              w->n_trees, w->said_trees);
    return status;
}

static uint32_t count_outputs(const struct walk *w) {
    uint32_t n = w->n_classes > w->n_targets ? w->n_classes : w->n_targets;
    return n ? n : 1;
}

static struct xgboost_version version_of(const struct walk *w) {
    const uint32_t *parts = w->version.values;
    if (w->version.count != 3)
        return (struct xgboost_version){.is_known = false};
    return (struct xgboost_version){.is_known = true,
                                    .has_patch = true,
                                    .major = parts[0],
                                    .minor = parts[1],
                                    .patch = parts[2]};
}

static enum status finish(struct walk *w, struct ensemble **ensemble) {
    w->early_stop.iteration_begin = w->iteration_begin.values;
    w->early_stop.n_begins = w->iteration_begin.count;
    struct xgboost_header header = {.version = version_of(w),
                                    .early_stop = w->early_stop,
                                    .objective = w->objective,
                                    .base = w->base.values,
                                    .n_base = w->base.count,
                                    .n_features = w->n_features,
                                    .n_outputs = count_outputs(w),
                                    .tree_output = w->tree_output.values,
                                    .n_tree_output = w->tree_output.count,
                                    .tree_weight = w->tree_weight.values,
                                    .n_tree_weight = w->tree_weight.count};
    struct ensemble *made;
    enum status status = xgboost_model_finish(w->model, &header, &made, w->error);
    if (status)
        return status;
    status = feature_names_give(&w->names, made, w->stream->name, w->error);
    if (!status)
        status = walk_categories(w, &made->categories);
    if (status)
        ensemble_free(made);
    else
        *ensemble = made;
    return status;
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
    free(w.leaf_weights.values);
    free(w.tree_output.values);
    free(w.tree_weight.values);
    free(w.iteration_begin.values);
    free(w.version.values);
    free(w.base.values);
    feature_names_free(&w.names);
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

/* Recognises an object with a member "learner" near its beginning. */
static bool json_recognise(const char *text, size_t size) {
    return reader_finds_key(text, size, "\"learner\"");
}

/* Recognises an object whose first key, after its length, is "learner". */
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
    .names_features = true,
    .sets = true,
    .absent_is_missing = true,
    .numbers_as_written = true,
    .float32_leaves = true,
};

const struct model_format model_format_xgboost_ubjson = {
    .name = "xgboost-ubjson",
    .title = "XGBoost UBJSON",
    .recognise = ubjson_recognise,
    .read = ubjson_read_model,
    .absent_is_missing = true,
    .numbers_as_written = true,
};
