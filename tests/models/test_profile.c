/* Counts of the documents that pass each node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/profile.h"

#include <math.h>

static void add_node(struct ensemble_builder *builder, uint32_t feature, double threshold,
                     uint32_t left, uint64_t count) {
    ensemble_builder_add_inner(builder, &(struct inner_node){.feature = feature,
                                                             .threshold = threshold,
                                                             .left = left,
                                                             .right = left + 1,
                                                             .nan_left = feature == 1,
                                                             .count = count});
}

/* x0 <= 1 ? (x1 <= 5 ? a : b) : c, and a tree of one leaf. */
static struct ensemble *make(uint64_t count) {
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {.n_features = 2};
    struct ensemble *ensemble = NULL;
    ensemble_builder_add_tree(builder, 0);
    add_node(builder, 0, 1, 1, count);
    add_node(builder, 1, 5, 3, count);
    ensemble_builder_add_leaf(builder, 30, count);
    ensemble_builder_add_leaf(builder, 10, count);
    ensemble_builder_add_leaf(builder, 20, count);
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_leaf(builder, 1, count);
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

/* Rows of three values; the third is not a feature. */
static const float rows[][3] = {{1, 5, 9}, {0, 6, 9},   {0, 7, 9}, {0, NAN, 9},
                                {2, 0, 9}, {NAN, 0, 9}, {3, 0, 9}};

static void documents_are_counted_on_their_paths(void **state) {
    (void)state;
    static const uint64_t nodes[] = {7, 4}, leaves[] = {2, 2, 3, 7};
    const uint64_t before[] = {ENSEMBLE_NO_COUNT, 100};
    for (size_t i = 0; i < 2; i++) { /* without counts, and with other counts */
        struct ensemble *ensemble = make(before[i]);
        assert_int_equal(ensemble->node_count != NULL, i);
        assert_int_equal(profile_count(ensemble, rows[0], 3, 7, NULL), STATUS_OK);
        assert_memory_equal(ensemble->node_count, nodes, sizeof nodes);
        assert_memory_equal(ensemble->leaf_count, leaves, sizeof leaves);
        ensemble_free(ensemble);
    }
}

static void counts_are_moved(void **state) {
    (void)state;
    struct ensemble *from = make(3), *to = make(100);
    profile_take(to, from);
    assert_int_equal(to->node_count[0], 3);
    assert_int_equal(to->leaf_count[3], 3);
    assert_null(from->node_count);
    assert_null(from->leaf_count);
    ensemble_free(from);
    ensemble_free(to);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_counted_on_their_paths),
        cmocka_unit_test(counts_are_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
