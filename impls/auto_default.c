#include "impls/auto_default.h"

#include "base/cpu.h"
#include "impls/impl.h"
#include "impls/planes_types.h"

#include <math.h>

/* ns for each of what a model has. */
struct rates {
    double always, tree;
    double node;      /* an inner node */
    double wide_node; /* a node more, where trees have over 32 leaves and leaf sets two words */
    double level;     /* of a tree: a decision on its longest path */
    double piece;     /* of planes: trees and inner nodes, large trees cut (impls/planes_trees.h) */
    double piece_node;
    double feature; /* of the documents */
};

struct default_cost {
    const char *spec;
    unsigned lanes;
    struct rates step, document;
};

#define NOTHING                                                                                    \
    { .always = 0 }

/* Measured on one machine with AVX2; docs/tuning.md says how, and which are derived instead. */
static const struct default_cost costs[] = {
    {"qs", 1, NOTHING, {.always = 20, .tree = 2, .node = 0.25, .feature = 6}},
    {"struct-plus", 1, NOTHING, {.always = 100, .level = 2.7}},
    {"vpred,v=16", 16, {.always = 50, .level = 6}, {.level = 1.4}},
    {"interleaved", 1, NOTHING, {.always = 20, .level = 0.75, .feature = 3}},
    {"vqs-sse", 4, {.always = 20, .node = 0.5, .wide_node = 0.4, .feature = 10}, NOTHING},
    {"vqs-avx2",
     8,
     {.always = 20, .node = 0.5, .wide_node = 0.5, .feature = 8},
     {.tree = 0.7, .feature = 0.5}},
    {"rapidscorer", 64, {.always = 1600, .tree = 42, .node = 0.65, .feature = 50}, {.node = 0.017}},
    {"planes",
     256,
     {.always = 650, .piece = 40, .piece_node = 2, .feature = 150},
     {.always = 40, .piece = 0.75, .feature = 1.2}},
    {"planes-avx2",
     256,
     {.always = 150, .piece = 23, .piece_node = 1.6, .feature = 70},
     {.always = 4, .piece = 0.37, .feature = 0.8}},
    /* Derived, of processors that were not at hand. */
    {"vqs-avx512",
     16,
     {.always = 20, .node = 0.6, .wide_node = 0.6, .feature = 16},
     {.tree = 0.7, .feature = 0.5}},
    {"rapidscorer-avx512",
     64,
     {.always = 1600, .tree = 42, .node = 0.4, .feature = 30},
     {.node = 0.017}},
    /* Measured on another machine, in full blocks. */
    {"planes-avx512",
     512,
     {.always = 300, .piece = 12, .piece_node = 1.75, .feature = 110},
     {.always = 4, .piece = 0.08, .feature = 0.3}},
    {"planes-jit",
     512,
     {.always = 300, .piece = 12, .piece_node = 1.05, .feature = 110},
     {.always = 4, .piece = 0.08, .feature = 0.3}},
    /* Derived. */
    {"vqs-neon", 4, {.always = 20, .node = 0.5, .wide_node = 0.4, .feature = 10}, NOTHING},
    {"planes-neon",
     256,
     {.always = 650, .piece = 40, .piece_node = 2, .feature = 150},
     {.always = 20, .piece = 0.6, .feature = 1.2}},
};

enum { NARROW_LEAVES = 32 };

struct shape {
    double trees, nodes, wide_nodes, levels, pieces, piece_nodes, features;
};

/* A piece repeats the path to its first leaf. */
static void add_pieces(struct shape *shape, double nodes, double depth) {
    double whole = PLANES_MAX_LEAVES - 1, own = depth < whole ? whole - depth : 1;
    double count = nodes > whole ? fmax(1, ceil((nodes - depth) / own)) : 1;
    shape->pieces += count;
    shape->piece_nodes += nodes + (count - 1) * depth;
}

static void measure_shape(const struct ensemble *e, struct shape *shape) {
    *shape =
        (struct shape){.trees = e->n_trees, .nodes = (double)e->n_nodes, .features = e->n_features};
    for (uint32_t t = 0; t < e->n_trees; t++) {
        shape->levels += e->tree_depth[t];
        add_pieces(shape, ensemble_tree_nodes(e, t), e->tree_depth[t]);
        if (ensemble_tree_leaves(e, t) > NARROW_LEAVES)
            shape->wide_nodes = shape->nodes; /* one such tree makes all sets wide */
    }
}

static double apply(const struct rates *rates, const struct shape *shape) {
    return rates->always + rates->tree * shape->trees + rates->node * shape->nodes +
           rates->wide_node * shape->wide_nodes + rates->level * shape->levels +
           rates->piece * shape->pieces + rates->piece_node * shape->piece_nodes +
           rates->feature * shape->features;
}

void auto_default_table(const struct ensemble *ensemble, struct auto_table *table) {
    struct shape shape;
    measure_shape(ensemble, &shape);
    *table = (struct auto_table){.count = 0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        struct options options;
        const struct impl *impl = impl_parse(costs[i].spec, &options, NULL);
        if (!impl || (impl->cpu & ~cpu_features()))
            continue;
        const struct auto_cost cost = {.step = apply(&costs[i].step, &shape),
                                       .document = apply(&costs[i].document, &shape),
                                       .lanes = costs[i].lanes};
        auto_table_add(table, costs[i].spec, &cost);
    }
}
