/* Bit planes: the parts of a built model, and sums of any leaf values for any number of documents.
 * (That all exit leaves are right is in test_exactness.c and test_planes_vbmi.c.) */
#include "tests/impls/simulated_avx512.h"

#ifdef SIMULATED_AVX512
#include "impls/planes/planes_vbmi.c"
#endif

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/planes/planes_model.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float special[] = {-INFINITY, -FLT_MAX,  -1.5f, -0x1p-126f, -0x1p-149f, -0.0f, 0.0f,
                                0x1p-149f, 0x1p-126f, 1.0f,  FLT_MAX,    INFINITY,   NAN,   -NAN};
enum { SPECIAL_COUNT = sizeof special / sizeof *special };

static void keys_compare_as_the_values_do(void **state) {
    (void)state;
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        for (size_t j = 0; j < SPECIAL_COUNT; j++)
            if (!isnan(special[j]))
                assert_int_equal(float_key(special[i]) <= float_key(special[j]),
                                 special[i] <= special[j]);
}

/* --- ranks ------------------------------------------------------------------------------------ */

static struct planes_model build_model(const struct ensemble *ensemble, unsigned fan_bits,
                                       unsigned plane_bytes) {
    const struct planes_shape shape = {
        .impl = "planes", .fan_bits = fan_bits, .plane_bytes = plane_bytes};
    struct planes_model model;
    struct error error;
    if (planes_model_build(ensemble, &shape, &model, &error))
        fail_msg("%s", error.text);
    return model;
}

/* Of node `node` of a level. Where nodes have 8 children, levels of up to 16 are tables. */
static int32_t key_at(const struct planes_feature *feature, unsigned fan_bits, uint32_t level,
                      size_t node, size_t i) {
    const int32_t *keys = feature->levels[level];
    uint32_t below_bits = fan_bits * (feature->n_levels - level);
    size_t n_nodes = feature->n_bits > below_bits ? (size_t)1 << (feature->n_bits - below_bits) : 1;
    if (fan_bits != PLANES_TABLE_FAN_BITS || n_nodes > PLANES_TABLE_NODES)
        return keys[node * (fan_bits > 1 ? (size_t)1 << fan_bits : 1) + i];
    size_t size = n_nodes == 1 ? 1 : n_nodes < 8 ? 8 : n_nodes;
    return keys[i * size + node];
}

static uint32_t search(const struct planes_feature *feature, unsigned fan_bits, float value) {
    size_t fan = (size_t)1 << fan_bits, rank = 0;
    int32_t key = float_key(value);
    for (uint32_t level = 0; level < feature->n_levels; level++) {
        size_t child = 0;
        for (size_t i = 0; i + 1 < fan; i++)
            child += key > key_at(feature, fan_bits, level, rank, i);
        rank = rank * fan + child;
    }
    return (uint32_t)rank;
}

/* One stump per threshold. */
static struct ensemble *stumps_at(const float *thresholds, size_t count, bool nan_left) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct ensemble *ensemble = NULL;
    for (size_t i = 0; i < count; i++) {
        struct inner_node node = {.feature = 2,
                                  .threshold = thresholds[i],
                                  .left = 1,
                                  .right = 2,
                                  .nan_left = nan_left && i % 2,
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

/* How many different thresholds are less than a value; -0 and 0 are the same, NaN is over all. */
static uint32_t count_less(const float *thresholds, size_t count, float value) {
    uint32_t less = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again = again || thresholds[j] == thresholds[i];
        less += !again && !(value <= thresholds[i]);
    }
    return less;
}

static void check_ranks(const float *thresholds, size_t count, unsigned fan_bits) {
    struct ensemble *ensemble = stumps_at(thresholds, count, false);
    struct planes_model model = build_model(ensemble, fan_bits, 8);
    assert_int_equal(model.n_features, 1);
    const struct planes_feature *feature = &model.features[0];
    assert_int_equal(feature->feature, 2);
    assert_int_equal(feature->n_tests, count_less(thresholds, count, NAN));
    assert_true(feature->n_tests >> feature->n_bits == 0);
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        assert_int_equal(search(feature, fan_bits, special[i]),
                         count_less(thresholds, count, special[i]));
    for (size_t i = 0; i < count; i++)
        for (int side = -1; side <= 1; side++) {
            float value = side ? nextafterf(thresholds[i], (float)side * INFINITY) : thresholds[i];
            assert_int_equal(search(feature, fan_bits, value),
                             count_less(thresholds, count, value));
        }
    for (uint32_t i = 0; i < feature->n_tests; i++)
        assert_int_equal(feature->ranks[i], i + 1);
    planes_model_free(&model);
    ensemble_free(ensemble);
}

static void ranks_count_the_thresholds_below(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 300};
    float thresholds[320];
    struct random random;
    random_seed(&random, 1);
    for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++)
        thresholds[i] = (float)random_below(&random, 400) - 200; /* some twice */
    for (unsigned fan_bits = 1; fan_bits <= 4; fan_bits++) {
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            check_ranks(thresholds, counts[i], fan_bits);
        check_ranks(special, SPECIAL_COUNT - 2, fan_bits); /* all but NaN */
    }
}

static void each_side_of_nan_has_its_own_tests(void **state) {
    (void)state;
    const float thresholds[] = {1, 1, 2, 2, 1, 3, -0.0f, 7, 0.0f, 1};
    struct ensemble *ensemble = stumps_at(thresholds, 10, true);
    struct planes_model model = build_model(ensemble, 3, 8);
    const struct planes_feature *feature = &model.features[0];
    /* Thresholds 0 1 2 3 7 +inf; right: 1 2 1 0 0, left: 1 2 3 7 1 */
    assert_int_equal(model.n_tests, 7);
    assert_int_equal(feature->n_tests, 3);
    assert_int_equal(feature->n_nan_left, 4);
    assert_int_equal(feature->nan_rank, 6);
    const uint32_t expected[] = {1, 2, 3, 2, 3, 4, 5};
    assert_memory_equal(feature->ranks, expected, sizeof expected);
    assert_int_equal(search(feature, 3, NAN), 6);
    assert_int_equal(search(feature, 3, INFINITY), 5);
    planes_model_free(&model);
    ensemble_free(ensemble);
}

/* --- trees ------------------------------------------------------------------------------------ */

static struct ensemble *with_real_leaves(struct ensemble *ensemble) {
    struct random random;
    random_seed(&random, 22);
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = random_double(&random) - 0.5;
    return ensemble;
}

static struct ensemble *trees_of_all_sizes(void) {
    struct forest forest = forest_begin(5, 21);
    forest.nan_left = true;
    for (uint32_t leaves = 1; leaves <= PLANES_MAX_LEAVES; leaves += leaves < 70 ? 1 : 31)
        forest_add_random_tree(&forest, leaves);
    forest_add_random_tree(&forest, PLANES_MAX_LEAVES);
    return with_real_leaves(forest_end(&forest));
}

static void values_lie_in_gray_order(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_all_sizes();
    struct planes_model model = build_model(ensemble, 3, 8);
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        for (uint32_t i = 0; i < ensemble_tree_leaves(ensemble, t); i++) {
            uint32_t code = 0; /* by its definition: the parities of separators up to i */
            for (uint32_t c = 1; c <= i; c++)
                code ^= c & -c;
            assert_true(model.trees[t].values[code] == ensemble->value[ensemble->tree_leaf[t] + i]);
        }
    planes_model_free(&model);
    ensemble_free(ensemble);
}

/* A step reads what was written before in its bundle, and every separator that is read for the
 * codes is written. */
static void check_bundle(const struct planes_bundle *bundle, unsigned plane_bytes) {
    bool written[PLANES_SLOTS] = {[PLANES_SLOT_NONE] = true, [PLANES_SLOT_ALL] = true};
    assert_int_equal(bundle->n_nodes % PLANES_STEPS, 0);
    for (size_t i = 0; i < bundle->n_nodes; i++) {
        uint32_t above = bundle->inputs[i] & 0xffff, below = bundle->inputs[i] >> 16 & 0xffff;
        assert_true(above % plane_bytes == 0 && below % plane_bytes == 0);
        assert_true(written[above / plane_bytes] && written[below / plane_bytes]);
        uint32_t slot = bundle->separators[i] / plane_bytes;
        assert_true(slot < PLANES_SLOTS && slot != PLANES_SLOT_ALL);
        assert_true(slot == PLANES_SLOT_NONE || !written[slot]);
        written[slot] = true;
    }
    for (size_t t = 0; t < bundle->n_trees; t++)
        for (uint32_t c = 1; c < bundle->trees[t].n_groups * PLANES_GROUP; c++)
            assert_true(written[bundle->trees[t].first_slot + c]);
}

static void parents_come_first(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_all_sizes();
    for (unsigned plane_bytes = 8; plane_bytes <= 64; plane_bytes *= 2) {
        struct planes_model model = build_model(ensemble, 3, plane_bytes);
        assert_int_equal(model.n_trees, ensemble->n_trees);
        for (size_t i = 0; i < model.n_bundles; i++)
            check_bundle(&model.bundles[i], plane_bytes);
        planes_model_free(&model);
    }
    ensemble_free(ensemble);
}

/* All trees as large as can be: the last slot's place fits its 16 bits. */
static void largest_bundles_fit(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 23);
    for (int i = 0; i < PLANES_BUNDLE; i++)
        forest_add_random_tree(&forest, PLANES_MAX_LEAVES);
    struct ensemble *ensemble = forest_end(&forest);
    struct planes_model model = build_model(ensemble, 4, 64);
    check_bundle(&model.bundles[0], 64);
    planes_model_free(&model);
    ensemble_free(ensemble);
}

static void trees_that_are_too_deep_are_refused(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 24);
    forest_add_chain(&forest, 3, CHAIN_LEFT);
    forest_add_chain(&forest, PLANES_MAX_LEAVES, CHAIN_LEFT);
    struct ensemble *ensemble = forest_end(&forest);
    struct scorer *scorer = NULL;
    struct error error;
    assert_int_equal(scorer_build("planes", ensemble, &scorer, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "planes: tree 1 has 257 leaves and is 256 deep: too deep to be "
                                    "cut into trees of at most 256 leaves. Use vpred");
    assert_null(scorer);
    ensemble_free(ensemble);
}

/* --- sums ------------------------------------------------------------------------------------- */

enum { LONGEST_TAIL = 1100, PROBES = LONGEST_TAIL + 3 };

/* What a score is before trees are added: a float, because sums in a chain begin with one. */
static double start_of(size_t i) {
    return (double)(0.1F * (float)i);
}

/* Some units after the other, `step` at a time. */
static double *score(const struct scorer *scorer, const struct matrix *rows, struct span docs,
                     size_t step) {
    size_t n_scores = rows->n_rows * scorer->n_outputs;
    double *scores = malloc(n_scores * sizeof *scores);
    void *workspace = scorer_workspace(scorer);
    assert_true(scores && workspace);
    for (size_t i = 0; i < n_scores; i++)
        scores[i] = start_of(i);
    memset(workspace, 0xa5, scorer->workspace);
    const struct batch batch = {rows->values, rows->stride, scores, workspace};
    for (size_t unit = 0, end; unit < scorer->n_units; unit = end) {
        end = step < scorer->n_units - unit ? unit + step : scorer->n_units;
        scorer->impl->score(scorer, (struct span){unit, end}, docs, &batch);
    }
    free(workspace);
    return scores;
}

static void check_sums(const char *impl, const struct ensemble *ensemble, size_t step) {
    struct scorer *reference = NULL, *planes = NULL;
    struct matrix *rows = NULL;
    struct error error;
    assert_int_equal(scorer_build("reference", ensemble, &reference, NULL), STATUS_OK);
    enum status status = scorer_build(impl, ensemble, &planes, &error);
    if (status == STATUS_MACHINE)
        print_message("# %s\n", error.text);
    else
        assert_int_equal(status, STATUS_OK);
    assert_int_equal(synth_probes(ensemble, PROBES, 3, &rows, NULL), STATUS_OK);
    for (size_t n = 0; !status && n <= LONGEST_TAIL; n += step) {
        struct span docs = {n % 3, n % 3 + n};
        double *expected = score(reference, rows, docs, 1), *scores = score(planes, rows, docs, 1);
        if (memcmp(expected, scores, PROBES * ensemble->n_outputs * sizeof *scores) != 0)
            fail_msg("%s: %zu documents: another score than the reference's", impl, n);
        free(expected);
        free(scores);
    }
    matrix_free(rows);
    scorer_destroy(reference);
    if (planes)
        scorer_destroy(planes);
}

/* So many thresholds of a feature: ranks of 8 and 11 bits have a level of 17 to 32 nodes, those of
 * 11 and 13 more than a byte. */
static struct ensemble *many_thresholds(size_t count) {
    static float thresholds[5000];
    assert_in_range(count, 1, 5000);
    for (size_t i = 0; i < count; i++)
        thresholds[i] = (float)(i * 7919 % count) / 8;
    return stumps_at(thresholds, count, true);
}

/* Leaves whose sums are rounded: the trees must be added in their order, in double. */
static void sums_are_the_reference_s(void **state) {
    struct ensemble *ensemble = trees_of_all_sizes();
    check_sums(*state, ensemble, 137);
    ensemble_free(ensemble);
    ensemble = with_real_leaves(nan_goes_left());
    check_sums(*state, ensemble, 1);
    ensemble_free(ensemble);
    ensemble = with_real_leaves(words_of_64()); /* of two outputs */
    check_sums(*state, ensemble, 31);
    ensemble_free(ensemble);
    ensemble = with_real_leaves(large_trees());
    check_sums(*state, ensemble, 137);
    ensemble_free(ensemble);
    static const size_t counts[] = {200, 2000, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        ensemble = many_thresholds(counts[i]);
        check_sums(*state, ensemble, 550);
        ensemble_free(ensemble);
    }
}

/* --- sums in floats --------------------------------------------------------------------------- */

/* Is its bundle added in double? With AVX2 where a tree of it has over 64 leaves. */
static bool is_double(const struct ensemble *ensemble, const char *spec, uint32_t t) {
    bool is_avx2 = strstr(spec, "avx2") != NULL;
    uint32_t begin = t - t % PLANES_BUNDLE, end = begin + PLANES_BUNDLE;
    for (t = begin; t < end && t < ensemble->n_trees; t++)
        if (is_avx2 && ensemble_tree_leaves(ensemble, t) > 64)
            return true;
    return false;
}

/* Are its values the last ones of a sum in floats? */
static bool is_last(const struct ensemble *ensemble, uint32_t t) {
    return (t + 1) % 64 == 0 || t + 1 == ensemble->n_trees ||
           ensemble->tree_output[t + 1] != ensemble->tree_output[t];
}

static bool is_chain(const char *spec) {
    return strstr(spec, "sums=chain") != NULL;
}

/* Adds to the scores of all rows what 64 trees at a time, added up in float32, make. In a chain,
 * rounds each score after each tree. */
static void add_in_floats(const struct ensemble *ensemble, const char *spec,
                          const struct matrix *rows, double *scores) {
    struct scorer *reference = NULL;
    assert_int_equal(scorer_build("reference", ensemble, &reference, NULL), STATUS_OK);
    const uint32_t n_outputs = ensemble->n_outputs;
    const size_t n_scores = rows->n_rows * n_outputs;
    float *partial = calloc(n_scores, sizeof *partial);
    double *values = calloc(n_scores, sizeof *values);
    assert_true(partial && values);
    const struct span docs = {0, rows->n_rows};
    const struct batch batch = {rows->values, rows->stride, values, NULL};
    for (uint32_t t = 0; t < ensemble->n_trees; t++) {
        memset(values, 0, n_scores * sizeof *values);
        reference->impl->score(reference, (struct span){t, t + 1}, docs, &batch);
        for (size_t doc = docs.begin; doc < docs.end; doc++) {
            size_t i = doc * n_outputs + ensemble->tree_output[t];
            if (is_chain(spec))
                scores[i] = (double)((float)scores[i] + (float)values[i]);
            else if (is_double(ensemble, spec, t))
                scores[i] += values[i];
            else
                partial[i] += (float)values[i];
            if (is_last(ensemble, t)) {
                scores[i] += (double)partial[i];
                partial[i] = 0;
            }
        }
    }
    free(values);
    free(partial);
    scorer_destroy(reference);
}

/* What score() begins with, and all rows' scores after that. */
static double *expect_float_sums(const struct ensemble *ensemble, const char *spec,
                                 const struct matrix *rows) {
    const size_t n_scores = rows->n_rows * ensemble->n_outputs;
    double *expected = malloc(n_scores * sizeof *expected);
    assert_non_null(expected);
    for (size_t i = 0; i < n_scores; i++)
        expected[i] = start_of(i);
    add_in_floats(ensemble, spec, rows, expected);
    return expected;
}

static void check_float_sums(const char *spec, const struct scorer *scorer,
                             const struct matrix *rows, struct span docs, size_t step,
                             const double *expected) {
    const size_t n_scores = rows->n_rows * scorer->n_outputs;
    double *scores = score(scorer, rows, docs, step);
    for (size_t i = 0; i < n_scores; i++) {
        size_t doc = i / scorer->n_outputs;
        bool is_scored = doc >= docs.begin && doc < docs.end;
        double wanted = is_scored ? expected[i] : start_of(i);
        if (wanted != scores[i])
            fail_msg("%s: %zu documents: score %zu is %.17g instead of %.17g", spec,
                     docs.end - docs.begin, i, scores[i], wanted);
    }
    free(scores);
}

/* Trees of up to so many leaves, of all sizes, and one that is large. */
static struct ensemble *trees_up_to(uint32_t n_leaves, uint32_t large, uint32_t n_outputs) {
    struct forest forest = forest_begin(5, 26);
    forest.n_outputs = n_outputs;
    for (uint32_t i = 0; i < 150; i++)
        forest_add_random_tree(&forest, i == 70 ? large : 1 + i * 7 % n_leaves);
    struct ensemble *ensemble = with_real_leaves(forest_end(&forest));
    for (uint32_t i = 0; i < 150; i++)
        ensemble->tree_output[i] = i * n_outputs / 150;
    return ensemble;
}

static void float_sums_are_of_64_trees_or_all(void **state) {
    static const uint32_t sizes[][3] = {{16, 9, 1}, {20, 17, 2}, {64, 64, 1}, {64, 100, 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ensemble *ensemble = trees_up_to(sizes[i][0], sizes[i][1], sizes[i][2]);
        struct scorer *scorer = NULL;
        struct matrix *rows = NULL;
        struct error error;
        enum status status = scorer_build(*state, ensemble, &scorer, &error);
        assert_int_equal(synth_probes(ensemble, PROBES, 3, &rows, NULL), STATUS_OK);
        if (status == STATUS_MACHINE)
            print_message("# %s\n", error.text);
        else
            assert_int_equal(status, STATUS_OK);
        if (!status) {
            double *expected = expect_float_sums(ensemble, *state, rows);
            for (size_t n = 0; n <= LONGEST_TAIL; n += n < 3 ? 1 : 61)
                for (size_t step = 1; step <= 2; step++)
                    check_float_sums(*state, scorer, rows, (struct span){n % 3, n % 3 + n}, step,
                                     expected);
            free(expected);
            assert_true(scorer->float_trees == (is_chain(*state) ? UINT32_MAX : 64));
            assert_true(!is_chain(*state) || !scorer->note);
            scorer_destroy(scorer);
        }
        matrix_free(rows);
        ensemble_free(ensemble);
    }
}

#if defined(__x86_64__)
/* Of AVX2, which looks up values of 64 leaves at most. */
static void large_trees_stay_with_doubles(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 27);
    for (int i = 0; i < 9; i++)
        forest_add_random_tree(&forest, i == 5 ? 65 : 64);
    struct ensemble *ensemble = with_real_leaves(forest_end(&forest));
    struct scorer *scorer = NULL;
    enum status status = scorer_build("planes-avx2,sums=float", ensemble, &scorer, NULL);
    if (!status) {
        assert_string_equal(scorer->note,
                            "planes-avx2,sums=float: 4 of 9 trees or pieces of trees "
                            "are added in double, because they or trees next to them have "
                            "over 64 leaves");
        assert_int_equal(scorer->float_trees, 64);
        scorer_destroy(scorer);
    }
    ensemble_free(ensemble);
    if (status == STATUS_MACHINE)
        skip();
    assert_int_equal(status, STATUS_OK);
}
#endif

static void leaves_that_floats_cannot_add_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_up_to(4, 4, 1);
    ensemble->value[2] = -1e37;
    const struct planes_shape shape = {
        .impl = "planes", .fan_bits = 3, .plane_bytes = 32, .float_codes = 64};
    struct planes_model model;
    struct error error;
    assert_int_equal(planes_model_build(ensemble, &shape, &model, &error), STATUS_UNSUPPORTED);
    assert_string_equal(
        error.text,
        "planes: a leaf's value is -1e+37; the limit for sums in float32 is 5.31691e+36");
    ensemble_free(ensemble);
}

#if defined(__x86_64__)
/* Only the small trees, which come last, are added in floats. */
static void check_side_by_side(const struct ensemble *ensemble, const char *spec, unsigned lanes) {
    struct scorer *scorer = NULL;
    struct matrix *rows = NULL;
    assert_int_equal(scorer_build(spec, ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer->lanes, lanes * PLANES_BLOCKS);
    assert_int_equal(synth_probes(ensemble, PROBES, 3, &rows, NULL), STATUS_OK);
    double *expected = expect_float_sums(ensemble, spec, rows);
    check_float_sums(spec, scorer, rows, (struct span){2, 1102}, 1, expected);
    free(expected);
    matrix_free(rows);
    scorer_destroy(scorer);
}

/* Of a model that is far away, several blocks of documents are worked on side by side. */
static void large_models_take_blocks_side_by_side(void **state) {
    (void)state;
    static const struct {
        const char *name, *in_float, *in_chain;
        unsigned lanes;
    } impls[] = {
        {"planes-jit-avx2", "planes-jit-avx2,sums=float", "planes-jit-avx2,sums=chain", 512},
        {"planes-jit-128", "planes-jit-128,sums=float", "planes-jit-128,sums=chain", 128}};
    struct forest forest = forest_begin(5, 25);
    for (int i = 0; i < 2600; i++)
        forest_add_random_tree(&forest, PLANES_MAX_LEAVES);
    for (int i = 0; i < 150; i++)
        forest_add_random_tree(&forest, 20);
    struct ensemble *ensemble = with_real_leaves(forest_end(&forest));
    bool checked = false;
    for (size_t i = 0; i < sizeof impls / sizeof *impls; i++) {
        struct scorer *scorer = NULL;
        enum status status = scorer_build(impls[i].name, ensemble, &scorer, NULL);
        scorer_destroy(scorer);
        if (status == STATUS_MACHINE)
            continue;
        assert_int_equal(status, STATUS_OK);
        check_sums(impls[i].name, ensemble, 513);
        check_side_by_side(ensemble, impls[i].in_float, impls[i].lanes);
        check_side_by_side(ensemble, impls[i].in_chain, impls[i].lanes);
        checked = true;
    }
    ensemble_free(ensemble);
    if (!checked)
        skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_compare_as_the_values_do),
        cmocka_unit_test(ranks_count_the_thresholds_below),
        cmocka_unit_test(each_side_of_nan_has_its_own_tests),
        cmocka_unit_test(values_lie_in_gray_order),
        cmocka_unit_test(parents_come_first),
        cmocka_unit_test(largest_bundles_fit),
        cmocka_unit_test(trees_that_are_too_deep_are_refused),
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes"),
        cmocka_unit_test(leaves_that_floats_cannot_add_are_refused),
#if defined(__x86_64__)
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes-avx2"),
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes-avx512"),
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes-jit"),
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes-jit-128"),
        cmocka_unit_test_prestate(sums_are_the_reference_s, "planes-jit-avx2"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-avx2,sums=float"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-avx2,sums=chain"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-avx512,sums=float"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-avx512,sums=chain"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit,sums=float"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit,sums=chain"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit-128,sums=float"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit-128,sums=chain"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit-avx2,sums=float"),
        cmocka_unit_test_prestate(float_sums_are_of_64_trees_or_all, "planes-jit-avx2,sums=chain"),
        cmocka_unit_test(large_trees_stay_with_doubles),
        cmocka_unit_test(large_models_take_blocks_side_by_side),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
