/* rank-bytes: what its ensembles become. That it reaches the right leaves: test_exactness.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "impls/shared/float_key.h"
#include "impls/walks/rank_bytes_model.h"
#include "tests/impls/forests.h"

#include <string.h>

/* As the implementation is built, on processors of any kind. */
static enum status try(const struct ensemble *ensemble, struct scorer **scorer,
                       struct error *error) {
    static const struct impl impl = {.name = "rank-bytes"};
    return rank_build(&impl, ensemble, NULL, scorer, error);
}

/* Takes over the forest. */
static const struct rank_model *build(struct forest *forest) {
    struct ensemble *ensemble = forest_end(forest);
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (try(ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    ensemble_free(ensemble);
    return (const struct rank_model *)scorer;
}

static void destroy(const struct rank_model *model) {
    scorer_destroy((struct scorer *)&model->scorer);
}

static void check_refused(struct forest *forest, const char *text) {
    struct ensemble *ensemble = forest_end(forest);
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(try(ensemble, &scorer, &error), STATUS_UNSUPPORTED);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
    ensemble_free(ensemble);
}

static void add_stump(struct forest *forest, uint32_t feature, float threshold, bool nan_left) {
    const struct inner_node node = {.feature = feature,
                                    .threshold = threshold,
                                    .left = 1,
                                    .right = 2,
                                    .nan_left = nan_left,
                                    .count = ENSEMBLE_NO_COUNT};
    ensemble_builder_add_tree(forest->builder, 0);
    ensemble_builder_add_inner(forest->builder, &node);
    forest_add_leaf(forest);
    forest_add_leaf(forest);
}

static uint32_t count_less(const int32_t *keys, int32_t key) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < RANK_KEYS; i++)
        count += keys[i] < key;
    return count;
}

/* As kernels do it; but that it does not stay a byte. */
static uint32_t byte_of(const struct rank_model *model, uint32_t column, float value) {
    const int32_t *lines = model->keys + model->columns[column].first_key;
    uint32_t count = count_less(lines, float_key(value));
    if (column < model->view.n_small)
        return count;
    return RANK_KEYS * count + count_less(lines + RANK_KEYS * (1 + count), float_key(value));
}

/* Of thresholds 0 to n - 1, all on either side and on each. */
static void check_ranks(const struct rank_model *model, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t on = 0, over = 0;
        for (uint32_t c = 0; c < model->view.n_columns; c++) {
            assert_in_range(byte_of(model, c, (float)i), 0, RANK_COLUMN_THRESHOLDS);
            on += byte_of(model, c, (float)i);
            over += byte_of(model, c, nextafterf((float)i, INFINITY));
        }
        assert_int_equal(on, i);
        assert_int_equal(over, i + 1);
    }
}

static void check_ends(const struct rank_model *model, uint32_t n) {
    uint32_t least = 0, greatest = 0, of_nan = 0;
    for (uint32_t c = 0; c < model->view.n_columns; c++) {
        least += byte_of(model, c, -INFINITY);
        greatest += byte_of(model, c, INFINITY);
        of_nan += byte_of(model, c, NAN);
    }
    assert_int_equal(least, 0);
    assert_int_equal(greatest, n);
    assert_int_equal(of_nan, n);
}

static void columns_have_255_thresholds(void **state) {
    (void)state;
    static const struct {
        uint32_t thresholds, columns, small;
    } expected[] = {{1, 1, 1},   {15, 1, 1},  {16, 1, 1},  {17, 1, 0},  {240, 1, 0}, {254, 1, 0},
                    {255, 1, 0}, {256, 2, 1}, {510, 2, 0}, {511, 3, 1}, {600, 3, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct forest forest = forest_begin(1, 1);
        for (uint32_t t = 0; t < expected[i].thresholds; t++) {
            add_stump(&forest, 0, (float)t, false);
            add_stump(&forest, 0, (float)t, false); /* the same: no more thresholds */
        }
        const struct rank_model *model = build(&forest);
        assert_int_equal(model->view.n_columns, expected[i].columns);
        assert_int_equal(model->view.n_small, expected[i].small);
        assert_false(model->view.two_sides);
        check_ranks(model, expected[i].thresholds);
        check_ends(model, expected[i].thresholds);
        destroy(model);
    }
}

/* A byte is over the number of a threshold exactly when the value is over the threshold. */
static void nodes_have_the_numbers_of_their_thresholds(void **state) {
    (void)state;
    enum { TREES = 700 };
    struct forest forest = forest_begin(1, 1);
    for (uint32_t t = 0; t < TREES; t++)
        add_stump(&forest, 0, (float)t, false);
    const struct rank_model *model = build(&forest);
    for (uint32_t t = 0; t < TREES; t++) {
        const struct rank_block *block = &model->blocks[t / RANK_BLOCK];
        uint32_t in_block = t - block->first_tree;
        const struct rank_bundle *bundle =
            &model->bundles[block->first_bundle + in_block / RANK_ROOTS];
        uint32_t place = in_block % RANK_ROOTS;
        for (int i = -1; i <= 1; i++) {
            float value = (float)t + (float)i * 0.25f;
            bool right = byte_of(model, bundle->column[place], value) > bundle->threshold[place];
            assert_int_equal(right, i > 0);
        }
    }
    destroy(model);
}

static void sides_of_nan_are_columns(void **state) {
    (void)state;
    struct forest forest = forest_begin(40, 1);
    add_stump(&forest, 3, 0.5f, true);
    add_stump(&forest, 39, 0.5f, false);
    add_stump(&forest, 3, 0.5f, false);
    const struct rank_model *model = build(&forest);
    assert_int_equal(model->view.n_columns, 3);
    assert_int_equal(model->view.n_groups, 2); /* of features 0 to 15, and 32 on */
    assert_int_equal(model->groups[0].feature, 0);
    assert_int_equal(model->groups[0].present, UINT16_MAX);
    assert_int_equal(model->groups[1].feature, 32);
    assert_int_equal(model->groups[1].present, 0xff);
    assert_true(model->view.two_sides);
    assert_int_equal(rank_source_keys(&model->view), 4 * RANK_KEYS);
    static const uint32_t sources[] = {3, 2 * RANK_KEYS + 3, RANK_KEYS + 7}; /* by feature */
    for (uint32_t c = 0; c < 3; c++)
        assert_int_equal(model->columns[c].source, sources[c]);
    destroy(model);
}

static void many_columns_are_several_tables(void **state) {
    (void)state;
    enum { FEATURES = 300 };
    struct forest forest = forest_begin(FEATURES, 1);
    for (uint32_t f = 0; f < FEATURES; f++)
        add_stump(&forest, f, 0.5f, false);
    const struct rank_model *model = build(&forest);
    assert_int_equal(model->view.n_tables, 3);
    uint32_t in_table[3] = {0, 0, 0};
    for (size_t b = 0; b < model->n_bundles; b++)
        for (uint32_t t = 1; t < 3; t++)
            in_table[t] += (uint32_t)__builtin_popcountll(model->in_table[b * 2 + t - 1]);
    assert_int_equal(in_table[1], 128);
    assert_int_equal(in_table[2], FEATURES - 256);
    destroy(model);
}

static void small_trees_share_bundles(void **state) {
    (void)state;
    static const struct {
        uint32_t leaves, trees, bundles, doublings;
    } expected[] = {{1, 64, 4, 0},  {2, 32, 2, 0},  {2, 33, 3, 0}, {64, 3, 3, 6}, {33, 2, 2, 5},
                    {10, 12, 2, 4}, {10, 13, 3, 4}, {3, 22, 2, 1}, {17, 3, 1, 4}, {18, 3, 1, 5}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct forest forest = forest_begin(5, 1);
        for (uint32_t t = 0; t < expected[i].trees; t++)
            forest_add_chain(&forest, expected[i].leaves - 1, CHAIN_ZIGZAG);
        const struct rank_model *model = build(&forest);
        assert_int_equal(model->scorer.n_units, 1);
        assert_int_equal(model->blocks[0].levels, 1);
        assert_int_equal(model->n_bundles, expected[i].bundles);
        assert_int_equal(model->blocks[0].n_bundles, expected[i].bundles);
        assert_int_equal(model->blocks[0].doublings, expected[i].doublings);
        destroy(model);
    }
}

static void big_trees_are_cut(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 1);
    for (uint32_t t = 0; t < 16; t++)
        forest_add_balanced(&forest, 8); /* 4 bundles of 64 leaves, and a root of 4 exits */
    const struct rank_model *model = build(&forest);
    assert_int_equal(model->blocks[0].levels, 2);
    assert_int_equal(model->blocks[0].n_bundles, 1);
    assert_int_equal(model->n_bundles, 1 + 16 * 4);
    for (uint32_t e = 0; e < RANK_TESTS; e++)
        assert_int_equal(model->exits[e].next, RANK_TESTS * (1 + e));
    destroy(model);
}

static void what_it_cannot_do_is_refused(void **state) {
    (void)state;
    /* A level of a chain has 63 tests. */
    struct forest chain = forest_begin(5, 1);
    forest_add_chain(&chain, 63 * RANK_MAX_LEVELS, CHAIN_LEFT);
    const struct rank_model *model = build(&chain);
    assert_int_equal(model->blocks[0].levels, RANK_MAX_LEVELS);
    destroy(model);
    struct forest longer = forest_begin(5, 1);
    forest_add_balanced(&longer, 2);
    forest_add_chain(&longer, 63 * RANK_MAX_LEVELS + 1, CHAIN_LEFT);
    check_refused(&longer,
                  "tree 1 is too uneven: cut into subtrees of 64 leaves, it has more than 8 "
                  "levels. Use interleaved");
    enum { FEATURES = RANK_MAX_TABLES * RANK_TABLE + 1 };
    struct forest wide = forest_begin(FEATURES, 1);
    for (uint32_t f = 0; f < FEATURES; f++)
        add_stump(&wide, f, 0.5f, false);
    check_refused(&wide, "4097 columns of 255; the limit is 4096. Use interleaved or rapidscorer");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_255_thresholds),
        cmocka_unit_test(nodes_have_the_numbers_of_their_thresholds),
        cmocka_unit_test(sides_of_nan_are_columns),
        cmocka_unit_test(many_columns_are_several_tables),
        cmocka_unit_test(small_trees_share_bundles),
        cmocka_unit_test(big_trees_are_cut),
        cmocka_unit_test(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests_name("rank-bytes", tests, NULL, NULL);
}
