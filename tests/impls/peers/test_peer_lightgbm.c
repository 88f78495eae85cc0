/* LightGBM as a library, through a stand-in for it: where it is looked for, what it is given, what
 * becomes of its scores and of its errors. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/measure/verify.h"
#include "tests/impls/peers/standin.h"

static const struct standin lightgbm = {"lightgbm", "fake_lightgbm.c", "TREEBENCH_LIGHTGBM"};

static void use_fake(void) {
    standin_use(&lightgbm, "lib_lightgbm.so", "-w");
}

static void scores_are_added(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = several_outputs();
    uint32_t n_outputs = ensemble->n_outputs, n_features = ensemble->n_features;
    enum { DOCS = 5, STRIDE = 20 };
    float x[DOCS * STRIDE];
    double scores[DOCS * 3];
    assert_true(n_features <= STRIDE && n_outputs <= 3);
    for (int i = 0; i < DOCS * STRIDE; i++)
        x[i] = (float)i;
    for (int i = 0; i < DOCS * 3; i++)
        scores[i] = 0.25;
    struct scorer *scorer = standin_build(&lightgbm, ensemble);
    assert_int_equal(standin_n_alive(&lightgbm), 1);
    const struct batch batch = {x, STRIDE, scores, NULL};
    const struct span units = {0, scorer->n_units}, none = {2, 2}, some = {1, 4};
    scorer->impl->score(scorer, units, none, &batch);
    scorer->impl->score(scorer, units, some, &batch);
    for (uint32_t i = 0; i < DOCS * n_outputs; i++) {
        uint32_t doc = i / n_outputs, k = i % n_outputs;
        double added = (double)x[doc * STRIDE] + 10 * (double)x[doc * STRIDE + n_features - 1] +
                       100 * (double)k;
        assert_true(scores[i] == 0.25 + (doc >= 1 && doc < 4 ? added : 0));
    }
    scorer_destroy(scorer);
    assert_int_equal(standin_n_alive(&lightgbm), 0);
    ensemble_free(ensemble);
}

static void a_failed_call_makes_no_numbers(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    float x[2 * 64] = {1};
    double scores[2] = {0, 0};
    assert_true(ensemble->n_features <= 64 && ensemble->n_outputs == 1);
    x[64] = 999;
    struct scorer *scorer = standin_build(&lightgbm, ensemble);
    const struct batch batch = {x, 64, scores, NULL};
    scorer_run(scorer, &(struct plan){.order = ORDER_DS}, 2, &batch);
    assert_true(isnan(scores[0]) && isnan(scores[1]));
    x[0] = 998, x[64] = 1, scores[0] = scores[1] = 0;
    scorer_run(scorer, &(struct plan){.order = ORDER_DS}, 2, &batch);
    assert_true(isnan(scores[0]) && isnan(scores[1]));
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* The stand-in reaches no leaves. */
static void wrong_scores_are_found(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    struct verification found = standin_check_leaves(&lightgbm, ensemble);
    assert_false(found.agrees);
    assert_true(found.rounding == 0);
    ensemble_free(ensemble);
}

static void the_librarys_own_words_are_told(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    assert_true(ensemble->n_features > 1 && !ensemble->feature_names);
    ensemble->feature_names = calloc(ensemble->n_features, sizeof "refused");
    assert_non_null(ensemble->feature_names);
    strcpy(ensemble->feature_names, "refused");
    standin_refuses(&lightgbm, ensemble, STATUS_UNSUPPORTED, "LightGBM: no such model");
    assert_int_equal(standin_n_alive(&lightgbm), 0);
}

static void what_is_not_there_is_told_with_a_remedy(void **state) {
    (void)state;
    setenv("TREEBENCH_LIGHTGBM", "/nonexistent/lib_lightgbm.so", 1);
    standin_is_not_found(&lightgbm, "/nonexistent/lib_lightgbm.so: cannot open");
    standin_is_not_found(
        &lightgbm, "Set TREEBENCH_LIGHTGBM to the path of a lib_lightgbm.so (pip install lightgbm");
    standin_use(&lightgbm, "old.so", "-DWITHOUT_ALIASES");
    standin_is_not_found(&lightgbm, "old.so has no function LGBM_DumpParamAliases");
}

static void what_is_there_is_told_by_its_path(void **state) {
    (void)state;
    use_fake();
    standin_is_found(&lightgbm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_added),
        cmocka_unit_test(a_failed_call_makes_no_numbers),
        cmocka_unit_test(wrong_scores_are_found),
        cmocka_unit_test(the_librarys_own_words_are_told),
        cmocka_unit_test(what_is_not_there_is_told_with_a_remedy),
        cmocka_unit_test(what_is_there_is_told_by_its_path),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
