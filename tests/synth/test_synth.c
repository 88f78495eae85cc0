/* Synthetic trees, documents and probes: their properties, and identical bytes everywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/hash.h"
#include "synth/synth.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Computed once. Update them, and mention it, if the meaning of a seed changes. */
#define GOLDEN_TREES 0x90bd27afc0aea516u
#define GOLDEN_DOCUMENTS 0xd9780a9435c53741u
#define GOLDEN_PROBES 0xcc270e790de49d23u
#define GOLDEN_LABELS 0x4dde1d500aaa6e95u

/* The bytes of a value, least significant first. */
static uint64_t hash_bits(uint64_t hash, uint64_t bits, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        hash = hash_bytes(hash, &(uint8_t){(uint8_t)(bits >> (8 * i))}, 1);
    return hash;
}

static uint64_t hash_float(uint64_t hash, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_bits(hash, bits, 4);
}

static uint64_t hash_ensemble(const struct ensemble *e) {
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < e->n_nodes; i++) {
        hash = hash_bits(hash, e->feature[i], 4);
        hash = hash_float(hash, e->threshold[i]);
    }
    for (size_t i = 0; i < e->n_leaves; i++) {
        uint64_t bits;
        memcpy(&bits, &e->value[i], sizeof bits);
        hash = hash_bits(hash, bits, 8);
    }
    return hash;
}

static uint64_t hash_matrix(const struct matrix *matrix) {
    uint64_t hash = HASH_START;
    for (size_t r = 0; r < matrix->n_rows; r++)
        for (uint32_t f = 0; f < matrix->n_features; f++)
            hash = hash_float(hash, matrix_row(matrix, r)[f]);
    return hash;
}

static struct ensemble *make_trees(uint32_t depth, uint32_t n_features, uint32_t n_trees,
                                   uint64_t seed) {
    struct ensemble *ensemble = NULL;
    const struct synth_shape shape = {depth, n_features, n_trees};
    struct error error = {""};
    if (synth_trees(&shape, seed, &ensemble, &error))
        fail_msg("%s", error.text);
    return ensemble;
}

static struct matrix *make_documents(const struct ensemble *ensemble, size_t n, uint64_t seed) {
    struct matrix *matrix = NULL;
    struct error error = {""};
    if (synth_documents(ensemble, n, seed, &matrix, &error))
        fail_msg("%s", error.text);
    return matrix;
}

static struct matrix *make_probes(const struct ensemble *ensemble, size_t n, uint64_t seed) {
    struct matrix *matrix = NULL;
    struct error error = {""};
    if (synth_probes(ensemble, n, seed, &matrix, &error))
        fail_msg("%s", error.text);
    return matrix;
}

/* Returns the exit leaf. Calls `meet` at every inner node on the way. */
static uint32_t traverse(const struct ensemble *e, uint32_t tree, const float *row,
                         void (*meet)(size_t node, float value, void *context), void *context) {
    int32_t child = ensemble_tree_nodes(e, tree) ? 0 : ~0;
    while (child >= 0) {
        size_t node = e->tree_node[tree] + (size_t)child;
        float value = row[e->feature[node]];
        if (meet)
            meet(node, value, context);
        child = value <= e->threshold[node] ? e->left[node] : e->right[node];
    }
    return (uint32_t)~child;
}

static void same_bytes_on_every_machine(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(6, 10, 3, 1);
    struct matrix *documents = make_documents(trees, 500, 1);
    struct matrix *probes = make_probes(trees, 500, 1);
    assert_int_equal(hash_ensemble(trees), GOLDEN_TREES);
    assert_int_equal(hash_matrix(documents), GOLDEN_DOCUMENTS);
    assert_int_equal(hash_matrix(probes), GOLDEN_PROBES);
    matrix_free(probes);
    matrix_free(documents);
    ensemble_free(trees);
}

static void another_seed_is_another_tree(void **state) {
    (void)state;
    struct ensemble *one = make_trees(6, 10, 1, 1), *two = make_trees(6, 10, 1, 2);
    assert_int_not_equal(hash_ensemble(one), hash_ensemble(two));
    struct matrix *three = make_documents(one, 100, 3), *four = make_documents(one, 100, 4);
    assert_int_not_equal(hash_matrix(three), hash_matrix(four));
    matrix_free(three);
    matrix_free(four);
    ensemble_free(one);
    ensemble_free(two);
}

static void trees_are_balanced(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(5, 7, 4, 9);
    assert_int_equal(trees->n_trees, 4);
    assert_int_equal(trees->n_features, 7);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(ensemble_tree_leaves(trees, t), 32);
        assert_int_equal(trees->tree_depth[t], 5);
    }
    ensemble_free(trees);
}

static void impossible_shapes_are_refused(void **state) {
    (void)state;
    const struct synth_shape shapes[] = {
        {21, 5, 1}, {3, 0, 1}, {3, UINT32_MAX, 1}, {3, 5, 0}, {20, 5, 1u << 20}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct ensemble *ensemble = NULL;
        struct error error = {""};
        assert_int_equal(synth_trees(&shapes[i], 1, &ensemble, &error), STATUS_INPUT);
        assert_non_null(strstr(error.text, "synthetic trees: "));
        assert_null(ensemble);
    }
}

/* Each of L leaves is reached n / L times, the first n mod L once more, and not in order. */
static void check_leaf_counts(const struct ensemble *trees, size_t n) {
    uint32_t n_leaves = ensemble_tree_leaves(trees, 0);
    struct matrix *documents = make_documents(trees, n, 5);
    size_t *reached = calloc(n_leaves, sizeof *reached);
    assert_non_null(reached);
    size_t in_turn = 0;
    for (size_t r = 0; r < n; r++) {
        uint32_t leaf = traverse(trees, 0, matrix_row(documents, r), NULL, NULL);
        reached[leaf]++;
        in_turn += leaf == r % n_leaves;
    }
    for (size_t leaf = 0; leaf < n_leaves; leaf++)
        assert_int_equal(reached[leaf], n / n_leaves + (leaf < n % n_leaves));
    if (n_leaves > 1)
        assert_true(in_turn < n * 3 / 4);
    free(reached);
    matrix_free(documents);
}

static void documents_reach_every_leaf_equally_often(void **state) {
    (void)state;
    static const struct {
        uint32_t depth, n_features;
        size_t n;
    } cases[] = {{0, 3, 10},        {3, 32, 8 * 25}, {11, 32, 2048 * 3}, {7, 128, 128 * 4 + 77},
                 {11, 1, 2048 * 2}, {16, 1, 65536},  {5, 2, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ensemble *trees = make_trees(cases[i].depth, cases[i].n_features, 1, i);
        check_leaf_counts(trees, cases[i].n);
        ensemble_free(trees);
    }
}

static void documents_lie_in_the_unit_interval(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(8, 3, 1, 4);
    struct matrix *documents = make_documents(trees, 1000, 4);
    for (size_t r = 0; r < documents->n_rows; r++)
        for (uint32_t f = 0; f < documents->n_features; f++)
            assert_true(matrix_row(documents, r)[f] >= 0 && matrix_row(documents, r)[f] < 1);
    matrix_free(documents);
    ensemble_free(trees);
}

/* A chain that compares feature 0 with each threshold and continues to the right. */
static struct ensemble *make_chain(const float *thresholds, uint32_t count) {
    struct ensemble_builder *builder = ensemble_builder_create();
    ensemble_builder_add_tree(builder, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct inner_node inner = {.threshold = thresholds[i],
                                   .left = 2 * i + 1,
                                   .right = 2 * i + 2,
                                   .count = ENSEMBLE_NO_COUNT};
        ensemble_builder_add_inner(builder, &inner);
        ensemble_builder_add_leaf(builder, i, ENSEMBLE_NO_COUNT);
    }
    ensemble_builder_add_leaf(builder, count, ENSEMBLE_NO_COUNT);
    struct ensemble *ensemble = NULL;
    struct error error = {""};
    const struct ensemble_shape shape = {0};
    if (ensemble_builder_finish(builder, &shape, &ensemble, &error))
        fail_msg("%s", error.text);
    return ensemble;
}

static void documents_follow_thresholds_of_any_size(void **state) {
    (void)state;
    const float thresholds[] = {-3e38f, -1e5f, -0x1p-149f, 0.0f, 0x1p-149f, 0.5f, 1e5f, 3e38f};
    struct ensemble *chain = make_chain(thresholds, sizeof thresholds / sizeof *thresholds);
    check_leaf_counts(chain, 900);
    ensemble_free(chain);
}

static void unreachable_leaves_are_refused(void **state) {
    (void)state;
    const float thresholds[] = {0.5f, 0.25f};
    struct ensemble *chain = make_chain(thresholds, 2);
    struct matrix *matrix = NULL;
    struct error error = {""};
    assert_int_equal(synth_documents(chain, 30, 1, &matrix, &error), STATUS_INPUT);
    assert_string_equal(error.text,
                        "synthetic documents: no finite document reaches leaf 1 of tree 0");
    assert_null(matrix);
    ensemble_free(chain);
}

struct hits {
    const struct ensemble *ensemble;
    unsigned char *seen; /* per node: 1 below, 2 exact, 4 above */
};

static void note_hit(size_t node, float value, void *context) {
    struct hits *hits = context;
    float threshold = hits->ensemble->threshold[node];
    if (value == threshold)
        hits->seen[node] |= 2;
    else if (value == nextafterf(threshold, -INFINITY))
        hits->seen[node] |= 1;
    else if (value == nextafterf(threshold, INFINITY))
        hits->seen[node] |= 4;
}

static void probes_meet_every_threshold_and_its_neighbours(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(7, 20, 3, 2);
    struct hits hits = {trees, calloc(trees->n_nodes, 1)};
    assert_non_null(hits.seen);
    struct matrix *probes = make_probes(trees, 6 * trees->n_nodes, 2);
    for (size_t r = 0; r < probes->n_rows; r++)
        for (uint32_t t = 0; t < trees->n_trees; t++)
            traverse(trees, t, matrix_row(probes, r), note_hit, &hits);
    for (size_t i = 0; i < trees->n_nodes; i++)
        assert_int_equal(hits.seen[i], 7);
    free(hits.seen);
    matrix_free(probes);
    ensemble_free(trees);
}

/* 146 GB of values if rows did not overlap. */
static void probes_of_millions_of_features_take_the_memory_of_one_row(void **state) {
    (void)state;
    enum { FEATURES = 16 * 1000 * 1000, APART = 799999 };
    struct ensemble *trees = make_trees(7, 20, 3, 2);
    trees->n_features = FEATURES;
    for (size_t i = 0; i < trees->n_nodes; i++)
        trees->feature[i] *= APART;
    struct hits hits = {trees, calloc(trees->n_nodes, 1)};
    assert_non_null(hits.seen);
    struct matrix *probes = make_probes(trees, 6 * trees->n_nodes, 2);
    assert_int_equal(probes->n_features, FEATURES);
    assert_true(probes->mapping_size < (FEATURES + 1000 * 1000) * sizeof(float));
    for (size_t r = 0; r < probes->n_rows; r++)
        for (uint32_t t = 0; t < trees->n_trees; t++)
            traverse(trees, t, matrix_row(probes, r), note_hit, &hits);
    for (size_t i = 0; i < trees->n_nodes; i++)
        assert_int_equal(hits.seen[i], 7);
    free(hits.seen);
    matrix_free(probes);
    ensemble_free(trees);
}

static void probes_hold_every_special_value(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(3, 5, 1, 2);
    struct matrix *probes = make_probes(trees, 2000, 2);
    size_t nan = 0, plus_inf = 0, minus_inf = 0, plus_zero = 0, minus_zero = 0, subnormal = 0;
    for (size_t r = 0; r < probes->n_rows; r++) {
        for (uint32_t f = 0; f < probes->n_features; f++) {
            float value = matrix_row(probes, r)[f];
            nan += isnan(value) != 0;
            plus_inf += value == INFINITY;
            minus_inf += value == -INFINITY;
            plus_zero += value == 0 && !signbit(value);
            minus_zero += value == 0 && signbit(value);
            subnormal += fpclassify(value) == FP_SUBNORMAL;
        }
    }
    assert_true(nan > 10 && plus_inf > 10 && minus_inf > 10);
    assert_true(plus_zero > 10 && minus_zero > 10 && subnormal > 10);
    assert_true(nan < probes->n_rows); /* rows still mix */
    matrix_free(probes);
    ensemble_free(trees);
}

static void probes_of_a_single_leaf_are_rows_too(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(0, 4, 1, 2);
    struct matrix *probes = make_probes(trees, 50, 2);
    assert_int_equal(probes->n_rows, 50);
    matrix_free(probes);
    ensemble_free(trees);
}

static bool tests_value(const struct ensemble *trees, uint32_t feature, float value) {
    bool is_tested = false;
    for (size_t i = 0; i < trees->n_nodes; i++)
        if (trees->feature[i] == feature) {
            is_tested = true;
            if (trees->threshold[i] == value)
                return true;
        }
    return !is_tested && value == 0;
}

static bool holds_value(const struct matrix *documents, uint32_t feature, float value) {
    for (size_t row = 0; row < documents->n_rows; row++)
        if (matrix_row(documents, row)[feature] == value)
            return true;
    return false;
}

static void threshold_documents_hold_the_thresholds_of_their_features(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(3, 6, 2, 4);
    struct matrix *documents = NULL;
    assert_int_equal(synth_threshold_documents(trees, 100, 1, &documents, NULL), 0);
    assert_int_equal(documents->n_rows, 100);
    assert_non_null(strstr(documents->note, "made up"));
    for (size_t row = 0; row < 100; row++)
        for (uint32_t f = 0; f < trees->n_features; f++)
            assert_true(tests_value(trees, f, matrix_row(documents, row)[f]));
    for (size_t i = 0; i < trees->n_nodes; i++)
        assert_true(holds_value(documents, trees->feature[i], trees->threshold[i]));
    matrix_free(documents);
    ensemble_free(trees);
}

static uint64_t hash_labels(const struct matrix *documents) {
    uint64_t hash = HASH_START;
    for (size_t row = 0; row < documents->n_rows; row++)
        hash = hash_float(hash, documents->labels[row]);
    return hash;
}

static void give_labels(struct matrix *documents, uint64_t seed) {
    struct error error = {""};
    free(documents->labels);
    documents->labels = NULL;
    if (synth_labels(documents, seed, &error))
        fail_msg("%s", error.text);
}

static void labels_are_grades_each_rarer_than_the_one_below(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(3, 10, 1, 1);
    struct matrix *documents = make_documents(trees, 1000, 1);
    size_t counts[5] = {0};
    give_labels(documents, 1);
    for (size_t row = 0; row < 1000; row++) {
        float label = documents->labels[row];
        assert_true(label >= 0 && label <= 4 && label == (float)(int)label);
        counts[(int)label]++;
    }
    for (int label = 1; label < 5; label++)
        assert_in_range(counts[label], 1, counts[label - 1] / 2);
    matrix_free(documents);
    ensemble_free(trees);
}

/* The seed decides the noise: most labels of the same documents stay. */
static void labels_depend_on_documents_and_a_little_on_the_seed(void **state) {
    (void)state;
    struct ensemble *trees = make_trees(3, 10, 1, 1);
    struct matrix *documents = make_documents(trees, 1000, 1);
    float before[1000];
    give_labels(documents, 1);
    assert_int_equal(hash_labels(documents), GOLDEN_LABELS);
    memcpy(before, documents->labels, sizeof before);
    give_labels(documents, 1);
    assert_memory_equal(before, documents->labels, sizeof before);
    give_labels(documents, 2);
    assert_memory_not_equal(before, documents->labels, sizeof before);
    size_t same = 0;
    for (size_t row = 0; row < 1000; row++)
        same += before[row] == documents->labels[row];
    assert_in_range(same, 700, 999);
    matrix_free(documents);
    ensemble_free(trees);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bytes_on_every_machine),
        cmocka_unit_test(another_seed_is_another_tree),
        cmocka_unit_test(trees_are_balanced),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(documents_reach_every_leaf_equally_often),
        cmocka_unit_test(documents_lie_in_the_unit_interval),
        cmocka_unit_test(documents_follow_thresholds_of_any_size),
        cmocka_unit_test(unreachable_leaves_are_refused),
        cmocka_unit_test(labels_are_grades_each_rarer_than_the_one_below),
        cmocka_unit_test(labels_depend_on_documents_and_a_little_on_the_seed),
        cmocka_unit_test(probes_meet_every_threshold_and_its_neighbours),
        cmocka_unit_test(probes_of_millions_of_features_take_the_memory_of_one_row),
        cmocka_unit_test(probes_hold_every_special_value),
        cmocka_unit_test(probes_of_a_single_leaf_are_rows_too),
        cmocka_unit_test(threshold_documents_hold_the_thresholds_of_their_features),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
