/* Bit planes that add in fixed point: the same bits as the reference, for values of up to 53 bits
 * whose sums are exact, from any start, and for any number of documents. Starts off the grid are
 * added in doubles. (What counts as exact is in tests/models/test_sums.c.) */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/planes/planes_scorer.h"
#include "impls/scorer.h"
#include "tests/impls/forests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 700, MANY_TREES = 6000 };

static const char *const specs[] = {"planes-jit", "planes-jit-128"};

struct work {
    struct ensemble *ensemble;
    struct matrix *rows;
    struct sum_grid grid;
    struct scorer *reference;
    double *expected, *scores;
};

/* --- forests ---------------------------------------------------------------------------------- */

/* A random integer of up to `bits` bits. */
static double draw(struct random *random, unsigned bits, unsigned zeros) {
    double units = bits ? (double)(random_u64(random) >> (64 - bits) >> zeros << zeros) : 0;
    return bits && random_below(random, 3) ? units : -units;
}

/* Gives every leaf a random multiple of 2^exponent, of up to `bits` bits, or -0 if there are none.
 * In half of the trees, the multiples are multiples of 2^bits / 4, so that their lowest digits are
 * 0. */
static void draw_values(struct ensemble *e, int exponent, unsigned bits) {
    struct random random;
    random_seed(&random, bits);
    for (uint32_t t = 0; t < e->n_trees; t++)
        for (size_t leaf = e->tree_leaf[t]; leaf < e->tree_leaf[t + 1]; leaf++)
            e->value[leaf] =
                ldexp(draw(&random, bits, bits > 2 && t / 8 % 2 ? bits - 2 : 0), exponent);
}

static struct work work_begin(struct ensemble *ensemble, int exponent, unsigned bits) {
    struct work work = {.ensemble = ensemble};
    draw_values(ensemble, exponent, bits);
    assert_int_equal(ensemble_find_sum_grid(ensemble, &work.grid, NULL), STATUS_OK);
    assert_true(sum_grid_is_exact(&work.grid));
    assert_int_equal(synth_probes(ensemble, LONGEST, 3, &work.rows, NULL), STATUS_OK);
    assert_int_equal(scorer_build("reference", ensemble, &work.reference, NULL), STATUS_OK);
    size_t n_scores = LONGEST * (size_t)ensemble->n_outputs;
    work.expected = malloc(n_scores * sizeof *work.expected);
    work.scores = malloc(n_scores * sizeof *work.scores);
    assert_true(work.expected && work.scores);
    return work;
}

static void work_end(struct work *work) {
    scorer_destroy(work->reference);
    ensemble_free(work->ensemble);
    matrix_free(work->rows);
    free(work->expected);
    free(work->scores);
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Of several outputs, every second one starts from 0. */
static void run(const struct work *work, const struct scorer *scorer, size_t n_docs, double start,
                double *scores) {
    const struct plan plan = {.order = ORDER_DS};
    void *workspace = scorer_workspace(scorer);
    assert_non_null(workspace);
    for (size_t i = 0; i < n_docs * scorer->n_outputs; i++)
        scores[i] = scorer->n_outputs > 1 && i % scorer->n_outputs % 2 == 0 ? 0 : start;
    const struct batch batch = {work->rows->values, work->rows->stride, scores, workspace};
    scorer_run(scorer, &plan, n_docs, &batch);
    free(workspace);
}

static void check(const struct work *work, const struct scorer *scorer, size_t n_docs,
                  double start) {
    run(work, work->reference, n_docs, start, work->expected);
    run(work, scorer, n_docs, start, work->scores);
    size_t n_scores = n_docs * scorer->n_outputs;
    if (memcmp(work->expected, work->scores, n_scores * sizeof *work->scores) != 0)
        fail_msg("%s: %zu documents from %g: another score than the reference's",
                 scorer->impl->name, n_docs, start);
}

static bool has_digits(const struct scorer *scorer) {
    return ((const struct planes_scorer *)scorer)->model.bundles[0].digits != NULL;
}

static void check_spec(const struct work *work, const char *spec) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    enum status status = scorer_build(spec, work->ensemble, &scorer, &error);
    if (status == STATUS_MACHINE) {
        print_message("# %s: skipped: %s\n", spec, error.text);
        skip();
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(has_digits(scorer));
    double unit = ldexp(1, work->grid.exponent), room = 0x1p53 - work->grid.most;
    const double starts[] = {0,   -0.0,     unit,    -unit * room, unit * (room + 2),
                             0.1, INFINITY, unit / 2};
    static const size_t n_docs[] = {1, 63, 64, 130, 513, LONGEST};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (size_t n = 0; n < sizeof n_docs / sizeof *n_docs; n++)
            check(work, scorer, n_docs[n], starts[i]);
    scorer_destroy(scorer);
}

static void check_forest(struct ensemble *ensemble, int exponent, unsigned bits) {
    struct work work = work_begin(ensemble, exponent, bits);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_spec(&work, specs[i]);
    work_end(&work);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void any_number_of_bits(void **state) {
    (void)state;
    check_forest(single_leaf(), 0, 0);
    check_forest(stumps(), -40, 1);
    check_forest(balanced_of_every_depth(), -3, 6);
    check_forest(random_shapes(), -60, 40);
    check_forest(single_leaf(), 0, 53);
}

static void trees_of_any_size(void **state) {
    (void)state;
    check_forest(words_of_32(), -20, 30);
    check_forest(words_of_64(), -20, 42);
    check_forest(words_of_128(), -20, 42);
    check_forest(large_trees(), -20, 40);
    check_forest(oblivious_trees(), -20, 40);
}

static void outputs_in_turn(void **state) {
    (void)state;
    check_forest(several_outputs(), -33, 44);
}

/* More trees than sums of 16 bits can hold, so that these are added to the column several times. */
static void many_trees(void **state) {
    (void)state;
    struct forest forest = forest_begin(5, 9);
    for (size_t t = 0; t < MANY_TREES; t++)
        forest_add_random_tree(&forest, 8);
    check_forest(forest_end(&forest), -30, 38);
}

/* One bit too many in a single leaf, or a unit without a reciprocal: doubles are added. */
static void rounded_sums_have_no_digits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct ensemble *ensemble = words_of_64();
        struct scorer *scorer = NULL;
        draw_values(ensemble, i ? -1040 : -20, 20);
        ensemble->value[0] = i ? ensemble->value[0] : 0x1p33;
        enum status status = scorer_build(specs[i], ensemble, &scorer, NULL);
        if (!status)
            assert_false(has_digits(scorer));
        scorer_destroy(scorer);
        ensemble_free(ensemble);
        if (status)
            skip();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_bits),
        cmocka_unit_test(trees_of_any_size),
        cmocka_unit_test(outputs_in_turn),
        cmocka_unit_test(many_trees),
        cmocka_unit_test(rounded_sums_have_no_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
