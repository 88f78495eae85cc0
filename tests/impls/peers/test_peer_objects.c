/* Code that TL2cgen and lleaves made of a model, through a stand-in for it: where it is looked for,
 * what it is given, and that its sums are told from wrong ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/measure/verify.h"
#include "tests/impls/peers/standin.h"

static const struct standin tl2cgen = {"tl2cgen", "fake_object.c", "TREEBENCH_TL2CGEN"};
static const struct standin lleaves = {"lleaves", "fake_object.c", "TREEBENCH_LLEAVES"};

static void add_stump(struct ensemble_builder *builder, uint32_t feature, float threshold,
                      bool nan_left, double left, double right) {
    ensemble_builder_add_tree(builder, 0);
    ensemble_builder_add_inner(builder, &(struct inner_node){.feature = feature,
                                                             .threshold = threshold,
                                                             .left = 1,
                                                             .right = 2,
                                                             .nan_left = nan_left,
                                                             .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(builder, left, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(builder, right, ENSEMBLE_NO_COUNT);
}

/* The stand-in's. */
static struct ensemble *model(void) {
    struct ensemble_builder *builder = ensemble_builder_create();
    struct ensemble *ensemble = NULL;
    const double base = 0.25;
    assert_non_null(builder);
    add_stump(builder, 0, 0.5F, true, 0.1, 0.7);
    add_stump(builder, 1, 2, false, -0.3, 1e-9);
    assert_int_equal(
        ensemble_builder_finish(builder, &(struct ensemble_shape){.base = &base}, &ensemble, NULL),
        STATUS_OK);
    return ensemble;
}

/* On probes, NaN and rows on thresholds among them, in more rows than go into a call of lleaves. */
static struct verification check(const struct standin *standin, const char *file,
                                 const char *flag) {
    struct ensemble *ensemble = model();
    struct verification found;
    struct verifier *verifier;
    standin_use(standin, file, flag);
    struct scorer *scorer = standin_build(standin, ensemble);
    assert_int_equal(verifier_create(ensemble, NULL, &verifier, NULL), STATUS_OK);
    assert_true(verifier_probes(verifier) > 1000);
    assert_int_equal(verifier_check(verifier, scorer, NULL, &found, NULL), STATUS_OK);
    verifier_free(verifier);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
    return found;
}

static void sums_in_double_agree_closely(void **state) {
    const struct standin *standin = *state;
    struct verification found = check(standin, "double.so", "-w");
    assert_true(found.agrees && found.rounding > 0 && found.rounding < 1e-14);
}

static void sums_in_float_agree_less_closely(void **state) {
    (void)state;
    struct verification found = check(&tl2cgen, "float.so", "-DFLOATS");
    assert_true(found.agrees && found.largest_difference > 0);
    assert_true(found.rounding > 1e-9 && found.rounding < 1e-5);
}

static void wrong_sums_are_found(void **state) {
    const struct standin *standin = *state;
    assert_false(check(standin, "wrong.so", "-DWRONG").agrees);
}

static void an_object_of_another_model_is_refused(void **state) {
    (void)state;
    standin_use(&tl2cgen, "wide.so", "-DFEATURES=3");
    standin_refuses(
        &tl2cgen, model(), STATUS_UNSUPPORTED,
        "the object has 1 target(s), 1 class(es) and 3 feature(s), but the model has 1, "
        "1 and 2. Make the object from this model");
    standin_use(&tl2cgen, "integers.so", "-DTYPE_NAME=\"uint32\"");
    standin_refuses(&tl2cgen, model(), STATUS_UNSUPPORTED,
                    "the object's leaves are uint32; only float32 and float64 are supported");
}

static void what_is_not_there_is_told_with_a_remedy(void **state) {
    const struct standin *standin = *state;
    unsetenv(standin->variable);
    standin_is_not_found(standin, "no library is named. Set TREEBENCH_");
    setenv(standin->variable, "/nonexistent/model.so", 1);
    standin_is_not_found(standin, "/nonexistent/model.so: cannot open");
}

static void an_object_without_the_function_is_no_lleaves(void **state) {
    (void)state;
    standin_use(&lleaves, "rootless.so", "-DWITHOUT_ROOT");
    standin_is_not_found(&lleaves, "rootless.so has no function forest_root");
}

static void what_is_there_is_told_by_its_path(void **state) {
    const struct standin *standin = *state;
    standin_use(standin, "found.so", "-w");
    standin_is_found(standin);
}

#define OF(standin, test)                                                                          \
    { .name = #test " (" #standin ")", .test_func = (test), .initial_state = (void *)&(standin) }

int main(void) {
    const struct CMUnitTest tests[] = {
        OF(tl2cgen, sums_in_double_agree_closely),
        OF(lleaves, sums_in_double_agree_closely),
        cmocka_unit_test(sums_in_float_agree_less_closely),
        OF(tl2cgen, wrong_sums_are_found),
        OF(lleaves, wrong_sums_are_found),
        cmocka_unit_test(an_object_of_another_model_is_refused),
        OF(tl2cgen, what_is_not_there_is_told_with_a_remedy),
        OF(lleaves, what_is_not_there_is_told_with_a_remedy),
        cmocka_unit_test(an_object_without_the_function_is_no_lleaves),
        OF(tl2cgen, what_is_there_is_told_by_its_path),
        OF(lleaves, what_is_there_is_told_by_its_path),
    };
    return cmocka_run_group_tests(tests, scratch_begin, scratch_end);
}
