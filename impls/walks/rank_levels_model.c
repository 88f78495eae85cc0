#include "impls/walks/rank_levels_model.h"

#include <string.h>

/* The model that is being built, and temporary memory. */
struct maker {
    const struct ensemble *ensemble;
    struct level_model *model;
    struct memory_pool pool;
    struct rank_tests tests;
};

/* Where nodes and values of a tree go. */
struct place {
    struct level_nodes *nodes;
    double *values;
    uint32_t tree, depth;
    uint32_t lane; /* the tree's index in its block */
};

static void place_leaf(const struct maker *maker, const struct place *place, int32_t leaf,
                       uint32_t level, uint32_t index) {
    const struct ensemble *e = maker->ensemble;
    uint32_t below = place->depth - level;
    for (uint32_t i = 0; i < 1u << below; i++)
        place->values[((index << below) + i) * LEVEL_TREES + place->lane] =
            e->value[e->tree_leaf[place->tree] + (size_t)~leaf];
}

/* Places the subtree of a child, at an index of a level. Its depth is at most LEVEL_MAX_DEPTH. */
static void place_child(const struct maker *maker, const struct place *place, int32_t child,
                        uint32_t level, uint32_t index) {
    if (child < 0) {
        place_leaf(maker, place, child, level, index);
        return;
    }
    const struct ensemble *e = maker->ensemble;
    size_t node = e->tree_node[place->tree] + (size_t)child;
    struct level_nodes *to = &place->nodes[(1u << level) - 1 + index];
    to->column[place->lane] = (uint8_t)maker->tests.column[node];
    to->threshold[place->lane] = (int8_t)(maker->tests.rank[node] + INT8_MIN);
    place_child(maker, place, e->left[node], level + 1, 2 * index);
    place_child(maker, place, e->right[node], level + 1, 2 * index + 1);
}

static void place_block(const struct maker *maker, const struct level_block *block) {
    const struct ensemble *e = maker->ensemble;
    struct level_nodes *nodes = &maker->model->nodes[block->first_node];
    double *values = &maker->model->values[block->first_value];
    for (uint32_t i = 0; i < (1u << block->depth) - 1; i++)
        memset(nodes[i].threshold, INT8_MAX, LEVEL_TREES);
    for (uint32_t lane = 0; lane < block->n_trees; lane++) {
        uint32_t tree = block->first_tree + lane;
        const struct place place = {nodes, values, tree, block->depth, lane};
        place_child(maker, &place, ensemble_tree_nodes(e, tree) ? 0 : ~0, 0, 0);
    }
}

/* Sizes the blocks. Returns the numbers of nodes and values. */
static void size_blocks(const struct maker *maker, size_t *n_nodes, size_t *n_values) {
    const struct ensemble *e = maker->ensemble;
    *n_nodes = *n_values = 0;
    for (uint32_t u = 0; u < maker->model->ranks.scorer.n_units; u++) {
        struct level_block *block = &maker->model->blocks[u];
        uint32_t first = u * LEVEL_TREES, left = e->n_trees - first;
        *block = (struct level_block){.first_tree = first,
                                      .n_trees = left < LEVEL_TREES ? left : LEVEL_TREES,
                                      .first_node = *n_nodes,
                                      .first_value = *n_values};
        for (uint32_t t = first; t < first + block->n_trees; t++)
            block->depth = e->tree_depth[t] > block->depth ? e->tree_depth[t] : block->depth;
        *n_nodes += ((size_t)1 << block->depth) - 1;
        *n_values += (size_t)LEVEL_TREES << block->depth;
    }
}

static bool make_blocks(struct maker *maker) {
    struct level_model *model = maker->model;
    struct scorer *scorer = &model->ranks.scorer;
    size_t n_nodes, n_values, n_trees = maker->ensemble->n_trees;
    model->blocks = memory_pool_array(&scorer->pool, scorer->n_units + 1, sizeof *model->blocks);
    model->output = memory_pool_copy(&scorer->pool, maker->ensemble->tree_output, n_trees,
                                     sizeof *model->output);
    if (scorer->pool.failed)
        return false;
    size_blocks(maker, &n_nodes, &n_values);
    model->nodes = memory_pool_array(&scorer->pool, n_nodes + 1, sizeof *model->nodes);
    model->values = memory_pool_array(&scorer->pool, n_values + 1, sizeof *model->values);
    if (scorer->pool.failed)
        return false;
    scorer->bytes += scorer->n_units * sizeof *model->blocks + n_nodes * sizeof *model->nodes +
                     n_values * sizeof *model->values;
    for (size_t u = 0; u < scorer->n_units; u++)
        place_block(maker, &model->blocks[u]);
    return true;
}

static enum status make_all(struct maker *maker, struct error *error) {
    const struct ensemble *e = maker->ensemble;
    struct rank_model *ranks = &maker->model->ranks;
    const char *name = ranks->scorer.impl->name;
    for (uint32_t t = 0; t < e->n_trees; t++)
        if (e->tree_depth[t] > LEVEL_MAX_DEPTH)
            return error_set(
                error, STATUS_UNSUPPORTED,
                "%s: tree %u is %u deep; the limit is %d. Use rank-paths or interleaved", name, t,
                e->tree_depth[t], LEVEL_MAX_DEPTH);
    enum status status = rank_make_columns(ranks, e, &maker->pool, &maker->tests, error);
    if (status)
        return status;
    if (ranks->view.n_columns > RANK_BYTE_COLUMNS)
        return rank_refuse_columns(ranks, error);
    return make_blocks(maker) ? STATUS_OK : error_memory(error, name);
}

enum status level_build(const struct impl *impl, const struct ensemble *ensemble,
                        const struct options *options, struct scorer **scorer,
                        struct error *error) {
    (void)options;
    size_t units = ((size_t)ensemble->n_trees + LEVEL_TREES - 1) / LEVEL_TREES;
    struct level_model *model = scorer_create(sizeof *model, impl, ensemble, units, 1, error);
    if (!model)
        return STATUS_MEMORY;
    struct maker maker = {.ensemble = ensemble, .model = model};
    enum status status = make_all(&maker, error);
    memory_pool_free(&maker.pool);
    return scorer_finish(&model->ranks.scorer, status, scorer, error);
}

enum status level_spread(const struct scorer *scorer, struct spread *spread, struct error *error) {
    uint32_t *output;
    struct level_model *copy = scorer_spread(scorer, sizeof *copy, &output, error);
    if (!copy)
        return STATUS_MEMORY;
    *spread = (struct spread){&copy->ranks.scorer, copy->output, LEVEL_TREES};
    copy->output = output;
    return STATUS_OK;
}
