/* Whether sums of leaf values are exact: made-up leaf sets near the border of 53 bits, whose sums
 * are compared with sums of integers. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/ensemble.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TREES = 6, LEAVES = 4, SETS = 1000000, LOWEST = -60 };

struct leaf_set {
    struct ensemble ensemble;
    double value[TREES * LEAVES];
    size_t tree_leaf[TREES + 1];
    uint32_t tree_output[TREES];
};

static void begin_set(struct leaf_set *set, uint32_t n_trees) {
    memset(set, 0, sizeof *set);
    for (size_t t = 0; t <= n_trees; t++)
        set->tree_leaf[t] = t * LEAVES;
    set->ensemble.n_trees = n_trees;
    set->ensemble.n_outputs = 1;
    set->ensemble.n_leaves = (size_t)n_trees * LEAVES;
    set->ensemble.value = set->value;
    set->ensemble.tree_leaf = set->tree_leaf;
    set->ensemble.tree_output = set->tree_output;
}

static double draw_value(struct random *random, unsigned most_bits) {
    uint64_t bits = random_u64(random) >> (64 - 1 - random_below(random, most_bits));
    double value = ldexp((double)bits, LOWEST + (int)random_below(random, 3) * 4);
    return random_below(random, 2) ? value : -value;
}

static void draw_set(struct leaf_set *set, struct random *random) {
    unsigned most_bits = 38 + (unsigned)random_below(random, 13);
    begin_set(set, 1 + (uint32_t)random_below(random, TREES));
    for (size_t i = 0; i < set->ensemble.n_leaves; i++)
        set->value[i] = draw_value(random, most_bits);
}

static struct sum_grid find(const struct leaf_set *set) {
    struct sum_grid grid;
    assert_int_equal(ensemble_find_sum_grid(&set->ensemble, &grid, NULL), STATUS_OK);
    return grid;
}

/* One leaf of each tree: with the same sign, so that the sum is large, or any. */
static void choose_leaves(const struct leaf_set *set, struct random *random, double *chosen) {
    bool is_any = random_below(random, 2);
    for (uint32_t t = 0; t < set->ensemble.n_trees; t++) {
        const double *value = set->value + t * LEAVES;
        chosen[t] = value[random_below(random, LEAVES)];
        for (size_t i = 0; !is_any && i < LEAVES; i++)
            chosen[t] = fmax(chosen[t], value[i]);
    }
}

/* Adds in random order, and compares each partial sum with the sum of integers. */
static bool adds_exactly(double *chosen, uint32_t n, struct random *random) {
    double sum = 0;
    int64_t exact = 0;
    for (uint32_t left = n; left > 0; left--) {
        uint32_t i = (uint32_t)random_below(random, left);
        sum += chosen[i];
        exact += (int64_t)ldexp(chosen[i], -LOWEST);
        if ((int64_t)ldexp(sum, -LOWEST) != exact)
            return false;
        chosen[i] = chosen[left - 1];
    }
    return true;
}

/* Of a million leaf sets, none whose sums are rounded counts as exact. */
static void no_rounded_sum_counts_as_exact(void **state) {
    (void)state;
    struct random random;
    size_t n_exact = 0, n_rounded = 0;
    random_seed(&random, 1);
    for (size_t i = 0; i < SETS; i++) {
        struct leaf_set set;
        double chosen[TREES];
        draw_set(&set, &random);
        struct sum_grid grid = find(&set);
        choose_leaves(&set, &random, chosen);
        bool is_exact = sum_grid_is_exact(&grid);
        bool adds = adds_exactly(chosen, set.ensemble.n_trees, &random);
        n_exact += is_exact;
        n_rounded += !adds;
        if (is_exact && !adds)
            fail_msg("set %zu: rounded, although 2^%d and %g units promise exact sums", i,
                     grid.exponent, grid.most);
    }
    assert_true(n_exact > SETS / 10 && n_rounded > SETS / 100);
}

static struct sum_grid grid_of(double first, double second) {
    struct leaf_set set;
    begin_set(&set, 2);
    for (size_t i = 0; i < LEAVES; i++) {
        set.value[i] = first;
        set.value[LEAVES + i] = second;
    }
    return find(&set);
}

static void the_border_is_53_bits(void **state) {
    (void)state;
    struct sum_grid grid = grid_of(0x1p52 - 1, -0x1p52);
    assert_true(sum_grid_is_exact(&grid));
    assert_true(grid.exponent == 0 && grid.most == 0x1p53 - 1);
    grid = grid_of(0x1p52, 0x1p52);
    assert_false(sum_grid_is_exact(&grid));
    grid = grid_of(0x1p-30, 0x1p22);
    assert_true(sum_grid_is_exact(&grid));
    assert_true(grid.exponent == -30 && grid.most == 0x1p52 + 1);
    grid = grid_of(0x1p-31, 0x1p22);
    assert_false(sum_grid_is_exact(&grid));
}

static void unusual_values(void **state) {
    (void)state;
    struct sum_grid grid = grid_of(0, -0.0);
    assert_true(sum_grid_is_exact(&grid));
    assert_true(grid.exponent == 0 && grid.most == 0);
    grid = grid_of(1024, 2048); /* the exponent is at most 0 */
    assert_true(grid.exponent == 0 && grid.most == 3072);
    grid = grid_of(DBL_TRUE_MIN, 3 * DBL_TRUE_MIN);
    assert_true(sum_grid_is_exact(&grid));
    assert_true(grid.exponent == -1074 && grid.most == 4);
    grid = grid_of(DBL_MAX, DBL_TRUE_MIN);
    assert_false(sum_grid_is_exact(&grid));
    grid = grid_of(1, INFINITY);
    assert_false(sum_grid_is_exact(&grid));
    grid = grid_of(NAN, 1);
    assert_false(sum_grid_is_exact(&grid));
}

static void outputs_have_sums_of_their_own(void **state) {
    (void)state;
    struct leaf_set set;
    begin_set(&set, 2);
    for (size_t i = 0; i < set.ensemble.n_leaves; i++)
        set.value[i] = 0x1p52;
    set.ensemble.n_outputs = 2;
    set.tree_output[1] = 1;
    struct sum_grid grid = find(&set);
    assert_true(sum_grid_is_exact(&grid));
    assert_true(grid.most == 0x1p52);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rounded_sum_counts_as_exact),
        cmocka_unit_test(the_border_is_53_bits),
        cmocka_unit_test(unusual_values),
        cmocka_unit_test(outputs_have_sums_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
