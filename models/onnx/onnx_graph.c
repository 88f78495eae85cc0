/* Reads an ONNX graph: the node with the trees, and its attributes as lists. */
#include "models/onnx/onnx.h"

#include <stdarg.h>
#include <stdio.h>

const char *const onnx_mode_names[MODES] = {"LEAF",       "BRANCH_LEQ",   "BRANCH_LT",
                                            "BRANCH_GTE", "BRANCH_GT",    "BRANCH_EQ",
                                            "BRANCH_NEQ", "BRANCH_MEMBER"};

const struct onnx_column_name onnx_columns[COLUMNS] = {
    [TREE_IDS] = {"nodes_treeids", NULL, ATTRIBUTE_INTEGERS},
    [NODE_IDS] = {"nodes_nodeids", NULL, ATTRIBUTE_INTEGERS},
    [FEATURE_IDS] = {"nodes_featureids", NULL, ATTRIBUTE_INTEGERS},
    [NODE_MODES] = {"nodes_modes", NULL, ATTRIBUTE_STRINGS},
    [VALUES] = {"nodes_values", NULL, ATTRIBUTE_FLOATS},
    [TRUE_IDS] = {"nodes_truenodeids", NULL, ATTRIBUTE_INTEGERS},
    [FALSE_IDS] = {"nodes_falsenodeids", NULL, ATTRIBUTE_INTEGERS},
    [MISSING_TRUE] = {"nodes_missing_value_tracks_true", NULL, ATTRIBUTE_INTEGERS},
    [WEIGHT_TREES] = {"target_treeids", "class_treeids", ATTRIBUTE_INTEGERS},
    [WEIGHT_NODES] = {"target_nodeids", "class_nodeids", ATTRIBUTE_INTEGERS},
    [WEIGHT_IDS] = {"target_ids", "class_ids", ATTRIBUTE_INTEGERS},
    [WEIGHTS] = {"target_weights", "class_weights", ATTRIBUTE_FLOATS},
    [BASE_VALUES] = {"base_values", NULL, ATTRIBUTE_FLOATS},
};

enum status onnx_fail(const struct onnx_graph *g, enum status status, const char *format, ...) {
    char text[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(g->error, status, "%s: %s", g->name, text);
}

/* --- attributes ------------------------------------------------------------------------------- */

static enum status append_mode(struct onnx_graph *g, struct protobuf_span name) {
    uint32_t mode = 0;
    while (mode < BRANCH_MEMBER && !protobuf_is(name, onnx_mode_names[mode]))
        mode++;
    if (mode == BRANCH_MEMBER)
        return onnx_fail(g, STATUS_INPUT,
                         "nodes_modes: value %zu is '%.*s', expected LEAF, BRANCH_LEQ, "
                         "BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ or BRANCH_NEQ",
                         g->lists[NODE_MODES].count,
                         (int)(name.end - name.at < 20 ? name.end - name.at : 20), name.at);
    return onnx_append(g, "nodes_modes", &g->lists[NODE_MODES], mode);
}

static enum status read_column(struct onnx_graph *g, enum onnx_column column,
                               struct protobuf_span attribute) {
    const struct onnx_column_name *known = &onnx_columns[column];
    struct protobuf_field field;
    enum status status = STATUS_OK;
    if (known->field == ATTRIBUTE_FLOATS)
        return onnx_read_floats(g, known->name, attribute, &g->lists[column]);
    if (known->field == ATTRIBUTE_INTEGERS)
        return onnx_read_integers(g, known->name, attribute, &g->lists[column]);
    while (protobuf_more(&g->file, &attribute, &field, &status))
        if (field.number == ATTRIBUTE_STRINGS && field.bytes.at)
            status = append_mode(g, field.bytes);
    return status;
}

/* Counts the labels of a classifier, one per class. */
static enum status count_labels(struct onnx_graph *g, struct protobuf_span attribute) {
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &attribute, &field, &status)) {
        if (field.number == ATTRIBUTE_STRINGS)
            g->n_labels++;
        if (field.number != ATTRIBUTE_INTEGERS)
            continue;
        g->n_labels += !field.bytes.at;
        for (const char *at = field.bytes.at; at < field.bytes.end; at++)
            g->n_labels += (unsigned char)*at < 128;
    }
    return status;
}

static enum status read_aggregate(struct onnx_graph *g, struct protobuf_span attribute) {
    struct protobuf_span value;
    enum status status = protobuf_find(&g->file, attribute, ATTRIBUTE_STRING, &value);
    g->is_average = protobuf_is(value, "AVERAGE");
    if (!status && !g->is_average && !protobuf_is(value, "SUM"))
        status = onnx_fail(g, STATUS_INPUT, "aggregate_function: expected SUM or AVERAGE");
    return status;
}

/* "nodes_values", or "nodes_values_as_tensor" for a list of numbers. */
static bool is_column(const struct onnx_graph *g, enum onnx_column column,
                      struct protobuf_span name, bool *is_tensor) {
    const struct onnx_column_name *known = &onnx_columns[column];
    const char *word = g->is_classifier && known->class_name ? known->class_name : known->name;
    char tensor[64];
    snprintf(tensor, sizeof tensor, "%s_as_tensor", word);
    *is_tensor = known->field == ATTRIBUTE_FLOATS && protobuf_is(name, tensor);
    return *is_tensor || protobuf_is(name, word);
}

static enum status read_tensor_column(struct onnx_graph *g, enum onnx_column column,
                                      struct protobuf_span attribute) {
    struct protobuf_span tensor;
    enum status status = protobuf_find(&g->file, attribute, ATTRIBUTE_TENSOR, &tensor);
    if (status || !tensor.at)
        return status;
    return onnx_read_tensor(g, onnx_columns[column].name, tensor, &g->lists[column]);
}

static enum status read_attribute(struct onnx_graph *g, struct protobuf_span attribute) {
    struct protobuf_span name;
    enum status status = protobuf_find(&g->file, attribute, ATTRIBUTE_NAME, &name);
    bool is_tensor;
    if (status || !name.at)
        return status;
    for (int c = 0; c < COLUMNS; c++) {
        if (!is_column(g, (enum onnx_column)c, name, &is_tensor))
            continue;
        if (g->lists[c].count)
            return onnx_fail(g, STATUS_INPUT, "%s: duplicate attribute", onnx_columns[c].name);
        return is_tensor ? read_tensor_column(g, (enum onnx_column)c, attribute)
                         : read_column(g, (enum onnx_column)c, attribute);
    }
    if (protobuf_is(name, "classlabels_int64s") || protobuf_is(name, "classlabels_strings"))
        return count_labels(g, attribute);
    if (protobuf_is(name, "n_targets"))
        return protobuf_integer(&g->file, attribute, ATTRIBUTE_INTEGER, &g->n_targets);
    if (protobuf_is(name, "aggregate_function"))
        return read_aggregate(g, attribute);
    return STATUS_OK; /* nodes_hitrates, post_transform */
}

/* --- the graph -------------------------------------------------------------------------------- */

static enum status look_at_node(struct onnx_graph *g, struct protobuf_span node) {
    struct protobuf_span name;
    enum status status = protobuf_find(&g->file, node, NODE_OPERATOR, &name);
    if (status)
        return status;
    bool is_regressor = protobuf_is(name, "TreeEnsembleRegressor");
    bool is_classifier = protobuf_is(name, "TreeEnsembleClassifier");
    bool is_ensemble = protobuf_is(name, "TreeEnsemble");
    if (!is_regressor && !is_classifier && !is_ensemble)
        return STATUS_OK;
    if (g->trees.at)
        return onnx_fail(g, STATUS_INPUT,
                         "the graph has two nodes with trees; only one is supported");
    g->trees = node;
    g->is_classifier = is_classifier;
    g->is_ensemble = is_ensemble;
    return STATUS_OK;
}

enum status onnx_read_graph(struct onnx_graph *g, struct protobuf_span message) {
    struct protobuf_span rest = message;
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &rest, &field, &status))
        if (field.number == GRAPH_NODE && field.bytes.at)
            status = look_at_node(g, field.bytes);
    if (!status && !g->trees.at)
        status = onnx_fail(g, STATUS_INPUT,
                           "the graph has no node TreeEnsembleRegressor, "
                           "TreeEnsembleClassifier or TreeEnsemble");
    if (!status)
        status = onnx_read_steps(g, message);
    if (!status && g->is_ensemble)
        return onnx_read_ensemble(g);
    rest = g->trees;
    while (protobuf_more(&g->file, &rest, &field, &status))
        if (field.number == NODE_ATTRIBUTE && field.bytes.at)
            status = read_attribute(g, field.bytes);
    return status;
}
