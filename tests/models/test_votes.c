/* Ensembles that vote: in the builder, in treebench's JSON, and as one tree per class. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/votes.h"
#include "tests/models/reading.h"
#include "tests/models/same.h"

/* --- the builder ------------------------------------------------------------------------------ */

/* A stump of which the second leaf votes for `class`. */
static enum status build_stump(double class, uint32_t output, uint32_t n_classes,
                               struct ensemble **e, struct error *error) {
    struct ensemble_builder *b = ensemble_builder_create();
    assert_non_null(b);
    ensemble_builder_add_tree(b, output);
    ensemble_builder_add_inner(b, &(struct inner_node){.left = 1, .right = 2, .count = 5});
    ensemble_builder_add_leaf(b, 0, 2);
    ensemble_builder_add_leaf(b, class, 3);
    const struct ensemble_shape shape = {.n_features = 1, .n_outputs = n_classes, .votes = true};
    return ensemble_builder_finish(b, &shape, e, error);
}

static void test_builder(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_int_equal(build_stump(2, 0, 3, &e, &error), STATUS_OK);
    assert_true(e->votes);
    assert_int_equal(e->n_outputs, 3);
    assert_true(e->value[1] == 2);
    assert_int_equal(e->leaf_count[1], 3);
    ensemble_free(e);
}

static void test_unknown_classes_are_refused(void **state) {
    (void)state;
    static const double classes[] = {3, -1, 1.5, 1e300, -1e300};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct ensemble *e = NULL;
        struct error error = {""};
        char expected[128];
        assert_int_equal(build_stump(classes[i], 0, 3, &e, &error), STATUS_INPUT);
        assert_null(e);
        snprintf(expected, sizeof expected,
                 "tree 0, node 2: the leaf votes for %g, which is not a class (0 to 2)",
                 classes[i]);
        assert_string_equal(error.text, expected);
    }
}

static void test_bad_shapes_are_refused(void **state) {
    (void)state;
    struct ensemble *e = NULL;
    struct error error = {""};
    assert_int_equal(build_stump(0, 0, 1, &e, &error), STATUS_INPUT);
    assert_string_equal(error.text, "the trees vote, but the model has fewer than 2 classes");
    assert_int_equal(build_stump(0, 1, 3, &e, &error), STATUS_INPUT);
    assert_string_equal(error.text, "tree 0: output 1 is out of range (0 to 0)");
}

/* --- conversions ------------------------------------------------------------------------------ */

enum { FEATURES = 3, ROWS = 200 };

static void add_random_tree(struct ensemble_builder *b, struct random *random, uint32_t n_classes,
                            bool sets) {
    static const double cuts[] = {0.25, 0.5, 0.75};
    uint32_t n_inner = (uint32_t)random_below(random, 20);
    ensemble_builder_add_tree(b, 0);
    for (uint32_t i = 0; i < n_inner; i++) {
        struct inner_node node = {.feature = (uint32_t)random_below(random, FEATURES),
                                  .threshold = random_double(random),
                                  .left = 2 * i + 1,
                                  .right = 2 * i + 2,
                                  .nan_left = random_below(random, 2),
                                  .count = 10};
        if (sets && random_below(random, 3) == 0) {
            node.cuts = cuts;
            node.n_cuts = 3;
        }
        ensemble_builder_add_inner(b, &node);
    }
    for (uint32_t i = 0; i <= n_inner; i++)
        ensemble_builder_add_leaf(b, (double)random_below(random, n_classes), i);
}

static struct ensemble *random_votes(uint64_t seed, uint32_t n_classes) {
    struct random random;
    random_seed(&random, seed);
    struct ensemble_builder *b = ensemble_builder_create();
    assert_non_null(b);
    for (uint64_t t = 1 + random_below(&random, 9); t > 0; t--)
        add_random_tree(b, &random, n_classes, seed % 2);
    struct ensemble *e = NULL;
    struct error error = {""};
    static const double base[] = {0.5, -3, 8, 0, 1, 2, 4, 16};
    const struct ensemble_shape shape = {.n_features = FEATURES,
                                         .n_outputs = n_classes,
                                         .base = base,
                                         .note = "made up",
                                         .compares_doubles = seed % 3 == 0,
                                         .votes = true};
    if (ensemble_builder_finish(b, &shape, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return e;
}

static void draw_row(struct random *random, float x[static FEATURES]) {
    for (int f = 0; f < FEATURES; f++)
        x[f] = random_below(random, 20) ? random_float(random) : NAN;
}

static void test_one_tree_per_class(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct ensemble *e = random_votes(seed, 2 + (uint32_t)seed % 7), *outputs = NULL;
        struct random random;
        random_seed(&random, seed);
        assert_int_equal(ensemble_votes_to_outputs(e, &outputs, NULL), STATUS_OK);
        assert_false(outputs->votes);
        assert_int_equal(outputs->n_outputs, e->n_outputs);
        assert_int_equal(outputs->n_features, e->n_features);
        assert_string_equal(outputs->note, e->note);
        assert_true(!outputs->threshold_double == !e->threshold_double);
        assert_non_null(outputs->leaf_count);
        for (int row = 0; row < ROWS; row++) {
            float x[FEATURES];
            draw_row(&random, x);
            for (uint32_t k = 0; k < e->n_outputs; k++)
                assert_true(score_by_walking(e, x, k) == score_by_walking(outputs, x, k));
        }
        ensemble_free(outputs);
        ensemble_free(e);
    }
}

static void test_two_classes_become_a_margin(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct ensemble *e = random_votes(seed, 2), *margins = NULL;
        struct random random;
        random_seed(&random, seed);
        e->base[0] = 0.25;
        e->base[1] = 2;
        assert_int_equal(ensemble_votes_to_margins(e, &margins, NULL), STATUS_OK);
        assert_int_equal(margins->n_outputs, 1);
        assert_int_equal(margins->n_trees, e->n_trees);
        for (int row = 0; row < ROWS; row++) {
            float x[FEATURES];
            draw_row(&random, x);
            double expected = score_by_walking(e, x, 1) - score_by_walking(e, x, 0);
            assert_true(score_by_walking(margins, x, 0) == expected);
        }
        ensemble_free(margins);
        ensemble_free(e);
    }
    struct ensemble *three = random_votes(1, 3), *outputs = NULL;
    assert_int_equal(ensemble_votes_to_margins(three, &outputs, NULL), STATUS_OK);
    assert_int_equal(outputs->n_outputs, 3);
    ensemble_free(outputs);
    ensemble_free(three);
}

/* --- model files ------------------------------------------------------------------------------ */

static char *write_text(const char *format, const struct ensemble *e) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    assert_int_equal(format_named(format)->write(e, stream, NULL), STATUS_OK);
    fclose(stream);
    return text;
}

static void test_json_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct ensemble *e = random_votes(seed, 2 + (uint32_t)seed % 7);
        char *text = write_text("treebench", e);
        struct ensemble *back = read_good("treebench", text);
        assert_true(same_ensemble(e, back));
        free(text);
        ensemble_free(e);
        ensemble_free(back);
    }
}

/* ONNX stores neither counts nor sets. */
static void test_onnx_round_trip(void **state) {
    (void)state;
    for (uint64_t seed = 2; seed < 60; seed += 6) {
        struct ensemble *e = random_votes(seed, 2 + (uint32_t)seed % 7), *back = NULL;
        struct random random;
        random_seed(&random, seed);
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        assert_int_equal(format_named("onnx")->write(e, stream, NULL), STATUS_OK);
        fclose(stream);
        assert_int_equal(read_copy("onnx", text, size, &back, NULL), STATUS_OK);
        assert_true(back->votes);
        assert_int_equal(back->n_outputs, e->n_outputs);
        assert_int_equal(back->n_trees, e->n_trees);
        assert_true(same_bytes(e->value, back->value, e->n_leaves, sizeof *e->value));
        for (int row = 0; row < ROWS; row++) {
            float x[FEATURES];
            draw_row(&random, x);
            for (uint32_t k = 0; k < e->n_outputs; k++)
                assert_true(score_by_walking(e, x, k) == score_by_walking(back, x, k));
        }
        free(text);
        ensemble_free(e);
        ensemble_free(back);
    }
}

#define JSON(outputs, base, output, values)                                                        \
    "{\"format\":\"treebench\",\"version\":1,\"features\":1,\"outputs\":" outputs ",\"votes\":1,"  \
    "\"base\":[" base "],\"trees\":[{\"output\":" output ",\"feature\":[0],\"threshold\":[1],"     \
    "\"left\":[-1],\"right\":[-2],\"value\":[" values "]}]}"

static void test_bad_json(void **state) {
    (void)state;
    static const struct bad_text bad[] = {
        {JSON("2", "0,0", "0", "1,2"),
         "name: tree 0, node 2: the leaf votes for 2, which is not a class (0 to 1)"},
        {JSON("2", "0,0", "0", "-1,0"), "name: tree 0, node 1: the leaf votes for -1"},
        {JSON("2", "0,0", "1", "1,0"), "name: tree 0: output 1 is out of range (0 to 0)"},
        {JSON("1", "0", "0", "0,0"), "name: the trees vote, but the model has fewer than 2"},
    };
    assert_refused("treebench", bad, sizeof bad / sizeof *bad);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder),
        cmocka_unit_test(test_unknown_classes_are_refused),
        cmocka_unit_test(test_bad_shapes_are_refused),
        cmocka_unit_test(test_one_tree_per_class),
        cmocka_unit_test(test_two_classes_become_a_margin),
        cmocka_unit_test(test_json_round_trip),
        cmocka_unit_test(test_onnx_round_trip),
        cmocka_unit_test(test_bad_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
