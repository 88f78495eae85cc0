/* Documents of integers: what is refused, and that scorers of integers reach the leaves that
 * scorers of floats reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "impls/integers.h"
#include "impls/runner.h"
#include "tests/impls/scratch.h"

#include <math.h>
#include <string.h>

/* --- conversion ------------------------------------------------------------------------------- */

static void integers_are_converted(void **state) {
    (void)state;
    static const float x[] = {1, -2, 3, 99, 32767, -32767, -0.0F, 99};
    static const int16_t narrow[] = {1, -2, 3, 7, 32767, -32767, 0, 7};
    static const int32_t wide[] = {1, -2, 3, 32767, -32767, 0};
    int16_t to16[8] = {0, 0, 0, 7, 0, 0, 0, 7}; /* padding stays as it is */
    int32_t to32[6];
    assert_int_equal(integers_stride(VALUES_INT16, 3), 2);
    assert_int_equal(integers_stride(VALUES_INT16, 4), 2);
    assert_int_equal(integers_stride(VALUES_INT32, 3), 3);
    assert_int_equal(integers_convert(VALUES_INT16, x, 4, 2, 3, to16, NULL), STATUS_OK);
    assert_int_equal(integers_convert(VALUES_INT32, x, 4, 2, 3, to32, NULL), STATUS_OK);
    assert_memory_equal(to16, narrow, sizeof narrow);
    assert_memory_equal(to32, wide, sizeof wide);
}

static void other_values_are_refused(void **state) {
    (void)state;
    static const struct {
        enum values_type type;
        float value;
        const char *words;
    } cases[] = {
        {VALUES_INT16, 2.5F, "document 2, feature 1: 2.5 is not an integer from -32767 to 32767"},
        {VALUES_INT16, 32768, "feature=int16 cannot score it. Use feature=float"},
        {VALUES_INT16, -32768, "-32768"},
        {VALUES_INT16, NAN, "feature 1: nan is not"},
        {VALUES_INT32, 0x1p31F, "to 2147483647"},
        {VALUES_INT32, -0x1p31F, "from -2147483647"},
        {VALUES_INT32, INFINITY, ": infinite is not"},
        {VALUES_INT32, -INFINITY, ": -infinite is not"},
        {VALUES_INT32, 0x1p-149F, "e-45 is not"},
    };
    int32_t to[2];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float x[] = {0, cases[i].value};
        struct error error = {""};
        assert_int_equal(integers_convert(cases[i].type, x, 1, 2, 1, to, &error),
                         STATUS_UNSUPPORTED);
        if (!strstr(error.text, cases[i].words))
            fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
    const float largest[] = {2147483520, -2147483520};
    assert_int_equal(integers_convert(VALUES_INT32, largest, 1, 2, 1, to, NULL), STATUS_OK);
    assert_int_equal(to[0], 2147483520);
}

/* --- scoring ---------------------------------------------------------------------------------- */

static const float thresholds[] = {
    -2.5F,     -3,        -0.5F, -0.0F,  0.5F, 2,       32766.5F, 32766,      32767,    -32767,
    -32766.5F, -32767.5F, 40000, -40000, 1e9F, 0x1p31F, -0x1p31F, 2147483520, INFINITY, -INFINITY};
enum { STUMPS = sizeof thresholds / sizeof *thresholds };

static const float values16[] = {-32767, -32766, -3, -2, -1, 0, 1, 2, 3, 32766, 32767};
static const float values32[] = {-2147483520, -1e9F, -40000, -3, -1, 0, 3, 40000, 1e9F, 2147483520};

/* A tree of one decision for each threshold, on the third of three features, and a tree of one
 * leaf. Each has its own output, so scores tell leaves apart. */
static struct ensemble *stumps(bool votes) {
    struct ensemble_builder *builder = ensemble_builder_create();
    const struct ensemble_shape shape = {
        .n_features = 3, .n_outputs = votes ? 2 : STUMPS + 1, .votes = votes};
    struct ensemble *ensemble = NULL;
    for (uint32_t t = 0; t < STUMPS; t++) {
        ensemble_builder_add_tree(builder, votes ? 0 : t);
        ensemble_builder_add_inner(builder, &(struct inner_node){.feature = 2,
                                                                 .threshold = (double)thresholds[t],
                                                                 .left = 1,
                                                                 .right = 2,
                                                                 .nan_left = t % 2,
                                                                 .count = ENSEMBLE_NO_COUNT});
        ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
        ensemble_builder_add_leaf(builder, votes ? 0 : 2, ENSEMBLE_NO_COUNT);
    }
    ensemble_builder_add_tree(builder, votes ? 0 : STUMPS);
    ensemble_builder_add_leaf(builder, 1, ENSEMBLE_NO_COUNT);
    assert_int_equal(ensemble_builder_finish(builder, &shape, &ensemble, NULL), STATUS_OK);
    return ensemble;
}

enum { FEATURES = 3, STRIDE = 5, DOCUMENTS = 11 };

static void run_spec(const char *spec, const struct ensemble *ensemble, const struct plan *plan,
                     const float *x, double *scores) {
    struct scorer *scorer = NULL;
    struct runner *runner = NULL;
    struct error error = {""};
    if (scorer_build(spec, ensemble, &scorer, &error) != STATUS_OK ||
        runner_create(scorer, plan, DOCUMENTS, &runner, &error) != STATUS_OK ||
        runner_prepare(runner, x, STRIDE, DOCUMENTS, &error) != STATUS_OK)
        fail_msg("%s: %s", spec, error.text);
    memset(scores, 0, DOCUMENTS * (STUMPS + 1) * sizeof *scores);
    /* two calls, of which the second begins at a document that is not the first */
    runner_run(runner, x, STRIDE, 4, scores);
    runner_run(runner, x + 4 * STRIDE, STRIDE, DOCUMENTS - 4, scores + 4 * ensemble->n_outputs);
    runner_destroy(runner);
    scorer_destroy(scorer);
}

static void check(const char *impl, const char *type, bool votes, const struct plan *plan) {
    bool is_narrow = strcmp(type, "int16") == 0;
    const float *values = is_narrow ? values16 : values32;
    size_t n = is_narrow ? sizeof values16 / sizeof *values16 : sizeof values32 / sizeof *values32;
    float x[DOCUMENTS * STRIDE] = {0};
    double expected[DOCUMENTS * (STUMPS + 1)], found[DOCUMENTS * (STUMPS + 1)];
    struct ensemble *ensemble = stumps(votes);
    char spec[64];
    for (size_t doc = 0; doc < DOCUMENTS; doc++)
        for (size_t f = 0; f < FEATURES; f++)
            x[doc * STRIDE + f] = f == 2 ? values[doc % n] : 1;
    for (size_t doc = 0; doc < DOCUMENTS; doc++)
        x[doc * STRIDE + FEATURES] = 0.5F; /* behind the features: not converted */
    snprintf(spec, sizeof spec, "%s,feature=%s", impl, type);
    run_spec("reference", ensemble, plan, x, expected);
    run_spec(spec, ensemble, plan, x, found);
    size_t n_scores = DOCUMENTS * ensemble->n_outputs;
    for (size_t i = 0; i < n_scores; i++)
        if (found[i] != expected[i])
            fail_msg("%s: document %zu, output %zu: %g instead of %g", spec,
                     i / ensemble->n_outputs, i % ensemble->n_outputs, found[i], expected[i]);
    ensemble_free(ensemble);
}

static const char *const impls[] = {"native", "native-folded", "native-opt",
                                    "ifelse", "ifelse-swap",   "ifelse-opt"};

static void integers_reach_the_same_leaves(void **state) {
    (void)state;
    static const struct plan plans[] = {
        {.order = ORDER_DS},
        {.order = ORDER_DS, .threads = 2},
        {.order = ORDER_DS, .threads = 2, .parallel = PARALLEL_TREES}};
    for (size_t i = 0; i < sizeof impls / sizeof *impls; i++)
        for (size_t p = 0; p < 3; p++)
            for (int votes = 0; votes < 2; votes++) {
                check(impls[i], "int16", votes, &plans[p]);
                check(impls[i], "int32", votes, &plans[p]);
            }
}

static void documents_that_were_not_prepared_get_no_scores(void **state) {
    (void)state;
    const struct plan plan = {.order = ORDER_DS};
    struct ensemble *ensemble = stumps(true);
    struct scorer *scorer = NULL;
    struct runner *runner = NULL;
    const float x[4 * FEATURES] = {0}, bad[FEATURES] = {0.5F};
    double scores[8] = {0};
    struct error error = {""};
    assert_int_equal(scorer_build("native,feature=int16", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(runner_create(scorer, &plan, 4, &runner, NULL), STATUS_OK);
    runner_run(runner, x, FEATURES, 4, scores);
    assert_true(scores[0] == 0 && scores[1] == 0);
    assert_int_equal(runner_prepare(runner, x, FEATURES, 3, NULL), STATUS_OK);
    runner_run(runner, x, FEATURES, 4, scores);
    runner_run(runner, x + FEATURES, FEATURES, 3, scores);
    runner_run(runner, bad, FEATURES, 1, scores);
    assert_true(scores[0] == 0 && scores[1] == 0);
    runner_run(runner, x + FEATURES, FEATURES, 2, scores);
    assert_true(scores[0] + scores[1] == STUMPS + 1);
    assert_int_equal(runner_prepare(runner, bad, FEATURES, 1, &error), STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "native: document 1, feature 1: 0.5 is not an integer"));
    runner_destroy(runner);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

static void unknown_types_are_refused(void **state) {
    (void)state;
    static const char *const specs[][2] = {
        {"native,feature=int8", "feature must be one of: float int16 int32"},
        {"ifelse,feature=", "feature"},
        {"ifelse-opt,compare=int,feature=int16", "compare=int has no effect with feature=int16"}};
    struct ensemble *ensemble = stumps(true);
    for (size_t i = 0; i < 3; i++) {
        struct scorer *scorer;
        struct error error = {""};
        assert_int_equal(scorer_build(specs[i][0], ensemble, &scorer, &error), STATUS_INPUT);
        if (!strstr(error.text, specs[i][1]))
            fail_msg("'%s' is not in '%s'", specs[i][1], error.text);
    }
    ensemble_free(ensemble);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_converted),
        cmocka_unit_test(other_values_are_refused),
        cmocka_unit_test(integers_reach_the_same_leaves),
        cmocka_unit_test(documents_that_were_not_prepared_get_no_scores),
        cmocka_unit_test(unknown_types_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
