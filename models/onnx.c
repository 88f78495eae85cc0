/* ONNX models of one TreeEnsembleRegressor or TreeEnsembleClassifier (ai.onnx.ml, versions 1 to 3),
 * as converters from scikit-learn, XGBoost and LightGBM write them: protobuf, of which the few
 * fields here are read.
 *
 * A node is a row of the attributes nodes_*, and sends a document to its true child where x MODE
 * value in float32; NaN goes to the false child, but to the true one where
 * nodes_missing_value_tracks_true says so (as in onnxruntime's tree_ensemble_common.h). A leaf's
 * weights are rows of target_* (class_* of a classifier). A score is the sum of the weights, or
 * their average over the trees, and the base value: raw, for the post_transform and all nodes of
 * the graph behind the trees are left out. A classifier of two classes with weights for one of them
 * has one output, the score of the class 1. */
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/merge_equal.h"
#include "models/protobuf.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A chain of nodes over one leaf of many outputs is copied for each: the nodes and leaves of all
 * outputs' trees together, for each row of nodes and weights. */
enum { MAX_GROWTH = 64 };
#define MAX_NODE_OUTPUTS ((size_t)1 << 27) /* nodes times outputs, for the time they take */

/* Numbers of fields in onnx.proto. */
enum {
    MODEL_GRAPH = 7,
    GRAPH_NODE = 1,
    GRAPH_INPUT = 11,
    VALUE_NAME = 1,
    NODE_INPUT = 1,
    NODE_OPERATOR = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INTEGER = 3,
    ATTRIBUTE_STRING = 4,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTEGERS = 8,
    ATTRIBUTE_STRINGS = 9
};

enum mode { LEAF, BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, MODES };
static const char *const mode_names[MODES] = {"LEAF", "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                              "BRANCH_GT"};

/* The lists of 32 bits that are read; of a classifier "class_" stands for "target_". */
enum column {
    TREE_IDS,
    NODE_IDS,
    FEATURE_IDS,
    NODE_MODES,
    VALUES,
    TRUE_IDS,
    FALSE_IDS,
    MISSING_TRUE, /* the columns up to this have a row for each node */
    WEIGHT_TREES,
    WEIGHT_NODES,
    WEIGHT_IDS,
    WEIGHTS, /* and these for each weight */
    BASE_VALUES,
    COLUMNS
};
static const struct {
    const char *name, *class_name;
    int field; /* of the attribute */
} columns[COLUMNS] = {
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

struct list {
    uint32_t *items; /* floats by their bits */
    size_t count, capacity;
};

struct onnx_reader {
    const char *name;
    struct error *error;
    struct protobuf file;
    struct protobuf_span trees; /* the graph's node that holds the trees; at is NULL: none so far */
    bool is_classifier, is_average;
    struct list lists[COLUMNS];
    size_t n_labels;
    uint64_t n_targets;

    uint32_t n_outputs;
    size_t n_trees, *tree_begin; /* [n_trees + 1] in the rows of nodes */
    size_t *next_weight;         /* [nodes] the first in weight_order that is not used yet */
    uint32_t *weight_order;      /* the rows of weights by node, those of a node by output */
    size_t n_built;              /* nodes and leaves of the trees built so far */
};

/* --- attributes ------------------------------------------------------------------------------- */

static enum status append(struct onnx_reader *r, enum column column, uint64_t value) {
    struct list *list = &r->lists[column];
    if (value > UINT32_MAX)
        return error_set(r->error, STATUS_INPUT, "%s: %s: value %zu should be from 0 to 4294967295",
                         r->name, columns[column].name, list->count);
    if (!memory_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items))
        return error_memory(r->error, "an attribute of a model");
    list->items[list->count++] = (uint32_t)value;
    return STATUS_OK;
}

static enum status append_mode(struct onnx_reader *r, struct protobuf_span name) {
    uint32_t mode = 0;
    while (mode < MODES && !protobuf_is(name, mode_names[mode]))
        mode++;
    if (mode == MODES)
        return error_set(r->error, STATUS_INPUT,
                         "%s: nodes_modes: value %zu is '%.*s', should be LEAF, BRANCH_LEQ, "
                         "BRANCH_LT, BRANCH_GTE or BRANCH_GT",
                         r->name, r->lists[NODE_MODES].count,
                         (int)(name.end - name.at < 20 ? name.end - name.at : 20), name.at);
    return append(r, NODE_MODES, mode);
}

static enum status append_packed(struct onnx_reader *r, enum column column,
                                 struct protobuf_span packed) {
    enum status status = STATUS_OK;
    while (packed.at < packed.end && !status) {
        uint64_t value;
        const char *start = packed.at;
        if (columns[column].field == ATTRIBUTE_INTEGERS) {
            if (!protobuf_varint(&packed, &value))
                return protobuf_error(&r->file, start, "a number without an end");
        } else {
            if (packed.end - packed.at < 4)
                return protobuf_error(&r->file, start, "a list of floats that ends inside of one");
            value = protobuf_little_endian(packed.at, 4);
            packed.at += 4;
        }
        status = append(r, column, value);
    }
    return status;
}

static enum status read_column(struct onnx_reader *r, enum column column,
                               struct protobuf_span attribute) {
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (attribute.at < attribute.end && !status) {
        if ((status = protobuf_next(&r->file, &attribute, &field)) ||
            field.number != (uint32_t)columns[column].field)
            continue;
        if (!field.bytes.at)
            status = append(r, column, field.integer);
        else if (column == NODE_MODES)
            status = append_mode(r, field.bytes);
        else
            status = append_packed(r, column, field.bytes);
    }
    return status;
}

/* How many labels there are is how many classes there are. */
static enum status count_labels(struct onnx_reader *r, struct protobuf_span attribute) {
    while (attribute.at < attribute.end) {
        struct protobuf_field field;
        enum status status = protobuf_next(&r->file, &attribute, &field);
        if (status)
            return status;
        if (field.number == ATTRIBUTE_STRINGS)
            r->n_labels++;
        if (field.number != ATTRIBUTE_INTEGERS)
            continue;
        r->n_labels += !field.bytes.at;
        for (const char *at = field.bytes.at; at < field.bytes.end; at++)
            r->n_labels += (unsigned char)*at < 128;
    }
    return STATUS_OK;
}

static enum status read_targets(struct onnx_reader *r, struct protobuf_span attribute) {
    while (attribute.at < attribute.end) {
        struct protobuf_field field;
        enum status status = protobuf_next(&r->file, &attribute, &field);
        if (status)
            return status;
        if (field.number == ATTRIBUTE_INTEGER)
            r->n_targets = field.integer;
    }
    return STATUS_OK;
}

static enum status read_aggregate(struct onnx_reader *r, struct protobuf_span attribute) {
    struct protobuf_span value;
    enum status status = protobuf_find(&r->file, attribute, ATTRIBUTE_STRING, &value);
    r->is_average = protobuf_is(value, "AVERAGE");
    if (!status && !r->is_average && !protobuf_is(value, "SUM"))
        status =
            error_set(r->error, STATUS_INPUT,
                      "%s: aggregate_function: should be SUM or AVERAGE; scores are sums", r->name);
    return status;
}

static enum status read_attribute(struct onnx_reader *r, struct protobuf_span attribute) {
    static const char tensor[] = "_as_tensor";
    struct protobuf_span name;
    enum status status = protobuf_find(&r->file, attribute, ATTRIBUTE_NAME, &name);
    if (status || !name.at)
        return status;
    for (int c = 0; c < COLUMNS; c++) {
        bool of_class = r->is_classifier && columns[c].class_name;
        if (protobuf_is(name, of_class ? columns[c].class_name : columns[c].name))
            return r->lists[c].count ? error_set(r->error, STATUS_INPUT, "%s: %s: stands twice",
                                                 r->name, columns[c].name)
                                     : read_column(r, (enum column)c, attribute);
    }
    if (protobuf_is(name, "classlabels_int64s") || protobuf_is(name, "classlabels_strings"))
        return count_labels(r, attribute);
    if (protobuf_is(name, "n_targets"))
        return read_targets(r, attribute);
    if (protobuf_is(name, "aggregate_function"))
        return read_aggregate(r, attribute);
    if (memmem(name.at, (size_t)(name.end - name.at), tensor, sizeof tensor - 1))
        return error_set(r->error, STATUS_INPUT,
                         "%s: the model has attributes of doubles (_as_tensor), which are not "
                         "supported; should be floats",
                         r->name);
    return STATUS_OK; /* nodes_hitrates, post_transform */
}

/* --- the graph -------------------------------------------------------------------------------- */

static enum status look_at_node(struct onnx_reader *r, struct protobuf_span node) {
    struct protobuf_span name;
    enum status status = protobuf_find(&r->file, node, NODE_OPERATOR, &name);
    if (status)
        return status;
    bool is_regressor = protobuf_is(name, "TreeEnsembleRegressor");
    bool is_classifier = protobuf_is(name, "TreeEnsembleClassifier");
    if (protobuf_is(name, "TreeEnsemble"))
        return error_set(r->error, STATUS_INPUT,
                         "%s: the operator TreeEnsemble (ai.onnx.ml 5) is not supported; should be "
                         "TreeEnsembleRegressor or TreeEnsembleClassifier",
                         r->name);
    if (!is_regressor && !is_classifier)
        return STATUS_OK;
    if (r->trees.at)
        return error_set(r->error, STATUS_INPUT, "%s: two nodes with trees, should be one",
                         r->name);
    r->trees = node;
    r->is_classifier = is_classifier;
    return STATUS_OK;
}

static bool span_equal(struct protobuf_span a, struct protobuf_span b) {
    return a.at && b.at && a.end - a.at == b.end - b.at &&
           memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

/* Nodes before the trees would change the features. */
static enum status check_input(struct onnx_reader *r, struct protobuf_span graph) {
    struct protobuf_span input, name;
    enum status status = protobuf_find(&r->file, r->trees, NODE_INPUT, &input);
    while (!status && graph.at < graph.end) {
        struct protobuf_field field;
        if ((status = protobuf_next(&r->file, &graph, &field)) || field.number != GRAPH_INPUT ||
            !field.bytes.at)
            continue;
        if (!(status = protobuf_find(&r->file, field.bytes, VALUE_NAME, &name)) &&
            span_equal(input, name))
            return STATUS_OK;
    }
    return status ? status
                  : error_set(r->error, STATUS_INPUT,
                              "%s: the input of the trees should be an input of the graph, not "
                              "made from it by other nodes",
                              r->name);
}

static enum status read_graph(struct onnx_reader *r, struct protobuf_span graph) {
    struct protobuf_span rest = graph;
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (rest.at < rest.end && !status) {
        status = protobuf_next(&r->file, &rest, &field);
        if (!status && field.number == GRAPH_NODE && field.bytes.at)
            status = look_at_node(r, field.bytes);
    }
    if (!status && !r->trees.at)
        status = error_set(r->error, STATUS_INPUT,
                           "%s: no node TreeEnsembleRegressor or TreeEnsembleClassifier", r->name);
    if (!status)
        status = check_input(r, graph);
    for (rest = r->trees; !status && rest.at < rest.end;) {
        status = protobuf_next(&r->file, &rest, &field);
        if (!status && field.number == NODE_ATTRIBUTE && field.bytes.at)
            status = read_attribute(r, field.bytes);
    }
    return status;
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t item(const struct onnx_reader *r, enum column column, size_t row) {
    return r->lists[column].items[row];
}

static float float_item(const struct onnx_reader *r, enum column column, size_t row) {
    float value;
    memcpy(&value, &r->lists[column].items[row], sizeof value);
    return value;
}

static enum status check_sizes(struct onnx_reader *r) {
    if (r->lists[MISSING_TRUE].count == 0) /* optional */
        for (size_t i = 0; i < r->lists[TREE_IDS].count; i++)
            if (append(r, MISSING_TRUE, 0))
                return STATUS_MEMORY;
    for (int c = 0; c < BASE_VALUES; c++) {
        size_t expected = r->lists[c <= MISSING_TRUE ? TREE_IDS : WEIGHT_TREES].count;
        if (r->lists[c].count != expected)
            return error_set(r->error, STATUS_INPUT, "%s: %s: has %zu values, should have %zu",
                             r->name, columns[c].name, r->lists[c].count, expected);
    }
    return STATUS_OK;
}

/* Are all weights for one class? */
static bool has_one_class(const struct onnx_reader *r) {
    for (size_t i = 1; i < r->lists[WEIGHT_IDS].count; i++)
        if (item(r, WEIGHT_IDS, i) != item(r, WEIGHT_IDS, 0))
            return false;
    return true;
}

static enum status find_outputs(struct onnx_reader *r) {
    uint64_t n = r->is_classifier ? r->n_labels : r->n_targets;
    if (n == 0 || n > ENSEMBLE_MAX_OUTPUTS)
        return error_set(r->error, STATUS_INPUT, "%s: %s: %" PRIu64 ", should be from 1 to %d",
                         r->name, r->is_classifier ? "classlabels" : "n_targets", n,
                         ENSEMBLE_MAX_OUTPUTS);
    for (size_t i = 0; i < r->lists[WEIGHT_IDS].count; i++)
        if (item(r, WEIGHT_IDS, i) >= n)
            return error_set(r->error, STATUS_INPUT, "%s: %s: value %zu should be under %" PRIu64,
                             r->name, columns[WEIGHT_IDS].name, i, n);
    if (r->lists[TREE_IDS].count > MAX_NODE_OUTPUTS / n)
        return error_set(r->error, STATUS_INPUT,
                         "%s: %zu nodes for %" PRIu64
                         " outputs, should be at most %zu nodes times outputs",
                         r->name, r->lists[TREE_IDS].count, n, MAX_NODE_OUTPUTS);
    r->n_outputs = (uint32_t)n;
    if (r->is_classifier && n == 2 && has_one_class(r)) {
        r->n_outputs = 1;
        for (size_t i = 0; i < r->lists[WEIGHT_IDS].count; i++)
            r->lists[WEIGHT_IDS].items[i] = 0;
    }
    if (r->lists[BASE_VALUES].count && r->lists[BASE_VALUES].count != r->n_outputs)
        return error_set(r->error, STATUS_INPUT, "%s: base_values: has %zu values, should have %u",
                         r->name, r->lists[BASE_VALUES].count, r->n_outputs);
    return STATUS_OK;
}

/* Trees lie one after the other, numbered from 0, as do the nodes of each. */
static enum status find_trees(struct onnx_reader *r) {
    size_t n_nodes = r->lists[TREE_IDS].count;
    r->tree_begin = malloc((n_nodes + 1) * sizeof *r->tree_begin);
    if (!r->tree_begin)
        return error_memory(r->error, "the trees of a model");
    for (size_t i = 0; i < n_nodes; i++) {
        if (r->n_trees == 0 || item(r, TREE_IDS, i) != r->n_trees - 1)
            r->tree_begin[r->n_trees++] = i;
        size_t number = i - r->tree_begin[r->n_trees - 1];
        if (item(r, TREE_IDS, i) != r->n_trees - 1 || item(r, NODE_IDS, i) != number)
            return error_set(r->error, STATUS_INPUT,
                             "%s: row %zu of the nodes is node %u of tree %u, should be node %zu "
                             "of tree %zu: both are numbered from 0, as they come",
                             r->name, i, item(r, NODE_IDS, i), item(r, TREE_IDS, i), number,
                             r->n_trees - 1);
    }
    r->tree_begin[r->n_trees] = n_nodes;
    return STATUS_OK;
}

/* The row of the node that a weight belongs to. */
static enum status find_leaf(const struct onnx_reader *r, size_t weight, size_t *row) {
    uint32_t tree = item(r, WEIGHT_TREES, weight), node = item(r, WEIGHT_NODES, weight);
    bool exists = tree < r->n_trees && node < r->tree_begin[tree + 1] - r->tree_begin[tree];
    *row = exists ? r->tree_begin[tree] + node : 0;
    if (!exists || item(r, NODE_MODES, *row) != LEAF)
        return error_set(r->error, STATUS_INPUT, "%s: tree %u, node %u: has a weight, and %s",
                         r->name, tree, node, exists ? "is no leaf" : "does not exist");
    return STATUS_OK;
}

/* Turns counts, of which that of key k stands at k + 1, into where each key begins. */
static void add_up(size_t *counts, size_t n) {
    for (size_t i = 1; i <= n; i++)
        counts[i] += counts[i - 1];
}

/* Sorts the weights by their outputs, and then by their nodes, by counting. */
static enum status sort_weights(struct onnx_reader *r) {
    size_t n_nodes = r->lists[TREE_IDS].count, n_weights = r->lists[WEIGHTS].count, row = 0;
    size_t *next_output = calloc(r->n_outputs + 1, sizeof *next_output);
    uint32_t *by_output = malloc((n_weights + 1) * sizeof *by_output);
    r->next_weight = calloc(n_nodes + 1, sizeof *r->next_weight);
    r->weight_order = malloc((n_weights + 1) * sizeof *r->weight_order);
    enum status status = STATUS_OK;
    if (!next_output || !by_output || !r->next_weight || !r->weight_order)
        status = error_memory(r->error, "the weights of a model");
    for (size_t i = 0; i < n_weights && !status; i++) {
        next_output[item(r, WEIGHT_IDS, i) + 1]++;
        if (!(status = find_leaf(r, i, &row)))
            r->next_weight[row + 1]++;
    }
    if (!status) {
        add_up(next_output, r->n_outputs);
        add_up(r->next_weight, n_nodes);
        for (size_t i = 0; i < n_weights; i++)
            by_output[next_output[item(r, WEIGHT_IDS, i)]++] = (uint32_t)i;
        for (size_t i = 0; i < n_weights && !find_leaf(r, by_output[i], &row); i++)
            r->weight_order[r->next_weight[row]++] = by_output[i];
        /* Each begins where the one before it ended. */
        memmove(r->next_weight + 1, r->next_weight, n_nodes * sizeof *r->next_weight);
        r->next_weight[0] = 0;
    }
    free(next_output);
    free(by_output);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static enum status convert_node(const struct onnx_reader *r, size_t tree, uint32_t number,
                                uint32_t n_nodes, struct inner_node *node) {
    size_t row = r->tree_begin[tree] + number;
    uint32_t mode = item(r, NODE_MODES, row);
    uint32_t yes = item(r, TRUE_IDS, row), no = item(r, FALSE_IDS, row);
    bool missing_yes = item(r, MISSING_TRUE, row) == 1;
    float value = float_item(r, VALUES, row);
    *node = (struct inner_node){.count = ENSEMBLE_NO_COUNT};
    if (mode == LEAF)
        return STATUS_OK;
    if (yes <= number || no <= number || yes >= n_nodes || no >= n_nodes || !isfinite(value))
        return error_set(r->error, STATUS_INPUT,
                         "%s: tree %zu, node %u: children %u and %u and value %g, should be "
                         "children from %u to %u and a finite value",
                         r->name, tree, number, yes, no, (double)value, number + 1, n_nodes - 1);
    bool yes_left = mode == BRANCH_LEQ || mode == BRANCH_LT;
    node->feature = item(r, FEATURE_IDS, row);
    node->threshold = mode == BRANCH_LEQ || mode == BRANCH_GT ? value : number_below(value);
    node->left = yes_left ? yes : no;
    node->right = yes_left ? no : yes;
    node->nan_left = yes_left == missing_yes;
    return STATUS_OK;
}

/* A leaf's weight for an output: one, for onnxruntime takes the first of several where there is one
 * output and their sum where there are more. Among several outputs it may have none: 0. */
static enum status leaf_value(const struct onnx_reader *r, size_t tree, uint32_t number,
                              uint32_t output, double *value, bool *any) {
    size_t row = r->tree_begin[tree] + number, found = 0;
    *value = 0;
    for (size_t *next = &r->next_weight[row]; *next < r->lists[WEIGHTS].count; ++*next) {
        size_t weight = r->weight_order[*next], of_row = 0;
        if (item(r, WEIGHT_IDS, weight) != output || find_leaf(r, weight, &of_row) || of_row != row)
            break;
        *value = (double)float_item(r, WEIGHTS, weight);
        found++;
    }
    if (found > 1 || (r->n_outputs == 1 && !found) || !isfinite(*value))
        return error_set(r->error, STATUS_INPUT,
                         "%s: tree %zu, node %u: should have one finite weight for output %u",
                         r->name, tree, number, output);
    *any = *any || found;
    if (r->is_average)
        *value /= (double)r->n_trees;
    return STATUS_OK;
}

/* Children come behind their parents: what is left to check of a tree. */
static enum status check_parents(const struct onnx_reader *r, size_t tree,
                                 const struct merge_tree *merge) {
    memset(merge->number, 0, merge->n_nodes * sizeof *merge->number);
    for (size_t i = 0; i < merge->n_nodes; i++) {
        merge->number[merge->nodes[i].left]++; /* of a leaf 0, the root, which is not looked at */
        merge->number[merge->nodes[i].right]++;
    }
    for (size_t i = 1; i < merge->n_nodes; i++)
        if (merge->number[i] != 1)
            return error_set(r->error, STATUS_INPUT,
                             "%s: tree %zu, node %zu: is the child of %u nodes, should be of one",
                             r->name, tree, i, merge->number[i]);
    return STATUS_OK;
}

/* One tree for each output that a leaf has a weight for. */
static enum status build_tree(struct onnx_reader *r, size_t tree, struct inner_node *nodes,
                              struct merge_tree *merge, struct ensemble_builder *builder) {
    uint32_t n_nodes = (uint32_t)(r->tree_begin[tree + 1] - r->tree_begin[tree]);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < n_nodes && !status; i++)
        status = convert_node(r, tree, i, n_nodes, &nodes[i]);
    merge->n_nodes = n_nodes;
    if (!status)
        status = check_parents(r, tree, merge);
    for (uint32_t output = 0; output < r->n_outputs && !status; output++) {
        bool any = false;
        for (uint32_t i = 0; i < n_nodes && !status; i++)
            if (!nodes[i].left)
                status = leaf_value(r, tree, i, output, &merge->value[i], &any);
        if (!status && any)
            r->n_built += merge_equal_add_tree(builder, output, merge);
        if (r->n_built > MAX_GROWTH * (r->lists[TREE_IDS].count + r->lists[WEIGHTS].count))
            return error_set(r->error, STATUS_UNSUPPORTED,
                             "%s: tree %zu: the trees of all outputs have more than %d nodes for "
                             "each of the file's nodes and weights, should be fewer outputs",
                             r->name, tree, MAX_GROWTH);
    }
    return status;
}

static size_t largest_tree(const struct onnx_reader *r) {
    size_t largest = 1;
    for (size_t t = 0; t < r->n_trees; t++)
        if (r->tree_begin[t + 1] - r->tree_begin[t] > largest)
            largest = r->tree_begin[t + 1] - r->tree_begin[t];
    return largest;
}

static enum status build_trees(struct onnx_reader *r, struct ensemble_builder *builder) {
    size_t largest = largest_tree(r);
    struct inner_node *nodes = malloc(largest * sizeof *nodes);
    struct merge_tree merge = {.nodes = nodes};
    merge.value = malloc(largest * sizeof *merge.value);
    merge.number = malloc(largest * sizeof *merge.number);
    enum status status = STATUS_OK;
    if (!nodes || !merge.value || !merge.number)
        status = error_memory(r->error, "the nodes of a tree");
    for (size_t t = 0; t < r->n_trees && !status; t++)
        status = build_tree(r, t, nodes, &merge, builder);
    free(nodes);
    free(merge.value);
    free(merge.number);
    return status;
}

static enum status build(struct onnx_reader *r, struct ensemble **ensemble) {
    double *base = calloc(r->n_outputs, sizeof *base);
    struct ensemble_builder *builder = ensemble_builder_create();
    enum status status = STATUS_OK;
    struct ensemble_shape shape = {.n_outputs = r->n_outputs, .base = base};
    if (!base || !builder)
        status = error_memory(r->error, "a model");
    for (size_t i = 0; i < r->lists[BASE_VALUES].count && !status; i++) {
        base[i] = (double)float_item(r, BASE_VALUES, i);
        if (!isfinite(base[i]))
            status =
                error_set(r->error, STATUS_INPUT, "%s: base_values: should be finite", r->name);
    }
    if (!status)
        status = build_trees(r, builder);
    if (status)
        ensemble_builder_free(builder);
    else
        status = reader_finish(r->name, builder, &shape, ensemble, r->error);
    free(base);
    return status;
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status onnx_read(const char *name, const char *text, size_t size,
                             struct ensemble **ensemble, struct error *error) {
    struct onnx_reader r = {
        .name = name, .error = error, .file = {name, text, error}, .n_targets = 1};
    struct protobuf_span graph;
    enum status status =
        protobuf_find(&r.file, (struct protobuf_span){text, text + size}, MODEL_GRAPH, &graph);
    if (!status && !graph.at)
        status = error_set(error, STATUS_INPUT, "%s: an ONNX model without a graph", name);
    if (!status && !(status = read_graph(&r, graph)) && !(status = check_sizes(&r)) &&
        !(status = find_outputs(&r)) && !(status = find_trees(&r)) && !(status = sort_weights(&r)))
        status = build(&r, ensemble);
    for (int c = 0; c < COLUMNS; c++)
        free(r.lists[c].items);
    free(r.tree_begin);
    free(r.next_weight);
    free(r.weight_order);
    return status;
}

/* The version of the format, its first field, and a node with trees near the beginning. */
static bool onnx_recognise(const char *text, size_t size) {
    static const char word[] = "TreeEnsemble";
    size_t near = size < 4096 ? size : 4096;
    return near > 2 && text[0] == 8 && text[1] > 0 && text[1] < 127 &&
           memmem(text, near, word, sizeof word - 1);
}

const struct model_format model_format_onnx = {
    .name = "onnx",
    .title = "ONNX TreeEnsembleRegressor and TreeEnsembleClassifier, raw scores",
    .recognise = onnx_recognise,
    .read = onnx_read,
};
