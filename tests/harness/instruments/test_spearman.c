/* Spearman's rank correlation against values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/instruments/rank_tests.h"
#include "tests/harness/near.h"

#include <math.h>

static void ranks_alone_count(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4}, up[] = {1, 10, 100, 1000}, down[] = {9, 5, 4, -1};
    assert_near(spearman(x, up, 4), 1, 1e-12);
    assert_near(spearman(x, down, 4), -1, 1e-12);
}

/* 1 - 6 * (1 + 1 + 4 + 0 + 4) / (5 * 24) */
static void without_ties(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3, 4, 5}, y[] = {20, 10, 50, 40, 30};
    assert_near(spearman(x, y, 5), 0.5, 1e-12);
}

/* Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5). */
static void ties_share_their_mean_rank(void **state) {
    (void)state;
    static const double x[] = {1, 2, 2, 3}, y[] = {1, 2, 3, 4};
    assert_near(spearman(x, y, 4), 4.5 / sqrt(22.5), 1e-12);
}

static void unknown_without_variation(void **state) {
    (void)state;
    static const double x[] = {1, 2, 3}, same[] = {2, 2, 2};
    assert_true(isnan(spearman(x, same, 3)));
    assert_true(isnan(spearman(same, x, 3)));
    assert_true(isnan(spearman(x, x, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_alone_count),
        cmocka_unit_test(without_ties),
        cmocka_unit_test(ties_share_their_mean_rank),
        cmocka_unit_test(unknown_without_variation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
