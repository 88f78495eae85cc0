/* Every kernel of pred, vpred, pred-heap and vpred-heap: each depth, each v, each tail. */
#include "base/random.h"
#include "impls/scorer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/impls/refused.h"

enum { FEATURES = 9, OUTPUTS = 2, STRIDE = 16, MOST_DOCS = 3 * 64 + 1 };

/* Documents and thresholds share a small grid, so that equal ones meet all the time. */
static float random_grid(struct random *random) {
    return (float)random_below(random, 9) * 0.5f - 2;
}

static float random_value(struct random *random) {
    switch (random_below(random, 12)) {
    case 0:
        return NAN;
    case 1:
        return -INFINITY;
    case 2:
        return INFINITY;
    case 3:
        return -0.0f;
    default:
        return random_grid(random);
    }
}

/* One node and all below it. The leftmost path is `depth` long, others stop early by chance unless
 * the tree is full. Returns the number behind the last node. */
static uint32_t add_subtree(struct ensemble_builder *b, struct random *random, uint32_t self,
                            uint32_t depth, bool leftmost, bool full, bool nan_left);

static uint32_t count_nodes(struct random random, uint32_t depth, bool leftmost, bool full,
                            bool nan_left) {
    return add_subtree(NULL, &random, 0, depth, leftmost, full, nan_left);
}

static uint32_t add_subtree(struct ensemble_builder *b, struct random *random, uint32_t self,
                            uint32_t depth, bool leftmost, bool full, bool nan_left) {
    uint64_t chance = random_below(random, 4);
    if (depth == 0 || (!leftmost && !full && chance == 0)) {
        double value = random_double(random);
        if (b)
            ensemble_builder_add_leaf(b, value, ENSEMBLE_NO_COUNT);
        return self + 1;
    }
    struct inner_node node = {.count = ENSEMBLE_NO_COUNT, .left = self + 1};
    node.feature = (uint32_t)random_below(random, FEATURES);
    node.threshold = random_grid(random);
    node.nan_left = random_below(random, 2) && nan_left;
    node.right = self + 1 + count_nodes(*random, depth - 1, leftmost, full, nan_left);
    if (b)
        ensemble_builder_add_inner(b, &node);
    uint32_t next = add_subtree(b, random, node.left, depth - 1, leftmost, full, nan_left);
    return add_subtree(b, random, next, depth - 1, false, full, nan_left);
}

/* Four trees, of the depth asked for and less. Deep ones are chains with short branches. */
static struct ensemble *make_ensemble(uint32_t depth, bool full, bool nan_left) {
    struct random random;
    struct ensemble *ensemble;
    struct ensemble_shape shape = {.n_features = FEATURES, .n_outputs = OUTPUTS};
    struct ensemble_builder *b = ensemble_builder_create();
    assert_non_null(b);
    random_seed(&random, depth * 4u + full * 2u + nan_left);
    for (uint32_t t = 0; t < 4; t++) {
        ensemble_builder_add_tree(b, t % OUTPUTS);
        add_subtree(b, &random, 0, depth - (t < depth ? t : depth), true, full, nan_left);
    }
    assert_int_equal(ensemble_builder_finish(b, &shape, &ensemble, NULL), STATUS_OK);
    assert_int_equal(ensemble->tree_depth[0], depth);
    return ensemble;
}

static struct scorer *build(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer;
    struct error error = {""};
    enum status status = scorer_build(spec, ensemble, &scorer, &error);
    if (status)
        fail_msg("%s: %s", spec, error.text);
    return scorer;
}

static void fill_documents(float *x) {
    struct random random;
    random_seed(&random, 1);
    for (size_t i = 0; i < (size_t)MOST_DOCS * STRIDE; i++)
        x[i] = random_value(&random);
}

/* Scores the documents [first, first + n) and compares with the reference, to the last bit; the
 * scores around them must stay as they were. */
static void check_span(const struct scorer *scorer, const float *x, const double *expected,
                       size_t first, size_t n) {
    static const double before = 1000;
    double scores[MOST_DOCS * OUTPUTS];
    for (size_t i = 0; i < MOST_DOCS * OUTPUTS; i++)
        scores[i] = before;
    memset(scores + first * OUTPUTS, 0, n * OUTPUTS * sizeof *scores);
    const struct batch batch = {x, STRIDE, scores, NULL};
    scorer->impl->score(scorer, (struct span){0, scorer->n_units}, (struct span){first, first + n},
                        &batch);
    for (size_t i = 0; i < MOST_DOCS * OUTPUTS; i++) {
        bool inside = i / OUTPUTS >= first && i / OUTPUTS < first + n;
        double wanted = inside ? expected[i] : before;
        if (memcmp(&scores[i], &wanted, sizeof wanted) != 0)
            fail_msg("%s lanes=%u: %zu documents from %zu: score %zu is %.17g, not %.17g",
                     scorer->impl->name, scorer->lanes, n, first, i, scores[i], wanted);
    }
}

static void check_ensemble(const struct ensemble *ensemble, const char *const *specs,
                           bool every_count) {
    float x[MOST_DOCS * STRIDE];
    double expected[MOST_DOCS * OUTPUTS] = {0};
    fill_documents(x);
    struct scorer *reference = build("reference", ensemble);
    const struct batch batch = {x, STRIDE, expected, NULL};
    reference->impl->score(reference, (struct span){0, reference->n_units},
                           (struct span){0, MOST_DOCS}, &batch);
    for (size_t s = 0; specs[s]; s++) {
        struct scorer *scorer = build(specs[s], ensemble);
        size_t most = 3 * (size_t)scorer->lanes + 1;
        for (size_t n = every_count ? 0 : most; n <= most; n++)
            check_span(scorer, x, expected, MOST_DOCS - most, n);
        scorer_destroy(scorer);
    }
    scorer_destroy(reference);
}

static const char *const index_specs[] = {
    "pred",       "vpred,v=1",  "vpred,v=4",  "vpred,v=8",
    "vpred,v=16", "vpred,v=32", "vpred,v=64", "vpred,unroll=full,v=16",
    NULL};
static const char *const heap_specs[] = {"pred-heap",
                                         "vpred-heap,v=1",
                                         "vpred-heap,v=4",
                                         "vpred-heap,v=8",
                                         "vpred-heap,v=16",
                                         "vpred-heap,v=32",
                                         "vpred-heap,v=64",
                                         "vpred-heap,unroll=full,v=16",
                                         NULL};

static void check_shape(uint32_t depth, bool full, bool every_count) {
    for (int nan_left = 0; nan_left < 2; nan_left++) {
        struct ensemble *ensemble = make_ensemble(depth, full, nan_left);
        check_ensemble(ensemble, index_specs, every_count);
        if (depth <= 20)
            check_ensemble(ensemble, heap_specs, every_count);
        ensemble_free(ensemble);
    }
}

static void every_depth_agrees_on_full_trees(void **state) {
    (void)state;
    for (uint32_t depth = 0; depth <= 9; depth++)
        check_shape(depth, true, false);
}

static void every_depth_agrees_on_ragged_trees(void **state) {
    (void)state;
    for (uint32_t depth = 0; depth <= 14; depth++)
        check_shape(depth, false, false);
}

static void every_number_of_documents_agrees(void **state) {
    (void)state;
    check_shape(5, false, true);
}

/* A path of that length to the right, with a leaf at each step. */
static struct ensemble *make_chain(uint32_t n_trees, uint32_t depth) {
    struct ensemble *ensemble;
    struct ensemble_shape shape = {.n_features = FEATURES, .n_outputs = OUTPUTS};
    struct ensemble_builder *b = ensemble_builder_create();
    for (uint32_t t = 0; t < n_trees; t++) {
        ensemble_builder_add_tree(b, 0);
        for (uint32_t i = 0; i < depth; i++) {
            struct inner_node node = {.feature = i % FEATURES,
                                      .threshold = -1.5f,
                                      .left = 2 * i + 1,
                                      .right = 2 * i + 2,
                                      .count = ENSEMBLE_NO_COUNT};
            ensemble_builder_add_inner(b, &node);
            ensemble_builder_add_leaf(b, i + 1, ENSEMBLE_NO_COUNT);
        }
        ensemble_builder_add_leaf(b, 0.5, ENSEMBLE_NO_COUNT);
    }
    assert_int_equal(ensemble_builder_finish(b, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void deep_trees_agree(void **state) {
    (void)state;
    for (uint32_t depth = 15; depth <= 32; depth++) {
        struct ensemble *chain = make_chain(3, depth);
        check_ensemble(chain, index_specs, false);
        if (depth == 15 || depth == 20)
            check_ensemble(chain, heap_specs, false);
        ensemble_free(chain);
    }
}

static void heaps_refuse_what_does_not_fit(void **state) {
    (void)state;
    struct ensemble *deep = make_chain(2, 21);
    expect_refused("pred-heap", deep, STATUS_UNSUPPORTED, "tree 0: depth 21 with 22 leaves");
    ensemble_free(deep);
    struct ensemble *large = make_chain(65, 20);
    expect_refused("vpred-heap,v=8", large, STATUS_UNSUPPORTED, "tree 64: depth 20");
    ensemble_free(large);
}

static void an_unknown_v_is_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = make_chain(1, 2);
    expect_refused("vpred,v=3", ensemble, STATUS_INPUT, "vpred,v=3: v must be one of: 1 4");
    expect_refused("vpred,v=128", ensemble, STATUS_INPUT, "vpred,v=128: v must be one of: ");
    expect_refused("vpred-heap,v=x", ensemble, STATUS_INPUT, "vpred-heap,v=x: v must be one of: ");
    expect_refused("pred,v=8", ensemble, STATUS_INPUT, "v");
    ensemble_free(ensemble);
}

static void without_a_v_it_is_eight(void **state) {
    (void)state;
    struct ensemble *ensemble = make_chain(1, 2);
    struct scorer *standard = build("vpred", ensemble), *four = build("vpred-heap,v=4", ensemble);
    assert_int_equal(standard->lanes, 8);
    assert_int_equal(four->lanes, 4);
    scorer_destroy(standard);
    scorer_destroy(four);
    ensemble_free(ensemble);
}

static void unrolling_is_auto_or_full_up_to_16_lanes(void **state) {
    (void)state;
    struct ensemble *ensemble = make_chain(1, 2);
    expect_refused("vpred,unroll=8", ensemble, STATUS_INPUT,
                   "vpred,unroll=8: unroll must be one of: auto full");
    expect_refused("vpred,unroll=full,v=32", ensemble, STATUS_UNSUPPORTED,
                   "vpred: unroll=full has no kernels for v=32. Use v=16 or less");
    struct scorer *automatic = build("vpred,unroll=auto,v=32", ensemble);
    struct scorer *full = build("vpred,unroll=full,v=16", ensemble);
    assert_int_equal(automatic->lanes, 32);
    assert_int_equal(full->lanes, 16);
    scorer_destroy(automatic);
    scorer_destroy(full);
    ensemble_free(ensemble);
}

static void a_scorer_knows_its_shape(void **state) {
    (void)state;
    struct ensemble *ensemble = make_ensemble(3, true, false); /* 8 + 4 + 2 + 1 leaves */
    struct scorer *pred = build("pred", ensemble);
    struct scorer *heap = build("vpred-heap,v=4", ensemble);
    assert_int_equal(pred->n_units, 4);
    assert_int_equal(pred->lanes, 1);
    assert_int_equal(heap->lanes, 4);
    assert_int_equal(pred->n_features, FEATURES);
    assert_int_equal(pred->n_outputs, OUTPUTS);
    /* 16 bytes each of 11 inner nodes and 15 leaves, against 8 each of 11 inner nodes. */
    assert_int_equal(pred->bytes - heap->bytes, 16 * (11 + 15) - 8 * 11);
    scorer_destroy(pred);
    scorer_destroy(heap);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_depth_agrees_on_full_trees),
        cmocka_unit_test(every_depth_agrees_on_ragged_trees),
        cmocka_unit_test(every_number_of_documents_agrees),
        cmocka_unit_test(deep_trees_agree),
        cmocka_unit_test(heaps_refuse_what_does_not_fit),
        cmocka_unit_test(an_unknown_v_is_refused),
        cmocka_unit_test(without_a_v_it_is_eight),
        cmocka_unit_test(unrolling_is_auto_or_full_up_to_16_lanes),
        cmocka_unit_test(a_scorer_knows_its_shape),
    };
    return cmocka_run_group_tests_name("pred", tests, NULL, NULL);
}
