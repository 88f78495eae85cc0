#include "impls/walks/rank_bytes_model.h"

#include <stdlib.h>
#include <string.h>

/* The part of a subtree that is on one level. */
struct piece {
    uint32_t tree;
    int32_t child; /* the root of the subtree, as in the ensemble: an inner node, or ~leaf */
    size_t exit;   /* the exit of the level above that leads to the piece */
};

/* Pieces of one level of a block. */
struct pieces {
    struct piece *all;
    size_t count, capacity;
};

/* A bundle in the making. */
struct draft {
    uint16_t column[RANK_TESTS];
    uint8_t threshold[RANK_TESTS], left[RANK_TESTS], right[RANK_TESTS];
    uint32_t n_roots, n_tests, n_exits; /* a root that is an exit counts as a test */
    union rank_exit exits[RANK_TESTS];
};

/* The model that is being built, and temporary memory. */
struct maker {
    const struct ensemble *ensemble;
    struct rank_model *model;
    struct memory_pool pool; /* of the arrays by node and by column */
    struct rank_tests tests;
    uint8_t *level;            /* [n_nodes] the level of each node; 0 is the lowest */
    uint8_t *exits;            /* [n_nodes] exits of each node's subtree on the node's level */
    struct pieces here, below; /* pieces of the current level and of the level below */
    struct draft *drafts;
    size_t n_drafts, drafts_capacity;
};

/* --- levels ------------------------------------------------------------------------------------*/

static uint32_t level_of(const struct maker *maker, uint32_t t, int32_t child) {
    return child < 0 ? 0 : maker->level[maker->ensemble->tree_node[t] + (size_t)child];
}

/* The number of exits that a child's subtree has on a level. A subtree that is wholly below the
 * level is one exit. */
static uint32_t exits_of(const struct maker *maker, uint32_t t, int32_t child, uint32_t level) {
    if (child < 0 || level_of(maker, t, child) < level)
        return 1;
    return maker->exits[maker->ensemble->tree_node[t] + (size_t)child];
}

/* Puts each node on the lowest level on which its subtree has at most RANK_TESTS exits. Returns the
 * number of levels. */
static uint32_t cut_tree(struct maker *maker, uint32_t t) {
    const struct ensemble *e = maker->ensemble;
    size_t first = e->tree_node[t];
    for (uint32_t i = ensemble_tree_nodes(e, t); i-- > 0;) { /* children come after their parents */
        int32_t left = e->left[first + i], right = e->right[first + i];
        uint32_t a = level_of(maker, t, left), b = level_of(maker, t, right);
        uint32_t level = a > b ? a : b;
        uint32_t exits = exits_of(maker, t, left, level) + exits_of(maker, t, right, level);
        if (exits > RANK_TESTS) {
            level++;
            exits = 2;
        }
        maker->level[first + i] = (uint8_t)(level < RANK_MAX_LEVELS ? level : RANK_MAX_LEVELS);
        maker->exits[first + i] = (uint8_t)exits;
    }
    return level_of(maker, t, ensemble_tree_nodes(e, t) ? 0 : ~0) + 1;
}

/* --- bundles -----------------------------------------------------------------------------------*/

static bool add_piece(struct pieces *pieces, struct piece piece) {
    if (!memory_grow((void **)&pieces->all, &pieces->capacity, pieces->count, sizeof piece))
        return false;
    pieces->all[pieces->count++] = piece;
    return true;
}

/* Adds an exit to the bundle, for a leaf or a piece of the level below, and sets *pointer to it. */
static bool add_exit(struct maker *maker, struct draft *draft, const struct piece *piece,
                     int32_t child, uint32_t level, uint8_t *pointer) {
    const struct ensemble *e = maker->ensemble;
    size_t exit = RANK_TESTS * (maker->n_drafts - 1) + draft->n_exits;
    *pointer = (uint8_t)(RANK_TESTS + draft->n_exits);
    uint32_t number = draft->n_exits++;
    if (level)
        return add_piece(&maker->below, (struct piece){piece->tree, child, exit});
    draft->exits[number].value = e->value[e->tree_leaf[piece->tree] + (size_t)~child];
    return true;
}

/* A test of the bundle whose two pointers are not filled in yet. */
struct open_test {
    int32_t node;
    uint32_t position, depth;
};

struct queue {
    struct open_test tests[RANK_TESTS];
    uint32_t count;
};

/* Makes `child` a test of the bundle, which joins the queue, or an exit. Sets *pointer to that test
 * or exit. */
static bool point_at(struct maker *maker, struct draft *draft, const struct piece *piece,
                     int32_t child, uint32_t level, struct queue *queue, uint32_t depth,
                     uint8_t *pointer) {
    if (child < 0 || level_of(maker, piece->tree, child) < level)
        return add_exit(maker, draft, piece, child, level, pointer);
    *pointer = (uint8_t)draft->n_tests;
    queue->tests[queue->count++] = (struct open_test){child, draft->n_tests++, depth};
    return true;
}

/* Fills in a piece whose root has the index `root` in the bundle. Returns the number of tests on
 * the piece's longest path, at least 1, or 0 if memory ran out. */
static uint32_t fill_piece(struct maker *maker, struct draft *draft, const struct piece *piece,
                           uint32_t level, uint32_t root) {
    const struct ensemble *e = maker->ensemble;
    if (piece->child < 0 || level_of(maker, piece->tree, piece->child) < level) {
        bool added = add_exit(maker, draft, piece, piece->child, level, &draft->left[root]);
        draft->right[root] = draft->left[root];
        return added;
    }
    struct queue queue = {.tests = {{piece->child, root, 1}}, .count = 1};
    uint32_t depth = 0;
    for (uint32_t i = 0; i < queue.count; i++) {
        const struct open_test test = queue.tests[i];
        size_t node = e->tree_node[piece->tree] + (size_t)test.node;
        uint32_t p = test.position;
        depth = test.depth;
        draft->column[p] = (uint16_t)maker->tests.column[node];
        draft->threshold[p] = maker->tests.rank[node];
        if (!point_at(maker, draft, piece, e->left[node], level, &queue, depth + 1,
                      &draft->left[p]) ||
            !point_at(maker, draft, piece, e->right[node], level, &queue, depth + 1,
                      &draft->right[p]))
            return 0;
    }
    return depth;
}

static uint32_t doublings_for(uint32_t depth) {
    uint32_t doublings = 0;
    while ((1u << doublings) < depth)
        doublings++;
    return doublings;
}

/* Adds a bundle with `n` consecutive pieces of the current level. The first is piece number
 * `first`. */
static bool add_bundle(struct maker *maker, struct rank_block *block, size_t first, uint32_t n,
                       uint32_t level) {
    if (!memory_grow((void **)&maker->drafts, &maker->drafts_capacity, maker->n_drafts,
                     sizeof *maker->drafts))
        return false;
    struct draft *draft = &maker->drafts[maker->n_drafts++];
    memset(draft, 0, sizeof *draft);
    memset(draft->threshold, UINT8_MAX, RANK_TESTS); /* no byte is greater: unused tests go left */
    memset(draft->left, RANK_TESTS, RANK_TESTS);
    memset(draft->right, RANK_TESTS, RANK_TESTS);
    draft->n_roots = draft->n_tests = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct piece *piece = &maker->here.all[first + i];
        size_t bundle = maker->n_drafts - 1;
        if (level + 1 < block->levels)
            maker->drafts[piece->exit / RANK_TESTS].exits[piece->exit % RANK_TESTS].next =
                (uint32_t)(RANK_TESTS * bundle + i);
        else
            maker->model->first_exit[piece->tree] = (uint32_t)(RANK_TESTS * bundle - RANK_TESTS);
        uint32_t depth = fill_piece(maker, draft, piece, level, i);
        if (!depth)
            return false;
        if (doublings_for(depth) > block->doublings)
            block->doublings = doublings_for(depth);
    }
    return true;
}

/* Divides the pieces of the current level into bundles. Neighbouring pieces share a bundle. */
static bool add_level(struct maker *maker, struct rank_block *block, uint32_t level) {
    size_t first = 0;
    size_t most = level + 1 == block->levels ? RANK_ROOTS : RANK_TESTS;
    uint32_t exits = 0;
    for (size_t i = 0; i < maker->here.count; i++) {
        const struct piece *piece = &maker->here.all[i];
        uint32_t more = exits_of(maker, piece->tree, piece->child, level);
        if (exits + more > RANK_TESTS || i - first == most) {
            if (!add_bundle(maker, block, first, (uint32_t)(i - first), level))
                return false;
            first = i;
            exits = 0;
        }
        exits += more;
    }
    return add_bundle(maker, block, first, (uint32_t)(maker->here.count - first), level);
}

static bool add_block(struct maker *maker, struct rank_block *block) {
    const struct ensemble *e = maker->ensemble;
    maker->here.count = 0;
    for (uint32_t t = block->first_tree; t < block->first_tree + block->n_trees; t++)
        if (!add_piece(&maker->here, (struct piece){t, ensemble_tree_nodes(e, t) ? 0 : ~0, 0}))
            return false;
    block->first_bundle = (uint32_t)maker->n_drafts;
    for (uint32_t level = block->levels; level-- > 0;) {
        maker->below.count = 0;
        if (!add_level(maker, block, level))
            return false;
        if (level + 1 == block->levels)
            block->n_bundles = (uint32_t)maker->n_drafts - block->first_bundle;
        struct pieces done = maker->here;
        maker->here = maker->below;
        maker->below = done;
    }
    return true;
}

static enum status make_blocks(struct maker *maker, struct error *error) {
    struct rank_model *model = maker->model;
    const char *name = model->scorer.impl->name;
    uint32_t n_trees = maker->ensemble->n_trees;
    for (uint32_t u = 0; u < model->scorer.n_units; u++) {
        struct rank_block *block = &model->blocks[u];
        uint32_t left = n_trees - u * RANK_BLOCK;
        *block = (struct rank_block){.first_tree = u * RANK_BLOCK,
                                     .n_trees = left < RANK_BLOCK ? left : RANK_BLOCK};
        for (uint32_t t = block->first_tree; t < block->first_tree + block->n_trees; t++) {
            uint32_t levels = cut_tree(maker, t);
            if (levels > RANK_MAX_LEVELS)
                return error_set(error, STATUS_UNSUPPORTED,
                                 "%s: tree %u is too uneven: cut into subtrees of %d leaves, it "
                                 "has more than %d levels. Use interleaved",
                                 name, t, RANK_TESTS, RANK_MAX_LEVELS);
            block->levels = levels > block->levels ? levels : block->levels;
        }
        if (!add_block(maker, block))
            return error_memory(error, name);
        if (maker->n_drafts > UINT32_MAX / RANK_TESTS)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s: the model has too many leaves. Use interleaved or rapidscorer",
                             name);
    }
    return STATUS_OK;
}

/* --- all of it ---------------------------------------------------------------------------------*/

static void copy_draft(const struct draft *draft, struct rank_model *model, size_t b) {
    struct rank_bundle *bundle = &model->bundles[b];
    for (uint32_t i = 0; i < RANK_TESTS; i++) {
        uint32_t table = draft->column[i] / RANK_TABLE;
        bundle->column[i] = draft->column[i] % RANK_TABLE;
        if (table)
            model->in_table[b * (model->view.n_tables - 1) + table - 1] |= (uint64_t)1 << i;
    }
    memcpy(bundle->threshold, draft->threshold, RANK_TESTS);
    memcpy(bundle->left, draft->left, RANK_TESTS);
    memcpy(bundle->right, draft->right, RANK_TESTS);
    memcpy(model->exits + b * RANK_TESTS, draft->exits, sizeof draft->exits);
    model->n_roots[b] = (uint8_t)draft->n_roots;
}

static bool copy_drafts(struct maker *maker) {
    struct rank_model *model = maker->model;
    size_t n = maker->n_drafts, n_masks = n * (model->view.n_tables - 1);
    model->n_bundles = n;
    struct rank_view *view = &model->view;
    struct memory_pool *pool = &model->scorer.pool;
    view->bundles = model->bundles = memory_pool_array(pool, n, sizeof *model->bundles);
    view->in_table = model->in_table =
        memory_pool_array(pool, n_masks + 1, sizeof *model->in_table);
    view->n_roots = model->n_roots = memory_pool_array(pool, n + 1, sizeof *model->n_roots);
    view->exits = model->exits = memory_pool_array(pool, n * RANK_TESTS, sizeof *model->exits);
    if (pool->failed)
        return false;
    for (size_t b = 0; b < n; b++)
        copy_draft(&maker->drafts[b], model, b);
    model->scorer.bytes +=
        n * (sizeof *model->bundles + sizeof *model->n_roots + RANK_TESTS * sizeof *model->exits) +
        n_masks * sizeof *model->in_table;
    return true;
}

static bool allocate(struct maker *maker) {
    const struct ensemble *e = maker->ensemble;
    struct rank_model *model = maker->model;
    struct memory_pool *pool = &maker->pool, *lasting = &model->scorer.pool;
    struct rank_view *view = &model->view;
    size_t nodes = e->n_nodes + 1, units = model->scorer.n_units;
    maker->level = memory_pool_array(pool, nodes, sizeof *maker->level);
    maker->exits = memory_pool_array(pool, nodes, sizeof *maker->exits);
    view->blocks = model->blocks = memory_pool_array(lasting, units + 1, sizeof *model->blocks);
    view->output = memory_pool_copy(lasting, e->tree_output, e->n_trees, sizeof *view->output);
    view->first_exit = model->first_exit =
        memory_pool_array(lasting, units * RANK_BLOCK, sizeof *model->first_exit);
    return !pool->failed && !lasting->failed;
}

static enum status make_all(struct maker *maker, struct error *error) {
    struct rank_model *model = maker->model;
    const struct ensemble *e = maker->ensemble;
    model->view.n_outputs = model->scorer.n_outputs;
    model->view.votes = model->scorer.votes;
    if (!allocate(maker))
        return error_memory(error, model->scorer.impl->name);
    enum status status = rank_make_columns(model, e, &maker->pool, &maker->tests, error);
    if (!status)
        status = make_blocks(maker, error);
    if (!status && !copy_drafts(maker))
        return error_memory(error, model->scorer.impl->name);
    return status;
}

enum status rank_make(struct rank_model *model, const struct ensemble *ensemble,
                      struct error *error) {
    struct maker maker = {.ensemble = ensemble, .model = model};
    enum status status = make_all(&maker, error);
    memory_pool_free(&maker.pool);
    free(maker.here.all);
    free(maker.below.all);
    free(maker.drafts);
    return status;
}

enum status rank_build(const struct impl *impl, const struct ensemble *ensemble,
                       const struct options *options, struct scorer **scorer, struct error *error) {
    (void)options;
    struct rank_model *model =
        scorer_create(sizeof *model, impl, ensemble, rank_units(ensemble), 1, error);
    if (!model)
        return STATUS_MEMORY;
    return scorer_finish(&model->scorer, rank_make(model, ensemble, error), scorer, error);
}

enum status rank_spread_as(const struct scorer *scorer, size_t size, struct spread *spread,
                           struct error *error) {
    uint32_t *output;
    struct rank_model *copy = scorer_spread(scorer, size, &output, error);
    if (!copy)
        return STATUS_MEMORY;
    copy->view.n_outputs = copy->scorer.n_outputs;
    copy->view.votes = false;
    copy->view.output = output;
    *spread = (struct spread){&copy->scorer, ((const struct rank_model *)scorer)->view.output,
                              RANK_BLOCK};
    return STATUS_OK;
}

enum status rank_spread(const struct scorer *scorer, struct spread *spread, struct error *error) {
    return rank_spread_as(scorer, sizeof(struct rank_model), spread, error);
}
