/* The QuickScorer family: what test_exactness.c cannot see: blocks, leaf sets, refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/quickscorer/qs_model.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <string.h>

static struct ensemble *trees_of(uint32_t n_trees, uint32_t leaves) {
    struct forest forest = forest_begin(5, 3);
    for (uint32_t t = 0; t < n_trees; t++)
        forest_add_random_tree(&forest, leaves);
    return forest_end(&forest);
}

static struct scorer *build(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error;
    if (scorer_build(spec, ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    return scorer;
}

static size_t units_of(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = build(spec, ensemble);
    size_t n_units = scorer->n_units;
    scorer_destroy(scorer);
    return n_units;
}

static void a_block_has_tau_trees(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of(100, 8);
    assert_int_equal(units_of("qs", ensemble), 1);
    assert_int_equal(units_of("qs,tau=all", ensemble), 1);
    assert_int_equal(units_of("qs,tau=7", ensemble), 15);
    assert_int_equal(units_of("qs,tau=100", ensemble), 1);
    assert_int_equal(units_of("bwqs,tau=101", ensemble), 1);
    assert_int_equal(units_of("bwqs,tau=1", ensemble), 100);
    ensemble_free(ensemble);
}

/* 3,000 trees of 200 leaves are over ten megabytes: more than half of any L2. */
static void auto_tau_makes_blocks_of_a_large_ensemble(void **state) {
    (void)state;
    struct ensemble *small = trees_of(10, 8), *large = trees_of(3000, 200);
    assert_int_equal(units_of("bwqs", small), 1);
    assert_true(units_of("bwqs", large) > 1);
    assert_int_equal(units_of("bwqs", large), units_of("qs,tau=auto", large));
    assert_true(units_of("bwqs", large) < 3000);
    ensemble_free(small);
    ensemble_free(large);
}

static void check_refused(const char *spec, const struct ensemble *ensemble, enum status expected,
                          const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(spec, ensemble, &scorer, &error);
    if (status == STATUS_MACHINE)
        skip();
    assert_int_equal(status, expected);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
}

static void other_tau_are_refused(void **state) {
    (void)state;
    static const char *const specs[] = {"qs,tau=0", "qs,tau=-1", "bwqs,tau=few", "bwqs,tau=1.5",
                                        "qs,tau=99999999999999999999"};
    struct ensemble *ensemble = trees_of(3, 4);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_refused(specs[i], ensemble, STATUS_INPUT,
                      "tau must be a positive integer, all or auto");
    ensemble_free(ensemble);
}

#if defined(__x86_64__)
static void vectors_take_64_leaves(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of(2, 65);
    check_refused("vqs-avx2", ensemble, STATUS_UNSUPPORTED,
                  "vqs-avx2: tree 0 has 65 leaves; the limit is 64. Use rapidscorer, qs or auto");
    ensemble_free(ensemble);
}

static void other_stores_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of(2, 4);
    check_refused("vqs-avx2,store=half", ensemble, STATUS_INPUT,
                  "store must be one of: whole masked");
    ensemble_free(ensemble);
}
#endif

/* A leaf set is as narrow as the block's largest tree lets it be. */
static void leaf_sets_are_of_the_largest_tree(void **state) {
    (void)state;
    static const struct {
        uint32_t leaves;
        enum qs_width width;
        size_t words, workspace;
    } expected[] = {{1, QS_32, 3, 12},           {32, QS_32, 3, 12},
                    {33, QS_64, 3, 24},          {64, QS_64, 3, 24},
                    {65, QS_MANY_WORDS, 6, 48},  {128, QS_MANY_WORDS, 6, 48},
                    {150, QS_MANY_WORDS, 9, 72}, {256, QS_MANY_WORDS, 12, 96}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct ensemble *ensemble = trees_of(3, expected[i].leaves);
        struct scorer *scorer = build("qs", ensemble);
        const struct qs_block *block = ((const struct qs_model *)scorer)->blocks;
        assert_int_equal(block->width, expected[i].width);
        assert_int_equal(block->n_words, expected[i].words);
        assert_int_equal(scorer->workspace, expected[i].workspace);
        scorer_destroy(scorer);
        ensemble_free(ensemble);
    }
}

/* Lists are of features that are used, ascending, and NaN is false for all of a list or for none.
 */
static void lists_ascend(void **state) {
    (void)state;
    struct ensemble *ensemble = nan_goes_left();
    struct scorer *scorer = build("qs", ensemble);
    const struct qs_block *block = ((const struct qs_model *)scorer)->blocks;
    size_t entries = 0, nan_left = 0;
    for (size_t l = 0; l < block->n_lists; l++) {
        const struct qs_list *list = &block->lists[l];
        assert_int_equal(list->begin, entries + l); /* an entry ends each list */
        assert_true(list->end > list->begin && list->feature < ensemble->n_features);
        for (size_t i = list->begin + 1; i < list->end; i++)
            assert_true(block->threshold[i - 1] <= block->threshold[i]);
        assert_true(block->threshold[list->end] == (float)INFINITY);
        entries += list->end - list->begin;
        nan_left += list->nan_left ? list->end - list->begin : 0;
    }
    struct ensemble_stats stats;
    assert_int_equal(ensemble_compute_stats(ensemble, &stats, NULL), STATUS_OK);
    assert_int_equal(entries, ensemble->n_nodes); /* no tree has more than 64 leaves */
    assert_int_equal(nan_left, stats.nan_left_nodes);
    assert_int_equal(block->n_lists, 2 * stats.features_used);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_has_tau_trees),
        cmocka_unit_test(auto_tau_makes_blocks_of_a_large_ensemble),
        cmocka_unit_test(other_tau_are_refused),
#if defined(__x86_64__)
        cmocka_unit_test(vectors_take_64_leaves),
        cmocka_unit_test(other_stores_are_refused),
#endif
        cmocka_unit_test(leaf_sets_are_of_the_largest_tree),
        cmocka_unit_test(lists_ascend),
    };
    return cmocka_run_group_tests_name("qs", tests, NULL, NULL);
}
