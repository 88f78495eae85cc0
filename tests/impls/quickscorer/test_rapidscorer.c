/* RapidScorer: what test_exactness.c cannot see: blocks, tests, ops, refusals. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/quickscorer/rapidscorer_model.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <string.h>

/* As the implementations are built, on processors of any kind. */
static enum status try(const char *spec, const struct ensemble *ensemble, struct scorer **scorer,
                       struct error *error) {
    static const struct impl impl = {.name = "rapidscorer"};
    char name[OPTION_TEXT_SIZE];
    struct options options;
    enum status status = options_parse(spec, name, &options, error);
    return status ? status : rapid_build(&impl, 64, ensemble, &options, scorer, error);
}

static struct scorer *build(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (try(spec, ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    return scorer;
}

static void check_refused(const char *spec, const struct ensemble *ensemble, enum status expected,
                          const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(try(spec, ensemble, &scorer, &error), expected);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
}

static void other_tau_are_refused(void **state) {
    (void)state;
    static const char *const specs[] = {"rapidscorer,tau=0", "rapidscorer,tau=-1",
                                        "rapidscorer,tau=few", "rapidscorer,tau=1.5",
                                        "rapidscorer,tau=99999999999999999999"};
    struct ensemble *ensemble = stumps();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_refused(specs[i], ensemble, STATUS_INPUT,
                      "tau must be a positive integer, all or auto");
    ensemble_free(ensemble);
}

static void too_many_leaves_are_refused(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 1);
    forest_add_balanced(&forest, 11);
    forest_add_balanced(&forest, 12);
    struct ensemble *ensemble = forest_end(&forest);
    check_refused("rapidscorer", ensemble, STATUS_UNSUPPORTED,
                  "tree 1 has 4096 leaves; the limit is 2048");
    ensemble_free(ensemble);
}

static struct ensemble *equal_stumps(uint32_t n_trees, bool nan_left) {
    static const float threshold = 0.5f;
    struct forest forest = forest_begin(1, 1);
    forest.thresholds = &threshold;
    forest.n_thresholds = 1;
    forest.nan_left = nan_left;
    for (uint32_t t = 0; t < n_trees; t++)
        forest_add_balanced(&forest, 1);
    return forest_end(&forest);
}

static const struct rapid_block *last_block(const struct rapid_model *model) {
    return &model->blocks[model->scorer.n_units];
}

static void equal_tests_of_a_block_are_one(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        bool nan_left; /* of a half of the nodes */
        size_t lists, tests;
    } expected[] = {{"rapidscorer,tau=all", false, 1, 1},
                    {"rapidscorer,tau=all", true, 2, 2},
                    {"rapidscorer,tau=5", false, 8, 8}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct ensemble *ensemble = equal_stumps(40, expected[i].nan_left);
        struct scorer *scorer = build(expected[i].spec, ensemble);
        const struct rapid_model *model = (const struct rapid_model *)scorer;
        size_t lists = last_block(model)->first_list;
        assert_int_equal(lists, expected[i].lists);
        assert_int_equal(model->lists[lists].first_test, expected[i].tests);
        assert_int_equal(model->first_op[expected[i].tests], 40);
        scorer_destroy(scorer);
        ensemble_free(ensemble);
    }
}

/* Each stump takes a row. */
static void a_block_is_filled_to_its_last_row(void **state) {
    (void)state;
    for (uint32_t more = 0; more < 2; more++) {
        struct ensemble *ensemble = equal_stumps(RAPID_MAX_BLOCK_ROWS + more, false);
        struct scorer *scorer = build("rapidscorer,tau=all", ensemble);
        assert_int_equal(scorer->n_units, 1 + more);
        assert_int_equal(((const struct rapid_model *)scorer)->blocks[0].rows,
                         RAPID_MAX_BLOCK_ROWS);
        scorer_destroy(scorer);
        ensemble_free(ensemble);
    }
}

/* A node below a node with the same test. */
static void ops_of_a_test_on_one_row_are_one(void **state) {
    (void)state;
    static const float threshold = 0.5f;
    struct forest forest = forest_begin(1, 1);
    forest.thresholds = &threshold;
    forest.n_thresholds = 1;
    forest_add_chain(&forest, 2, CHAIN_LEFT);
    struct ensemble *ensemble = forest_end(&forest);
    struct scorer *scorer = build("rapidscorer", ensemble);
    const struct rapid_model *model = (const struct rapid_model *)scorer;
    assert_int_equal(model->first_op[1], 1);
    assert_int_equal(model->ops[0].keep, 0xfc);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* A chain of left children: node i, over the leaves 0 to 20 - i, takes all of these but the last.
 */
static void an_op_per_byte_that_a_test_touches(void **state) {
    (void)state;
    static const float threshold = 0.5f;
    struct forest forest = forest_begin(1, 1);
    forest.thresholds = &threshold;
    forest.n_thresholds = 1;
    ensemble_builder_add_tree(forest.builder, 0);
    forest_add_inner(&forest, 1, 2); /* left: 19 leaves, 0 to 18 */
    for (uint32_t i = 0; i < 18; i++) {
        struct inner_node node = {.threshold = (float)i + 1, /* takes 18 - i leaves */
                                  .left = 2 * i + 3,
                                  .right = 2 * i + 4,
                                  .count = ENSEMBLE_NO_COUNT};
        ensemble_builder_add_inner(forest.builder, &node);
        forest_add_leaf(&forest);
    }
    forest_add_leaf(&forest);
    forest_add_leaf(&forest);
    struct ensemble *ensemble = forest_end(&forest);
    struct scorer *scorer = build("rapidscorer", ensemble);
    const struct rapid_model *model = (const struct rapid_model *)scorer;
    assert_int_equal(model->max_rows, 3);
    assert_int_equal(model->first_op[1], 3);
    static const uint8_t keep[] = {0x00, 0x00, 0xf8, 0x00, 0x00, 0xfc};
    for (size_t op = 0; op < 6; op++) {
        assert_int_equal(model->ops[op].row, op % 3);
        assert_int_equal(model->ops[op].test, op / 3);
        assert_int_equal(model->ops[op].keep, keep[op]);
    }
    assert_int_equal(model->first_op[19], 3 * 3 + 8 * 2 + 8);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_tau_are_refused),
        cmocka_unit_test(too_many_leaves_are_refused),
        cmocka_unit_test(equal_tests_of_a_block_are_one),
        cmocka_unit_test(a_block_is_filled_to_its_last_row),
        cmocka_unit_test(ops_of_a_test_on_one_row_are_one),
        cmocka_unit_test(an_op_per_byte_that_a_test_touches),
    };
    return cmocka_run_group_tests_name("rapidscorer", tests, NULL, NULL);
}
