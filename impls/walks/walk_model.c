#include "impls/walks/walk_model.h"

#include "base/order.h"
#include "impls/shared/sorted_tests.h"

#include <math.h>
#include <stdlib.h>

enum { NODE_BITS = 32 };

/* The sorted tests [begin, end) are of one kind: they read the same column. `levels` is the number
 * of steps of a binary search among their thresholds. */
struct kind {
    size_t begin, end;
    uint32_t levels;
};

/* The model that is being built, and temporary memory. */
struct maker {
    const struct ensemble *ensemble;
    struct walk_model *model;
    struct memory_pool pool;
    struct sorted_test *tests; /* [n_nodes] */
    struct kind *kinds;
    size_t n_kinds, kinds_capacity;
    uint32_t *column, *rank; /* [n_nodes] the column and the rank of each node's threshold */
    int32_t *queue;          /* the inner nodes and leaves of one tree, breadth first */
    uint32_t *root;          /* [n_trees] */
};

static uint32_t bit_length(size_t value) {
    return value ? 64 - (uint32_t)__builtin_clzll(value) : 0;
}

/* --- columns and ranks -------------------------------------------------------------------------*/

static int compare_kinds(const void *a_kind, const void *b_kind) {
    const struct kind *a = a_kind, *b = b_kind;
    if (a->levels != b->levels)
        return a->levels < b->levels ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Makes the kind that begins with test `begin`, and gives the nodes of that kind their ranks. */
static struct kind rank_kind(struct maker *maker, size_t begin) {
    const struct sorted_test *tests = maker->tests;
    uint32_t rank = 0;
    size_t i = begin;
    for (; i < maker->ensemble->n_nodes && sorted_test_is_like(&tests[i], &tests[begin]); i++) {
        rank += i > begin && tests[i].order != tests[i - 1].order;
        maker->rank[tests[i].node] = rank;
    }
    return (struct kind){begin, i, bit_length(rank + 1)};
}

static bool find_kinds(struct maker *maker) {
    for (size_t begin = 0; begin < maker->ensemble->n_nodes;) {
        if (!memory_grow((void **)&maker->kinds, &maker->kinds_capacity, maker->n_kinds,
                         sizeof *maker->kinds))
            return false;
        maker->kinds[maker->n_kinds] = rank_kind(maker, begin);
        begin = maker->kinds[maker->n_kinds++].end;
    }
    if (maker->n_kinds)
        qsort(maker->kinds, maker->n_kinds, sizeof *maker->kinds, compare_kinds);
    return true;
}

/* Gives the columns that are searched together the same number of levels: that of the largest of
 * them. */
static void even_levels(struct maker *maker) {
    for (size_t k = 0; k < maker->n_kinds; k++) {
        size_t last = k / WALK_SEARCHES * WALK_SEARCHES + WALK_SEARCHES - 1;
        last = last < maker->n_kinds ? last : maker->n_kinds - 1;
        maker->kinds[k].levels = maker->kinds[last].levels;
    }
}

static void fill_column(struct maker *maker, uint32_t number, uint32_t first_threshold) {
    const struct kind *kind = &maker->kinds[number];
    float *thresholds = maker->model->thresholds + first_threshold;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < (1u << kind->levels) - 1; i++)
        thresholds[i] = INFINITY;
    for (size_t i = kind->begin; i < kind->end; i++) {
        size_t node = maker->tests[i].node;
        rank = maker->rank[node];
        maker->column[node] = number;
        thresholds[rank] = maker->ensemble->threshold[node];
    }
    const struct sorted_test *first = &maker->tests[kind->begin];
    maker->model->columns[number] =
        (struct walk_column){.feature = sorted_test_feature(first),
                             .levels = kind->levels,
                             .first_threshold = first_threshold,
                             .nan_rank = sorted_test_nan_left(first) ? 0 : rank + 1};
}

static bool make_columns(struct maker *maker) {
    struct walk_model *model = maker->model;
    uint32_t n_thresholds = 0;
    sorted_tests_make(maker->ensemble, maker->tests);
    if (!find_kinds(maker))
        return false;
    even_levels(maker);
    for (size_t k = 0; k < maker->n_kinds; k++)
        n_thresholds += (1u << maker->kinds[k].levels) - 1;
    model->n_columns =
        (uint32_t)((maker->n_kinds + WALK_SEARCHES - 1) / WALK_SEARCHES) * WALK_SEARCHES;
    model->columns = memory_pool_array(&model->scorer.pool, (size_t)model->n_columns + 1,
                                       sizeof *model->columns);
    model->thresholds =
        memory_pool_array(&model->scorer.pool, (size_t)n_thresholds + 1, sizeof *model->thresholds);
    if (model->scorer.pool.failed)
        return false;
    model->scorer.bytes += n_thresholds * sizeof *model->thresholds;
    uint32_t first = 0;
    for (uint32_t k = 0; k < maker->n_kinds; k++) {
        fill_column(maker, k, first);
        first += (1u << maker->kinds[k].levels) - 1;
    }
    for (size_t c = maker->n_kinds; c < model->n_columns; c++)
        model->columns[c] = model->columns[maker->n_kinds - 1]; /* copies pad the last group */
    return true;
}

/* --- nodes -------------------------------------------------------------------------------------*/

/* Stores the nodes of tree t, from index `first` on. Returns the greatest `next` of the tree's
 * nodes. */
static uint32_t place_tree(struct maker *maker, uint32_t t, uint32_t first) {
    const struct ensemble *e = maker->ensemble;
    const struct walk_model *model = maker->model;
    uint32_t end = 1, greatest = 0;
    maker->queue[0] = ensemble_tree_nodes(e, t) ? 0 : ~0;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t column = model->n_columns, next = 0, number;
        if (maker->queue[i] < 0) {
            number = (uint32_t)~maker->queue[i];
        } else {
            size_t node = e->tree_node[t] + (size_t)maker->queue[i];
            column = maker->column[node];
            number = maker->rank[node];
            next = end - i;
            maker->queue[end++] = e->left[node];
            maker->queue[end++] = e->right[node];
        }
        greatest = next > greatest ? next : greatest;
        model->nodes[first + i] =
            number << walk_number_shift(model->layout) | column << model->layout.next | next;
    }
    return greatest;
}

static uint32_t place_trees(struct maker *maker) {
    const struct ensemble *e = maker->ensemble;
    uint32_t greatest = 0;
    for (uint32_t t = 0; t < e->n_trees; t++) {
        maker->root[t] = (uint32_t)(e->tree_node[t] + e->tree_leaf[t]);
        uint32_t next = place_tree(maker, t, maker->root[t]);
        greatest = next > greatest ? next : greatest;
    }
    return greatest;
}

/* The greatest value that the part `number` of a node or of a document's word must hold. */
static size_t greatest_number(const struct maker *maker) {
    const struct ensemble *e = maker->ensemble;
    uint32_t leaves = ensemble_most_leaves(e, 0, e->n_trees);
    size_t greatest = leaves ? leaves - 1 : 0;
    for (size_t k = 0; k < maker->n_kinds; k++) /* ranks of documents */
        if ((1u << maker->kinds[k].levels) - 1 > greatest)
            greatest = (1u << maker->kinds[k].levels) - 1;
    return greatest;
}

/* Returns the first of WALK_LAYOUTS that is wide enough, because kernels may have specialised code
 * for it. If none is wide enough, returns the layout unchanged. */
static struct walk_layout widen(struct walk_layout needed, uint32_t number) {
    static const struct walk_layout known[] = {WALK_LAYOUTS};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (needed.next <= known[i].next && needed.column <= known[i].column &&
            known[i].next + known[i].column + number <= NODE_BITS)
            return known[i];
    return needed;
}

static enum status make_nodes(struct maker *maker, struct error *error) {
    struct walk_model *model = maker->model;
    if (maker->ensemble->n_nodes + maker->ensemble->n_leaves > INT32_MAX)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: the model has more than %d nodes and leaves. Use auto",
                         model->scorer.impl->name, INT32_MAX);
    /* This first call of place_trees only finds the greatest `next`. */
    struct walk_layout needed = {.next = bit_length(place_trees(maker)),
                                 .column = bit_length(model->n_columns)};
    uint32_t number = bit_length(greatest_number(maker));
    if (needed.next + needed.column + number > NODE_BITS)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: the model is too large: a node would need %u bits for ranks and "
                         "leaves, %u for columns and %u for children, but has %d in all. Use auto",
                         model->scorer.impl->name, number, needed.column, needed.next, NODE_BITS);
    model->layout = widen(needed, number);
    place_trees(maker);
    return STATUS_OK;
}

/* --- steps -------------------------------------------------------------------------------------*/

/* A tree as it is sorted: its depth, and below its slot. */
enum { SLOT_BITS = 7 };
_Static_assert(1 << SLOT_BITS == WALK_BLOCK, "a slot is the index of a tree in its block");
_Static_assert(ENSEMBLE_MAX_DEPTH < 1 << (32 - SLOT_BITS), "depths fit");

static void deal_block(struct maker *maker, struct walk_block *block) {
    const struct ensemble *e = maker->ensemble;
    struct walk_model *model = maker->model;
    uint32_t dealt[WALK_BLOCK] = {0};
    uint32_t lanes = model->lanes, n = block->n_trees;
    for (uint32_t i = 0; i < n; i++)
        dealt[i] = e->tree_depth[block->first_tree + i] << SLOT_BITS | i;
    qsort(dealt, n, sizeof *dealt, compare_uint32s);
    for (uint32_t i = 0; i < block->n_steps * lanes; i++) {
        uint32_t tree = dealt[i < n ? i : n - 1], slot = tree % WALK_BLOCK;
        size_t lane = (size_t)block->first_step * lanes + i;
        uint32_t t = block->first_tree + slot;
        model->root[lane] = maker->root[t];
        model->first_value[lane] = (uint32_t)e->tree_leaf[t];
        model->slot[lane] = slot;
        model->levels[block->first_step + i / lanes] = tree >> SLOT_BITS;
    }
}

static void deal_trees(struct maker *maker) {
    struct walk_model *model = maker->model;
    uint32_t first_tree = 0, first_step = 0;
    for (size_t b = 0; b < model->scorer.n_units; b++) {
        uint32_t left = maker->ensemble->n_trees - first_tree;
        uint32_t n = left < WALK_BLOCK ? left : WALK_BLOCK;
        model->blocks[b] = (struct walk_block){.first_tree = first_tree,
                                               .n_trees = n,
                                               .first_step = first_step,
                                               .n_steps = (n + model->lanes - 1) / model->lanes};
        deal_block(maker, &model->blocks[b]);
        first_tree += n;
        first_step += model->blocks[b].n_steps;
    }
}

/* --- all of it ---------------------------------------------------------------------------------*/

static void allocate_model(struct walk_model *model, const struct ensemble *e) {
    struct memory_pool *pool = &model->scorer.pool;
    size_t units = model->scorer.n_units, steps = units * (WALK_BLOCK / model->lanes) + 1;
    size_t lanes = steps * model->lanes, nodes = e->n_nodes + e->n_leaves;
    model->blocks = memory_pool_array(pool, units + 1, sizeof *model->blocks);
    model->output = memory_pool_copy(pool, e->tree_output, e->n_trees, sizeof *model->output);
    model->levels = memory_pool_array(pool, steps, sizeof *model->levels);
    model->root = memory_pool_array(pool, lanes, sizeof *model->root);
    model->first_value = memory_pool_array(pool, lanes, sizeof *model->first_value);
    model->slot = memory_pool_array(pool, lanes, sizeof *model->slot);
    model->nodes = memory_pool_array(pool, nodes, sizeof *model->nodes);
    model->values = memory_pool_copy(pool, e->value, e->n_leaves, sizeof *model->values);
    model->scorer.bytes += nodes * sizeof *model->nodes + e->n_leaves * sizeof *model->values +
                           lanes * 3 * sizeof *model->root;
}

static void allocate_maker(struct maker *maker, const struct ensemble *e) {
    struct memory_pool *pool = &maker->pool;
    maker->tests = memory_pool_array(pool, e->n_nodes, sizeof *maker->tests);
    maker->column = memory_pool_array(pool, e->n_nodes, sizeof *maker->column);
    maker->rank = memory_pool_array(pool, e->n_nodes, sizeof *maker->rank);
    maker->queue = memory_pool_array(pool, e->n_nodes + e->n_leaves, sizeof *maker->queue);
    maker->root = memory_pool_array(pool, e->n_trees, sizeof *maker->root);
}

static enum status make_all(struct maker *maker, struct error *error) {
    struct walk_model *model = maker->model;
    const struct ensemble *e = maker->ensemble;
    allocate_model(model, e);
    allocate_maker(maker, e);
    if (model->scorer.pool.failed || maker->pool.failed || !make_columns(maker))
        return error_memory(error, model->scorer.impl->name);
    enum status status = make_nodes(maker, error);
    if (status)
        return status;
    deal_trees(maker);
    model->scorer.workspace = walk_workspace(model);
    return STATUS_OK;
}

enum status walk_build(const struct impl *impl, uint32_t lanes, const struct ensemble *ensemble,
                       struct scorer **scorer, struct error *error) {
    size_t units = (ensemble->n_trees + WALK_BLOCK - 1) / WALK_BLOCK;
    struct walk_model *model = scorer_create(sizeof *model, impl, ensemble, units, 1, error);
    if (!model)
        return STATUS_MEMORY;
    model->lanes = lanes;
    struct maker maker = {.ensemble = ensemble, .model = model};
    enum status status = make_all(&maker, error);
    memory_pool_free(&maker.pool);
    free(maker.kinds);
    return scorer_finish(&model->scorer, status, scorer, error);
}

enum status walk_spread(const struct scorer *scorer, struct spread *spread, struct error *error) {
    uint32_t *output;
    struct walk_model *copy = scorer_spread(scorer, sizeof *copy, &output, error);
    if (!copy)
        return STATUS_MEMORY;
    *spread = (struct spread){&copy->scorer, copy->output, WALK_BLOCK};
    copy->output = output;
    return STATUS_OK;
}
