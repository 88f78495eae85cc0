/* The signed-rank test against published values and values worked out by hand. */
#include "harness/instruments/rank_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check(const double *differences, size_t n, const struct wilcoxon *expected,
                  double tolerance) {
    struct wilcoxon found = wilcoxon_test(differences, n);
    assert_int_equal(found.n, expected->n);
    if (!(found.plus == expected->plus && found.minus == expected->minus &&
          fabs(found.p - expected->p) <= tolerance))
        fail_msg("%.12g, %.12g, p %.12g instead of %.12g, %.12g, p %.12g", found.plus, found.minus,
                 found.p, expected->plus, expected->minus, expected->p);
}

/* Darwin's maize plants, as Cureton (1967) gives them: rank sum 96, p = 0.0412598. */
static void darwins_plants(void **state) {
    (void)state;
    static const double differences[] = {6,  8,   14, 16, 23, 24,  28, 29,
                                         41, -48, 49, 56, 60, -67, 75};
    check(differences, COUNT(differences), &(struct wilcoxon){15, 96, 24, 0.04125976562499978},
          1e-14);
}

/* With all signs equal there is one assignment of 2^n on each side. The tables' critical value at
 * 0.05, two-sided, is 0 for 6 differences, and there is none for 5. */
static void all_signs_equal(void **state) {
    (void)state;
    static const double up[] = {1, 2, 3, 4, 5, 6}, down[] = {-1, -2, -3, -4, -5};
    check(up, 6, &(struct wilcoxon){6, 21, 0, 2.0 / 64}, 1e-15);
    check(down, 5, &(struct wilcoxon){5, 0, 15, 2.0 / 32}, 1e-15);
}

/* The tables' critical values of the smaller rank sum at 0.05, two-sided: p is at most 0.05 there
 * and over it one rank further. */
static void critical_values_are_those_of_the_tables(void **state) {
    (void)state;
    static const struct {
        int n, critical;
    } table[] = {{6, 0},   {7, 2},   {8, 3},   {9, 5},    {10, 8},  {12, 13},
                 {15, 25}, {20, 52}, {25, 89}, {28, 116}, {30, 137}};
    for (size_t i = 0; i < COUNT(table); i++)
        for (int above = 0; above < 2; above++) {
            double differences[64];
            int left = table[i].critical + above;
            for (int d = table[i].n; d >= 1; d--) { /* negative ranks that sum to the value */
                differences[d - 1] = d <= left ? -d : d;
                left -= d <= left ? d : 0;
            }
            struct wilcoxon found = wilcoxon_test(differences, (size_t)table[i].n);
            assert_true(found.minus == table[i].critical + above);
            assert_true(above ? found.p > 0.05 : found.p <= 0.05);
        }
}

/* Ranks 1.5, 1.5 and 3; zeros are left out. Of the eight ways to sign them, three have positive
 * ranks that sum to at most 1.5: none, the first, the second. */
static void ties_share_ranks_and_zeros_are_left_out(void **state) {
    (void)state;
    static const double differences[] = {0, 2, -2, 0, 5};
    check(differences, COUNT(differences), &(struct wilcoxon){3, 4.5, 1.5, 2 * 3.0 / 8}, 1e-15);
    static const double balanced[] = {1, -1, 2, -2};
    check(balanced, COUNT(balanced), &(struct wilcoxon){4, 5, 5, 1}, 1e-15);
}

/* 40 differences: 30 of 1 and 10 of -1, all of rank 20.5. Mean 410, variance 40 * 41 * 81 / 24 -
 * (40^3 - 40) / 48 = 4202.5, z = (410 - 205 - 0.5) / 64.8267. */
static void many_differences_are_approximated(void **state) {
    (void)state;
    double differences[40];
    for (size_t i = 0; i < 40; i++)
        differences[i] = i < 30 ? 1 : -1;
    double z = 204.5 / sqrt(4202.5);
    check(differences, 40, &(struct wilcoxon){40, 615, 205, erfc(z / sqrt(2))}, 1e-15);
    assert_true(fabs(erfc(z / sqrt(2)) - 0.001606) < 1e-5);
}

/* At the largest n with an exact p, the approximation is close to it. */
static void the_exact_value_is_near_the_approximation(void **state) {
    (void)state;
    double differences[30], minus = 0; /* of 30: mean 232.5, variance 30 * 31 * 61 / 24 */
    for (int i = 0; i < 30; i++) {
        differences[i] = i % 3 == 0 ? -(i + 1) : i + 1;
        minus += i % 3 == 0 ? i + 1 : 0;
    }
    double z = (232.5 - minus - 0.5) / sqrt(2363.75);
    struct wilcoxon found = wilcoxon_test(differences, 30);
    assert_true(found.minus == minus && found.p > 0.05 && found.p < 0.1);
    assert_true(fabs(found.p - erfc(z / sqrt(2))) < 0.002);
}

static void nothing_to_test(void **state) {
    (void)state;
    static const double zeros[] = {0, 0, -0.0}, unknown[] = {1, NAN};
    check(zeros, 3, &(struct wilcoxon){0, 0, 0, 1}, 0);
    check(zeros, 0, &(struct wilcoxon){0, 0, 0, 1}, 0);
    assert_true(isnan(wilcoxon_test(unknown, 2).p));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(darwins_plants),
        cmocka_unit_test(all_signs_equal),
        cmocka_unit_test(critical_values_are_those_of_the_tables),
        cmocka_unit_test(ties_share_ranks_and_zeros_are_left_out),
        cmocka_unit_test(many_differences_are_approximated),
        cmocka_unit_test(the_exact_value_is_near_the_approximation),
        cmocka_unit_test(nothing_to_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
