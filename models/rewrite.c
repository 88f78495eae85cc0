#include "models/rewrite.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A node of the rewritten tree. */
struct new_node {
    struct inner_node inner;
    double value;
    bool is_leaf;
};

/* What a test on the path to a node leaves possible for a feature. */
struct known {
    uint32_t feature;
    float low, high;   /* low < x <= high; a low that is NaN bounds nothing */
    bool numbers, nan; /* whether x can be a number, can be NaN */
};

/* A part of the tree that is yet to be rewritten. */
struct task {
    enum { TASK_NODE, TASK_PIECES } kind;
    uint32_t node;                     /* of the original tree: TASK_NODE's */
    const struct rewrite_split *split; /* TASK_PIECES' own, TASK_NODE's parent; NULL: the root */
    uint32_t first, last, nan_piece;   /* TASK_PIECES: some of the split's pieces */
    struct known known;                /* what the split's tests leave possible for its feature */
    size_t n_path;                     /* splits on the path above that split */
    uint32_t depth;
    uint32_t parent; /* of the rewritten tree: gets the result as a child; NO_PARENT: the root */
    bool is_right;
};
#define NO_PARENT UINT32_MAX

struct rewriter {
    struct new_node *nodes; /* of the current tree */
    size_t n_nodes, nodes_capacity;
    uint32_t *order; /* nodes of the original tree yet to be looked at */
    size_t n_order, order_capacity;
    struct task *tasks; /* the next one is the last */
    size_t n_tasks, tasks_capacity;
    struct known *path; /* one entry for each split above the current node */
    size_t n_path, path_capacity;
    size_t tree_copies, model_copies; /* of nodes of the original trees, made so far */
    uint32_t culprit;                 /* the last split of several pieces that was rewritten */
    const struct rewrite_tree *tree;
    enum status status;
    struct error *error;
};

struct rewriter *rewriter_create(void) {
    return calloc(1, sizeof(struct rewriter));
}

void rewriter_free(struct rewriter *rewriter) {
    if (!rewriter)
        return;
    free(rewriter->nodes);
    free(rewriter->order);
    free(rewriter->path);
    free(rewriter->tasks);
    free(rewriter);
}

bool rewrite_cuts_add(struct rewrite_cuts *list, struct rewrite_split *split, float cut) {
    if (split->n_cuts && list->cuts[list->count - 1] == cut) {
        split->n_cuts--;
        list->count--;
        return true;
    }
    if (!memory_grow((void **)&list->cuts, &list->capacity, list->count, sizeof cut))
        return false;
    list->cuts[list->count++] = cut;
    split->n_cuts++;
    return true;
}

/* --- plain trees ------------------------------------------------------------------------------ */

static bool is_plain(const struct rewrite_split *split) {
    return split->n_cuts == 1 && split->lowest_left;
}

static bool is_plain_tree(const struct rewrite_tree *tree) {
    for (uint32_t i = 0; i < tree->n_splits; i++) {
        if (!is_plain(&tree->splits[i]))
            return false;
    }
    return true;
}

static void add_plain_tree(const struct rewrite_tree *tree, struct ensemble_builder *builder) {
    ensemble_builder_add_tree(builder, tree->output);
    for (uint32_t i = 0; i < tree->n_splits; i++) {
        const struct rewrite_split *split = &tree->splits[i];
        ensemble_builder_add_inner(builder,
                                   &(struct inner_node){.feature = split->feature,
                                                        .threshold = tree->cuts[split->first_cut],
                                                        .left = split->left,
                                                        .right = split->right,
                                                        .nan_left = split->nan_left,
                                                        .count = split->count});
    }
    for (uint32_t i = 0; i <= tree->n_splits; i++)
        ensemble_builder_add_leaf(builder, tree->value[i], tree->leaf_count[i]);
}

/* --- is it a tree? ---------------------------------------------------------------------------- */

static bool remember(struct rewriter *r, uint32_t node) {
    if (!memory_grow((void **)&r->order, &r->order_capacity, r->n_order, sizeof node)) {
        r->status = error_memory(r->error, "the nodes of a tree");
        return false;
    }
    r->order[r->n_order++] = node;
    return true;
}

/* Copies would hide from the builder that a node has two parents or none. */
static enum status check_tree(struct rewriter *r, const struct rewrite_tree *tree) {
    uint32_t n_nodes = 2 * tree->n_splits + 1;
    bool *reached = calloc(n_nodes, sizeof *reached);
    if (!reached)
        return error_memory(r->error, "the nodes of a tree");
    uint32_t n_reached = 0;
    r->n_order = 0;
    reached[0] = true;
    bool going_on = remember(r, 0);
    while (going_on && r->n_order) {
        uint32_t i = r->order[--r->n_order];
        n_reached++;
        for (int side = 0; i < tree->n_splits && going_on && side < 2; side++) {
            uint32_t child = side ? tree->splits[i].right : tree->splits[i].left;
            going_on = !reached[child] && remember(r, child);
            if (reached[child])
                r->status =
                    error_set(r->error, STATUS_INPUT,
                              "tree %u, node %u: its child %u is a child of another node, or the "
                              "root",
                              tree->number, i, child);
            reached[child] = true;
        }
    }
    uint32_t missed = 0;
    while (missed < n_nodes && reached[missed])
        missed++;
    free(reached);
    if (!r->status && n_reached < n_nodes)
        r->status =
            error_set(r->error, STATUS_INPUT, "tree %u, node %u: no path from the root leads here",
                      tree->number, missed);
    return r->status;
}

/* --- rewriting -------------------------------------------------------------------------------- */

/* The result of a task. */
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

/* The number of a node in errors. */
static uint32_t told_number(const struct rewriter *r, uint32_t node) {
    return r->tree->node_number ? r->tree->node_number[node] : node;
}

static bool refuse_copies(struct rewriter *r, size_t limit, const char *whole) {
    r->status = error_set(r->error, STATUS_UNSUPPORTED,
                          "tree %u, node %u: its split in %u pieces, rewritten into plain tests, "
                          "leads to more than %zu nodes in the %s, should be fewer pieces "
                          "(categories)",
                          r->tree->number, told_number(r, r->culprit),
                          r->tree->splits[r->culprit].n_cuts + 1, limit, whole);
    return false;
}

/* Counts one more copy of a node; copies that what is known decides without a test count too, so
 * that the time is bounded as well. */
static bool may_copy(struct rewriter *r, uint32_t node, uint32_t depth) {
    size_t limit = (size_t)(2 * r->tree->n_splits + 1) * REWRITE_MAX_GROWTH + REWRITE_FREE_NODES;
    if (r->tree_copies++ >= limit)
        return refuse_copies(r, limit, "tree");
    if (r->model_copies++ >= REWRITE_MAX_NODES)
        return refuse_copies(r, REWRITE_MAX_NODES, "model");
    if (depth > REWRITE_MAX_DEPTH)
        r->status = error_set(r->error, STATUS_UNSUPPORTED,
                              "tree %u, node %u: more than %d steps from the root, in a tree with "
                              "splits that one test cannot make, should be less deep",
                              r->tree->number, told_number(r, node), REWRITE_MAX_DEPTH);
    return !r->status;
}

/* A task's result becomes a child of a node that is there already. */
static void add_task(struct rewriter *r, struct task task) {
    if (r->status)
        return;
    if (memory_grow((void **)&r->tasks, &r->tasks_capacity, r->n_tasks, sizeof task))
        r->tasks[r->n_tasks++] = task;
    else
        r->status = error_memory(r->error, "the nodes of a tree");
}

/* `from` with one of the split's children to do, which is reached by what `known` says. */
static struct task child_task(const struct task *from, const struct known *known, bool left) {
    struct task task = *from;
    task.kind = TASK_NODE;
    task.node = left ? from->split->left : from->split->right;
    task.known = *known;
    task.depth = from->depth + 1;
    return task;
}

static bool piece_is_left(const struct rewrite_split *split, uint32_t piece) {
    return split->lowest_left == (piece % 2 == 0);
}

/* A new test, and its two sides as tasks: the left one comes next. */
static void add_test(struct rewriter *r, const struct task *at, struct inner_node inner,
                     struct task left, struct task right) {
    uint32_t self = add_node(r, at, (struct new_node){.inner = inner});
    left.parent = right.parent = self;
    left.is_right = false;
    right.is_right = true;
    add_task(r, right);
    add_task(r, left);
}

/* The pieces first..last of a split, of which NaN, where it is possible, shares nan_piece. */
static void rewrite_pieces(struct rewriter *r, const struct task *task) {
    const struct rewrite_split *split = task->split;
    if (task->first == task->last) {
        add_task(r, child_task(task, &task->known, piece_is_left(split, task->first)));
        return;
    }
    uint32_t middle = task->first + (task->last - task->first) / 2;
    float cut = r->tree->cuts[split->first_cut + middle];
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

/* All numbers go one way, and NaN goes the other. */
static void rewrite_nan_test(struct rewriter *r, const struct task *task) {
    const struct rewrite_split *split = task->split;
    struct known number = task->known, nan = task->known;
    number.nan = nan.numbers = false;
    add_test(r, task, (struct inner_node){.feature = split->feature, .threshold = INFINITY},
             child_task(task, &number, !split->nan_left), child_task(task, &nan, split->nan_left));
}

/* How many of the cuts are under a bound; those at the bound too where `at` says so. */
static uint32_t cuts_under(const float *cuts, uint32_t n, float bound, bool at) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (cuts[middle] < bound || (at && cuts[middle] == bound))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void rewrite_split(struct rewriter *r, struct task *task) {
    const struct rewrite_split *split = task->split;
    const struct known *known = &task->known;
    if (!known->numbers) {
        add_task(r, child_task(task, known, split->nan_left));
        return;
    }
    const float *cuts = split->n_cuts ? r->tree->cuts + split->first_cut : NULL;
    task->kind = TASK_PIECES;
    task->first = cuts_under(cuts, split->n_cuts, known->low, true);
    task->last = cuts_under(cuts, split->n_cuts, known->high, false);
    task->nan_piece = task->first + (piece_is_left(split, task->first) != split->nan_left);
    if (known->nan && task->nan_piece > task->last)
        rewrite_nan_test(r, task);
    else
        rewrite_pieces(r, task);
}

/* The path to the task's node. What stands behind it is of nodes that are done. */
static bool extend_path(struct rewriter *r, const struct task *task) {
    r->n_path = task->n_path;
    if (!task->split)
        return true;
    if (!memory_grow((void **)&r->path, &r->path_capacity, r->n_path, sizeof task->known)) {
        r->status = error_memory(r->error, "the nodes of a tree");
        return false;
    }
    r->path[r->n_path++] = task->known;
    return true;
}

/* What the latest test on the path left possible for a feature. */
static struct known find_known(const struct rewriter *r, uint32_t feature) {
    for (size_t i = r->n_path; i-- > 0;)
        if (r->path[i].feature == feature)
            return r->path[i];
    return (struct known){
        .feature = feature, .low = NAN, .high = INFINITY, .numbers = true, .nan = true};
}

static void rewrite_node(struct rewriter *r, struct task *task) {
    const struct rewrite_tree *tree = r->tree;
    uint32_t node = task->node;
    if (!may_copy(r, node, task->depth) || !extend_path(r, task))
        return;
    if (node >= tree->n_splits) {
        add_node(r, task,
                 (struct new_node){.value = tree->value[node - tree->n_splits], .is_leaf = true});
        return;
    }
    task->split = &tree->splits[node];
    task->n_path = r->n_path;
    task->known = find_known(r, task->split->feature);
    if (!is_plain(task->split))
        r->culprit = node;
    rewrite_split(r, task);
}

/* Depth first, the left side before the right one, in order that a recursion would have: paths
 * may be as long as REWRITE_MAX_DEPTH, and a thread's stack small. */
static void rewrite_tree(struct rewriter *r) {
    r->n_tasks = 0;
    add_task(r, (struct task){.kind = TASK_NODE, .parent = NO_PARENT});
    while (r->n_tasks && !r->status) {
        struct task task = r->tasks[--r->n_tasks];
        if (task.kind == TASK_NODE)
            rewrite_node(r, &task);
        else
            rewrite_pieces(r, &task);
    }
}

static void add_rewritten_tree(const struct rewriter *r, struct ensemble_builder *builder) {
    ensemble_builder_add_tree(builder, r->tree->output);
    for (size_t i = 0; i < r->n_nodes; i++) {
        struct new_node node = r->nodes[i];
        node.inner.count = ENSEMBLE_NO_COUNT;
        if (node.is_leaf)
            ensemble_builder_add_leaf(builder, node.value, ENSEMBLE_NO_COUNT);
        else
            ensemble_builder_add_inner(builder, &node.inner);
    }
}

enum status rewriter_add_tree(struct rewriter *r, const struct rewrite_tree *tree,
                              struct ensemble_builder *builder, struct error *error) {
    if (is_plain_tree(tree)) {
        add_plain_tree(tree, builder);
        return STATUS_OK;
    }
    r->tree = tree;
    r->error = error;
    r->status = STATUS_OK;
    r->n_nodes = 0;
    r->tree_copies = 0;
    r->culprit = 0;
    if (check_tree(r, tree))
        return r->status;
    rewrite_tree(r);
    if (!r->status)
        add_rewritten_tree(r, builder);
    return r->status;
}
