#include "models/xgboost_model.h"

#include "base/memory.h"
#include "base/number.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CATEGORIES_END = 1 << 24 }; /* categories are under it */

/* Where a categorical node changes sides: documents up to cut[first] go left, from there up to
 * cut[first + 1] right, then left again, and so on. */
struct cut_range {
    uint32_t first, end;
};

/* A node of the tree to be built: a node of the file, or of a categorical one those of its tests
 * that decide between the cuts of `range`. */
struct job {
    uint32_t node;
    struct cut_range range; /* empty unless categorical */
};

struct xgboost_model {
    const char *name;
    struct ensemble_builder *builder;
    uint32_t n_trees;
    uint32_t copies_left;
    uint32_t largest_feature, largest_feature_tree, largest_feature_node;

    /* Memory of the current tree, which all trees share. */
    struct cut_range *node_cuts; /* [n_nodes] */
    uint8_t *seen;               /* [n_nodes] */
    size_t node_cuts_capacity, seen_capacity;
    float *cuts;
    size_t n_cuts, cuts_capacity;
    uint32_t *sorted; /* the categories of one node */
    size_t sorted_capacity;
    struct job *jobs;
    size_t n_jobs, jobs_capacity;
};

struct xgboost_model *xgboost_model_create(const char *name) {
    struct xgboost_model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->name = name;
    model->copies_left = XGBOOST_MAX_COPIED_NODES;
    model->builder = ensemble_builder_create();
    if (!model->builder) {
        free(model);
        return NULL;
    }
    return model;
}

void xgboost_model_free(struct xgboost_model *model) {
    if (!model)
        return;
    ensemble_builder_free(model->builder);
    free(model->node_cuts);
    free(model->seen);
    free(model->cuts);
    free(model->sorted);
    free(model->jobs);
    free(model);
}

static bool is_leaf(const struct xgboost_node *node) {
    return node->left < 0;
}

static bool is_deleted(const struct xgboost_node *node) {
    return node->default_left && node->feature == XGBOOST_DELETED_FEATURE;
}

/* Room for `count` elements of an array whose content may be lost. */
static bool reserve(void **array, size_t *capacity, size_t count, size_t size) {
    if (count <= *capacity)
        return true;
    void *larger = malloc(count * size);
    if (!larger)
        return false;
    free(*array);
    *array = larger;
    *capacity = count;
    return true;
}

/* --- checking --------------------------------------------------------------------------------- */

static enum status node_error(const struct xgboost_model *model, uint32_t node, struct error *error,
                              const char *what) {
    return error_set(error, STATUS_INPUT, "%s: tree %u, node %u: %s", model->name, model->n_trees,
                     node, what);
}

/* Gives every child one parent, so that going down from the root must end. */
static enum status check_children(const struct xgboost_model *model,
                                  const struct xgboost_tree *tree, struct error *error) {
    memset(model->seen, 0, tree->n_nodes);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct xgboost_node *node = &tree->nodes[i];
        if (is_leaf(node) || is_deleted(node))
            continue;
        for (int side = 0; side < 2; side++) {
            int32_t child = side ? node->right : node->left;
            if (child <= 0 || (uint32_t)child >= tree->n_nodes)
                return error_set(error, STATUS_INPUT,
                                 "%s: tree %u, node %u: its child %d should be one of the nodes 1 "
                                 "to %u",
                                 model->name, model->n_trees, i, child, tree->n_nodes - 1);
            if (model->seen[child]++)
                return error_set(error, STATUS_INPUT,
                                 "%s: tree %u, node %u: its child %d is another node's child "
                                 "already",
                                 model->name, model->n_trees, i, child);
        }
    }
    return STATUS_OK;
}

static enum status check_node(struct xgboost_model *model, const struct xgboost_tree *tree,
                              uint32_t i, struct error *error) {
    const struct xgboost_node *node = &tree->nodes[i];
    if (is_deleted(node))
        return node_error(model, i, error, "it is marked as deleted and yet in the tree");
    if (is_leaf(node))
        return isfinite(node->number)
                   ? STATUS_OK
                   : node_error(model, i, error, "the value of a leaf must be finite");
    if (node->feature > model->largest_feature) {
        model->largest_feature = node->feature;
        model->largest_feature_tree = model->n_trees;
        model->largest_feature_node = i;
    }
    if (!node->categorical && isnan(node->number))
        return node_error(model, i, error, "the split condition must be a number, it is NaN");
    return STATUS_OK;
}

/* --- categorical splits ----------------------------------------------------------------------- */

static int compare_u32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool add_cut(struct xgboost_model *model, uint32_t category) {
    if (!memory_grow((void **)&model->cuts, &model->cuts_capacity, model->n_cuts,
                     sizeof *model->cuts))
        return false;
    model->cuts[model->n_cuts++] = number_below((float)category);
    return true;
}

/* The cuts of one categorical node: two for every run of categories. */
static enum status find_cuts(struct xgboost_model *model, const struct xgboost_tree *tree,
                             uint32_t i, struct error *error) {
    const struct xgboost_node *node = &tree->nodes[i];
    uint32_t n = node->set_size;
    if (!node->has_set || node->set_first > tree->n_categories ||
        n > tree->n_categories - node->set_first)
        return node_error(model, i, error, "a categorical split without its categories");
    if (n == 0)
        return STATUS_OK;
    if (!reserve((void **)&model->sorted, &model->sorted_capacity, n, sizeof *model->sorted))
        return error_memory(error, "the categories of a node");
    memcpy(model->sorted, tree->categories + node->set_first, n * sizeof *model->sorted);
    qsort(model->sorted, n, sizeof *model->sorted, compare_u32);
    if (model->sorted[n - 1] >= CATEGORIES_END)
        return node_error(model, i, error, "its categories should be from 0 to 16777215");
    for (uint32_t k = 0; k < n; k++) {
        bool begins = k == 0 || model->sorted[k] > model->sorted[k - 1] + 1;
        bool ends = k + 1 == n || model->sorted[k + 1] > model->sorted[k] + 1;
        if ((begins && !add_cut(model, model->sorted[k])) ||
            (ends && !add_cut(model, model->sorted[k] + 1)))
            return error_memory(error, "the categories of a model");
    }
    return STATUS_OK;
}

static enum status find_all_cuts(struct xgboost_model *model, const struct xgboost_tree *tree,
                                 struct error *error) {
    model->n_cuts = 0;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct xgboost_node *node = &tree->nodes[i];
        struct cut_range *range = &model->node_cuts[i];
        range->first = (uint32_t)model->n_cuts;
        if (node->categorical && !is_leaf(node) && !is_deleted(node)) {
            enum status status = find_cuts(model, tree, i, error);
            if (status)
                return status;
        }
        range->end = (uint32_t)model->n_cuts;
    }
    return STATUS_OK;
}

/* --- building --------------------------------------------------------------------------------- */

/* Appends a node to the tree to be built and returns its number; 0, the root, stands for no
 * memory, since the root is nobody's child. */
static uint32_t add_job(struct xgboost_model *model, uint32_t node, struct cut_range range) {
    if (!memory_grow((void **)&model->jobs, &model->jobs_capacity, model->n_jobs,
                     sizeof *model->jobs))
        return 0;
    model->jobs[model->n_jobs] = (struct job){node, range};
    return (uint32_t)model->n_jobs++;
}

static uint32_t add_child(struct xgboost_model *model, int32_t node) {
    return add_job(model, (uint32_t)node, model->node_cuts[node]);
}

/* What decides between the cuts of a range; with no cut in it, that is the child of the side. */
static uint32_t add_range(struct xgboost_model *model, const struct xgboost_tree *tree,
                          uint32_t node, struct cut_range range) {
    if (range.first < range.end)
        return add_job(model, node, range);
    bool goes_right = (range.first - model->node_cuts[node].first) % 2;
    return add_child(model, goes_right ? tree->nodes[node].right : tree->nodes[node].left);
}

static void build_numeric(struct xgboost_model *model, const struct xgboost_node *node,
                          struct inner_node *built) {
    built->left = add_child(model, node->left);
    built->right = add_child(model, node->right);
    built->nan_left = node->default_left;
    if (node->categorical) {
        built->threshold = INFINITY; /* an empty set: all go left */
    } else if (node->number == -INFINITY) {
        /* Nothing is under -infinity, so all go right: as x <= infinity with the children swapped.
         */
        uint32_t left = built->left;
        built->left = built->right;
        built->right = left;
        built->nan_left = !node->default_left;
        built->threshold = INFINITY;
    } else {
        built->threshold = number_below(node->number);
    }
}

/* The middle cut of the range, so that many cuts make no deep tree. A missing value goes to the
 * first interval, which is a left one, or to the second, a right one. */
static void build_cut(struct xgboost_model *model, const struct xgboost_tree *tree, struct job job,
                      struct inner_node *built) {
    const struct xgboost_node *node = &tree->nodes[job.node];
    uint32_t middle = job.range.first + (job.range.end - job.range.first) / 2;
    uint32_t nan_interval = model->node_cuts[job.node].first + !node->default_left;
    built->threshold = model->cuts[middle];
    built->nan_left = nan_interval <= middle;
    built->left = add_range(model, tree, job.node, (struct cut_range){job.range.first, middle});
    built->right = add_range(model, tree, job.node, (struct cut_range){middle + 1, job.range.end});
}

static enum status build_node(struct xgboost_model *model, const struct xgboost_tree *tree,
                              struct job job, struct error *error) {
    const struct xgboost_node *node = &tree->nodes[job.node];
    enum status status = check_node(model, tree, job.node, error);
    if (status)
        return status;
    if (model->seen[job.node]++ && model->copies_left-- == 0)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: tree %u, node %u: categorical splits above it would take over %d "
                         "nodes more than the file has as numeric tests, should have fewer "
                         "categories",
                         model->name, model->n_trees, job.node, (int)XGBOOST_MAX_COPIED_NODES);
    if (is_leaf(node)) {
        ensemble_builder_add_leaf(model->builder, (double)node->number, ENSEMBLE_NO_COUNT);
        return STATUS_OK;
    }
    struct inner_node built = {.feature = node->feature, .count = ENSEMBLE_NO_COUNT};
    if (job.range.first < job.range.end)
        build_cut(model, tree, job, &built);
    else
        build_numeric(model, node, &built);
    if (!built.left || !built.right)
        return error_memory(error, "the nodes of a tree");
    ensemble_builder_add_inner(model->builder, &built);
    return STATUS_OK;
}

static enum status check_all_reached(const struct xgboost_model *model,
                                     const struct xgboost_tree *tree, struct error *error) {
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (!model->seen[i] && !is_deleted(&tree->nodes[i]))
            return node_error(model, i, error,
                              "no path from the root reaches it, and it is not "
                              "marked as deleted");
    }
    return STATUS_OK;
}

static enum status build_tree(struct xgboost_model *model, const struct xgboost_tree *tree,
                              struct error *error) {
    memset(model->seen, 0, tree->n_nodes);
    model->n_jobs = 0;
    if (add_job(model, 0, model->node_cuts[0]) != 0 || model->n_jobs == 0)
        return error_memory(error, "the nodes of a tree");
    ensemble_builder_add_tree(model->builder, 0);
    for (size_t next = 0; next < model->n_jobs; next++) {
        enum status status = build_node(model, tree, model->jobs[next], error);
        if (status)
            return status;
    }
    return check_all_reached(model, tree, error);
}

enum status xgboost_add_tree(struct xgboost_model *model, const struct xgboost_tree *tree,
                             struct error *error) {
    if (tree->n_nodes == 0 || tree->n_nodes > INT32_MAX)
        return error_set(error, STATUS_INPUT,
                         "%s: tree %u: %u nodes, should be between 1 and 2147483647", model->name,
                         model->n_trees, tree->n_nodes);
    if (!reserve((void **)&model->node_cuts, &model->node_cuts_capacity, tree->n_nodes,
                 sizeof *model->node_cuts) ||
        !reserve((void **)&model->seen, &model->seen_capacity, tree->n_nodes, 1))
        return error_memory(error, "the nodes of a tree");
    enum status status = check_children(model, tree, error);
    if (!status)
        status = find_all_cuts(model, tree, error);
    if (!status)
        status = build_tree(model, tree, error);
    model->n_trees++;
    return status;
}

/* --- the model as a whole --------------------------------------------------------------------- */

static float logit(float p) {
    return -logf(1.0F / p - 1.0F);
}

/* The objectives and their ProbToMargin; NULL: the margin is the prediction. */
static const struct objective {
    const char *name;
    float (*to_margin)(float);
} objectives[] = {
    {"binary:logistic", logit},
    {"binary:logitraw", logit},
    {"reg:logistic", logit},
    {"count:poisson", logf},
    {"reg:gamma", logf},
    {"reg:tweedie", logf},
    {"survival:aft", logf},
    {"survival:cox", logf},
    {"binary:hinge", NULL},
    {"multi:softmax", NULL},
    {"multi:softprob", NULL},
    {"rank:map", NULL},
    {"rank:ndcg", NULL},
    {"rank:pairwise", NULL},
    {"reg:absoluteerror", NULL},
    {"reg:linear", NULL},
    {"reg:pseudohubererror", NULL},
    {"reg:quantileerror", NULL},
    {"reg:squarederror", NULL},
    {"reg:squaredlogerror", NULL},
};

static const struct objective *find_objective(const char *name) {
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        if (strcmp(objectives[i].name, name) == 0)
            return &objectives[i];
    }
    return NULL;
}

/* The margins that scores begin with, [n_outputs]. */
static enum status find_base(const struct xgboost_model *model, const struct xgboost_header *header,
                             double *base, struct error *error) {
    const struct objective *objective = find_objective(header->objective);
    if (!objective && !header->base_is_margin)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: objective: '%.100s' is unknown, and so is how it takes the base "
                         "score to a margin; should be one of XGBoost's own",
                         model->name, header->objective);
    if (header->n_base != 1 && header->n_base != header->n_outputs)
        return error_set(error, STATUS_INPUT,
                         "%s: base_score: %zu values, should be 1 or %u, the number of outputs",
                         model->name, header->n_base, header->n_outputs);
    for (uint32_t k = 0; k < header->n_outputs; k++) {
        float value = header->base[header->n_base == 1 ? 0 : k];
        float margin =
            header->base_is_margin || !objective->to_margin ? value : objective->to_margin(value);
        if (!isfinite(margin))
            return error_set(error, STATUS_INPUT,
                             "%s: base_score: %g, which %s cannot take to a finite margin",
                             model->name, (double)value, header->objective);
        base[k] = (double)margin + 0.0; /* -0 becomes 0 */
    }
    return STATUS_OK;
}

static enum status check_header(const struct xgboost_model *model,
                                const struct xgboost_header *header, struct error *error) {
    if (header->n_outputs == 0 || header->n_outputs > ENSEMBLE_MAX_OUTPUTS)
        return error_set(error, STATUS_INPUT, "%s: %u outputs, should be between 1 and %d",
                         model->name, header->n_outputs, ENSEMBLE_MAX_OUTPUTS);
    if (header->n_features > 0 && model->largest_feature >= header->n_features)
        return error_set(error, STATUS_INPUT,
                         "%s: tree %u, node %u: feature %u in a model of %u features (from 0 on)",
                         model->name, model->largest_feature_tree, model->largest_feature_node,
                         model->largest_feature, header->n_features);
    if (header->n_tree_output > 0 && header->n_tree_output != model->n_trees)
        return error_set(error, STATUS_INPUT, "%s: tree_info: %zu values for %u trees", model->name,
                         header->n_tree_output, model->n_trees);
    if (header->n_tree_weight > 0 && header->n_tree_weight != model->n_trees)
        return error_set(error, STATUS_INPUT, "%s: weight_drop: %zu values for %u trees",
                         model->name, header->n_tree_weight, model->n_trees);
    for (size_t t = 0; t < header->n_tree_output; t++) {
        if (header->tree_output[t] >= header->n_outputs)
            return error_set(error, STATUS_INPUT,
                             "%s: tree_info: tree %zu adds to output %u of %u (from 0 on)",
                             model->name, t, header->tree_output[t], header->n_outputs);
    }
    for (size_t t = 0; t < header->n_tree_weight; t++) {
        if (!isfinite(header->tree_weight[t]))
            return error_set(error, STATUS_INPUT, "%s: weight_drop: of tree %zu must be finite",
                             model->name, t);
    }
    return STATUS_OK;
}

/* Files tell these behind the trees. The product of two floats is a double exactly. */
static void set_outputs_and_weights(struct ensemble *e, const struct xgboost_header *header) {
    for (size_t t = 0; t < header->n_tree_output; t++)
        e->tree_output[t] = header->tree_output[t];
    for (size_t t = 0; t < header->n_tree_weight; t++) {
        for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++)
            e->value[leaf] *= (double)header->tree_weight[t];
    }
}

enum status xgboost_model_finish(struct xgboost_model *model, const struct xgboost_header *header,
                                 struct ensemble **ensemble, struct error *error) {
    double *base = NULL;
    enum status status = check_header(model, header, error);
    if (!status) {
        base = calloc(header->n_outputs, sizeof *base);
        status = base ? find_base(model, header, base, error) : error_memory(error, "a model");
    }
    if (!status) {
        struct ensemble_shape shape = {header->n_features, header->n_outputs, base};
        status = reader_finish(model->name, model->builder, &shape, ensemble, error);
        model->builder = NULL;
    }
    if (!status)
        set_outputs_and_weights(*ensemble, header);
    free(base);
    xgboost_model_free(model);
    return status;
}
