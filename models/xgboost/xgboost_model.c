#include "models/xgboost/xgboost_model.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CATEGORIES_END = 1 << 24 }; /* categories are less than this */

/* A tree of the ensemble. */
struct xgboost_made_tree {
    uint32_t number; /* number of the tree in the file */
    uint32_t value;  /* index of the leaf value and of the output; ONLY_VALUE if there is one */
};
#define ONLY_VALUE UINT32_MAX

/* Makes room for a tree of n nodes. */
static enum status reserve_tree(struct xgboost_model *model, size_t n) {
    if (n <= model->capacity)
        return STATUS_OK;
    memory_pool_free(&model->pool);
    model->is_taken = memory_pool_array(&model->pool, n, sizeof *model->is_taken);
    model->order = memory_pool_array(&model->pool, n, sizeof *model->order);
    model->number = memory_pool_array(&model->pool, n, sizeof *model->number);
    if (model->pool.failed)
        return error_memory(model->error, "the nodes of a tree");
    model->capacity = n;
    return STATUS_OK;
}

static bool is_leaf(const struct xgboost_node *node) {
    return node->left < 0;
}

static bool is_deleted(const struct xgboost_node *node) {
    return node->default_left && node->feature == XGBOOST_DELETED_FEATURE;
}

/* --- is it a tree? ---------------------------------------------------------------------------- */

static enum status node_error(const struct xgboost_model *model, uint32_t node, const char *what) {
    return error_set(model->error, STATUS_INPUT, "%s: tree %u, node %u: %s", model->name,
                     model->n_trees, node, what);
}

/* Checks that every child has one parent, so that going down from the root always ends. */
static enum status check_children(const struct xgboost_model *model,
                                  const struct xgboost_tree *tree) {
    memset(model->is_taken, 0, tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct xgboost_node *node = &tree->nodes[i];
        if (is_leaf(node) || is_deleted(node))
            continue;
        for (int side = 0; side < 2; side++) {
            int32_t child = side ? node->right : node->left;
            if (child <= 0 || (uint32_t)child >= tree->n_nodes)
                return error_set(model->error, STATUS_INPUT,
                                 "%s: tree %u, node %u: its child %d is out of range (1 to %u)",
                                 model->name, model->n_trees, i, child, tree->n_nodes - 1);
            if (model->is_taken[child]++)
                return error_set(
                    model->error, STATUS_INPUT,
                    "%s: tree %u, node %u: its child %d is already a child of another node",
                    model->name, model->n_trees, i, child);
        }
    }
    return STATUS_OK;
}

static enum status check_node(struct xgboost_model *model, const struct xgboost_tree *tree,
                              uint32_t i) {
    const struct xgboost_node *node = &tree->nodes[i];
    if (is_deleted(node))
        return node_error(model, i, "the node is marked as deleted but still used");
    if (is_leaf(node) && !isfinite(node->number))
        return node_error(model, i, "the value of a leaf must be finite");
    if (is_leaf(node))
        return STATUS_OK;
    if (node->feature >= ENSEMBLE_MAX_FEATURES)
        return node_error(model, i, "the feature must be less than 16000000");
    if (node->feature > model->largest_feature) {
        model->largest_feature = node->feature;
        model->largest_feature_tree = model->n_trees;
        model->largest_feature_node = i;
    }
    if (!node->categorical && isnan(node->number))
        return node_error(model, i, "the split condition is NaN");
    return STATUS_OK;
}

/* Lists the nodes that are reachable from the root. Pruned trees also contain unreachable nodes. */
static enum status order_nodes(struct xgboost_model *model, const struct xgboost_tree *tree) {
    static const uint32_t NOT_REACHED = UINT32_MAX;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        model->number[i] = NOT_REACHED;
    model->order[0] = 0;
    model->n_order = 1;
    for (uint32_t next = 0; next < model->n_order; next++) {
        uint32_t i = model->order[next];
        const struct xgboost_node *node = &tree->nodes[i];
        enum status status = check_node(model, tree, i);
        if (status)
            return status;
        model->number[i] = next;
        if (is_leaf(node))
            continue;
        model->order[model->n_order++] = (uint32_t)node->left;
        model->order[model->n_order++] = (uint32_t)node->right;
    }
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (model->number[i] == NOT_REACHED && !is_deleted(&tree->nodes[i]))
            return node_error(
                model, i, "the node cannot be reached from the root and is not marked as deleted");
    }
    return STATUS_OK;
}

/* --- splits ----------------------------------------------------------------------------------- */

/* Sorts the categories of a node into model->sorted. */
static enum status sort_categories(struct xgboost_model *model, const struct xgboost_tree *tree,
                                   uint32_t i) {
    const struct xgboost_node *node = &tree->nodes[i];
    size_t n = node->set_size;
    if (!node->has_set || node->set_first > tree->n_categories ||
        n > tree->n_categories - node->set_first)
        return node_error(model, i, "a categorical split has no categories");
    struct memory_list *sorted = &model->sorted;
    sorted->count = 0;
    if (n == 0)
        return STATUS_OK;
    if (!memory_append(&sorted->values, &sorted->capacity, &sorted->count,
                       tree->categories + node->set_first, n, sizeof *sorted->u32))
        return error_memory(model->error, "the categories of a node");
    qsort(sorted->u32, n, sizeof *sorted->u32, compare_uint32s);
    if (sorted->u32[n - 1] >= CATEGORIES_END)
        return node_error(model, i, "categories must be from 0 to 16777215");
    return STATUS_OK;
}

static bool add_cut(struct xgboost_model *model, float cut) {
    return reader_add_cut(&model->cuts, (double)cut);
}

/* Turns the categories of a node into cuts. Category c contains the floats from c to below c + 1,
 * so adjacent categories need no cut between them. */
static enum status cut_categories(struct xgboost_model *model, const struct xgboost_tree *tree,
                                  uint32_t i) {
    enum status status = sort_categories(model, tree, i);
    for (uint32_t k = 0; k < tree->nodes[i].set_size && !status; k++) {
        uint32_t category = model->sorted.u32[k];
        if (k > 0 && category == model->sorted.u32[k - 1])
            continue;
        if (!add_cut(model, number_below((float)category)) ||
            !add_cut(model, number_below((float)(category + 1))))
            status = error_memory(model->error, "the categories of a model");
    }
    return status;
}

static enum status add_split(struct xgboost_model *model, const struct xgboost_tree *tree,
                             uint32_t i) {
    const struct xgboost_node *node = &tree->nodes[i];
    struct inner_node inner = {.feature = node->feature,
                               .nan_left = node->default_left,
                               .left = model->number[node->left],
                               .right = model->number[node->right],
                               .count = ENSEMBLE_NO_COUNT};
    enum status status = STATUS_OK;
    model->cuts.count = 0;
    if (node->categorical)
        status = cut_categories(model, tree, i);
    else if (node->number == -INFINITY)
        inner.lowest_right = true; /* no number is below it */
    else if (!add_cut(model, number_below(node->number)))
        status = error_memory(model->error, "the nodes of a tree");
    if (status)
        return status;
    reader_set_cuts(&model->cuts, &inner);
    ensemble_builder_add_inner(model->builder, &inner);
    return STATUS_OK;
}

/* --- leaves ----------------------------------------------------------------------------------- */

static bool has_vectors(const struct xgboost_tree *tree) {
    return tree->leaf_size > 1;
}

/* The index of a leaf's vector. */
static size_t vector_of(const struct xgboost_tree *tree, uint32_t leaf) {
    return tree->vectors_by_node ? leaf : (size_t)(uint32_t)tree->nodes[leaf].right;
}

static enum status check_vector(struct xgboost_model *model, const struct xgboost_tree *tree,
                                uint32_t leaf) {
    size_t vector = vector_of(tree, leaf);
    if (vector >= tree->n_nodes || vector >= tree->n_vectors / tree->leaf_size)
        return node_error(model, leaf, "the leaf has no values");
    if (model->is_taken[vector]++)
        return node_error(model, leaf, "the leaf shares its values with another leaf");
    for (uint32_t k = 0; k < tree->leaf_size; k++) {
        if (!isfinite(tree->vectors[vector * tree->leaf_size + k]))
            return node_error(model, leaf, "the values of a leaf must be finite");
    }
    return STATUS_OK;
}

/* Checks that leaves do not share vectors. This keeps the memory for copies proportional to the
 * size of the file. */
static enum status check_vectors(struct xgboost_model *model, const struct xgboost_tree *tree) {
    enum status status = STATUS_OK;
    if (!has_vectors(tree))
        return STATUS_OK;
    if (model->leaf_size && model->leaf_size != tree->leaf_size)
        return error_set(model->error, STATUS_INPUT,
                         "%s: tree %u: leaves have %u values, but those of earlier trees have %u",
                         model->name, model->n_trees, tree->leaf_size, model->leaf_size);
    model->leaf_size = tree->leaf_size;
    memset(model->is_taken, 0, tree->n_nodes);
    for (uint32_t next = 0; next < model->n_order && !status; next++) {
        uint32_t i = model->order[next];
        if (is_leaf(&tree->nodes[i]))
            status = check_vector(model, tree, i);
    }
    return status;
}

static double leaf_value(const struct xgboost_tree *tree, uint32_t leaf, uint32_t value) {
    if (value == ONLY_VALUE)
        return (double)tree->nodes[leaf].number;
    return (double)tree->vectors[vector_of(tree, leaf) * tree->leaf_size + value];
}

/* --- the trees of the ensemble ---------------------------------------------------------------- */

static enum status add_nodes(struct xgboost_model *model, const struct xgboost_tree *tree,
                             uint32_t value) {
    enum status status = STATUS_OK;
    const struct xgboost_made_tree made = {model->n_trees, value};
    if (!memory_append((void **)&model->made, &model->made_capacity, &model->n_made, &made, 1,
                       sizeof made))
        return error_memory(model->error, "the trees of a model");
    ensemble_builder_add_tree(model->builder, 0);
    for (uint32_t next = 0; next < model->n_order && !status; next++) {
        uint32_t i = model->order[next];
        if (is_leaf(&tree->nodes[i]))
            ensemble_builder_add_leaf(model->builder, leaf_value(tree, i, value),
                                      ENSEMBLE_NO_COUNT);
        else
            status = add_split(model, tree, i);
    }
    return status;
}

static enum status add_tree(struct xgboost_model *model, const struct xgboost_tree *tree) {
    enum status status = STATUS_OK;
    if (!has_vectors(tree))
        return add_nodes(model, tree, ONLY_VALUE);
    for (uint32_t k = 0; k < tree->leaf_size && !status; k++)
        status = add_nodes(model, tree, k);
    return status;
}

enum status xgboost_add_tree(struct xgboost_model *model, const struct xgboost_tree *tree) {
    if (tree->n_nodes == 0 || tree->n_nodes > INT32_MAX)
        return error_set(model->error, STATUS_INPUT,
                         "%s: tree %u: the number of nodes is %u, expected 1 to 2147483647",
                         model->name, model->n_trees, tree->n_nodes);
    enum status status = reserve_tree(model, tree->n_nodes);
    if (!status)
        status = check_children(model, tree);
    if (!status)
        status = order_nodes(model, tree);
    if (!status)
        status = check_vectors(model, tree);
    if (!status)
        status = add_tree(model, tree);
    model->n_trees++;
    return status;
}

/* --- the model as a whole --------------------------------------------------------------------- */

static enum status check_header(const struct xgboost_model *model,
                                const struct xgboost_header *header) {
    if (header->n_outputs == 0 || header->n_outputs > ENSEMBLE_MAX_OUTPUTS)
        return error_set(model->error, STATUS_INPUT,
                         "%s: the number of outputs is %u, expected 1 to %d", model->name,
                         header->n_outputs, ENSEMBLE_MAX_OUTPUTS);
    if (header->n_features > 0 && model->largest_feature >= header->n_features)
        return error_set(
            model->error, STATUS_INPUT,
            "%s: tree %u, node %u: feature %u is out of range (the number of features is %u)",
            model->name, model->largest_feature_tree, model->largest_feature_node,
            model->largest_feature, header->n_features);
    if (model->leaf_size && model->leaf_size != header->n_outputs)
        return error_set(model->error, STATUS_INPUT,
                         "%s: leaves have %u values, but the number of outputs is %u", model->name,
                         model->leaf_size, header->n_outputs);
    const struct memory_list *outputs = &header->tree_output, *weights = &header->tree_weight;
    if (outputs->count > 0 && outputs->count != model->n_trees)
        return error_set(model->error, STATUS_INPUT,
                         "%s: tree_info: length is %zu, expected %u (one entry per tree)",
                         model->name, outputs->count, model->n_trees);
    if (weights->count > 0 && weights->count != model->n_trees)
        return error_set(model->error, STATUS_INPUT,
                         "%s: weight_drop: length is %zu, expected %u (one entry per tree)",
                         model->name, weights->count, model->n_trees);
    for (size_t t = 0; t < outputs->count; t++) {
        if (outputs->u32[t] >= header->n_outputs)
            return error_set(
                model->error, STATUS_INPUT,
                "%s: tree_info: tree %zu adds to output %u, but the number of outputs is %u",
                model->name, t, outputs->u32[t], header->n_outputs);
    }
    for (size_t t = 0; t < weights->count; t++) {
        if (!isfinite(weights->real[t]))
            return error_set(model->error, STATUS_INPUT,
                             "%s: weight_drop: the weight of tree %zu must be finite", model->name,
                             t);
    }
    return STATUS_OK;
}

/* Files store outputs and weights after the trees. The product of two floats is exact in double. */
static void set_outputs_and_weights(const struct xgboost_model *model, struct ensemble *e,
                                    const struct xgboost_header *header) {
    for (size_t t = 0; t < model->n_made; t++) {
        const struct xgboost_made_tree *made = &model->made[t];
        if (made->value != ONLY_VALUE)
            e->tree_output[t] = made->value;
        else if (header->tree_output.count)
            e->tree_output[t] = header->tree_output.u32[made->number];
        double weight =
            header->tree_weight.count ? (double)header->tree_weight.real[made->number] : 1;
        for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++)
            e->value[leaf] *= weight;
    }
}

/* The number of trees up to the best iteration, or 0 if it is unknown or the file has fewer. */
static uint32_t best_trees(const struct xgboost_model *model, const struct xgboost_header *header) {
    const struct xgboost_early_stop *stop = &header->early_stop;
    uint64_t iterations = (uint64_t)stop->iteration + 1, trees;
    if (!stop->is_known)
        return 0;
    if (stop->iteration_begin.count)
        trees =
            iterations < stop->iteration_begin.count ? stop->iteration_begin.u32[iterations] : 0;
    else if (stop->ntree_limit)
        trees = (uint64_t)stop->ntree_limit * header->n_outputs;
    else
        trees = iterations * (stop->n_parallel ? stop->n_parallel : 1) * header->n_outputs;
    if (trees > model->n_trees)
        return 0;
    size_t n_made = model->n_made;
    while (n_made > 0 && model->made[n_made - 1].number >= trees)
        n_made--;
    return (uint32_t)n_made;
}

enum status xgboost_model_finish(struct xgboost_model *model, enum status status,
                                 struct xgboost_header *header, struct ensemble **ensemble) {
    double *base = NULL;
    uint32_t n = header->n_classes > header->n_targets ? header->n_classes : header->n_targets;
    header->n_outputs = n ? n : 1;
    if (!status)
        status = check_header(model, header);
    if (!status && !(base = calloc(header->n_outputs, sizeof *base)))
        status = error_memory(model->error, "a model");
    if (!status)
        status = xgboost_margins(model->name, header, base, model->error);
    const struct ensemble_shape shape = {
        .n_features = header->n_features, .n_outputs = header->n_outputs, .base = base};
    status = reader_finish(model->name, status, model->builder, &shape, ensemble, model->error);
    if (!status) {
        ensemble_set_objective(*ensemble, header->objective,
                               header->objective + strlen(header->objective));
        set_outputs_and_weights(model, *ensemble, header);
        (*ensemble)->best_trees = best_trees(model, header);
    }
    memory_pool_free(&model->pool);
    void *const freed[] = {base,
                           model->made,
                           model->cuts.values,
                           model->sorted.values,
                           header->base.values,
                           header->tree_output.values,
                           header->tree_weight.values,
                           header->early_stop.iteration_begin.values};
    for (size_t i = 0; i < sizeof freed / sizeof *freed; i++)
        free(freed[i]);
    return status;
}
