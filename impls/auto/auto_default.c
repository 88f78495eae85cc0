#include "impls/auto/auto_default.h"

#include "base/cpu.h"
#include "impls/planes/kernel/planes_types.h"
#include "impls/scorer.h"
#include "models/votes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* NEAR_NODES nodes of 16 bytes fill a second-level cache of 1 MiB. */
enum { NARROW_LEAVES = 32, NEAR_NODES = 1 << 16, BUNDLE_LEAVES = 64, ROW_TREES = 64 };

struct shape {
    double trees, nodes, wide_nodes, far_nodes, levels, far_levels, pieces, piece_nodes;
    double features, bisections, decisions, surprises, bundles, rows;
};

/* Adds an estimate of a tree's pieces. Each piece after the first repeats a path from the root, of
 * up to `depth` nodes. */
static void add_pieces(struct shape *shape, double nodes, double depth) {
    double whole = PLANES_MAX_LEAVES - 1, own = depth < whole ? whole - depth : 1;
    double count = nodes > whole ? fmax(1, ceil((nodes - depth) / own)) : 1;
    shape->pieces += count;
    shape->piece_nodes += nodes + (count - 1) * depth;
}

/* The bundles that a document meets in a tree; a fraction if trees share them. */
static double count_bundles(double nodes) {
    double most = BUNDLE_LEAVES - 1;
    return nodes <= most ? nodes / most : ceil(log2(nodes + 1) / log2(BUNDLE_LEAVES));
}

static void add_rows(struct shape *shape, const struct ensemble *e) {
    for (uint32_t first = 0; first < e->n_trees; first += ROW_TREES) {
        uint32_t depth = 0;
        for (uint32_t t = first; t < e->n_trees && t < first + ROW_TREES; t++)
            depth = e->tree_depth[t] > depth ? e->tree_depth[t] : depth;
        shape->rows += exp2(depth) - 1;
    }
}

static void add_trees(struct shape *shape, const struct ensemble *e) {
    for (uint32_t t = 0; t < e->n_trees; t++) {
        shape->levels += e->tree_depth[t];
        add_pieces(shape, ensemble_tree_nodes(e, t), e->tree_depth[t]);
        shape->bundles += count_bundles(ensemble_tree_nodes(e, t));
        if (ensemble_tree_leaves(e, t) > NARROW_LEAVES)
            shape->wide_nodes = shape->nodes; /* one wide tree makes all leaf sets wide */
    }
    if (e->n_nodes > NEAR_NODES) {
        shape->far_nodes = shape->nodes - NEAR_NODES;
        shape->far_levels = shape->levels * shape->far_nodes / shape->nodes;
    }
}

/* The share of the documents of a node that go left. */
static double left_share(const struct ensemble *e, uint32_t t, size_t node) {
    if (!e->node_count)
        return 0.5;
    const int32_t children[] = {e->left[node], e->right[node]};
    double count[2];
    for (int i = 0; i < 2; i++)
        count[i] = (double)(children[i] < 0 ? e->leaf_count[e->tree_leaf[t] + (size_t)~children[i]]
                                            : e->node_count[e->tree_node[t] + (size_t)children[i]]);
    double all = count[0] + count[1];
    return all > 0 ? count[0] / all : 0.5;
}

/* `shares` has room for the tree's nodes: the share of documents that reach each. */
static void add_tree_decisions(struct shape *shape, const struct ensemble *e, uint32_t t,
                               double *shares) {
    size_t first = e->tree_node[t];
    shares[0] = 1;
    for (uint32_t i = 0; i < ensemble_tree_nodes(e, t); i++) { /* children come after parents */
        double left = left_share(e, t, first + i);
        shape->decisions += shares[i];
        shape->surprises += shares[i] * fmin(left, 1 - left);
        if (e->left[first + i] >= 0)
            shares[e->left[first + i]] = shares[i] * left;
        if (e->right[first + i] >= 0)
            shares[e->right[first + i]] = shares[i] * (1 - left);
    }
}

static enum status add_decisions(struct shape *shape, const struct ensemble *e,
                                 struct error *error) {
    double *shares = malloc((e->n_nodes + 1) * sizeof *shares);
    if (!shares)
        return error_memory(error, "auto");
    for (uint32_t t = 0; t < e->n_trees; t++)
        add_tree_decisions(shape, e, t, shares + e->tree_node[t]);
    free(shares);
    return STATUS_OK;
}

static enum status add_features(struct shape *shape, const struct ensemble *e,
                                struct error *error) {
    size_t *nodes = calloc((size_t)e->n_features + 1, sizeof *nodes);
    if (!nodes)
        return error_memory(error, "auto");
    for (size_t i = 0; i < e->n_nodes; i++)
        nodes[e->feature[i]]++;
    for (uint32_t f = 0; f < e->n_features; f++) {
        shape->features += nodes[f] > 0;
        shape->bisections += log2(1 + (double)nodes[f]);
    }
    free(nodes);
    return STATUS_OK;
}

static double apply(const struct impl_rates *rates, const struct shape *shape) {
    return rates->always + rates->tree * shape->trees + rates->node * shape->nodes +
           rates->wide_node * shape->wide_nodes + rates->far_node * shape->far_nodes +
           rates->level * shape->levels + rates->far_level * shape->far_levels +
           rates->bundle * shape->bundles + rates->row * shape->rows +
           rates->decision * shape->decisions + rates->surprise * shape->surprises +
           rates->piece * shape->pieces + rates->piece_node * shape->piece_nodes +
           rates->feature * shape->features + rates->bisection * shape->bisections;
}

static enum status find_shape(const struct ensemble *e, struct shape *shape, struct error *error) {
    *shape = (struct shape){.trees = e->n_trees, .nodes = (double)e->n_nodes};
    add_trees(shape, e);
    add_rows(shape, e);
    enum status status = add_decisions(shape, e, error);
    return status ? status : add_features(shape, e, error);
}

/* The shapes of the ensembles that implementations are built from. */
struct shapes {
    struct shape own; /* for implementations that support votes, or if the model does not vote */
    struct shape outputs; /* for others: of one tree per class */
    bool has_outputs;     /* false if the model is too large for one tree per class */
};

static enum status find_shapes(const struct ensemble *ensemble, struct shapes *shapes,
                               struct error *error) {
    enum status status = find_shape(ensemble, &shapes->own, error);
    shapes->outputs = shapes->own;
    shapes->has_outputs = true;
    if (status || !ensemble->votes)
        return status;
    struct ensemble *outputs;
    status = ensemble_votes_to_outputs(ensemble, &outputs, error);
    shapes->has_outputs = !status;
    if (status)
        return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
    status = find_shape(outputs, &shapes->outputs, error);
    ensemble_free(outputs);
    return status;
}

/* The cost of what precedes the trees: ranking the features' values. */
static double apply_fixed(const struct impl_rates *rates, const struct shape *shape) {
    const struct impl_rates fixed = {
        .always = rates->always, .feature = rates->feature, .bisection = rates->bisection};
    return apply(&fixed, shape);
}

static struct auto_cost cost_of(const struct impl_cost *cost, const struct shape *shape) {
    return (struct auto_cost){.step = apply(&cost->step, shape),
                              .document = apply(&cost->document, shape),
                              .lanes = cost->lanes,
                              .fixed = apply_fixed(&cost->document, shape)};
}

/* Adds the cost of an implementation on this kind of processors, if it runs here. */
static void add_cost(const struct impl *impl, const struct shapes *shapes,
                     struct auto_table *table) {
    bool vbmi = cpu_features() & CPU_AVX512_VBMI;
    const struct impl_cost *cost =
        impl->costs ? &impl->costs[vbmi ? IMPL_VBMI : IMPL_NO_VBMI] : NULL;
    if (!cost || !cost->lanes || !impl_runs_here(impl) || !(impl->votes || shapes->has_outputs))
        return;
    snprintf(table->specs[table->count], AUTO_SPEC_SIZE, "%s%s%s", impl->name,
             cost->params ? "," : "", cost->params ? cost->params : "");
    table->costs[table->count++] = cost_of(cost, impl->votes ? &shapes->own : &shapes->outputs);
}

enum status auto_default_table(const struct ensemble *ensemble, struct auto_table *table,
                               struct error *error) {
    struct shapes shapes;
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    *table = (struct auto_table){.count = 0};
    enum status status = find_shapes(ensemble, &shapes, error);
    for (size_t i = 0; i < count && !status; i++)
        add_cost(impls[i], &shapes, table);
    return status;
}

enum status auto_default_cost(const struct ensemble *ensemble, const struct impl_cost *rates,
                              struct auto_cost *cost, struct error *error) {
    struct shape shape;
    enum status status = find_shape(ensemble, &shape, error);
    if (!status)
        *cost = cost_of(rates, &shape);
    return status;
}
