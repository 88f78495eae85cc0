/* Reads ONNX models with one TreeEnsembleRegressor, TreeEnsembleClassifier or TreeEnsemble
 * (ai.onnx.ml, versions 1 to 5), as exported from scikit-learn, XGBoost and LightGBM. The format is
 * protobuf, of which a few fields are read. onnx_steps.c handles the nodes before the trees,
 * onnx_ensemble.c the operator TreeEnsemble, and onnx_links.c the links between nodes.
 *
 * A node is a row of the attributes nodes_*. It sends a document to its true child if `x MODE
 * value` holds, in float32, or in double if the graph's input is double. NaN goes to the false
 * child, or to the true child if nodes_missing_value_tracks_true is set (as in onnxruntime's
 * tree_ensemble_common.h). The weights of a leaf are rows of target_* (class_* in a classifier).
 *
 * A score is the sum of the weights, or their average over the trees, plus the base value. It is
 * raw: the post_transform and all nodes after the trees are ignored. A classifier with two classes
 * and weights for one of them has one output, the score of class 1. */
#include "models/onnx/onnx.h"

#include "base/number.h"
#include "base/order.h"
#include "models/formats.h"
#include "models/merge_equal.h"
#include "models/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The nodes above a leaf with many outputs are copied for each output. MAX_GROWTH limits the nodes
 * and leaves of the trees of all outputs, per row of nodes and weights. */
enum { MAX_GROWTH = 64 };
#define MAX_NODE_OUTPUTS ((size_t)1 << 27) /* limit of nodes times outputs, to bound the time */

struct onnx_reader {
    struct onnx_graph graph;
    uint32_t n_outputs;
    size_t n_trees, *tree_begin; /* [n_trees + 1] index into the rows of nodes */
    size_t *next_weight;         /* [nodes] the first unused entry in weight_order */
    uint32_t *weight_order;      /* the rows of weights by node, then by output */
    size_t n_built;              /* nodes and leaves of the trees built so far */
    struct memory_list cuts;     /* of the current tree */
    bool compares_doubles, votes;
};

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t item(const struct onnx_reader *r, enum onnx_column column, size_t row) {
    return r->graph.lists[column].u32[row];
}

static double number_item(const struct onnx_reader *r, enum onnx_column column, size_t row) {
    return r->graph.lists[column].number[row];
}

static enum status check_sizes(struct onnx_reader *r) {
    for (int c = 0; c < BASE_VALUES; c++) {
        size_t expected = r->graph.lists[c <= MISSING_TRUE ? TREE_IDS : WEIGHT_TREES].count;
        if (c == MISSING_TRUE && r->graph.lists[c].count == 0)
            continue;
        if (r->graph.lists[c].count != expected)
            return onnx_fail(&r->graph, STATUS_INPUT, "%s: length is %zu, expected %zu",
                             onnx_columns[c].name, r->graph.lists[c].count, expected);
    }
    return STATUS_OK;
}

/* Do all weights belong to the same class? */
static bool has_one_class(const struct onnx_reader *r) {
    for (size_t i = 1; i < r->graph.lists[WEIGHT_IDS].count; i++)
        if (item(r, WEIGHT_IDS, i) != item(r, WEIGHT_IDS, 0))
            return false;
    return true;
}

static enum status find_outputs(struct onnx_reader *r) {
    uint64_t n = r->graph.is_classifier ? r->graph.n_labels : r->graph.n_targets;
    if (n == 0 || n > ENSEMBLE_MAX_OUTPUTS)
        return onnx_fail(&r->graph, STATUS_INPUT, "%s: %" PRIu64 " is out of range (1 to %d)",
                         r->graph.is_classifier ? "classlabels" : "n_targets", n,
                         ENSEMBLE_MAX_OUTPUTS);
    for (size_t i = 0; i < r->graph.lists[WEIGHT_IDS].count; i++)
        if (item(r, WEIGHT_IDS, i) >= n)
            return onnx_fail(&r->graph, STATUS_INPUT,
                             "%s: entry %zu is %" PRIu64 ", but must be less than %" PRIu64,
                             r->graph.is_classifier ? "class_ids" : "target_ids", i + 1,
                             (uint64_t)item(r, WEIGHT_IDS, i), n);
    if (r->graph.lists[TREE_IDS].count > MAX_NODE_OUTPUTS / n)
        return onnx_fail(&r->graph, STATUS_INPUT,
                         "the model has %zu nodes and %" PRIu64
                         " outputs; their product may be at most %zu",
                         r->graph.lists[TREE_IDS].count, n, MAX_NODE_OUTPUTS);
    r->n_outputs = (uint32_t)n;
    if (r->graph.is_classifier && n == 2 && has_one_class(r)) {
        r->n_outputs = 1;
        for (size_t i = 0; i < r->graph.lists[WEIGHT_IDS].count; i++)
            r->graph.lists[WEIGHT_IDS].u32[i] = 0;
    }
    if (r->graph.lists[BASE_VALUES].count && r->graph.lists[BASE_VALUES].count != r->n_outputs)
        return onnx_fail(&r->graph, STATUS_INPUT, "base_values: length is %zu, expected %u",
                         r->graph.lists[BASE_VALUES].count, r->n_outputs);
    return STATUS_OK;
}

/* Checks that trees are stored one after the other and numbered from 0, and so are the nodes of
 * each tree. */
static enum status find_trees(struct onnx_reader *r) {
    size_t n_nodes = r->graph.lists[TREE_IDS].count;
    r->tree_begin = memory_pool_array(&r->graph.pool, n_nodes + 1, sizeof *r->tree_begin);
    if (!r->tree_begin)
        return error_memory(r->graph.error, "the trees of a model");
    for (size_t i = 0; i < n_nodes; i++) {
        if (r->n_trees == 0 || item(r, TREE_IDS, i) != r->n_trees - 1)
            r->tree_begin[r->n_trees++] = i;
        size_t number = i - r->tree_begin[r->n_trees - 1];
        if (item(r, TREE_IDS, i) != r->n_trees - 1 || item(r, NODE_IDS, i) != number)
            return onnx_fail(&r->graph, STATUS_INPUT,
                             "row %zu of the nodes is node %u of tree %u, expected node %zu of "
                             "tree %zu: nodes and trees must be numbered from 0, in file order",
                             i, item(r, NODE_IDS, i), item(r, TREE_IDS, i), number, r->n_trees - 1);
    }
    r->tree_begin[r->n_trees] = n_nodes;
    return STATUS_OK;
}

/* Finds the row of the node that a weight belongs to. */
static enum status find_leaf(const struct onnx_reader *r, size_t weight, size_t *row) {
    uint32_t tree = item(r, WEIGHT_TREES, weight), node = item(r, WEIGHT_NODES, weight);
    bool exists = tree < r->n_trees && node < r->tree_begin[tree + 1] - r->tree_begin[tree];
    *row = exists ? r->tree_begin[tree] + node : 0;
    if (!exists || item(r, NODE_MODES, *row) != LEAF)
        return onnx_fail(&r->graph, STATUS_INPUT, "tree %u, node %u: has a weight, but %s", tree,
                         node, exists ? "is not a leaf" : "does not exist");
    return STATUS_OK;
}

/* Turns counts into the first position of each key. The count of key k is stored at k + 1. */
static void add_up(size_t *counts, size_t n) {
    for (size_t i = 1; i <= n; i++)
        counts[i] += counts[i - 1];
}

/* Sorts the weights by output and then by node, with counting sorts. */
static enum status sort_weights(struct onnx_reader *r) {
    struct memory_pool *pool = &r->graph.pool;
    size_t n_nodes = r->graph.lists[TREE_IDS].count, n_weights = r->graph.lists[WEIGHTS].count;
    size_t *next_output = memory_pool_array(pool, r->n_outputs + 1, sizeof *next_output), row = 0;
    uint32_t *by_output = memory_pool_array(pool, n_weights, sizeof *by_output);
    r->next_weight = memory_pool_array(pool, n_nodes + 1, sizeof *r->next_weight);
    r->weight_order = memory_pool_array(pool, n_weights, sizeof *r->weight_order);
    enum status status =
        pool->failed ? error_memory(r->graph.error, "the weights of a model") : STATUS_OK;
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
        /* Each node's weights begin where those of the previous node end. */
        memmove(r->next_weight + 1, r->next_weight, n_nodes * sizeof *r->next_weight);
        r->next_weight[0] = 0;
    }
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

/* Returns the largest number below `value` in the type that the model compares; NaN if there is
 * none. */
static double below(const struct onnx_reader *r, double value) {
    if (!r->compares_doubles)
        return (double)number_below((float)value);
    return value > -INFINITY ? nextafter(value, -INFINITY) : NAN;
}

static enum status fold(const struct onnx_reader *r, const struct onnx_test *test,
                        struct onnx_folded *folded) {
    if (r->graph.n_steps)
        return onnx_fold(&r->graph, test, folded);
    bool exact = test->mode == BRANCH_LEQ || test->mode == BRANCH_GT;
    folded->threshold = exact ? test->value : below(r, test->value);
    folded->holds_low = test->mode == BRANCH_LEQ || test->mode == BRANCH_LT;
    folded->nan_holds = test->nan_holds;
    return STATUS_OK;
}

static enum status convert_test(const struct onnx_reader *r, const struct onnx_test *test,
                                uint32_t yes, uint32_t no, struct inner_node *node) {
    struct onnx_folded folded;
    enum status status = fold(r, test, &folded);
    if (status)
        return status;
    node->threshold = folded.threshold;
    node->left = folded.holds_low ? yes : no;
    node->right = folded.holds_low ? no : yes;
    node->nan_left = folded.holds_low == folded.nan_holds;
    return STATUS_OK;
}

/* Adds `number` to a node's set, as the interval from the next lower number (excluded) to `number`.
 * `number` must be greater than all numbers added before. */
static enum status add_to_set(struct onnx_reader *r, double number, struct inner_node *node) {
    struct memory_list *cuts = &r->cuts;
    double low = below(r, number);
    if (isnan(low)) { /* -inf */
        node->lowest_right = false;
    } else if (node->n_cuts && cuts->number[cuts->count - 1] == low) {
        cuts->number[cuts->count - 1] = number;
        return STATUS_OK;
    } else {
        enum status status = onnx_append_number(&r->graph, cuts, low);
        if (status)
            return status;
        node->n_cuts++;
    }
    node->n_cuts++;
    return onnx_append_number(&r->graph, cuts, number);
}

/* Converts a node that tests whether x is one of some numbers. Its cuts are assigned when all nodes
 * of the tree are converted. NaN is not equal to any number. */
static enum status convert_set(struct onnx_reader *r, const struct onnx_test *test, uint32_t yes,
                               uint32_t no, struct inner_node *node) {
    double value = test->value, *numbers = &value;
    size_t first = 0, end = 1;
    enum status status = STATUS_OK;
    if (r->graph.n_steps)
        return onnx_fail(&r->graph, STATUS_UNSUPPORTED,
                         "tests of categories (BRANCH_EQ, BRANCH_NEQ, BRANCH_MEMBER) with "
                         "operators before the trees are not supported. Export only the trees");
    if (test->mode == BRANCH_MEMBER) {
        numbers = r->graph.members.number;
        first = r->graph.member_sets[(size_t)test->value];
        end = r->graph.member_sets[(size_t)test->value + 1];
        if (first < end)
            qsort(numbers + first, end - first, sizeof *numbers, compare_doubles);
    }
    node->lowest_right = true;
    for (size_t i = first; i < end && !status; i++)
        if (i == first || numbers[i] != numbers[i - 1])
            status = add_to_set(r, numbers[i], node);
    bool is_in_yes = test->mode != BRANCH_NEQ;
    node->left = is_in_yes ? yes : no;
    node->right = is_in_yes ? no : yes;
    node->nan_left = is_in_yes && test->nan_holds;
    if (node->n_cuts)
        return status;
    node->threshold = INFINITY; /* the set contains no number */
    node->left = node->right;
    node->right = is_in_yes ? yes : no;
    node->nan_left = !node->nan_left;
    return status;
}

static enum status convert_node(struct onnx_reader *r, size_t tree, uint32_t number,
                                struct inner_node *node) {
    size_t row = r->tree_begin[tree] + number;
    uint32_t mode = item(r, NODE_MODES, row);
    uint32_t yes = item(r, TRUE_IDS, row), no = item(r, FALSE_IDS, row);
    bool missing_yes = r->graph.lists[MISSING_TRUE].count && item(r, MISSING_TRUE, row) == 1;
    double value = number_item(r, VALUES, row);
    *node = (struct inner_node){.feature = item(r, FEATURE_IDS, row), .count = ENSEMBLE_NO_COUNT};
    if (mode == LEAF)
        return STATUS_OK;
    const struct onnx_test test = {(enum onnx_mode)mode, node->feature, value, missing_yes};
    enum status status = STATUS_OK;
    if (!isnan(value))
        status = mode >= BRANCH_EQ ? convert_set(r, &test, yes, no, node)
                                   : convert_test(r, &test, yes, no, node);
    if (status)
        return status;
    if (isnan(value) || isnan(node->threshold))
        return onnx_fail(&r->graph, STATUS_INPUT,
                         "tree %zu, node %u: value %g cannot be a threshold", tree, number, value);
    return STATUS_OK;
}

/* Gives each node its cuts, which are contiguous and in the order of the nodes. */
static void give_cuts(const struct onnx_reader *r, struct inner_node *nodes, uint32_t n_nodes) {
    size_t first = 0;
    for (uint32_t i = 0; i < n_nodes; i++) {
        if (!nodes[i].n_cuts)
            continue;
        nodes[i].cuts = r->cuts.number + first;
        first += nodes[i].n_cuts;
    }
}

/* Finds a leaf's weight for an output. A leaf may have only one weight per output: of several
 * weights, onnxruntime uses the first if the model has one output, but their sum if it has more.
 * With several outputs, the weight may be missing, which means 0. */
static enum status leaf_value(const struct onnx_reader *r, size_t tree, uint32_t number,
                              uint32_t output, double *value, bool *any) {
    size_t row = r->tree_begin[tree] + number, found = 0;
    *value = 0;
    for (size_t *next = &r->next_weight[row]; *next < r->graph.lists[WEIGHTS].count; ++*next) {
        size_t weight = r->weight_order[*next], of_row = 0;
        if (item(r, WEIGHT_IDS, weight) != output || find_leaf(r, weight, &of_row) || of_row != row)
            break;
        *value = number_item(r, WEIGHTS, weight);
        found++;
    }
    if (found > 1 || (r->n_outputs == 1 && !found) || !isfinite(*value))
        return onnx_fail(&r->graph, STATUS_INPUT,
                         "tree %zu, node %u: expected one finite weight for output %u", tree,
                         number, output);
    *any = *any || found;
    if (r->graph.is_average)
        *value /= (double)r->n_trees;
    return STATUS_OK;
}

/* Does every leaf add 1 to a single output? */
static bool find_votes(const struct onnx_reader *r) {
    size_t n_weights = r->graph.lists[WEIGHTS].count, n_leaves = 0, row = 0, last = SIZE_MAX;
    if (r->n_outputs < 2 || r->graph.is_average)
        return false;
    for (size_t i = 0; i < r->graph.lists[NODE_MODES].count; i++)
        n_leaves += item(r, NODE_MODES, i) == LEAF;
    for (size_t i = 0; i < n_weights; i++, last = row) {
        uint32_t weight = r->weight_order[i];
        if (number_item(r, WEIGHTS, weight) != 1 || find_leaf(r, weight, &row) || row == last)
            return false;
    }
    return n_weights == n_leaves;
}

static void add_votes(const struct onnx_reader *r, size_t tree, const struct merge_tree *merge,
                      struct ensemble_builder *builder) {
    ensemble_builder_add_tree(builder, 0);
    for (size_t i = 0; i < merge->n_nodes; i++) {
        const struct inner_node *node = &merge->nodes[i];
        size_t weight = r->next_weight[r->tree_begin[tree] + i];
        if (node->left)
            ensemble_builder_add_inner(builder, node);
        else
            ensemble_builder_add_leaf(builder, item(r, WEIGHT_IDS, r->weight_order[weight]),
                                      ENSEMBLE_NO_COUNT);
    }
}

/* Builds one tree for each output that a leaf has a weight for, or a tree that votes. */
static enum status build_tree(struct onnx_reader *r, size_t tree, struct merge_tree *merge,
                              struct ensemble_builder *builder) {
    struct inner_node *nodes = merge->nodes;
    uint32_t n_nodes = (uint32_t)(r->tree_begin[tree + 1] - r->tree_begin[tree]);
    r->cuts.count = 0;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < n_nodes && !status; i++)
        status = convert_node(r, tree, i, &nodes[i]);
    merge->n_nodes = n_nodes;
    if (!status)
        give_cuts(r, nodes, n_nodes);
    if (!status && r->votes)
        add_votes(r, tree, merge, builder);
    for (uint32_t output = 0; output < r->n_outputs && !status && !r->votes; output++) {
        bool any = false;
        for (uint32_t i = 0; i < n_nodes && !status; i++)
            if (!nodes[i].left)
                status = leaf_value(r, tree, i, output, &merge->value[i], &any);
        if (!status && any)
            r->n_built += merge_equal_add_tree(builder, output, merge) + r->cuts.count;
        if (r->n_built > MAX_GROWTH * (r->graph.lists[TREE_IDS].count +
                                       r->graph.lists[WEIGHTS].count + r->graph.members.count))
            return onnx_fail(&r->graph, STATUS_UNSUPPORTED,
                             "tree %zu: the trees of all outputs have more than %d nodes per "
                             "node and weight of the file, which is the limit",
                             tree, MAX_GROWTH);
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
    struct merge_tree merge;
    struct memory_pool *pool = &r->graph.pool;
    merge_tree_allocate(&merge, largest_tree(r), pool);
    enum status status =
        pool->failed ? error_memory(r->graph.error, "the nodes of a tree") : STATUS_OK;
    for (size_t t = 0; t < r->n_trees && !status; t++)
        status = build_tree(r, t, &merge, builder);
    return status;
}

/* Thresholds are compared in the type of the trees' input. */
static enum status find_type(struct onnx_reader *r) {
    const struct onnx_graph *g = &r->graph;
    bool may_be_doubles = !g->has_cast && !g->n_steps;
    r->compares_doubles = g->has_doubles || (may_be_doubles && g->input_type == ELEMENT_DOUBLE);
    if (g->has_doubles && (!may_be_doubles || g->input_type == ELEMENT_FLOAT))
        return onnx_fail(g, STATUS_INPUT, "trees with double thresholds must have double inputs");
    return STATUS_OK;
}

static enum status build(struct onnx_reader *r, struct ensemble **ensemble) {
    double *base = memory_pool_array(&r->graph.pool, r->n_outputs, sizeof *base);
    struct ensemble_builder *builder = ensemble_builder_create();
    enum status status = STATUS_OK;
    struct ensemble_shape shape = {.n_features = r->graph.n_features,
                                   .n_outputs = r->n_outputs,
                                   .base = base,
                                   .compares_doubles = r->compares_doubles,
                                   .votes = r->votes};
    if (!base)
        status = error_memory(r->graph.error, "a model");
    for (size_t i = 0; i < r->graph.lists[BASE_VALUES].count && !status; i++) {
        base[i] = number_item(r, BASE_VALUES, i);
        if (!isfinite(base[i]))
            status = onnx_fail(&r->graph, STATUS_INPUT, "base_values: values must be finite");
    }
    if (!status)
        status = build_trees(r, builder);
    return reader_finish(r->graph.name, status, builder, &shape, ensemble, r->graph.error);
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status onnx_read(const char *name, const char *text, size_t size,
                             struct ensemble **ensemble, struct error *error) {
    struct onnx_reader r = {
        .graph = {.name = name, .error = error, .file = {name, text, error}, .n_targets = 1}};
    struct protobuf_span graph;
    enum status status = protobuf_find(&r.graph.file, (struct protobuf_span){text, text + size},
                                       MODEL_GRAPH, &graph);
    if (!status && !graph.at)
        status = error_set(error, STATUS_INPUT, "%s: the ONNX model has no graph", name);
    if (!status && !(status = onnx_read_graph(&r.graph, graph)) && !(status = check_sizes(&r)) &&
        !(status = find_type(&r)) && !(status = find_outputs(&r)) && !(status = find_trees(&r)) &&
        !(status = onnx_link_trees(&r.graph, r.n_trees, r.tree_begin)) &&
        !(status = sort_weights(&r))) {
        r.votes = find_votes(&r);
        status = build(&r, ensemble);
    }
    for (int c = 0; c < COLUMNS; c++)
        free(r.graph.lists[c].values);
    onnx_free_steps(&r.graph);
    free(r.graph.members.number);
    free(r.cuts.number);
    memory_pool_free(&r.graph.pool);
    return status;
}

/* Recognises a message whose first field is a format version and that contains the name of an
 * operator with trees. Constants of any size may precede this name. */
static bool onnx_recognise(const char *text, size_t size) {
    static const char word[] = "TreeEnsemble";
    return size > 2 && text[0] == 8 && text[1] > 0 && text[1] < 127 &&
           memmem(text, size, word, sizeof word - 1);
}

const struct model_format model_format_onnx = {
    .name = "onnx",
    .title = "ONNX",
    .suffix = ".onnx",
    .recognise = onnx_recognise,
    .read = onnx_read,
    .write = onnx_write,
    .float32_leaves = true,
    .votes = true,
};
