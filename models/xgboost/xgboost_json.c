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
#include "models/xgboost/xgboost_json.h"
#include "base/number.h"
#include "models/format.h"
#include "models/reader.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) .offset = offsetof(struct xgboost_json, member)
#define PARAMETER(member) AT(member), .take = xgboost_json_parameter

/* --- texts ------------------------------------------------------------------------------------ */

enum status xgboost_json_parameter(void *data, const struct json_member *member,
                                   const struct json_token *token) {
    uint32_t *value = (uint32_t *)((char *)data + member->offset);
    const struct xgboost_json *r = data;
    const char *end = token->text + token->size;
    return number_parse_u32(token->text, end, value) == end
               ? STATUS_OK
               : json_wrong(&r->json, member->name, "a string with a 32-bit integer");
}

static enum status take_name(void *data, const struct json_member *member,
                             const struct json_token *token) {
    char *name = (char *)data + member->offset;
    const struct xgboost_json *r = data;
    if (token->size >= XGBOOST_NAME_SIZE || memchr(token->text, '\0', token->size))
        return json_wrong(&r->json, member->name, "a name of at most 63 letters");
    memcpy(name, token->text, token->size);
    name[token->size] = '\0';
    return STATUS_OK;
}

/* Reads "5E-1" or, since 3.1, "[5E-1]" with one value per output. */
static enum status take_base_score(void *data, const struct json_member *member,
                                   const struct json_token *token) {
    struct xgboost_json *r = data;
    const char *at = token->text, *end = at + token->size;
    enum status status;
    bool is_list = at < end && *at == '[';
    if (is_list && end[-1] != ']')
        return json_wrong(&r->json, member->name, "a string with a number or a list of numbers");
    at += is_list;
    end -= is_list;
    do {
        float value;
        const char *behind = number_parse_float(at, end, &value);
        if (!behind || (behind < end && (!is_list || *behind != ',')))
            return json_wrong(&r->json, member->name,
                              "a string with a number or a list of numbers");
        if ((status = json_list_add(&r->json, &r->header.base, &value, sizeof value)))
            return status;
        at = behind + 1;
    } while (at <= end);
    return STATUS_OK;
}

/* Attributes are strings with any content, so text is not an error. */
static enum status take_attribute(void *data, const struct json_member *member,
                                  const struct json_token *token) {
    uint32_t value;
    const char *end = token->text + token->size;
    bool is_number = number_parse_u32(token->text, end, &value) == end;
    if (is_number)
        *(uint32_t *)((char *)data + member->offset) = value;
    if (member->has)
        *((bool *)data + member->has) = is_number;
    return STATUS_OK;
}

/* --- the model -------------------------------------------------------------------------------- */

static const struct json_member gbtree_model_param_members[] = {
    JSON_OPTIONAL(PARSED, "num_parallel_tree", PARAMETER(header.early_stop.n_parallel)),
    JSON_REQUIRED(PARSED, "num_trees", PARAMETER(said_trees)), JSON_SKIP_OTHERS};

static enum status refuse_linear(void *data, const struct json_member *member) {
    (void)member;
    struct xgboost_json *r = data;
    return error_set(r->json.error, STATUS_UNSUPPORTED,
                     "%s: gradient_booster: linear models (gblinear) are not supported; expected "
                     "trees (gbtree or dart)",
                     r->json.stream.name);
}

static const struct json_member model_members[] = {
    JSON_REQUIRED(OBJECT, "gbtree_model_param", .members = gbtree_model_param_members),
    JSON_OPTIONAL(U32S, "tree_info", AT(header.tree_output)),
    JSON_REQUIRED(OBJECTS, "trees", .each = xgboost_json_tree),
    JSON_OPTIONAL(U32S, "iteration_indptr", AT(header.early_stop.iteration_begin)),
    JSON_OPTIONAL(READ, "cats", .read = xgboost_json_check_categories),
    JSON_OPTIONAL(FLOATS, "weight_drop", AT(header.tree_weight)),
    JSON_OPTIONAL(READ, "boosted_rounds", .read = refuse_linear),
    JSON_OPTIONAL(READ, "weights", .read = refuse_linear),
    JSON_REFUSE_OTHERS};

/* The content of "dart". */
static const struct json_member gbtree_members[] = {
    JSON_REQUIRED(OBJECT, "model", .members = model_members), JSON_SKIP_OTHERS};

static const struct json_member gradient_booster_members[] = {
    JSON_OPTIONAL(OBJECT, "model", .members = model_members),
    JSON_OPTIONAL(OBJECT, "gbtree", .members = gbtree_members),
    JSON_OPTIONAL(FLOATS, "weight_drop", AT(header.tree_weight)),
    JSON_REQUIRED(PARSED, "name", AT(header.booster), .take = take_name), JSON_SKIP_OTHERS};

static enum status read_gradient_booster(void *data, const struct json_member *member) {
    struct xgboost_json *r = data;
    enum status status = json_read_object(&r->json, member->name, gradient_booster_members, r);
    bool is_dart = strcmp(r->header.booster, "dart") == 0;
    if (!status && !is_dart && strcmp(r->header.booster, "gbtree") != 0)
        status = error_set(r->json.error, STATUS_UNSUPPORTED,
                           "%s: gradient_booster: '%s' is not supported; expected gbtree or dart",
                           r->json.stream.name, r->header.booster);
    bool has_weights = is_dart || r->header.tree_weight.count > 0;
    if (!status && has_weights && r->header.tree_weight.count != r->n_trees)
        status = json_fail(&r->json, "weight_drop: length is %zu, expected %u (one entry per tree)",
                           r->header.tree_weight.count, r->n_trees);
    return status;
}

static const struct json_member learner_model_param_members[] = {
    JSON_REQUIRED(PARSED, "base_score", .take = take_base_score),
    JSON_OPTIONAL(PARSED, "num_class", PARAMETER(header.n_classes)),
    JSON_OPTIONAL(PARSED, "num_target", PARAMETER(header.n_targets)),
    JSON_REQUIRED(PARSED, "num_feature", PARAMETER(header.n_features)), JSON_SKIP_OTHERS};

static const struct json_member objective_members[] = {
    JSON_REQUIRED(PARSED, "name", AT(header.objective), .take = take_name), JSON_SKIP_OTHERS};

static const struct json_member attributes_members[] = {
    JSON_OPTIONAL(PARSED, "best_iteration", AT(header.early_stop.iteration),
                  .has = offsetof(struct xgboost_json, header.early_stop.is_known),
                  .take = take_attribute),
    JSON_OPTIONAL(PARSED, "best_ntree_limit", AT(header.early_stop.ntree_limit),
                  .take = take_attribute),
    JSON_SKIP_OTHERS};

static const struct json_member learner_members[] = {
    JSON_OPTIONAL(OBJECT, "attributes", .members = attributes_members),
    JSON_OPTIONAL(ITEMS, "feature_names", AT(names), .take = feature_names_take),
    JSON_REQUIRED(READ, "gradient_booster", .read = read_gradient_booster),
    JSON_REQUIRED(OBJECT, "learner_model_param", .members = learner_model_param_members),
    JSON_REQUIRED(OBJECT, "objective", .members = objective_members),
    JSON_SKIP_OTHERS};

static const struct json_member root_members[] = {
    JSON_REQUIRED(OBJECT, "learner", .members = learner_members),
    JSON_OPTIONAL(U32S, "version", AT(version),
                  .has = offsetof(struct xgboost_json, header.version.is_known)),
    JSON_SKIP_OTHERS};

static enum status read_root(struct xgboost_json *r) {
    enum status status = json_read_root(&r->json, root_members, r);
    struct xgboost_version *version = &r->header.version;
    const uint32_t *parts = r->version.u32;
    if (!status && version->is_known && r->version.count != 3)
        status = json_wrong(&r->json, "version", "three integers");
    if (!status && version->is_known)
        *version = (struct xgboost_version){true, true, parts[0], parts[1], parts[2]};
    if (!status && r->said_trees != r->n_trees)
        status = json_fail(&r->json, "trees: length is %u, expected %u (num_trees)", r->n_trees,
                           r->said_trees);
    return status;
}

/* The caller has opened the stream. */
static enum status read_stream(struct xgboost_json *r, struct ensemble **ensemble,
                               struct error *error) {
    r->json.error = error;
    r->model = (struct xgboost_model){
        .name = r->json.stream.name, .error = error, .builder = ensemble_builder_create()};
    struct ensemble *made = NULL;
    enum status status = xgboost_model_finish(&r->model, read_root(r), &r->header, &made);
    status = feature_names_give(&r->names, status, made, r->json.stream.name, error);
    if (!status)
        status = xgboost_json_categories(r, &made->categories);
    struct memory_list *const lists[] = {&r->categories, &r->set_nodes,    &r->set_first,
                                         &r->set_size,   &r->leaf_weights, &r->version};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->values);
    free(r->nodes);
    return ensemble_give(status, made, ensemble);
}

/* --- the two formats -------------------------------------------------------------------------- */

static enum status json_read_model(const char *name, const char *text, size_t size,
                                   struct ensemble **ensemble, struct error *error) {
    struct xgboost_json r = {.said_trees = 0};
    json_stream_open_text(&r.json.stream, name, text, size);
    return read_stream(&r, ensemble, error);
}

static enum status ubjson_read_model(const char *name, const char *text, size_t size,
                                     struct ensemble **ensemble, struct error *error) {
    struct xgboost_json r = {.said_trees = 0};
    ubjson_open(&r.json.stream, name, text, size);
    return read_stream(&r, ensemble, error);
}

/* Recognises an object with a member "learner" near its beginning. */
static bool json_recognise(const char *text, size_t size) {
    return reader_finds(text, size, "{", "\"learner\"");
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
