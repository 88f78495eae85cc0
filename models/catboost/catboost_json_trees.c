/* Reads the trees of CatBoost's JSON. Oblivious trees list their splits. A tree that is not
 * symmetric is a node, which contains its children:
 *
 *     {"split": {"split_type": "FloatFeature", "float_feature_index": 0, "border": 0.5,
 *                "split_index": 0},
 *      "left": {"value": 1, "weight": 10}, "right": {"value": [2], "weight": 20}}
 *
 * "left" is the child of documents that are not above the border. */
#include "models/catboost/catboost_json.h"

#include <inttypes.h>

/* --- splits ----------------------------------------------------------------------------------- */

static enum status take_split_type(void *data, const struct json_member *member,
                                   const struct json_token *token) {
    static const char *const kinds[] = {"FloatFeature", "OneHotFeature", "OnlineCtr"};
    struct catboost_json *r = data;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        r->test.split = i;
        if (json_token_is(token, kinds[i]))
            return STATUS_OK;
    }
    json_fail(&r->json, "%s: the tree tests \"%.*s\"" CATBOOST_ONLY, member->name,
              (int)(token->size < 40 ? token->size : 40), token->text);
    return STATUS_UNSUPPORTED;
}

static enum status wrong_bin(const struct catboost_json *r, const char *of) {
    return json_fail(&r->json, "split_index: %" PRIu32 " is not the number of this %s's bin",
                     r->test.bin, of);
}

/* Checks that a category's split names the bin of its hash. */
static enum status check_category_split(const struct catboost_json *r) {
    const struct json_test *test = &r->test;
    const struct catboost_model *model = &r->model;
    size_t hash = test->bin - model->floats.bins.count;
    bool is_right = test->bin >= model->floats.bins.count && hash < model->hashes.count &&
                    model->hashes.i32[hash] == test->hash &&
                    catboost_find_category(model, hash)->index == test->category;
    return is_right ? STATUS_OK : wrong_bin(r, "value");
}

static enum status check_float_split(const struct catboost_json *r) {
    const struct json_test *test = &r->test;
    const struct catboost_feature *feature = catboost_find_feature(&r->model, test->feature);
    if (!feature)
        return json_fail(&r->json, "float_feature_index: there is no float feature %" PRIu32,
                         test->feature);
    bool is_right = test->bin >= feature->first_bin &&
                    test->bin - feature->first_bin < feature->n_bins &&
                    r->model.floats.bins.real[test->bin] == test->border;
    return is_right ? STATUS_OK : wrong_bin(r, "border");
}

static enum status check_ctr_split(const struct catboost_json *r) {
    const struct json_test *test = &r->test;
    const struct catboost_borders *list = &r->model.statistics;
    size_t first = catboost_first_ctr_bin(&r->model);
    bool is_right = test->bin >= first && test->bin - first < list->bins.count &&
                    list->bins.real[test->bin - first] == test->border;
    return is_right ? STATUS_OK : wrong_bin(r, "border");
}

/* Reads the rest of a split and sets r->test.bin. */
static enum status read_split(struct catboost_json *r) {
    static enum status (*const checks[])(const struct catboost_json *r) = {
        check_float_split, check_category_split, check_ctr_split};
    static const struct json_member members[] = {
        JSON_REQUIRED(PARSED, "split_type", .take = take_split_type), CATBOOST_TEST_MEMBERS,
        JSON_REQUIRED(U32, "split_index", CATBOOST_AT(test.bin)), JSON_SKIP_OTHERS};
    r->test = (struct json_test){.bin = 0};
    enum status status = json_read_members(&r->json, "", members, r);
    if (status)
        return status;
    const struct json_test *test = &r->test;
    bool is_category = test->split == SPLIT_CATEGORY;
    if (test->has_feature != (test->split == SPLIT_FLOAT) || test->has_category != is_category ||
        (is_category ? !test->has_hash : !test->has_border))
        return json_fail(&r->json,
                         "expected float_feature_index and border, or cat_feature_index and value");
    return checks[test->split](r);
}

static enum status complete_bias(struct catboost_json *r, size_t n_outputs) {
    r->model.n_outputs = (uint32_t)n_outputs;
    enum status status = catboost_begin_trees(&r->model);
    if (status)
        r->json.part.what = NULL;
    return catboost_json_place(r, "scale_and_bias: ", status);
}

/* --- oblivious trees -------------------------------------------------------------------------- */

static enum status read_oblivious_split(void *data) {
    struct catboost_json *r = data;
    if (r->depth == CATBOOST_MAX_DEPTH)
        return json_fail(&r->json, "splits: more than %d", CATBOOST_MAX_DEPTH);
    r->json.inner = (struct json_part){"split", r->depth};
    enum status status = read_split(r);
    r->bins[r->depth++] = r->test.bin;
    r->json.inner.what = NULL;
    return status;
}

/* The first tree determines the number of outputs. */
static enum status find_outputs(struct catboost_json *r) {
    size_t outputs = r->leaves.count >> r->depth;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS)
        return json_fail(&r->json, "leaf_values: length %zu is not a multiple of %u",
                         r->leaves.count, 1U << r->depth);
    return complete_bias(r, outputs);
}

static enum status read_oblivious_tree(void *data) {
    static const struct json_member members[] = {
        JSON_REQUIRED(OBJECTS, "splits", .each = read_oblivious_split, .or_null = true),
        JSON_REQUIRED(DOUBLES, "leaf_values", CATBOOST_AT(leaves)), JSON_SKIP_OTHERS};
    struct catboost_json *r = data;
    r->json.part.what = "tree";
    r->depth = 0;
    r->leaves.count = 0;
    enum status status = json_read_members(&r->json, "", members, r);
    if (!status && !r->model.n_outputs)
        status = find_outputs(r);
    if (status)
        return status;
    size_t expected = ((size_t)1 << r->depth) * r->model.n_outputs;
    if (r->leaves.count != expected)
        return json_fail(&r->json,
                         "leaf_values: length is %zu, expected %zu (splits: %" PRIu32
                         ", outputs: %" PRIu32 ")",
                         r->leaves.count, expected, r->depth, r->model.n_outputs);
    catboost_add_oblivious(&r->model, r->depth, r->bins, r->leaves.number);
    r->json.part = (struct json_part){NULL, r->json.part.number + 1};
    return STATUS_OK;
}

/* --- trees that are not symmetric ------------------------------------------------------------- */

static enum status read_node_split(void *data, const struct json_member *member) {
    struct catboost_json *r = data;
    enum status status = json_begin(&r->json, member->name, JSON_OBJECT);
    if (!status)
        status = read_split(r);
    ((struct catboost_node *)nested_tree_node(&r->tree))->bin = r->test.bin;
    return status;
}

static enum status add_value(struct catboost_json *r, const struct json_token *token) {
    double value;
    if (!json_token_double(token, &value))
        return json_wrong(&r->json, "value", "a finite number, or an array of them");
    return json_list_add(&r->json, &r->leaves, &value, sizeof value);
}

/* Reads a number or an array of numbers. The first leaf determines the number of outputs. */
static enum status take_value(void *data, const struct json_member *member,
                              const struct json_token *token) {
    struct catboost_json *r = data;
    size_t first = r->leaves.count;
    struct json_token item;
    enum status status = token->kind == JSON_ARRAY ? STATUS_OK : add_value(r, token);
    while (token->kind == JSON_ARRAY && json_read_item(&r->json, &item, &status))
        status = add_value(r, &item);
    if (status)
        return status;
    size_t outputs = r->leaves.count - first;
    if (outputs == 0 || outputs > ENSEMBLE_MAX_OUTPUTS ||
        (r->model.n_outputs && outputs != r->model.n_outputs))
        return json_wrong(&r->json, member->name, "one number per output, as in the first leaf");
    ((struct catboost_node *)nested_tree_node(&r->tree))->value = first;
    return r->model.n_outputs ? STATUS_OK : complete_bias(r, outputs);
}

static const struct nested_member node_members[] = {
    {JSON_REQUIRED(TAKEN, "value", .take = take_value), .of_leaves = true},
    {JSON_REQUIRED(READ, "split", .read = read_node_split), .of_inner = true}};
static const struct nested_format format = {.members = node_members,
                                            .n_members = sizeof node_members / sizeof *node_members,
                                            .left = "left",
                                            .right = "right",
                                            .skip_unknown = true,
                                            .node_size = sizeof(struct catboost_node),
                                            .blank = &(const struct catboost_node){.bin = 0}};

static enum status read_nested_tree(void *data) {
    struct catboost_json *r = data;
    r->json.part.what = "tree";
    r->tree.json = &r->json;
    r->tree.format = &format;
    r->tree.data = r;
    r->leaves.count = 0;
    enum status status = nested_tree_read(&r->tree);
    if (status)
        return status;
    catboost_add_tree(&r->model, r->tree.nodes, (uint32_t)r->tree.n_nodes, r->leaves.number);
    r->json.part = (struct json_part){NULL, r->json.part.number + 1};
    return STATUS_OK;
}

enum status catboost_json_trees(struct catboost_json *r) {
    static const struct json_member oblivious =
        JSON_REQUIRED(OBJECTS, "oblivious_trees", .each = read_oblivious_tree);
    static const struct json_member trees =
        JSON_REQUIRED(OBJECTS, "trees", .each = read_nested_tree);
    json_stream_go(&r->json.stream, r->trees.at ? &r->trees : &r->oblivious);
    r->json.part = (struct json_part){NULL, 0};
    enum status status = json_read_member(&r->json, r->trees.at ? &trees : &oblivious, r);
    return status || r->json.part.number ? status : json_fail(&r->json, "the model has no trees");
}
