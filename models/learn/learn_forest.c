/* CART, random forests (Breiman 2001) and extremely randomised trees (Geurts, Ernst and Wehenkel
 * 2006). Each tree has its own random numbers, so that the number of threads does not affect the
 * result. */
#include "models/learn/learn_tree.h"
#include "models/learn/learner.h"
#include "models/merge_equal.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

/* --- what is learned -------------------------------------------------------------------------- */

static enum status check_label(const struct learner_data *data, enum forest_task task, bool signs,
                               size_t row, struct error *error) {
    float label = data->labels[row];
    if (task == FOREST_REGRESS)
        return isfinite(label) ? STATUS_OK
                               : error_set(error, STATUS_INPUT,
                                           "%s: document %zu (counted from 0): the label is %g; "
                                           "regression needs finite labels",
                                           data->name, row, (double)label);
    if (signs ? label == -1 || label == 1
              : label >= 0 && label < FOREST_MAX_CLASSES && label == floorf(label))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: document %zu (counted from 0): label %g is not a class; classification "
                     "needs the integers 0 to %d, or -1 and 1",
                     data->name, row, (double)label, FOREST_MAX_CLASSES - 1);
}

/* Are the labels -1 and 1, rather than 0, 1, ...? */
static bool labels_are_signs(const struct learner_data *data) {
    for (size_t row = 0; row < data->n_rows; row++)
        if (data->labels[row] < 0)
            return true;
    return false;
}

static enum status check_data(const struct learner_data *data, enum forest_task task,
                              struct error *error) {
    if (data->n_rows == 0 || data->n_features == 0)
        return error_set(error, STATUS_INPUT,
                         "%s: there are no documents or no features to learn from", data->name);
    if (data->n_rows > UINT32_MAX)
        return error_set(error, STATUS_MEMORY,
                         "%s: %zu documents exceed the limit of 4294967295 for learning",
                         data->name, data->n_rows);
    if (!data->labels)
        return error_set(error, STATUS_INPUT,
                         "%s: the documents have no labels, which learning needs. If a column of "
                         "the table holds them, name it with --label",
                         data->name);
    bool signs = labels_are_signs(data);
    for (size_t row = 0; row < data->n_rows; row++) {
        enum status status = check_label(data, task, signs, row, error);
        if (status)
            return status;
        for (uint32_t f = 0; f < data->n_features; f++)
            if (!isfinite(data->values[row * data->stride + f]))
                return error_set(error, STATUS_INPUT,
                                 "%s: document %zu, feature %u (both counted from 0): the value is "
                                 "%g; cart and forests need finite values",
                                 data->name, row, f, (double)data->values[row * data->stride + f]);
    }
    return STATUS_OK;
}

/* Finds the class of each document. There are always at least two classes; if all labels are equal,
 * the second class has no documents. */
static enum status find_classes(const struct learner_data *data, uint32_t **class_of,
                                uint32_t *n_classes, struct error *error) {
    bool signs = labels_are_signs(data);
    *class_of = malloc(data->n_rows * sizeof **class_of);
    if (!*class_of)
        return error_memory(error, "the classes of documents");
    *n_classes = 2;
    for (size_t row = 0; row < data->n_rows; row++) {
        float label = data->labels[row];
        uint32_t class = signs ? label > 0 : (uint32_t)label;
        (*class_of)[row] = class;
        if (class >= *n_classes)
            *n_classes = class + 1;
    }
    return STATUS_OK;
}

/* --- growing ---------------------------------------------------------------------------------- */

static uint32_t choose_n_tried(const struct learner_data *data,
                               const struct forest_options *options) {
    if (options->kind == FOREST_CART || options->task == FOREST_REGRESS)
        return data->n_features;
    uint32_t root = (uint32_t)sqrt((double)data->n_features);
    return root ? root : 1;
}

static enum status grow_forest(const struct tree_task *task, const struct forest_options *options,
                               struct grown_tree *trees, struct error *error) {
    int n_threads = options->n_threads ? (int)options->n_threads : 1;
    bool good = true;
#pragma omp parallel for schedule(dynamic) num_threads(n_threads) reduction(&& : good)
    for (uint32_t t = 0; t < options->n_trees; t++) {
        good = good && grow_tree(task, random_derive(options->seed, t), &trees[t]);
        if (options->progress.tell) {
#pragma omp critical(learner_progress)
            options->progress.tell(options->progress.context, false);
        }
    }
    return good ? STATUS_OK : error_memory(error, "the trees of a forest");
}

/* --- as an ensemble --------------------------------------------------------------------------- */

/* A grown tree, seen as the tree of one output. */
struct view {
    const struct tree_task *task;
    const struct grown_tree *tree;
    uint32_t class, n_trees;
    struct merge_tree merge;
};

static double leaf_value(const struct view *view, const struct grown_node *leaf) {
    uint32_t n_classes = view->task->n_classes;
    if (n_classes == 0)
        return leaf->mean / view->n_trees;
    const uint64_t *counts = view->tree->class_counts + (size_t)leaf->leaf * n_classes;
    double share = (double)counts[view->class] / (double)leaf->count;
    return n_classes == 2 ? share - (double)counts[0] / (double)leaf->count : share;
}

/* Sets the members that are the same for all outputs. */
static void set_tree(struct view *view, const struct grown_tree *tree) {
    view->tree = tree;
    view->merge.n_nodes = tree->n_nodes;
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct grown_node *node = &tree->nodes[i];
        view->merge.nodes[i] = (struct inner_node){
            .feature = node->feature,
            .threshold = node->threshold,
            .left = node->left,
            .right = node->right,
            .count = node->count,
        };
    }
}

static void add_tree(struct ensemble_builder *builder, struct view *view) {
    for (size_t i = 0; i < view->tree->n_nodes; i++) {
        if (!view->tree->nodes[i].left)
            view->merge.value[i] = leaf_value(view, &view->tree->nodes[i]);
    }
    merge_equal_add_tree(builder, view->task->n_classes > 2 ? view->class : 0, &view->merge);
}

/* The first class with the largest count. */
static uint32_t vote_of(const struct view *view, const struct grown_node *leaf) {
    const uint64_t *counts = view->tree->class_counts + (size_t)leaf->leaf * view->task->n_classes;
    uint32_t vote = 0;
    for (uint32_t class = 1; class < view->task->n_classes; class ++)
        vote = counts[class] > counts[vote] ? class : vote;
    return vote;
}

static void add_votes(struct ensemble_builder *builder, const struct view *view) {
    ensemble_builder_add_tree(builder, 0);
    for (size_t i = 0; i < view->tree->n_nodes; i++) {
        const struct grown_node *node = &view->tree->nodes[i];
        if (node->left)
            ensemble_builder_add_inner(builder, &view->merge.nodes[i]);
        else
            ensemble_builder_add_leaf(builder, vote_of(view, node), node->count);
    }
}

static void add_outputs(struct ensemble_builder *builder, struct view *view, uint32_t n_outputs) {
    for (uint32_t output = 0; output < n_outputs; output++) {
        view->class = view->task->n_classes == 2 ? 1 : output;
        add_tree(builder, view);
    }
}

static size_t largest_tree(const struct grown_tree *trees, uint32_t n_trees) {
    size_t largest = 0;
    for (uint32_t t = 0; t < n_trees; t++)
        largest = trees[t].n_nodes > largest ? trees[t].n_nodes : largest;
    return largest;
}

static enum status build(const struct tree_task *task, const struct grown_tree *trees,
                         uint32_t n_trees, bool votes, struct ensemble **ensemble,
                         struct error *error) {
    size_t n_nodes = largest_tree(trees, n_trees);
    struct ensemble_builder *builder = ensemble_builder_create();
    struct view view = {.task = task, .n_trees = n_trees};
    struct memory_pool pool = {0};
    merge_tree_allocate(&view.merge, n_nodes, &pool);
    enum status status = pool.failed ? error_memory(error, "a forest") : STATUS_OK;
    uint32_t n_outputs = votes || task->n_classes > 2 ? task->n_classes : 1;
    for (uint32_t t = 0; !status && t < n_trees; t++) {
        set_tree(&view, &trees[t]);
        if (votes)
            add_votes(builder, &view);
        else
            add_outputs(builder, &view, n_outputs);
    }
    const struct ensemble_shape shape = {
        .n_features = task->data->n_features, .n_outputs = n_outputs, .votes = votes};
    if (status)
        ensemble_builder_free(builder);
    else
        status = ensemble_builder_finish(builder, &shape, ensemble, error);
    memory_pool_free(&pool);
    return status;
}

/* --- the learner ------------------------------------------------------------------------------ */

static enum status check_options(const struct forest_options *options, struct error *error) {
    if (options->n_trees == 0 || options->n_trees > ENSEMBLE_MAX_TREES)
        return error_set(error, STATUS_INPUT, "the number of trees is %u, expected 1 to %d",
                         options->n_trees, ENSEMBLE_MAX_TREES);
    if (options->kind == FOREST_CART && options->n_trees != 1)
        return error_set(error, STATUS_INPUT, "CART grows a single tree, not %u", options->n_trees);
    if (options->max_depth > ENSEMBLE_MAX_DEPTH)
        return error_set(error, STATUS_INPUT, "a maximum depth of %u exceeds the limit of %d",
                         options->max_depth, ENSEMBLE_MAX_DEPTH);
    return STATUS_OK;
}

/* Builds the forest, and if `shares` is not NULL, also a copy whose leaves hold shares. */
static enum status build_all(const struct tree_task *task, const struct forest_options *options,
                             const struct grown_tree *trees, struct ensemble **ensemble,
                             struct ensemble **shares, struct error *error) {
    bool votes = task->n_classes > 0 && !options->sum_shares;
    struct ensemble *made = NULL;
    enum status status = build(task, trees, options->n_trees, votes, &made, error);
    if (!status && shares)
        status = build(task, trees, options->n_trees, false, shares, error);
    return ensemble_give(status, made, ensemble);
}

static enum status grow_and_build(const struct tree_task *task,
                                  const struct forest_options *options, struct ensemble **ensemble,
                                  struct ensemble **shares, struct error *error) {
    struct grown_tree *trees = calloc(options->n_trees, sizeof *trees);
    if (!trees)
        return error_memory(error, "the trees of a forest");
    enum status status = grow_forest(task, options, trees, error);
    if (!status)
        status = build_all(task, options, trees, ensemble, shares, error);
    for (uint32_t t = 0; t < options->n_trees; t++)
        grown_tree_free(&trees[t]);
    free(trees);
    return status;
}

/* `shares` may be NULL. */
static enum status learn(const struct learner_data *data, const struct forest_options *options,
                         struct ensemble **ensemble, struct ensemble **shares,
                         struct error *error) {
    uint32_t *class_of = NULL;
    struct tree_task task = {
        .data = data,
        .n_tried = choose_n_tried(data, options),
        .max_depth = options->max_depth ? options->max_depth : ENSEMBLE_MAX_DEPTH,
        .bootstrap = options->kind == FOREST_RANDOM,
        .random_threshold = options->kind == FOREST_EXTRA,
    };
    enum status status = check_options(options, error);
    if (!status)
        status = check_data(data, options->task, error);
    if (!status && options->task == FOREST_CLASSIFY) {
        status = find_classes(data, &class_of, &task.n_classes, error);
        task.class_of = class_of;
    }
    if (!status)
        status = grow_and_build(&task, options, ensemble, shares, error);
    free(class_of);
    return status;
}

enum status learn_forest(const struct learner_data *data, const struct forest_options *options,
                         struct ensemble **ensemble, struct error *error) {
    return learn(data, options, ensemble, NULL, error);
}

enum status learn_forest_both(const struct learner_data *data, const struct forest_options *options,
                              struct ensemble **votes, struct ensemble **shares,
                              struct error *error) {
    struct forest_options both = *options;
    both.task = FOREST_CLASSIFY;
    both.sum_shares = false;
    return learn(data, &both, votes, shares, error);
}
