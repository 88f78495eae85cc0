#include "impls/walks/rank_paths_model.h"

#include "base/order.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_TESTS_SHIFT = 8 };

/* The state and the turns at the root of a piece. */
struct root {
    uint16_t state;
    uint8_t turns;
};

/* A bundle that is converted. Its pointers are those of rank_bundle: up to RANK_TESTS - 1 tests,
 * from there on exits. */
struct converter {
    struct rank_bundle old;
    const union rank_exit *old_exits;
    struct path_tests tests;
    struct path_turns after;
    union rank_exit exits[RANK_TESTS];
    uint64_t flips;
    uint8_t turns[2 * RANK_TESTS];   /* the most turns below each pointer; 0 for exits */
    uint16_t states[2 * RANK_TESTS]; /* of heavy paths by their first test, and of exits */
    uint8_t test_at[RANK_TESTS];     /* the test at each new index */
    uint32_t n_tests;                /* that have a new index */
    uint64_t ends;                   /* indices of exits that are the ends of paths */
};

/* The model that is being built, and temporary memory. */
struct maker {
    struct path_model *model;
    struct memory_pool pool;
    struct root *roots; /* [bundles * RANK_TESTS] */
};

/* --- bundles -----------------------------------------------------------------------------------*/

static bool is_exit(uint32_t pointer) {
    return pointer >= RANK_TESTS;
}

/* A bundle is filled breadth first, so children come after their parents. */
static void count_turns(struct converter *converter) {
    for (uint32_t i = RANK_TESTS; i-- > 0;) {
        uint8_t left = converter->turns[converter->old.left[i]];
        uint8_t right = converter->turns[converter->old.right[i]];
        converter->turns[i] = (uint8_t)((left > right ? left : right) + (left == right));
    }
}

static bool right_is_heavy(const struct converter *converter, uint32_t test) {
    const struct rank_bundle *old = &converter->old;
    return converter->turns[old->right[test]] > converter->turns[old->left[test]];
}

static uint8_t child_of(const struct converter *converter, uint32_t test, bool heavy) {
    const struct rank_bundle *old = &converter->old;
    return right_is_heavy(converter, test) == heavy ? old->right[test] : old->left[test];
}

static void move_exit(struct converter *converter, uint32_t exit, uint32_t index) {
    converter->states[exit] = (uint16_t)index;
    converter->exits[index] = converter->old_exits[exit - RANK_TESTS];
}

/* Gives the tests of a heavy path their indices, and the exit at its end the index of the first. */
static void place_path(struct converter *converter, uint32_t first) {
    uint32_t begin = converter->n_tests, pointer = first;
    for (; !is_exit(pointer); pointer = child_of(converter, pointer, true))
        converter->test_at[converter->n_tests++] = (uint8_t)pointer;
    converter->states[first] = (uint16_t)((converter->n_tests - begin) << PATH_TESTS_SHIFT | begin);
    converter->after.after[RANK_TESTS + begin] = converter->states[first];
    move_exit(converter, pointer, begin);
    converter->ends |= (uint64_t)1 << begin;
}

/* Gives an exit that is not the end of a path an index that is not the end of a path. */
static void place_exit(struct converter *converter, uint32_t exit, uint32_t *index) {
    while (converter->ends >> *index & 1)
        ++*index;
    converter->after.after[RANK_TESTS + *index] = (uint16_t)*index;
    move_exit(converter, exit, (*index)++);
}

/* A root that is an exit is stored as a test whose pointers are equal. */
static uint32_t root_pointer(const struct converter *converter, uint32_t root) {
    const struct rank_bundle *old = &converter->old;
    return old->left[root] == old->right[root] ? old->left[root] : root;
}

static void place_all(struct converter *converter, uint32_t n_roots) {
    uint32_t index = 0;
    for (uint32_t r = 0; r < n_roots; r++)
        if (!is_exit(root_pointer(converter, r)))
            place_path(converter, r);
    for (uint32_t i = 0; i < converter->n_tests; i++) { /* grows in the loop */
        uint8_t light = child_of(converter, converter->test_at[i], false);
        if (!is_exit(light))
            place_path(converter, light);
    }
    for (uint32_t r = 0; r < n_roots; r++)
        if (is_exit(root_pointer(converter, r)))
            place_exit(converter, root_pointer(converter, r), &index);
    for (uint32_t i = 0; i < converter->n_tests; i++) {
        uint8_t light = child_of(converter, converter->test_at[i], false);
        if (is_exit(light))
            place_exit(converter, light, &index);
    }
}

static void fill_tests(struct converter *converter) {
    memset(converter->tests.threshold, INT8_MAX, RANK_TESTS); /* no byte is greater */
    for (uint32_t i = 0; i < converter->n_tests; i++) {
        uint32_t test = converter->test_at[i];
        converter->tests.column[i] = converter->old.column[test];
        converter->tests.threshold[i] = (int8_t)(converter->old.threshold[test] + INT8_MIN);
        converter->after.after[i] = converter->states[child_of(converter, test, false)];
        converter->flips |= (uint64_t)right_is_heavy(converter, test) << i;
    }
}

static void convert_bundle(struct maker *maker, size_t b) {
    struct rank_model *ranks = &maker->model->ranks;
    union rank_exit *exits = ranks->exits + b * RANK_TESTS;
    struct converter converter = {.old = ranks->bundles[b], .old_exits = exits};
    if (ranks->view.n_tables > 1)
        for (uint32_t i = 0; i < RANK_TESTS; i++)
            converter.old.column[i] |= (uint8_t)((ranks->in_table[b] >> i & 1) * RANK_TABLE);
    count_turns(&converter);
    place_all(&converter, ranks->n_roots[b]);
    fill_tests(&converter);
    memcpy(exits, converter.exits, sizeof converter.exits);
    maker->model->tests[b] = converter.tests;
    maker->model->turns[b] = converter.after;
    maker->model->flips[b] = converter.flips;
    for (uint32_t r = 0; r < ranks->n_roots[b]; r++) {
        uint32_t pointer = root_pointer(&converter, r);
        maker->roots[b * RANK_TESTS + r] =
            (struct root){converter.states[pointer], converter.turns[pointer]};
    }
}

/* --- blocks ------------------------------------------------------------------------------------*/

/* Trees are sorted as numbers: their turns, and below them their index in the block. */
static void deal_trees(const struct maker *maker, size_t u) {
    const struct rank_block *block = &maker->model->ranks.blocks[u];
    struct path_lane lanes[RANK_BLOCK] = {{0, 0, 0}};
    uint32_t dealt[RANK_BLOCK] = {0};
    uint16_t n = 0;
    for (uint32_t b = block->first_bundle; b < block->first_bundle + block->n_bundles; b++)
        for (uint32_t r = 0; r < maker->model->ranks.n_roots[b]; r++, n++) {
            const struct root *root = &maker->roots[(size_t)b * RANK_TESTS + r];
            lanes[n] = (struct path_lane){b, root->state, n};
            dealt[n] = (uint32_t)root->turns * RANK_BLOCK + n;
        }
    qsort(dealt, n, sizeof *dealt, compare_uint32s);
    for (uint32_t i = 0; i < RANK_BLOCK; i++) {
        uint32_t tree = dealt[i < n ? i : n - 1u];
        maker->model->lanes[u * RANK_BLOCK + i] = lanes[tree % RANK_BLOCK];
        maker->model->blocks[u].hops[i / PATH_LANES] = (uint8_t)(tree / RANK_BLOCK);
    }
}

/* Replaces the roots at which the exits of the bundles point. Returns the end of the bundles with
 * these roots. */
static size_t point_below(const struct maker *maker, struct path_block *block, size_t begin,
                          size_t end) {
    size_t below = end;
    union rank_exit *exits = maker->model->ranks.exits;
    for (size_t i = begin * RANK_TESTS; i < end * RANK_TESTS; i++) {
        const struct root *root = &maker->roots[exits[i].next];
        size_t bundle = exits[i].next / RANK_TESTS;
        if (bundle < end) /* the exit is not used */
            continue;
        exits[i].next = (uint64_t)bundle << PATH_STATE_BITS | root->state;
        below = bundle + 1 > below ? bundle + 1 : below;
        block->lower_hops = root->turns > block->lower_hops ? root->turns : block->lower_hops;
    }
    return below;
}

static void make_block(const struct maker *maker, size_t u) {
    const struct rank_block *block = &maker->model->ranks.blocks[u];
    size_t begin = block->first_bundle, end = begin + block->n_bundles;
    deal_trees(maker, u);
    for (uint32_t level = 1; level < block->levels; level++) {
        size_t below = point_below(maker, &maker->model->blocks[u], begin, end);
        begin = end;
        end = below;
    }
}

/* --- all of it ---------------------------------------------------------------------------------*/

static bool allocate(struct maker *maker) {
    struct path_model *model = maker->model;
    struct memory_pool *lasting = &model->ranks.scorer.pool;
    size_t n = model->ranks.n_bundles, units = model->ranks.scorer.n_units;
    maker->roots = memory_pool_array(&maker->pool, n * RANK_TESTS, sizeof *maker->roots);
    model->tests = memory_pool_array(lasting, n, sizeof *model->tests);
    model->turns = memory_pool_array(lasting, n, sizeof *model->turns);
    model->flips = memory_pool_array(lasting, n + 1, sizeof *model->flips);
    model->blocks = memory_pool_array(lasting, units + 1, sizeof *model->blocks);
    model->lanes = memory_pool_array(lasting, units * RANK_BLOCK + 1, sizeof *model->lanes);
    model->ranks.scorer.bytes += n * (sizeof *model->flips + sizeof *model->tests +
                                      sizeof *model->turns - sizeof *model->ranks.bundles) +
                                 units * sizeof *model->blocks +
                                 units * RANK_BLOCK * sizeof *model->lanes;
    model->is_far = model->ranks.scorer.bytes > PATH_FAR_BYTES;
    return !maker->pool.failed && !lasting->failed;
}

static enum status make_paths(struct maker *maker, struct error *error) {
    struct rank_model *ranks = &maker->model->ranks;
    if (ranks->view.n_columns > RANK_BYTE_COLUMNS)
        return rank_refuse_columns(ranks, error);
    if (!allocate(maker))
        return error_memory(error, ranks->scorer.impl->name);
    for (size_t b = 0; b < ranks->n_bundles; b++)
        convert_bundle(maker, b);
    for (size_t u = 0; u < ranks->scorer.n_units; u++)
        make_block(maker, u);
    return STATUS_OK;
}

enum status path_build(const struct impl *impl, const struct ensemble *ensemble,
                       const struct options *options, struct scorer **scorer, struct error *error) {
    (void)options;
    struct path_model *model =
        scorer_create(sizeof *model, impl, ensemble, rank_units(ensemble), 1, error);
    if (!model)
        return STATUS_MEMORY;
    struct maker maker = {.model = model};
    enum status status = rank_make(&model->ranks, ensemble, error);
    if (!status)
        status = make_paths(&maker, error);
    memory_pool_free(&maker.pool);
    return scorer_finish(&model->ranks.scorer, status, scorer, error);
}

enum status path_spread(const struct scorer *scorer, struct spread *spread, struct error *error) {
    return rank_spread_as(scorer, sizeof(struct path_model), spread, error);
}
