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

struct rewriter {
    struct new_node *nodes; /* of the current tree */
    size_t n_nodes, nodes_capacity;
    uint32_t *order; /* nodes of the original tree yet to be looked at */
    size_t n_order, order_capacity;
    size_t tree_copies, model_copies; /* of nodes of the original trees, made so far */
    uint32_t culprit;                 /* the last split of several pieces that was rewritten */
    const struct rewrite_tree *tree;
    enum status status;
    struct error *error;
};

/* What the tests on the path to a node leave possible for a feature. A list that lies in the frames
 * of the recursion, the latest knowledge first. */
struct known {
    const struct known *up;
    uint32_t feature;
    float low, high;   /* low < x <= high; a low that is NaN bounds nothing */
    bool numbers, nan; /* whether x can be a number, can be NaN */
};

struct rewriter *rewriter_create(void) {
    return calloc(1, sizeof(struct rewriter));
}

void rewriter_free(struct rewriter *rewriter) {
    if (!rewriter)
        return;
    free(rewriter->nodes);
    free(rewriter->order);
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

static uint32_t add_node(struct rewriter *r, struct new_node node) {
    if (!memory_grow((void **)&r->nodes, &r->nodes_capacity, r->n_nodes, sizeof node)) {
        r->status = error_memory(r->error, "the nodes of a tree");
        return 0;
    }
    r->nodes[r->n_nodes] = node;
    return (uint32_t)r->n_nodes++;
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

static uint32_t rewrite_node(struct rewriter *r, uint32_t node, const struct known *path,
                             uint32_t depth);

/* A child that is reached by what `known` says on top of the path. */
static uint32_t rewrite_child(struct rewriter *r, const struct rewrite_split *split, bool left,
                              const struct known *known, uint32_t depth) {
    return rewrite_node(r, left ? split->left : split->right, known, depth);
}

static bool piece_is_left(const struct rewrite_split *split, uint32_t piece) {
    return split->lowest_left == (piece % 2 == 0);
}

/* The pieces first..last of a split, of which NaN, where it is possible, shares nan_piece. */
static uint32_t rewrite_pieces(struct rewriter *r, const struct rewrite_split *split,
                               uint32_t first, uint32_t last, uint32_t nan_piece,
                               const struct known *known, uint32_t depth) {
    if (first == last)
        return rewrite_child(r, split, piece_is_left(split, first), known, depth + 1);
    uint32_t middle = first + (last - first) / 2;
    float cut = r->tree->cuts[split->first_cut + middle];
    bool nan_left = known->nan && nan_piece <= middle;
    struct known below = *known, above = *known;
    below.high = above.low = cut;
    below.nan = nan_left;
    above.nan = known->nan && !nan_left;
    uint32_t self = add_node(
        r, (struct new_node){
               .inner = {.feature = split->feature, .threshold = cut, .nan_left = nan_left}});
    if (r->status)
        return 0;
    uint32_t left = rewrite_pieces(r, split, first, middle, nan_piece, &below, depth + 1);
    uint32_t right = rewrite_pieces(r, split, middle + 1, last, nan_piece, &above, depth + 1);
    if (r->status)
        return 0;
    r->nodes[self].inner.left = left;
    r->nodes[self].inner.right = right;
    return self;
}

/* All numbers go one way, and NaN goes the other. */
static uint32_t rewrite_nan_test(struct rewriter *r, const struct rewrite_split *split,
                                 const struct known *known, uint32_t depth) {
    struct known number = *known, nan = *known;
    number.nan = nan.numbers = false;
    uint32_t self =
        add_node(r, (struct new_node){.inner = {.feature = split->feature, .threshold = INFINITY}});
    if (r->status)
        return 0;
    uint32_t left = rewrite_child(r, split, !split->nan_left, &number, depth + 1);
    uint32_t right = rewrite_child(r, split, split->nan_left, &nan, depth + 1);
    if (r->status)
        return 0;
    r->nodes[self].inner.left = left;
    r->nodes[self].inner.right = right;
    return self;
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

static uint32_t rewrite_split(struct rewriter *r, const struct rewrite_split *split,
                              const struct known *known, uint32_t depth) {
    if (!known->numbers)
        return rewrite_child(r, split, split->nan_left, known, depth + 1);
    const float *cuts = split->n_cuts ? r->tree->cuts + split->first_cut : NULL;
    uint32_t first = cuts_under(cuts, split->n_cuts, known->low, true);
    uint32_t last = cuts_under(cuts, split->n_cuts, known->high, false);
    uint32_t nan_piece = first + (piece_is_left(split, first) != split->nan_left);
    if (known->nan && nan_piece > last)
        return rewrite_nan_test(r, split, known, depth);
    return rewrite_pieces(r, split, first, last, nan_piece, known, depth);
}

static uint32_t rewrite_node(struct rewriter *r, uint32_t node, const struct known *path,
                             uint32_t depth) {
    const struct rewrite_tree *tree = r->tree;
    if (r->status || !may_copy(r, node, depth))
        return 0;
    if (node >= tree->n_splits)
        return add_node(
            r, (struct new_node){.value = tree->value[node - tree->n_splits], .is_leaf = true});
    const struct rewrite_split *split = &tree->splits[node];
    if (!is_plain(split))
        r->culprit = node;
    struct known known = {.low = NAN, .high = INFINITY, .numbers = true, .nan = true};
    for (const struct known *k = path; k; k = k->up) {
        if (k->feature == split->feature) {
            known = *k;
            break;
        }
    }
    known.up = path;
    known.feature = split->feature;
    return rewrite_split(r, split, &known, depth);
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
    rewrite_node(r, 0, NULL, 0);
    if (!r->status)
        add_rewritten_tree(r, builder);
    return r->status;
}
