#include "impls/auto_default.h"

#include "base/cpu.h"
#include "impls/impl.h"

/* ns of a call, a step and a document, for each of: always, a tree, an inner node, a level of a
 * tree (a decision on its longest path), a feature of the documents. */
struct rates {
    double always, tree, node, level, feature;
};
struct default_cost {
    const char *spec;
    unsigned lanes;
    struct rates call, step, document;
};

static const struct default_cost costs[] = {
    {"bwqs", 1, {.always = 0}, {.always = 0}, {.node = 0.4}},
    {"vqs-sse", 4, {.always = 0}, {.node = 0.5}, {.always = 0}},
    {"vqs-avx2", 8, {.always = 0}, {.node = 0.6}, {.always = 0}},
    {"rapidscorer", 64, {.always = 0}, {.node = 4.5}, {.always = 0}},
    {"planes", 128, {.always = 0}, {.node = 5}, {.tree = 1}},
    {"planes-avx2", 256, {.always = 0}, {.node = 3.5}, {.tree = 1}},
    {"struct-plus", 1, {.always = 0}, {.always = 0}, {.level = 4}},
    {"vpred,v=16", 16, {.always = 0}, {.level = 20}, {.always = 0}},
};

static double apply(const struct rates *rates, const struct ensemble *e) {
    double levels = 0;
    for (uint32_t t = 0; t < e->n_trees; t++)
        levels += e->tree_depth[t];
    return rates->always + rates->tree * e->n_trees + rates->node * (double)e->n_nodes +
           rates->level * levels + rates->feature * e->n_features;
}

void auto_default_table(const struct ensemble *ensemble, struct auto_table *table) {
    *table = (struct auto_table){.count = 0};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        struct options options;
        const struct impl *impl = impl_parse(costs[i].spec, &options, NULL);
        if (!impl || (impl->cpu & ~cpu_features()))
            continue;
        const struct auto_cost cost = {apply(&costs[i].call, ensemble),
                                       apply(&costs[i].step, ensemble),
                                       apply(&costs[i].document, ensemble), costs[i].lanes};
        auto_table_add(table, costs[i].spec, &cost);
    }
}
