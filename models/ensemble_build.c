/* Builds an ensemble. Nodes are stored as they come, then checked and brought into canonical form.
 * All algorithms are iterative, so that degenerate trees of any depth need no stack, and linear in
 * the number of nodes. */
#include "models/ensemble.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LEAVES_OVER_NODES = ENSEMBLE_MAX_TREES }; /* a tree has one more leaf than inner nodes */

struct raw_node {
    union {
        uint32_t child[2]; /* left, right: node numbers of the same tree */
        double value;
    };
    uint64_t count;
    double threshold;
    uint32_t feature;
    uint32_t set; /* ENSEMBLE_NO_SET for a plain node */
    bool is_leaf, nan_left;
};

struct raw_tree {
    size_t first_node;
    uint32_t output;
};

struct ensemble_builder {
    struct raw_node *nodes;
    struct raw_tree *trees;
    size_t n_nodes, nodes_capacity, n_trees, trees_capacity;
    size_t n_inner;
    double *cuts;    /* of all sets, contiguous */
    size_t *set_cut; /* [n_sets] first cut of each set */
    size_t n_cuts, cuts_capacity, n_sets, sets_capacity;
    bool has_counts; /* true if every node added so far has a count */
    enum status status;
    struct error error; /* the first error */
};

/* The place of a node in the canonical form. Several passes over the tree compute it. */
struct place {
    uint32_t parent; /* NOBODY for the root */
    uint32_t level;  /* number of decisions above the node; NOBODY until it is reached */
    uint32_t inner;  /* index among the inner nodes, breadth first */
    uint32_t leaves; /* number of leaves at or below this node */
    uint32_t first_leaf;
};
static const uint32_t NOBODY = UINT32_MAX;

/* One tree of the builder, with scratch memory that all trees share. */
struct placing {
    const struct ensemble_builder *builder;
    const struct raw_node *nodes;
    uint32_t n_nodes, tree;
    struct place *places;
    uint32_t *order; /* the tree's nodes, breadth first */
};

/* --- adding ----------------------------------------------------------------------------------- */

struct ensemble_builder *ensemble_builder_create(void) {
    struct ensemble_builder *builder = calloc(1, sizeof *builder);
    if (builder)
        builder->has_counts = true;
    return builder;
}

void ensemble_builder_free(struct ensemble_builder *builder) {
    if (!builder)
        return;
    free(builder->nodes);
    free(builder->trees);
    free(builder->cuts);
    free(builder->set_cut);
    free(builder);
}

void ensemble_builder_add_tree(struct ensemble_builder *builder, uint32_t output) {
    if (!builder || builder->status)
        return;
    if (builder->n_trees == ENSEMBLE_MAX_TREES)
        builder->status = error_set(&builder->error, STATUS_MEMORY,
                                    "the model has more than %d trees", (int)ENSEMBLE_MAX_TREES);
    else if (!memory_grow((void **)&builder->trees, &builder->trees_capacity, builder->n_trees,
                          sizeof *builder->trees))
        builder->status = error_memory(&builder->error, "the trees of a model");
    else
        builder->trees[builder->n_trees++] = (struct raw_tree){builder->n_nodes, output};
}

static void add_node(struct ensemble_builder *builder, struct raw_node node) {
    if (!builder || builder->status)
        return;
    size_t n_leaves = builder->n_nodes - builder->n_inner;
    if (builder->n_trees == 0)
        builder->status =
            error_set(&builder->error, STATUS_INPUT, "node added before the first tree");
    else if (node.is_leaf ? n_leaves == ENSEMBLE_MAX_NODES + MAX_LEAVES_OVER_NODES
                          : builder->n_inner == ENSEMBLE_MAX_NODES)
        builder->status = error_set(&builder->error, STATUS_MEMORY,
                                    "the model has more than %zu inner nodes", ENSEMBLE_MAX_NODES);
    else if (!memory_grow((void **)&builder->nodes, &builder->nodes_capacity, builder->n_nodes,
                          sizeof *builder->nodes))
        builder->status = error_memory(&builder->error, "the nodes of a model");
    if (builder->status)
        return;
    builder->nodes[builder->n_nodes++] = node;
    builder->n_inner += !node.is_leaf;
    builder->has_counts = builder->has_counts && node.count != ENSEMBLE_NO_COUNT;
}

/* Copies the cuts of a node into a new set. Errors go to the sticky status. */
static uint32_t add_set(struct ensemble_builder *builder, const struct inner_node *node) {
    if (builder->n_sets == ENSEMBLE_MAX_NODES ||
        !memory_append((void **)&builder->set_cut, &builder->sets_capacity, &builder->n_sets,
                       &builder->n_cuts, 1, sizeof builder->n_cuts) ||
        !memory_append((void **)&builder->cuts, &builder->cuts_capacity, &builder->n_cuts,
                       node->cuts, node->n_cuts, sizeof *node->cuts)) {
        builder->status = error_memory(&builder->error, "the sets of a model");
        return ENSEMBLE_NO_SET;
    }
    return (uint32_t)(builder->n_sets - 1);
}

void ensemble_builder_add_inner(struct ensemble_builder *builder, const struct inner_node *node) {
    bool is_set = node->cuts != NULL;
    bool swap = is_set && node->lowest_right;
    struct raw_node raw = {
        .child = {swap ? node->right : node->left, swap ? node->left : node->right},
        .count = node->count,
        .threshold = node->threshold,
        .feature = node->feature,
        .set = ENSEMBLE_NO_SET,
        .nan_left = node->nan_left != swap};
    if (is_set)
        raw.threshold = node->n_cuts ? node->cuts[0] : INFINITY;
    if (is_set && node->n_cuts > 1 && builder && !builder->status)
        raw.set = add_set(builder, node);
    add_node(builder, raw);
}

void ensemble_builder_add_leaf(struct ensemble_builder *builder, double value, uint64_t count) {
    add_node(builder, (struct raw_node){.value = value, .count = count, .is_leaf = true});
}

/* --- checking --------------------------------------------------------------------------------- */

static bool is_class(double value, uint32_t n_classes) {
    return value >= 0 && value < (double)n_classes && value == floor(value);
}

static enum status check_node(const struct raw_node *node, uint32_t tree, uint32_t number,
                              const struct ensemble *e, struct error *error) {
    if (node->is_leaf && !isfinite(node->value))
        return error_set(error, STATUS_INPUT,
                         "tree %u, node %u: the value of a leaf must be finite, but is %g", tree,
                         number, node->value);
    if (node->is_leaf && e->votes && !is_class(node->value, e->n_outputs))
        return error_set(error, STATUS_INPUT,
                         "tree %u, node %u: the leaf votes for %g, which is not a class (0 to %u)",
                         tree, number, node->value, e->n_outputs - 1);
    if (!node->is_leaf && isnan(node->threshold))
        return error_set(error, STATUS_INPUT, "tree %u, node %u: the threshold is NaN", tree,
                         number);
    if (!node->is_leaf && node->feature >= e->n_features)
        return error_set(error, STATUS_INPUT,
                         "tree %u, node %u: feature %u is out of range (0 to %u)", tree, number,
                         node->feature, e->n_features - 1);
    return STATUS_OK;
}

static size_t set_end(const struct ensemble_builder *b, uint32_t set) {
    return set + 1 < b->n_sets ? b->set_cut[set + 1] : b->n_cuts;
}

static enum status check_set(const struct ensemble_builder *b, const struct raw_node *node,
                             uint32_t tree, uint32_t number, struct error *error) {
    if (node->is_leaf || node->set == ENSEMBLE_NO_SET)
        return STATUS_OK;
    for (size_t i = b->set_cut[node->set] + 1; i < set_end(b, node->set); i++) {
        if (!(b->cuts[i - 1] < b->cuts[i]))
            return error_set(error, STATUS_INPUT,
                             "tree %u, node %u: the cuts of a set must be increasing", tree,
                             number);
    }
    return STATUS_OK;
}

/* Sets the parent of every child. Fails if a child does not exist or has two parents. */
static enum status link_children(const struct placing *p, struct error *error) {
    for (uint32_t i = 0; i < p->n_nodes; i++)
        p->places[i] = (struct place){.parent = NOBODY, .level = NOBODY};
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        if (p->nodes[i].is_leaf)
            continue;
        for (int side = 0; side < 2; side++) {
            uint32_t child = p->nodes[i].child[side];
            if (child >= p->n_nodes)
                return error_set(
                    error, STATUS_INPUT,
                    "tree %u, node %u: its child %u does not exist (the tree's nodes are 0 to %u)",
                    p->tree, i, child, p->n_nodes - 1);
            if (child == i)
                return error_set(error, STATUS_INPUT, "tree %u, node %u: the node is its own child",
                                 p->tree, i);
            if (child == 0)
                return error_set(error, STATUS_INPUT,
                                 "tree %u, node %u: its child is the root, which makes a cycle",
                                 p->tree, i);
            if (p->places[child].parent != NOBODY)
                return error_set(error, STATUS_INPUT,
                                 "tree %u, node %u: its child %u is already a child of node %u",
                                 p->tree, i, child, p->places[child].parent);
            p->places[child].parent = i;
        }
    }
    return STATUS_OK;
}

/* Finds the breadth-first order. No node has two parents, so a node that is not reached has no
 * parent or lies on a separate cycle. */
static enum status order_breadth_first(const struct placing *p, struct error *error) {
    uint32_t known = 0, inner = 0;
    p->order[known++] = 0;
    p->places[0].level = 0;
    for (uint32_t next = 0; next < known; next++) {
        uint32_t i = p->order[next];
        if (p->nodes[i].is_leaf)
            continue;
        p->places[i].inner = inner++;
        uint32_t level = p->places[i].level + 1;
        if (level > ENSEMBLE_MAX_DEPTH)
            return error_set(error, STATUS_INPUT, "tree %u, node %u: deeper than %d decisions",
                             p->tree, i, ENSEMBLE_MAX_DEPTH);
        for (int side = 0; side < 2; side++) {
            uint32_t child = p->nodes[i].child[side];
            p->places[child].level = level;
            p->order[known++] = child;
        }
    }
    if (known == p->n_nodes)
        return STATUS_OK;
    uint32_t lost = 0;
    while (p->places[lost].level != NOBODY)
        lost++;
    return error_set(error, STATUS_INPUT,
                     "tree %u, node %u: the node cannot be reached from the root", p->tree, lost);
}

/* Numbers the leaves from left to right: counts leaves bottom-up, then assigns numbers top-down. */
static void number_leaves(const struct placing *p) {
    for (uint32_t next = p->n_nodes; next-- > 0;) {
        uint32_t i = p->order[next];
        const uint32_t *child = p->nodes[i].child;
        p->places[i].leaves =
            p->nodes[i].is_leaf ? 1 : p->places[child[0]].leaves + p->places[child[1]].leaves;
    }
    for (uint32_t next = 0; next < p->n_nodes; next++) {
        uint32_t i = p->order[next];
        if (p->nodes[i].is_leaf)
            continue;
        const uint32_t *child = p->nodes[i].child;
        p->places[child[0]].first_leaf = p->places[i].first_leaf;
        p->places[child[1]].first_leaf = p->places[i].first_leaf + p->places[child[0]].leaves;
    }
}

/* --- the canonical form ----------------------------------------------------------------------- */

static int32_t canonical_child(const struct placing *p, uint32_t child) {
    if (p->nodes[child].is_leaf)
        return ~(int32_t)p->places[child].first_leaf;
    return (int32_t)p->places[child].inner;
}

static void store_node(const struct placing *p, uint32_t number, struct ensemble *e) {
    const struct raw_node *node = &p->nodes[number];
    if (node->is_leaf) {
        size_t leaf = e->tree_leaf[p->tree] + p->places[number].first_leaf;
        e->value[leaf] = node->value;
        if (e->leaf_count)
            e->leaf_count[leaf] = node->count;
        return;
    }
    size_t inner = e->tree_node[p->tree] + p->places[number].inner;
    e->feature[inner] = node->feature;
    e->threshold[inner] = number_round_down(node->threshold);
    if (e->threshold_double)
        e->threshold_double[inner] = node->threshold;
    if (e->set)
        e->set[inner] = node->set;
    e->left[inner] = canonical_child(p, node->child[0]);
    e->right[inner] = canonical_child(p, node->child[1]);
    e->nan_left[inner] = node->nan_left;
    e->any_nan_left = e->any_nan_left || node->nan_left;
    if (e->node_count)
        e->node_count[inner] = node->count;
}

static enum status store_tree(const struct placing *p, uint32_t output, struct ensemble *e,
                              struct error *error) {
    uint32_t t = p->tree;
    if (p->n_nodes == 0)
        return error_set(error, STATUS_INPUT,
                         "tree %u: the tree is empty; it needs at least a leaf", t);
    uint32_t n_outputs = e->votes ? 1 : e->n_outputs;
    if (output >= n_outputs)
        return error_set(error, STATUS_INPUT, "tree %u: output %u is out of range (0 to %u)", t,
                         output, n_outputs - 1);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        enum status status = check_node(&p->nodes[i], t, i, e, error);
        if (!status)
            status = check_set(p->builder, &p->nodes[i], t, i, error);
        if (status)
            return status;
    }
    enum status status = link_children(p, error);
    if (!status)
        status = order_breadth_first(p, error);
    if (status)
        return status;
    number_leaves(p);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        store_node(p, i, e);
    uint32_t leaves = p->places[0].leaves;
    e->tree_output[t] = output;
    e->tree_depth[t] = p->places[p->order[p->n_nodes - 1]].level;
    e->tree_leaf[t + 1] = e->tree_leaf[t] + leaves;
    e->tree_node[t + 1] = e->tree_node[t] + (p->n_nodes - leaves);
    return STATUS_OK;
}

static uint32_t tree_size(const struct ensemble_builder *b, size_t tree) {
    size_t end = tree + 1 < b->n_trees ? b->trees[tree + 1].first_node : b->n_nodes;
    return (uint32_t)(end - b->trees[tree].first_node);
}

static enum status store_trees(const struct ensemble_builder *b, struct ensemble *e,
                               struct error *error) {
    uint32_t largest = 0;
    for (size_t t = 0; t < b->n_trees; t++) {
        if (tree_size(b, t) > largest)
            largest = tree_size(b, t);
    }
    struct memory_pool pool = {0};
    struct placing p = {.builder = b,
                        .places = memory_pool_array(&pool, largest, sizeof *p.places),
                        .order = memory_pool_array(&pool, largest, sizeof *p.order)};
    enum status status =
        pool.failed ? error_memory(error, "checking the trees of a model") : STATUS_OK;
    for (uint32_t t = 0; t < b->n_trees && !status; t++) {
        p.nodes = b->nodes + b->trees[t].first_node;
        p.n_nodes = tree_size(b, t);
        p.tree = t;
        status = store_tree(&p, b->trees[t].output, e, error);
    }
    memory_pool_free(&pool);
    return status;
}

static uint32_t features_used(const struct ensemble_builder *b) {
    uint32_t largest = 0;
    for (size_t i = 0; i < b->n_nodes; i++) {
        if (!b->nodes[i].is_leaf && b->nodes[i].feature > largest)
            largest = b->nodes[i].feature;
    }
    return largest < UINT32_MAX ? largest + 1 : largest;
}

static enum status check_shape(const struct ensemble_builder *b, const struct ensemble_shape *shape,
                               struct error *error) {
    if (b->n_trees == 0)
        return error_set(error, STATUS_INPUT, "the model has no trees");
    if (shape->n_features > ENSEMBLE_MAX_FEATURES)
        return error_set(error, STATUS_INPUT, "the model has %u features; the limit is %d",
                         shape->n_features, ENSEMBLE_MAX_FEATURES);
    if (shape->n_outputs > ENSEMBLE_MAX_OUTPUTS)
        return error_set(error, STATUS_INPUT, "the model has %u outputs; the limit is %d",
                         shape->n_outputs, ENSEMBLE_MAX_OUTPUTS);
    if (shape->votes && shape->n_outputs < 2)
        return error_set(error, STATUS_INPUT,
                         "the trees vote, but the model has fewer than 2 classes");
    for (uint32_t k = 0; shape->base && k < shape->n_outputs; k++) {
        if (!isfinite(shape->base[k]))
            return error_set(error, STATUS_INPUT,
                             "the base score of output %u must be finite, but is %g", k,
                             shape->base[k]);
    }
    return STATUS_OK;
}

/* Allocates the arrays of an ensemble. Its sizes must be set. */
static bool allocate_arrays(struct ensemble *e, bool with_counts) {
    struct memory_pool *pool = &e->pool;
    e->tree_node = memory_pool_array(pool, (size_t)e->n_trees + 1, sizeof *e->tree_node);
    e->tree_leaf = memory_pool_array(pool, (size_t)e->n_trees + 1, sizeof *e->tree_leaf);
    e->tree_output = memory_pool_array(pool, e->n_trees, sizeof *e->tree_output);
    e->tree_depth = memory_pool_array(pool, e->n_trees, sizeof *e->tree_depth);
    e->feature = memory_pool_array(pool, e->n_nodes, sizeof *e->feature);
    e->threshold = memory_pool_array(pool, e->n_nodes, sizeof *e->threshold);
    e->left = memory_pool_array(pool, e->n_nodes, sizeof *e->left);
    e->right = memory_pool_array(pool, e->n_nodes, sizeof *e->right);
    e->nan_left = memory_pool_array(pool, e->n_nodes, sizeof *e->nan_left);
    e->value = memory_pool_array(pool, e->n_leaves, sizeof *e->value);
    e->base = memory_pool_array(pool, e->n_outputs, sizeof *e->base);
    if (with_counts) {
        e->node_count = memory_aligned_calloc(e->n_nodes, sizeof *e->node_count);
        e->leaf_count = memory_aligned_calloc(e->n_leaves, sizeof *e->leaf_count);
        if (!e->node_count || !e->leaf_count)
            return false;
    }
    return !pool->failed;
}

/* Stores the sets of a model, and its thresholds and cuts as doubles if needed. */
static bool store_sets(const struct ensemble_builder *b, bool as_doubles, struct ensemble *e) {
    struct memory_pool *pool = &e->pool;
    if (as_doubles)
        e->threshold_double = memory_pool_array(pool, e->n_nodes, sizeof *e->threshold_double);
    if (b->n_sets == 0)
        return !pool->failed;
    e->n_sets = (uint32_t)b->n_sets;
    e->set = memory_pool_array(pool, e->n_nodes, sizeof *e->set);
    e->set_cut = memory_pool_array(pool, b->n_sets + 1, sizeof *e->set_cut);
    e->cut = memory_pool_array(pool, b->n_cuts, sizeof *e->cut);
    e->cut_double = memory_pool_array(pool, b->n_cuts, sizeof *e->cut_double);
    if (pool->failed)
        return false;
    memcpy(e->set_cut, b->set_cut, b->n_sets * sizeof *e->set_cut);
    e->set_cut[b->n_sets] = b->n_cuts;
    for (size_t i = 0; i < b->n_cuts; i++) {
        e->cut[i] = number_round_down(b->cuts[i]);
        e->cut_double[i] = b->cuts[i];
    }
    return true;
}

static enum status make_ensemble(const struct ensemble_builder *b,
                                 const struct ensemble_shape *asked, struct ensemble **ensemble,
                                 struct error *error) {
    if (!b)
        return error_memory(error, "a model");
    if (b->status)
        return error_set(error, b->status, "%s", b->error.text);
    struct ensemble_shape shape = *asked;
    shape.n_features = asked->n_features ? asked->n_features : features_used(b);
    shape.n_outputs = asked->n_outputs ? asked->n_outputs : 1;
    enum status status = check_shape(b, &shape, error);
    if (status)
        return status;
    struct ensemble *e = calloc(1, sizeof *e);
    if (!e)
        return error_memory(error, "a model");
    e->n_features = shape.n_features;
    e->open_width = asked->n_features == 0;
    e->n_outputs = shape.n_outputs;
    e->votes = shape.votes;
    e->origin = shape.origin;
    e->n_trees = (uint32_t)b->n_trees;
    e->n_nodes = b->n_inner;
    e->n_leaves = b->n_nodes - b->n_inner;
    status = allocate_arrays(e, b->has_counts) && store_sets(b, shape.compares_doubles, e)
                 ? STATUS_OK
                 : error_memory(error, "a model");
    if (shape.note)
        ensemble_set_note(e, shape.note);
    /* Adding 0 turns -0 into 0. Sums that begin at 0 never become -0, however zeros are added. */
    for (uint32_t k = 0; !status && shape.base && k < e->n_outputs; k++)
        e->base[k] = shape.base[k] + 0.0;
    if (!status)
        status = store_trees(b, e, error);
    return ensemble_give(status, e, ensemble);
}

enum status ensemble_builder_finish(struct ensemble_builder *builder,
                                    const struct ensemble_shape *shape, struct ensemble **ensemble,
                                    struct error *error) {
    enum status status = make_ensemble(builder, shape, ensemble, error);
    ensemble_builder_free(builder);
    return status;
}
