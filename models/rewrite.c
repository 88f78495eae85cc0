#include "models/rewrite.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node of the rewritten tree. */
struct new_node {
    struct inner_node inner;
    double value;
    bool is_leaf;
};

/* A split divides the numbers at its cuts into pieces. The lowest piece goes left, the next one
 * right, and so on, alternately. */
struct split {
    uint32_t feature;
    uint32_t n_cuts;    /* 0 if there is no split */
    const double *cuts; /* NULL if the only cut is the threshold */
    double threshold;
    bool nan_left;
    int32_t left, right;
};

/* The values of a feature that are still possible after the tests on the path to a node. */
struct known {
    uint32_t feature;
    double low, high;  /* low < x <= high; NaN means no lower bound */
    bool numbers, nan; /* can x be a number, can it be NaN? */
};

/* A part of the tree that has not been rewritten yet. */
struct task {
    enum { TASK_NODE, TASK_PIECES } kind;
    int32_t node;       /* TASK_NODE: as in the ensemble, c < 0 is leaf ~c */
    struct split split; /* TASK_PIECES: the split to rewrite; TASK_NODE: the parent's */
    uint32_t first, last, nan_piece; /* TASK_PIECES: a range of the split's pieces */
    struct known known;              /* what the split's tests leave possible for its feature */
    size_t n_path;                   /* number of splits on the path above that split */
    uint32_t depth;
    uint32_t parent; /* node of the rewritten tree that gets the result as a child; NO_PARENT for
                        the root */
    bool is_right;
};
#define NO_PARENT UINT32_MAX

/* The tree being rewritten. */
struct rewriter {
    const struct ensemble *e;
    uint32_t tree;
    struct new_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct task *tasks; /* a stack: the last task is next */
    size_t n_tasks, tasks_capacity;
    struct known *path; /* one entry for each split above the current node */
    size_t n_path, path_capacity;
    size_t tree_copies, model_copies; /* nodes of the original trees copied so far */
    int32_t culprit;                  /* the last set node that was rewritten */
    enum status status;
    struct error *error;
};

/* --- the nodes of the original ---------------------------------------------------------------- */

static struct split find_split(const struct rewriter *r, int32_t number) {
    size_t node = r->e->tree_node[r->tree] + (size_t)number;
    const struct inner_node inner = ensemble_inner_node(r->e, node);
    return (struct split){.feature = inner.feature,
                          .n_cuts = inner.cuts ? inner.n_cuts : 1,
                          .cuts = inner.cuts,
                          .threshold = inner.threshold,
                          .nan_left = inner.nan_left,
                          .left = r->e->left[node],
                          .right = r->e->right[node]};
}

static double cut_of(const struct split *split, uint32_t i) {
    return split->cuts ? split->cuts[i] : split->threshold;
}

/* --- plain trees ------------------------------------------------------------------------------ */

static void add_plain_tree(const struct ensemble *e, uint32_t t, struct ensemble_builder *builder) {
    ensemble_builder_copy_nodes(builder, e, t);
    for (size_t l = e->tree_leaf[t]; l < e->tree_leaf[t + 1]; l++)
        ensemble_builder_add_leaf(builder, e->value[l],
                                  e->leaf_count ? e->leaf_count[l] : ENSEMBLE_NO_COUNT);
}

/* --- rewriting -------------------------------------------------------------------------------- */

/* Adds a node and makes it a child of the task's parent. */
static uint32_t add_node(struct rewriter *r, const struct task *task, struct new_node node) {
    if (!memory_grow((void **)&r->nodes, &r->nodes_capacity, r->n_nodes, sizeof node)) {
        r->status = error_memory(r->error, "the nodes of a tree");
        return 0;
    }
    uint32_t self = (uint32_t)r->n_nodes++;
    r->nodes[self] = node;
    if (task->parent != NO_PARENT) {
        struct inner_node *parent = &r->nodes[task->parent].inner;
        *(task->is_right ? &parent->right : &parent->left) = self;
    }
    return self;
}

static bool refuse_copies(struct rewriter *r, size_t limit, const char *whole) {
    r->status = error_set(r->error, STATUS_UNSUPPORTED,
                          "tree %u, node %d: replacing its test of %u groups of categories by "
                          "numeric tests takes more than %zu nodes in the %s",
                          r->tree, r->culprit, find_split(r, r->culprit).n_cuts + 1, limit, whole);
    return false;
}

/* Counts one more copy of a node. Copies that need no test are counted too, so that the running
 * time is bounded as well. */
static bool may_copy(struct rewriter *r, uint32_t depth) {
    size_t nodes = 2 * (size_t)ensemble_tree_nodes(r->e, r->tree) + 1;
    size_t limit = nodes * REWRITE_MAX_GROWTH + REWRITE_FREE_NODES;
    if (r->tree_copies++ >= limit)
        return refuse_copies(r, limit, "tree");
    if (r->model_copies++ >= REWRITE_MAX_NODES)
        return refuse_copies(r, REWRITE_MAX_NODES, "model");
    if (depth > REWRITE_MAX_DEPTH)
        r->status = error_set(r->error, STATUS_UNSUPPORTED,
                              "tree %u, node %d: replacing its test of categories by numeric tests "
                              "makes the tree deeper than %d tests",
                              r->tree, r->culprit, REWRITE_MAX_DEPTH);
    return !r->status;
}

static void add_task(struct rewriter *r, struct task task) {
    if (r->status)
        return;
    if (memory_grow((void **)&r->tasks, &r->tasks_capacity, r->n_tasks, sizeof task))
        r->tasks[r->n_tasks++] = task;
    else
        r->status = error_memory(r->error, "the nodes of a tree");
}

/* Returns a task for the left or right child of the split. `known` holds in the child. */
static struct task child_task(const struct task *from, const struct known *known, bool left) {
    struct task task = *from;
    task.kind = TASK_NODE;
    task.node = left ? from->split.left : from->split.right;
    task.known = *known;
    task.depth = from->depth + 1;
    return task;
}

static bool piece_is_left(uint32_t piece) {
    return piece % 2 == 0;
}

/* Adds a test, and tasks for its two sides. The left side is processed next. */
static void add_test(struct rewriter *r, const struct task *at, struct inner_node inner,
                     struct task left, struct task right) {
    uint32_t self = add_node(r, at, (struct new_node){.inner = inner});
    left.parent = right.parent = self;
    left.is_right = false;
    right.is_right = true;
    add_task(r, right);
    add_task(r, left);
}

/* Rewrites the pieces first..last of a split. NaN, if possible, belongs to nan_piece. */
static void rewrite_pieces(struct rewriter *r, const struct task *task) {
    const struct split *split = &task->split;
    if (task->first == task->last) {
        add_task(r, child_task(task, &task->known, piece_is_left(task->first)));
        return;
    }
    uint32_t middle = task->first + (task->last - task->first) / 2;
    double cut = cut_of(split, middle);
    bool nan_left = task->known.nan && task->nan_piece <= middle;
    struct task below = *task, above = *task;
    below.depth = above.depth = task->depth + 1;
    below.last = middle;
    above.first = middle + 1;
    below.known.high = above.known.low = cut;
    below.known.nan = nan_left;
    above.known.nan = task->known.nan && !nan_left;
    add_test(r, task,
             (struct inner_node){.feature = split->feature, .threshold = cut, .nan_left = nan_left},
             below, above);
}

/* Adds a test that sends all numbers one way and NaN the other. */
static void rewrite_nan_test(struct rewriter *r, const struct task *task) {
    const struct split *split = &task->split;
    struct known number = task->known, nan = task->known;
    number.nan = nan.numbers = false;
    add_test(r, task, (struct inner_node){.feature = split->feature, .threshold = (double)INFINITY},
             child_task(task, &number, !split->nan_left), child_task(task, &nan, split->nan_left));
}

/* Returns the number of cuts below a bound. If `at` is true, cuts equal to the bound are counted
 * too. */
static uint32_t cuts_under(const struct split *split, double bound, bool at) {
    uint32_t low = 0, high = split->n_cuts;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        double cut = cut_of(split, middle);
        if (cut < bound || (at && cut == bound))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void rewrite_split(struct rewriter *r, struct task *task) {
    const struct split *split = &task->split;
    const struct known *known = &task->known;
    if (!known->numbers) {
        add_task(r, child_task(task, known, split->nan_left));
        return;
    }
    task->kind = TASK_PIECES;
    task->first = cuts_under(split, known->low, true);
    task->last = cuts_under(split, known->high, false);
    task->nan_piece = task->first + (piece_is_left(task->first) != split->nan_left);
    if (known->nan && task->nan_piece > task->last)
        rewrite_nan_test(r, task);
    else
        rewrite_pieces(r, task);
}

/* Sets the path to the task's node. Entries after this path belong to nodes that are finished. */
static bool extend_path(struct rewriter *r, const struct task *task) {
    r->n_path = task->n_path;
    if (task->split.n_cuts == 0)
        return true;
    if (!memory_grow((void **)&r->path, &r->path_capacity, r->n_path, sizeof task->known)) {
        r->status = error_memory(r->error, "the nodes of a tree");
        return false;
    }
    r->path[r->n_path++] = task->known;
    return true;
}

/* Returns the values of a feature that are still possible after its last test on the path. */
static struct known find_known(const struct rewriter *r, uint32_t feature) {
    for (size_t i = r->n_path; i-- > 0;)
        if (r->path[i].feature == feature)
            return r->path[i];
    return (struct known){.feature = feature,
                          .low = (double)NAN,
                          .high = (double)INFINITY,
                          .numbers = true,
                          .nan = true};
}

static void rewrite_node(struct rewriter *r, struct task *task) {
    int32_t node = task->node;
    if (!may_copy(r, task->depth) || !extend_path(r, task))
        return;
    if (node < 0) {
        size_t leaf = r->e->tree_leaf[r->tree] + (uint32_t)~node;
        add_node(r, task, (struct new_node){.value = r->e->value[leaf], .is_leaf = true});
        return;
    }
    task->split = find_split(r, node);
    task->n_path = r->n_path;
    task->known = find_known(r, task->split.feature);
    if (task->split.cuts)
        r->culprit = node;
    rewrite_split(r, task);
}

static void add_rewritten_tree(const struct rewriter *r, struct ensemble_builder *builder) {
    ensemble_builder_add_tree(builder, r->e->tree_output[r->tree]);
    for (size_t i = 0; i < r->n_nodes; i++) {
        struct new_node node = r->nodes[i];
        node.inner.count = ENSEMBLE_NO_COUNT;
        if (node.is_leaf)
            ensemble_builder_add_leaf(builder, node.value, ENSEMBLE_NO_COUNT);
        else
            ensemble_builder_add_inner(builder, &node.inner);
    }
}

/* Rewrites a tree depth first, left before right. It is not recursive, because paths may have
 * REWRITE_MAX_DEPTH steps and a thread's stack may be small. */
static enum status rewrite_tree(struct rewriter *r, uint32_t t, struct ensemble_builder *builder) {
    r->tree = t;
    r->n_nodes = r->n_tasks = 0;
    r->tree_copies = 0;
    r->culprit = 0;
    add_task(r, (struct task){.kind = TASK_NODE, .parent = NO_PARENT});
    while (r->n_tasks && !r->status) {
        struct task task = r->tasks[--r->n_tasks];
        if (task.kind == TASK_NODE)
            rewrite_node(r, &task);
        else
            rewrite_pieces(r, &task);
    }
    if (!r->status)
        add_rewritten_tree(r, builder);
    return r->status;
}

static enum status copy_facts(const struct ensemble *e, struct ensemble *copy,
                              struct error *error) {
    copy->open_width = e->open_width;
    copy->best_trees = e->best_trees;
    copy->format = e->format;
    memcpy(copy->objective, e->objective, sizeof copy->objective);
    if (!e->feature_names)
        return STATUS_OK;
    const char *end = e->feature_names;
    for (uint32_t f = 0; f < e->n_features; f++)
        end += strlen(end) + 1;
    copy->feature_names = malloc((size_t)(end - e->feature_names));
    if (!copy->feature_names)
        return error_memory(error, "the names of features");
    memcpy(copy->feature_names, e->feature_names, (size_t)(end - e->feature_names));
    return STATUS_OK;
}

enum status ensemble_finish_copy(const struct ensemble *e, enum status status,
                                 struct ensemble_builder *builder,
                                 const struct ensemble_shape *shape, struct ensemble **copy,
                                 struct error *error) {
    struct ensemble *made = NULL;
    if (status)
        ensemble_builder_free(builder);
    else
        status = ensemble_builder_finish(builder, shape, &made, error);
    if (!status)
        status = copy_facts(e, made, error);
    return ensemble_give(status, made, copy);
}

static enum status copy_trees(const struct ensemble *e, bool keeps_sets, struct ensemble **made,
                              struct error *error) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct rewriter r = {.e = e, .error = error};
    for (uint32_t t = 0; t < e->n_trees && !r.status; t++) {
        if (!keeps_sets && ensemble_tree_has_sets(e, t))
            r.status = rewrite_tree(&r, t, builder);
        else
            add_plain_tree(e, t, builder);
    }
    free(r.nodes);
    free(r.tasks);
    free(r.path);
    const struct ensemble_shape shape = ensemble_shape_of(e);
    return ensemble_finish_copy(e, r.status, builder, &shape, made, error);
}

enum status ensemble_rewrite_sets(const struct ensemble *ensemble, struct ensemble **plain,
                                  struct error *error) {
    return copy_trees(ensemble, false, plain, error);
}

enum status ensemble_copy(const struct ensemble *ensemble, struct ensemble **copy,
                          struct error *error) {
    return copy_trees(ensemble, true, copy, error);
}

enum status ensemble_rewrite_for_writer(const struct ensemble *ensemble, struct ensemble **plain,
                                        struct error *error) {
    struct error reason;
    enum status status = ensemble_rewrite_sets(ensemble, plain, &reason);
    if (status == STATUS_UNSUPPORTED)
        return error_set(error, status, "%s. treebench JSON stores categories unchanged",
                         reason.text);
    return status ? error_set(error, status, "%s", reason.text) : STATUS_OK;
}
