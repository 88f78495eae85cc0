#include "impls/auto/auto_default.h"

#include "base/cpu.h"
#include "impls/planes/kernel/planes_types.h"
#include "impls/scorer.h"
#include "models/votes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Costs in ns, one for each property of a model's shape. `always` does not depend on the model. */
struct rates {
    double always, tree;
    double node;      /* an inner node */
    double wide_node; /* added per inner node if any tree has over NARROW_LEAVES leaves */
    double far_node;  /* added per inner node beyond the first NEAR_NODES */
    double level;     /* a level of a tree; the longest path has one decision per level */
    double far_level; /* added per level, times the fraction of nodes beyond NEAR_NODES */
    double piece; /* a piece of a tree; `planes` cuts large trees into pieces (planes_trees.h) */
    double piece_node; /* an inner node of a piece */
    double feature;    /* a feature that the model tests */
    double bisection;  /* a step of a binary search; log2(1 + n) steps for a feature with n tests */
};

struct default_cost {
    const char *spec;
    unsigned lanes;
    struct rates step, document;
};

#define NOTHING                                                                                    \
    { .always = 0 }

/* Only ratios of costs within a table matter. docs/tuning.md describes how the costs were measured.
 * This table is for processors with AVX-512 VBMI and was measured on a Zen 5. */
static const struct default_cost avx512_costs[] = {
    {"qs", 1, NOTHING, {.always = 10, .tree = 0.6, .node = 0.21, .far_node = 0.06, .feature = 6.8}},
    {"struct-plus", 1, NOTHING, {.always = 10, .level = 2.8}},
    {"vpred,v=16", 16, {.always = 20, .level = 4, .far_level = 60}, {.level = 1}},
    {"interleaved",
     1,
     NOTHING,
     {.always = 35, .level = 0.68, .far_level = 1.5, .feature = 0.3, .bisection = 0.65}},
    {"gather-avx2", 1, NOTHING, {.always = 75, .level = 1.8, .far_level = 1.2, .bisection = 1.05}},
    {"gather-avx512",
     1,
     NOTHING,
     {.always = 75, .level = 1.35, .far_level = 0.7, .bisection = 1.1}},
    {"rank-bytes",
     1,
     NOTHING,
     {.always = 15, .node = 0.003, .far_node = 0.012, .level = 0.147, .feature = 1.35}},
    {"vqs-sse", 4, {.always = 20, .node = 0.53, .feature = 6.5}, {.tree = 0.82}},
    {"vqs-avx2",
     8,
     {.always = 20, .node = 0.51, .wide_node = 0.1, .far_node = 0.07, .feature = 7},
     {.tree = 0.34}},
    {"vqs-avx512",
     16,
     {.always = 20, .node = 0.8, .wide_node = 0.5, .far_node = 0.15, .feature = 7.5},
     {.tree = 0.27}},
    {"rapidscorer",
     64,
     {.always = 100, .tree = 19, .node = 1.85, .far_node = 0.3, .feature = 29},
     {.node = 0.004}},
    {"rapidscorer-avx512",
     64,
     {.always = 100, .tree = 26, .node = 1.7, .far_node = 0.8, .feature = 29},
     {.node = 0.006}},
    {"planes",
     256,
     {.always = 100, .piece = 9, .piece_node = 2.2, .feature = 140},
     {.always = 10, .piece = 0.4, .feature = 0.45}},
    {"planes-avx2",
     256,
     {.always = 50, .piece = 6, .piece_node = 1.5, .feature = 42},
     {.always = 1, .piece = 0.22, .feature = 0.6}},
    {"planes-avx512",
     512,
     {.always = 150, .piece = 16, .piece_node = 1.9, .feature = 35},
     {.always = 1, .piece = 0.07, .feature = 0.23}},
    {"planes-jit",
     512,
     {.always = 150, .piece = 22, .piece_node = 1, .far_node = 1.3, .feature = 35},
     {.always = 1, .piece = 0.097, .feature = 0.23}},
};

/* For other processors, measured on a Zen 3. No arm64 processor was available, so vqs-neon and
 * planes-neon have the costs of vqs-sse and planes. */
static const struct default_cost other_costs[] = {
    {"qs",
     1,
     NOTHING,
     {.always = 67, .tree = 0.46, .node = 0.42, .far_node = 0.01, .feature = 6.6}},
    {"struct-plus", 1, NOTHING, {.always = 10, .level = 3.3}},
    {"vpred,v=16", 16, {.always = 260, .level = 1.8, .far_level = 5.5}, {.level = 1}},
    {"interleaved",
     1,
     NOTHING,
     {.always = 110, .level = 0.89, .far_level = 0.21, .feature = 1.2, .bisection = 0.35}},
    {"gather-avx2",
     1,
     NOTHING,
     {.always = 195, .level = 1.7, .far_level = 0.06, .bisection = 0.57}},
    {"vqs-sse", 4, {.always = 150, .node = 0.76, .feature = 6}, {.tree = 1.07}},
    {"vqs-avx2",
     8,
     {.always = 170, .node = 0.8, .wide_node = 0.17, .far_node = 0.06, .feature = 5.7},
     {.tree = 0.93}},
    {"rapidscorer",
     64,
     {.always = 1070, .tree = 36.5, .node = 2.24, .far_node = 0.5, .feature = 31},
     {.node = 0.011}},
    {"planes",
     256,
     {.always = 550, .piece = 16, .piece_node = 3.9, .feature = 145},
     {.always = 49, .piece = 0.83, .feature = 1.5}},
    {"planes-avx2",
     256,
     {.always = 370, .piece = 20.5, .piece_node = 2.37, .feature = 46},
     {.always = 12, .piece = 0.38, .feature = 0.35}},
    {"planes-jit-avx2",
     512,
     {.always = 2250, .piece = 70, .piece_node = 1.1, .feature = 100},
     {.always = 12, .piece = 0.4, .piece_node = 0.0018, .feature = 0.29}},
    {"vqs-neon", 4, {.always = 150, .node = 0.76, .feature = 6}, {.tree = 1.07}},
    {"planes-neon",
     256,
     {.always = 550, .piece = 16, .piece_node = 3.9, .feature = 145},
     {.always = 49, .piece = 0.83, .feature = 1.5}},
};

/* NEAR_NODES nodes of 16 bytes fill a second-level cache of 1 MiB. */
enum { NARROW_LEAVES = 32, NEAR_NODES = 1 << 16 };

struct shape {
    double trees, nodes, wide_nodes, far_nodes, levels, far_levels, pieces, piece_nodes;
    double features, bisections;
};

/* Adds an estimate of a tree's pieces. Each piece after the first repeats a path from the root, of
 * up to `depth` nodes. */
static void add_pieces(struct shape *shape, double nodes, double depth) {
    double whole = PLANES_MAX_LEAVES - 1, own = depth < whole ? whole - depth : 1;
    double count = nodes > whole ? fmax(1, ceil((nodes - depth) / own)) : 1;
    shape->pieces += count;
    shape->piece_nodes += nodes + (count - 1) * depth;
}

static void add_trees(struct shape *shape, const struct ensemble *e) {
    for (uint32_t t = 0; t < e->n_trees; t++) {
        shape->levels += e->tree_depth[t];
        add_pieces(shape, ensemble_tree_nodes(e, t), e->tree_depth[t]);
        if (ensemble_tree_leaves(e, t) > NARROW_LEAVES)
            shape->wide_nodes = shape->nodes; /* one wide tree makes all leaf sets wide */
    }
    if (e->n_nodes > NEAR_NODES) {
        shape->far_nodes = shape->nodes - NEAR_NODES;
        shape->far_levels = shape->levels * shape->far_nodes / shape->nodes;
    }
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

static double apply(const struct rates *rates, const struct shape *shape) {
    return rates->always + rates->tree * shape->trees + rates->node * shape->nodes +
           rates->wide_node * shape->wide_nodes + rates->far_node * shape->far_nodes +
           rates->level * shape->levels + rates->far_level * shape->far_levels +
           rates->piece * shape->pieces + rates->piece_node * shape->piece_nodes +
           rates->feature * shape->features + rates->bisection * shape->bisections;
}

struct family {
    const struct default_cost *costs;
    size_t count;
};

static struct family family_here(void) {
    static const struct family avx512 = {avx512_costs, sizeof avx512_costs / sizeof *avx512_costs},
                               other = {other_costs, sizeof other_costs / sizeof *other_costs};
    return cpu_features() & CPU_AVX512_VBMI ? avx512 : other;
}

static enum status find_shape(const struct ensemble *e, struct shape *shape, struct error *error) {
    *shape = (struct shape){.trees = e->n_trees, .nodes = (double)e->n_nodes};
    add_trees(shape, e);
    return add_features(shape, e, error);
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

static struct auto_cost cost_of(const struct default_cost *cost, const struct shape *shape) {
    return (struct auto_cost){.step = apply(&cost->step, shape),
                              .document = apply(&cost->document, shape),
                              .lanes = cost->lanes};
}

static void add_cost(const struct default_cost *cost, const struct shapes *shapes,
                     struct auto_table *table) {
    struct options options;
    const struct impl *impl = impl_parse(cost->spec, &options, NULL);
    if (!impl || (impl->cpu & ~cpu_features()) || !(impl->votes || shapes->has_outputs))
        return;
    const struct shape *shape = impl->votes ? &shapes->own : &shapes->outputs;
    snprintf(table->specs[table->count], AUTO_SPEC_SIZE, "%s", cost->spec);
    table->costs[table->count++] = cost_of(cost, shape);
}

enum status auto_default_table(const struct ensemble *ensemble, struct auto_table *table,
                               struct error *error) {
    struct shapes shapes;
    *table = (struct auto_table){.count = 0};
    enum status status = find_shapes(ensemble, &shapes, error);
    const struct family family = family_here();
    for (size_t i = 0; i < family.count && !status; i++)
        add_cost(&family.costs[i], &shapes, table);
    return status;
}

enum status auto_default_avx512(const struct ensemble *ensemble, const char *spec,
                                struct auto_cost *cost, struct error *error) {
    const struct default_cost *found = avx512_costs;
    struct shape shape;
    enum status status = find_shape(ensemble, &shape, error);
    while (strcmp(found->spec, spec) != 0)
        found++;
    if (!status)
        *cost = cost_of(found, &shape);
    return status;
}
