/* What generated if-else trees may get wrong when they score: leaves of trees with counts,
 * comparisons of bits, options. That they agree with the reference on ensembles without counts is
 * test_exactness.c's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "tests/impls/framing/ifelse_cases.h"
#include "tests/impls/refused.h"
#include "tests/impls/scratch.h"

#include <math.h>
#include <string.h>

/* --- scores ----------------------------------------------------------------------------------- */

static struct scorer *build(const char *spec, const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(spec, ensemble, &scorer, &error))
        fail_msg("%s: %s", spec, error.text);
    return scorer;
}

static void score(const char *spec, const struct ensemble *ensemble, const struct matrix *rows,
                  double *scores) {
    const struct plan plan = {.order = ORDER_DS, .doc_block = 1};
    struct scorer *scorer = build(spec, ensemble);
    const struct batch batch = {rows->values, rows->stride, scores, NULL};
    memset(scores, 0, rows->n_rows * ensemble->n_outputs * sizeof *scores);
    scorer_run(scorer, &plan, rows->n_rows, &batch);
    scorer_destroy(scorer);
}

static void check(const char *spec, const struct ensemble *ensemble, const struct matrix *rows) {
    size_t n_scores = rows->n_rows * ensemble->n_outputs;
    double *expected = malloc(n_scores * sizeof *expected);
    double *scores = malloc(n_scores * sizeof *scores);
    assert_true(expected && scores);
    score("reference", ensemble, rows, expected);
    score(spec, ensemble, rows, scores);
    for (size_t i = 0; i < n_scores; i++)
        if (scores[i] != expected[i])
            fail_msg("%s: score %zu is %g instead of %g", spec, i, scores[i], expected[i]);
    free(expected);
    free(scores);
}

static void check_all(const struct ensemble *ensemble, const struct matrix *rows) {
    static const char *const specs[] = {"ifelse",
                                        "ifelse-swap",
                                        "ifelse-swap,hint=1,compare=int",
                                        "ifelse-opt,beta=0",
                                        "ifelse-opt,beta=0,apart=1",
                                        "ifelse-opt,beta=0,strict=1",
                                        "ifelse-opt,beta=300",
                                        "ifelse-opt,beta=300,compare=int,strict=1",
                                        "ifelse-opt,beta=900,share=forest,apart=1",
                                        "ifelse-opt,beta=1000000"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check(specs[i], ensemble, rows);
}

static void with_counts_the_same_leaves_are_reached(void **state) {
    (void)state;
    struct ensemble *ensemble = with_exact_leaves(trees_of_many_shapes(false));
    struct matrix *rows = make_rows(ensemble);
    count_rows(ensemble, rows);
    check_all(ensemble, rows);
    matrix_free(rows);
    ensemble_free(ensemble);
}

static void with_counts_the_same_votes_are_cast(void **state) {
    (void)state;
    struct ensemble *ensemble = trees_of_many_shapes(true);
    struct matrix *rows = make_rows(ensemble);
    count_rows(ensemble, rows);
    check_all(ensemble, rows);
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* More classes than a local array counts. */
static void votes_for_many_classes(void **state) {
    (void)state;
    struct forest forest = forest_begin(4, 26);
    forest.n_classes = 1000;
    for (int t = 0; t < 6; t++)
        forest_add_random_tree(&forest, 9);
    struct ensemble *ensemble = forest_end(&forest);
    struct matrix *rows = make_rows(ensemble);
    check("ifelse", ensemble, rows);
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* Deeper than compilers nest blocks: labels in the kernel and behind it. */
static void a_chain_of_the_greatest_depth_compiles(void **state) {
    (void)state;
    struct forest forest = forest_begin(3, 22);
    forest_add_chain(&forest, ENSEMBLE_MAX_DEPTH, CHAIN_RIGHT);
    struct ensemble *ensemble = with_exact_leaves(forest_end(&forest));
    struct matrix *rows = make_rows(ensemble);
    check("ifelse", ensemble, rows);
    count_rows(ensemble, rows);
    check("ifelse-opt,beta=5000", ensemble, rows);
    check("ifelse-opt,beta=5000,apart=1", ensemble, rows);
    if (system("command -v clang >/dev/null") == 0) {
        setenv("TREEBENCH_CC", "clang", 1);
        check("ifelse-opt,beta=5000", ensemble, rows);
        assert_true(compile_fast());
    }
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* Trees that the compiler gets in several chunks are several units. */
static void large_forests_have_several_units(void **state) {
    (void)state;
    struct forest forest = forest_begin(6, 27);
    for (int t = 0; t < 3; t++)
        forest_add_balanced(&forest, 11);
    struct ensemble *ensemble = with_exact_leaves(forest_end(&forest));
    struct matrix *rows = make_rows(ensemble);
    struct scorer *scorer = build("ifelse", ensemble);
    assert_int_equal(scorer->n_units, 2);
    scorer_destroy(scorer);
    check("ifelse", ensemble, rows);
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* --- special values --------------------------------------------------------------------------- */

static const float specials[] = {0.0f,       -0.0f,    0x1p-149f, -0x1p-149f, 0x1p-126f,
                                 -0x1p-126f, 1.0f,     -1.0f,     1.5f,       -1.5f,
                                 FLT_MAX,    -FLT_MAX, INFINITY,  -INFINITY};
enum { N_SPECIALS = sizeof specials / sizeof *specials, KINDS = 4 };

/* For each threshold: NaN goes either way, and either child is the likelier one. */
static struct ensemble *stumps_of_specials(void) {
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {.n_features = 1, .n_outputs = KINDS * N_SPECIALS};
    struct ensemble *ensemble = NULL;
    assert_non_null(builder);
    for (uint32_t t = 0; t < shape.n_outputs; t++) {
        bool nan_left = t % KINDS & 1, right_is_likelier = t % KINDS & 2;
        ensemble_builder_add_tree(builder, t);
        ensemble_builder_add_inner(builder,
                                   &(struct inner_node){.threshold = (double)specials[t / KINDS],
                                                        .left = 1,
                                                        .right = 2,
                                                        .nan_left = nan_left,
                                                        .count = 3});
        ensemble_builder_add_leaf(builder, 1, right_is_likelier ? 1 : 2);
        ensemble_builder_add_leaf(builder, 2, right_is_likelier ? 2 : 1);
    }
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

static void special_values_go_where_they_should(void **state) {
    (void)state;
    /* Quiet and signalling NaNs of both signs, with the smallest and largest payload. */
    static const uint32_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001,
                                    0xff800001, 0x7fffffff, 0xffffffff};
    enum { N_NANS = sizeof nans / sizeof *nans };
    struct ensemble *ensemble = stumps_of_specials();
    struct matrix *rows = NULL;
    assert_int_equal(matrix_create(3 * N_SPECIALS + N_NANS, 1, &rows, NULL), STATUS_OK);
    for (size_t i = 0; i < N_SPECIALS; i++) {
        matrix_row(rows, 3 * i)[0] = specials[i];
        matrix_row(rows, 3 * i + 1)[0] = nextafterf(specials[i], INFINITY);
        matrix_row(rows, 3 * i + 2)[0] = nextafterf(specials[i], -INFINITY);
    }
    for (size_t i = 0; i < N_NANS; i++)
        memcpy(matrix_row(rows, 3 * N_SPECIALS + i), &nans[i], sizeof nans[i]);
    check("ifelse", ensemble, rows);
    check("ifelse,compare=int", ensemble, rows);
    check("ifelse-swap", ensemble, rows);
    check("ifelse-swap,compare=int", ensemble, rows);
    unsetenv("TREEBENCH_CC"); /* what -O3 makes of it */
    check("ifelse-swap", ensemble, rows);
    check("ifelse-swap,compare=int", ensemble, rows);
    assert_true(compile_fast());
    matrix_free(rows);
    ensemble_free(ensemble);
}

/* --- options ---------------------------------------------------------------------------------- */

static void a_note_says_that_counts_are_missing(void **state) {
    (void)state;
    static const char *const specs[] = {"ifelse-swap", "ifelse-opt"};
    for (int i = 0; i < 2; i++) {
        struct ensemble *ensemble = trees_of_many_shapes(true);
        struct scorer *scorer = build(specs[i], ensemble);
        assert_non_null(strstr(scorer->note, "no counts"));
        assert_memory_equal(scorer->note, specs[i], strlen(specs[i]));
        scorer_destroy(scorer);
        struct matrix *rows = make_rows(ensemble);
        count_rows(ensemble, rows);
        scorer = build(specs[i], ensemble);
        assert_null(scorer->note);
        scorer_destroy(scorer);
        matrix_free(rows);
        ensemble_free(ensemble);
    }
}

static void unknown_values_of_options_are_refused(void **state) {
    (void)state;
    struct ensemble *ensemble = single_leaf();
    expect_refused("ifelse,compare=double", ensemble, STATUS_INPUT,
                   "ifelse,compare=double: compare must be one of: float");
    expect_refused("ifelse,beta=1", ensemble, STATUS_INPUT, "no option 'beta'");
    expect_refused("ifelse-swap,hint=2", ensemble, STATUS_INPUT, "hint");
    expect_refused("ifelse-opt,beta=-1", ensemble, STATUS_INPUT,
                   "beta must be auto or a number of bytes from 0");
    expect_refused("ifelse-opt,beta=large", ensemble, STATUS_INPUT,
                   "beta must be auto or a number of bytes from 0");
    expect_refused("ifelse-opt,share=all", ensemble, STATUS_INPUT,
                   "share must be one of: tree forest");
    expect_refused("ifelse-opt,strict=yes", ensemble, STATUS_INPUT, "strict");
    expect_refused("ifelse-opt,apart=2", ensemble, STATUS_INPUT, "apart");
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_counts_the_same_leaves_are_reached),
        cmocka_unit_test(with_counts_the_same_votes_are_cast),
        cmocka_unit_test(votes_for_many_classes),
        cmocka_unit_test(a_chain_of_the_greatest_depth_compiles),
        cmocka_unit_test(large_forests_have_several_units),
        cmocka_unit_test(special_values_go_where_they_should),
        cmocka_unit_test(a_note_says_that_counts_are_missing),
        cmocka_unit_test(unknown_values_of_options_are_refused),
    };
    return cmocka_run_group_tests_name("ifelse", tests, scratch_begin, scratch_end);
}
