/* Which sets are chased, that the chase visits all of a set, and what curves say. Curves are made
 * up: no test depends on a time. */
#include "harness/caches/latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { K = 1 << 10, M = 1 << 20 };

static const struct caches usual = {{{32 * K, 1}, {1 * M, 1}, {32 * M, 8}}};
static const struct latency_detail *const details[] = {&latency_full, &latency_short,
                                                       &latency_least};
enum { DETAILS = sizeof details / sizeof *details };

/* --- sets ------------------------------------------------------------------------------------- */

static size_t count_between(const size_t *sets, size_t n, double low, double high) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += (double)sets[i] >= low && (double)sets[i] <= high;
    return count;
}

static void sets_ascend_in_whole_lines(void **state) {
    (void)state;
    for (size_t d = 0; d < DETAILS; d++) {
        size_t sets[LATENCY_SETS_MOST];
        size_t n = latency_choose_sets(&usual, details[d], SIZE_MAX, sets);
        assert_int_equal(sets[0], 4 * K);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(sets[i] % LATENCY_LINE, 0);
            assert_true(i == 0 || sets[i] > sets[i - 1]);
        }
        assert_true(sets[n - 1] > 4 * 32 * (size_t)M && sets[n - 1] <= 8 * 32 * (size_t)M);
    }
}

static void every_level_has_sets_that_tell_its_latency(void **state) {
    (void)state;
    for (size_t d = 0; d < DETAILS; d++) {
        size_t sets[LATENCY_SETS_MOST];
        size_t n = latency_choose_sets(&usual, details[d], 4 * 32 * (size_t)M, sets);
        for (int i = 0; i < CACHE_LEVELS; i++) {
            double size = (double)usual.levels[i].bytes;
            assert_true(count_between(sets, n, size / 4, size * 3 / 4) >= 2);
        }
        assert_true(count_between(sets, n, 4 * 32 * M, 1e18) >= 1);
    }
}

static void the_largest_set_is_as_large_as_allowed(void **state) {
    (void)state;
    const struct caches odd = {{{48 * K, 1}, {1280 * K, 1}, {36 * M, 8}}};
    for (size_t d = 0; d < DETAILS; d++) {
        size_t sets[LATENCY_SETS_MOST];
        size_t n = latency_choose_sets(&odd, details[d], 4 * 36 * (size_t)M, sets);
        assert_int_equal(sets[n - 1], 4 * 36 * (size_t)M);
    }
}

static void the_full_detail_has_15_sets_per_octave_near_each_size(void **state) {
    (void)state;
    size_t sets[LATENCY_SETS_MOST];
    size_t n = latency_choose_sets(&usual, &latency_full, SIZE_MAX, sets);
    for (int i = 0; i < CACHE_LEVELS; i++) {
        double size = (double)usual.levels[i].bytes;
        assert_true(count_between(sets, n, size / 1.42, size * 1.42) >= 15);
    }
}

static void no_set_is_larger_than_allowed(void **state) {
    (void)state;
    size_t sets[LATENCY_SETS_MOST];
    size_t n = latency_choose_sets(&usual, &latency_short, 1 * M + 100, sets);
    assert_true(n > 0 && sets[n - 1] <= 1 * M + 100);
    assert_int_equal(latency_choose_sets(&usual, &latency_short, 1000, sets), 0);
}

static void odd_caches_give_a_limited_number_of_sets(void **state) {
    (void)state;
    const struct caches odd[] = {{{{0, 0}, {0, 0}, {0, 0}}},
                                 {{{SIZE_MAX / 16, 1}, {1, 1}, {SIZE_MAX / 16, 1}}},
                                 {{{SIZE_MAX, 1}, {SIZE_MAX, 1}, {SIZE_MAX, 1}}},
                                 {{{1, 1}, {2, 1}, {3, 1}}}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t d = 0; d < DETAILS; d++) {
            size_t sets[LATENCY_SETS_MOST];
            size_t n = latency_choose_sets(&odd[i], details[d], 64 * (size_t)M, sets);
            assert_true(n <= LATENCY_SETS_MOST);
            for (size_t k = 0; k < n; k++)
                assert_true(sets[k] <= 64 * (size_t)M && (k == 0 || sets[k] > sets[k - 1]));
        }
}

/* --- the chase -------------------------------------------------------------------------------- */

static void the_chase_visits_every_line_once(void **state) {
    (void)state;
    const size_t sets[] = {4 * K, 100 * K};
    struct memory_buffer buffer;
    struct latency_curve curve;
    assert_int_equal(memory_buffer_create(100 * K, false, &buffer, NULL), STATUS_OK);
    latency_measure(&buffer, sets, 2, &curve);
    assert_int_equal(curve.count, 2);
    assert_int_equal(curve.points[1].bytes, 100 * K);
    size_t lines = 100 * K / LATENCY_LINE, visited = 0, neighbours = 0;
    char *at = buffer.bytes;
    do {
        char *next = *(char **)(void *)at;
        assert_true(next >= buffer.bytes && next < buffer.bytes + 100 * K);
        assert_int_equal((next - buffer.bytes) % LATENCY_LINE, 0);
        neighbours += next - at == LATENCY_LINE;
        at = next;
        visited++;
    } while (at != buffer.bytes && visited <= lines);
    assert_int_equal(visited, lines);
    assert_true(neighbours < lines / 20); /* a prefetcher must not guess the next line */
    memory_buffer_free(&buffer);
}

static void sets_that_do_not_fit_are_left_out(void **state) {
    (void)state;
    const size_t sets[] = {0, 4 * K, 8 * K};
    struct memory_buffer buffer;
    struct latency_curve curve;
    assert_int_equal(memory_buffer_create(5000, false, &buffer, NULL), STATUS_OK);
    latency_measure(&buffer, sets, 3, &curve);
    assert_int_equal(curve.count, 1);
    assert_int_equal(curve.points[0].bytes, 4 * K);
    memory_buffer_free(&buffer);
}

/* --- levels ----------------------------------------------------------------------------------- */

/* A curve with a step at the end of each level. */
static void make_curve(const struct caches *reported, const size_t ends[CACHE_LEVELS],
                       struct latency_curve *curve) {
    static const double ns[LATENCY_LEVELS] = {1, 4, 20, 100};
    size_t sets[LATENCY_SETS_MOST];
    curve->count = latency_choose_sets(reported, &latency_full, SIZE_MAX, sets);
    for (size_t i = 0; i < curve->count; i++) {
        int level = 0;
        while (level < CACHE_LEVELS && sets[i] > ends[level])
            level++;
        curve->points[i] = (struct latency_point){sets[i], ns[level]};
    }
}

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 0.06 * expected))
        fail_msg("%g is not about %g", found, expected);
}

static void levels_are_read_off_a_curve(void **state) {
    (void)state;
    struct latency_curve curve;
    struct latency_levels levels;
    make_curve(&usual, (const size_t[]){32 * K, 1 * M, 32 * M}, &curve);
    latency_derive(&curve, &usual, &levels);
    assert_true(levels.ns[0] == 1 && levels.ns[1] == 4 && levels.ns[2] == 20 &&
                levels.ns[3] == 100);
    for (int i = 0; i < CACHE_LEVELS; i++) {
        assert_int_equal(levels.bytes[i], usual.levels[i].bytes);
        assert_near((double)levels.seen_bytes[i], (double)usual.levels[i].bytes);
    }
    assert_true(latency_ratio(&levels, 1) == 4 && latency_ratio(&levels, 3) == 100);
}

static void the_last_cache_may_be_smaller_than_reported(void **state) {
    (void)state;
    struct latency_curve curve;
    struct latency_levels levels;
    make_curve(&usual, (const size_t[]){32 * K, 1 * M, 6 * M}, &curve);
    latency_derive(&curve, &usual, &levels);
    assert_near((double)levels.bytes[2], 6 * M);
    assert_true(levels.ns[2] == 20); /* at its reported size, it would be memory's 100 */
    assert_true(levels.ns[3] == 100);
}

static void a_disturbed_set_does_not_end_a_level(void **state) {
    (void)state;
    struct latency_curve curve;
    struct latency_levels levels;
    make_curve(&usual, (const size_t[]){32 * K, 1 * M, 32 * M}, &curve);
    for (size_t i = 1; i < curve.count; i++)
        if (curve.points[i].bytes > 4 * M && curve.points[i - 1].bytes <= 4 * M)
            curve.points[i].ns = 500;
    latency_derive(&curve, &usual, &levels);
    assert_int_equal(levels.bytes[2], 32 * M);
    assert_near((double)levels.seen_bytes[2], 32 * M);
}

static void sets_that_fit_below_do_not_count_for_a_level(void **state) {
    (void)state;
    const struct caches close = {{{32 * K, 1}, {2 * M, 1}, {4 * M, 1}}};
    struct latency_curve curve;
    struct latency_levels levels;
    make_curve(&close, (const size_t[]){32 * K, 2 * M, 4 * M}, &curve);
    latency_derive(&curve, &close, &levels);
    assert_true(levels.ns[2] == 20);
}

static void a_machine_without_l3_has_l1_l2_and_memory(void **state) {
    (void)state;
    const struct caches two = {{{32 * K, 1}, {1 * M, 4}, {0, 0}}};
    struct latency_curve curve;
    struct latency_levels levels;
    make_curve(&two, (const size_t[]){32 * K, 1 * M, 1 * M}, &curve);
    latency_derive(&curve, &two, &levels);
    assert_true(levels.ns[0] == 1 && levels.ns[1] == 4 && levels.ns[3] == 100);
    assert_true(isnan(levels.ns[2]) && isnan(latency_ratio(&levels, 2)));
    assert_near((double)levels.seen_bytes[1], 1 * M);
    assert_int_equal(levels.seen_bytes[2], 0);
}

static void nothing_is_made_up_from_too_few_sets(void **state) {
    (void)state;
    const struct caches unknown = {0};
    struct latency_curve curve = {.count = 0};
    struct latency_levels levels;
    latency_derive(&curve, &usual, &levels);
    for (int i = 0; i < LATENCY_LEVELS; i++)
        assert_true(isnan(levels.ns[i]) && isnan(latency_ratio(&levels, i)));
    make_curve(&usual, (const size_t[]){32 * K, 1 * M, 32 * M}, &curve);
    latency_derive(&curve, &unknown, &levels);
    for (int i = 0; i < LATENCY_LEVELS; i++)
        assert_true(isnan(levels.ns[i]));
    curve.count = 60; /* the sets end before memory */
    latency_derive(&curve, &usual, &levels);
    assert_true(levels.ns[0] == 1 && isnan(levels.ns[3]) && levels.seen_bytes[2] == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_ascend_in_whole_lines),
        cmocka_unit_test(every_level_has_sets_that_tell_its_latency),
        cmocka_unit_test(the_largest_set_is_as_large_as_allowed),
        cmocka_unit_test(the_full_detail_has_15_sets_per_octave_near_each_size),
        cmocka_unit_test(no_set_is_larger_than_allowed),
        cmocka_unit_test(odd_caches_give_a_limited_number_of_sets),
        cmocka_unit_test(the_chase_visits_every_line_once),
        cmocka_unit_test(sets_that_do_not_fit_are_left_out),
        cmocka_unit_test(levels_are_read_off_a_curve),
        cmocka_unit_test(the_last_cache_may_be_smaller_than_reported),
        cmocka_unit_test(a_disturbed_set_does_not_end_a_level),
        cmocka_unit_test(sets_that_fit_below_do_not_count_for_a_level),
        cmocka_unit_test(a_machine_without_l3_has_l1_l2_and_memory),
        cmocka_unit_test(nothing_is_made_up_from_too_few_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
