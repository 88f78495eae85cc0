/* Set nodes of bit planes: which plain tests a set is, and in which steps their planes become its
 * plane. (That all exit leaves are right is in test_exactness.c.) */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/random.h"
#include "impls/planes/planes_model.h"
#include "impls/planes/planes_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sets as plain tests ---------------------------------------------------------------------- */

struct stump {
    uint32_t feature;
    bool nan_left;
    uint32_t n_cuts;
    double cuts[4];
};

static struct ensemble *stumps_of(const struct stump *stumps, size_t count) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct ensemble *ensemble = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct inner_node node = {.feature = stumps[i].feature,
                                        .left = 1,
                                        .right = 2,
                                        .nan_left = stumps[i].nan_left,
                                        .cuts = stumps[i].cuts,
                                        .n_cuts = stumps[i].n_cuts,
                                        .count = ENSEMBLE_NO_COUNT};
        ensemble_builder_add_tree(builder, 0);
        ensemble_builder_add_inner(builder, &node);
        ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(builder, 2, ENSEMBLE_NO_COUNT);
    }
    const struct ensemble_shape shape = {.n_features = 4};
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void check_keys(const struct planes_sets *sets, uint32_t node, size_t n_keys,
                       const float *thresholds) {
    const struct planes_set *set = &sets->sets[sets->set_of[node]];
    assert_int_equal(set->n_keys, n_keys);
    for (size_t i = 0; i < n_keys; i++)
        assert_int_equal(set->keys[i], float_key(thresholds[i]));
}

static void nan_is_a_test_where_the_cuts_number_says_otherwise(void **state) {
    (void)state;
    static const struct stump stumps[] = {
        {1, false, 3, {1, 2, 3}}, {1, true, 3, {1, 2, 3}},      {1, true, 2, {1, 2}},
        {1, false, 2, {1, 2}},    {1, false, 2, {1, INFINITY}}, {1, true, 2, {1, INFINITY}}};
    struct ensemble *ensemble = stumps_of(stumps, 6);
    struct planes_sets sets;
    struct memory_pool pool = {0};
    assert_true(planes_sets_make(ensemble, &sets, &pool));
    check_keys(&sets, 0, 3, (const float[]){1, 2, 3});
    check_keys(&sets, 1, 4, (const float[]){1, 2, 3, INFINITY});
    check_keys(&sets, 2, 2, (const float[]){1, 2});
    check_keys(&sets, 3, 3, (const float[]){1, 2, INFINITY});
    check_keys(&sets, 4, 1, (const float[]){1});
    check_keys(&sets, 5, 2, (const float[]){1, INFINITY});
    memory_pool_free(&pool);
    ensemble_free(ensemble);
}

static void equal_sets_are_one(void **state) {
    (void)state;
    static const struct stump stumps[] = {{2, true, 2, {1, 2}},   {1, true, 2, {1, 2}},
                                          {2, true, 2, {1, 2}},   {2, false, 2, {1, 2}},
                                          {2, true, 2, {1, 2.5}}, {1, true, 2, {1, 2}}};
    struct ensemble *ensemble = stumps_of(stumps, 6);
    struct planes_sets sets;
    struct memory_pool pool = {0};
    assert_true(planes_sets_make(ensemble, &sets, &pool));
    assert_int_equal(sets.n_sets, 4);
    assert_int_equal(sets.n_keys, 2 + 2 + 2 + 3);
    assert_int_equal(sets.set_of[0], sets.set_of[2]);
    assert_int_equal(sets.set_of[1], sets.set_of[5]);
    for (size_t s = 1; s < sets.n_sets; s++)
        assert_true(sets.sets[s].feature >= sets.sets[s - 1].feature);
    memory_pool_free(&pool);
    ensemble_free(ensemble);
}

/* Two doubles that are one float: nothing lies between them. */
static void equal_cuts_are_none(void **state) {
    (void)state;
    static const struct stump stumps[] = {{0, false, 3, {1, 1 + 0x1p-40, 3}},
                                          {0, true, 2, {1, 1 + 0x1p-40}},
                                          {0, false, 3, {1, 1 + 0x1p-40, 1 + 0x1p-39}}};
    struct ensemble *ensemble = stumps_of(stumps, 3);
    struct planes_sets sets;
    struct memory_pool pool = {0};
    assert_true(planes_sets_make(ensemble, &sets, &pool));
    check_keys(&sets, 0, 1, (const float[]){3});
    check_keys(&sets, 1, 0, NULL);
    check_keys(&sets, 2, 1, (const float[]){1});
    memory_pool_free(&pool);
    ensemble_free(ensemble);
}

/* --- planes ----------------------------------------------------------------------------------- */

enum { SETS = 300, TESTS = 100, FEATURES = 4 };

struct drawn {
    struct planes_xor_set sets[SETS];
    uint32_t tests[SETS][TESTS];
    size_t n_tests;
};

/* The sets of each feature are of up to `most` of its tests. */
static void draw_sets(struct drawn *drawn, uint32_t most, uint64_t seed) {
    struct random random;
    random_seed(&random, seed);
    drawn->n_tests = 0;
    for (uint32_t s = 0; s < SETS; s++) {
        struct planes_xor_set *set = &drawn->sets[s];
        uint32_t first = s * FEATURES / SETS * most;
        *set = (struct planes_xor_set){drawn->tests[s], 0, first};
        for (uint32_t i = 0; i < most; i++)
            if (random_below(&random, 2))
                drawn->tests[s][set->n_tests++] = first + i;
        drawn->n_tests += set->n_tests;
    }
}

/* Runs the steps on planes of 64 documents; each reads only planes that are there already. */
static void make_planes(const struct planes_xor_program *program, size_t n_plain,
                        uint64_t *planes) {
    size_t next = n_plain;
    for (size_t i = 0; i < program->n_runs; i++) {
        const struct planes_xors *run = &program->runs[i];
        for (size_t plane = 0; plane < run->n_planes; plane++, next++) {
            planes[next] = 0;
            for (size_t j = 0; j < run->n_operands; j++) {
                uint32_t operand = run->operands[plane * run->n_operands + j];
                assert_true(operand < next);
                planes[next] ^= planes[operand];
            }
        }
    }
    assert_int_equal(next, n_plain + program->n_planes);
}

static void planes_are_the_xor_of_their_tests(void **state) {
    (void)state;
    static struct drawn drawn;
    static const uint32_t sizes[] = {1, 2, 5, 9, 24, 25};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        draw_sets(&drawn, sizes[i], i);
        size_t n_plain = (size_t)sizes[i] * FEATURES;
        struct planes_xor_program program;
        assert_true(planes_xors_make(drawn.sets, SETS, n_plain, &program));
        uint64_t *planes = malloc((n_plain + program.n_planes) * sizeof *planes);
        assert_non_null(planes);
        struct random random;
        random_seed(&random, i + 100);
        for (size_t test = 0; test < n_plain; test++)
            planes[test] = random_u64(&random);
        make_planes(&program, n_plain, planes);
        for (size_t s = 0; s < SETS; s++) {
            uint64_t expected = 0;
            for (uint32_t j = 0; j < drawn.sets[s].n_tests; j++)
                expected ^= planes[drawn.sets[s].tests[j]];
            assert_true(planes[program.set_plane[s]] == expected);
        }
        free(planes);
        memory_pool_free(&program.pool);
    }
}

/* 75 sets of each feature are of 12 of its 25 tests: groups save a third of the loads. */
static void parts_are_made_once(void **state) {
    (void)state;
    static struct drawn drawn;
    draw_sets(&drawn, 25, 1);
    struct planes_xor_program program;
    assert_true(planes_xors_make(drawn.sets, SETS, 100, &program));
    assert_true(program.n_planes > SETS);
    assert_true(10 * program.n_operands < 7 * drawn.n_tests);
    memory_pool_free(&program.pool);
}

/* Sets that share nothing are made of their tests; one of a single test is that one. */
static void what_is_not_shared_is_not_made(void **state) {
    (void)state;
    static const uint32_t tests[] = {0, 1, 2, 3, 4, 5, 6};
    static const struct planes_xor_set sets[] = {
        {tests, 3, 1}, {tests + 3, 2, 2}, {tests + 5, 1, 2}, {tests + 6, 0, 3}};
    struct planes_xor_program program;
    assert_true(planes_xors_make(sets, 4, 7, &program));
    assert_int_equal(program.n_planes, 3);
    assert_int_equal(program.n_operands, 5);
    assert_int_equal(program.set_plane[2], 5);
    memory_pool_free(&program.pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_is_a_test_where_the_cuts_number_says_otherwise),
        cmocka_unit_test(equal_sets_are_one),
        cmocka_unit_test(equal_cuts_are_none),
        cmocka_unit_test(planes_are_the_xor_of_their_tests),
        cmocka_unit_test(parts_are_made_once),
        cmocka_unit_test(what_is_not_shared_is_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
