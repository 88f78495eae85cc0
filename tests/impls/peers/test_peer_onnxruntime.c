/* ONNX Runtime as a library, through a stand-in for it: where it is looked for, what it is given,
 * what becomes of its scores and of its errors. Where TREEBENCH_ONNXRUNTIME names the real one,
 * test_exactness asks that too. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/measure/verify.h"
#include "tests/impls/peers/standin.h"

static const struct standin onnxruntime = {"onnxruntime", "fake_onnxruntime.c",
                                           "TREEBENCH_ONNXRUNTIME"};

static void use_fake(void) {
    standin_use(&onnxruntime, "libonnxruntime.so", "-w");
}

static void scores_are_added(void **state) {
    (void)state;
    use_fake();
    enum { DOCS = 5, STRIDE = 64 };
    struct ensemble *ensemble = stumps();
    float x[DOCS * STRIDE];
    double scores[DOCS];
    assert_true(ensemble->n_features <= STRIDE && ensemble->n_outputs == 1);
    for (int i = 0; i < DOCS * STRIDE; i++)
        x[i] = (float)i;
    for (int i = 0; i < DOCS; i++)
        scores[i] = 0.25;
    struct scorer *scorer = standin_build(&onnxruntime, ensemble);
    int alive = standin_n_alive(&onnxruntime);
    const struct batch batch = {x, STRIDE, scores, NULL};
    const struct span units = {0, scorer->n_units}, none = {2, 2}, some = {1, 4};
    scorer->impl->score(scorer, units, none, &batch);
    scorer->impl->score(scorer, units, some, &batch);
    for (int i = 0; i < DOCS; i++) {
        double added = (double)x[i * STRIDE] + 10 * (double)x[i * STRIDE + 1];
        assert_true(scores[i] == 0.25 + (i >= 1 && i < 4 ? added : 0));
    }
    assert_int_equal(standin_n_alive(&onnxruntime), alive);
    scorer_destroy(scorer);
    assert_int_equal(standin_n_alive(&onnxruntime), 0);
    ensemble_free(ensemble);
}

static void a_failed_call_makes_no_numbers(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    float x[2 * 64] = {1};
    double scores[2] = {0, 0};
    x[64] = 999;
    struct scorer *scorer = standin_build(&onnxruntime, ensemble);
    const struct batch batch = {x, 64, scores, NULL};
    scorer_run(scorer, &(struct plan){.order = ORDER_DS}, 2, &batch);
    assert_true(isnan(scores[0]) && isnan(scores[1]));
    scorer_destroy(scorer);
    assert_int_equal(standin_n_alive(&onnxruntime), 0);
    ensemble_free(ensemble);
}

/* The stand-in reaches no leaves. */
static void wrong_scores_are_found(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    struct verification found = standin_check_leaves(&onnxruntime, ensemble);
    assert_false(found.agrees);
    ensemble_free(ensemble);
}

static void the_librarys_own_words_are_told(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = several_outputs();
    assert_int_equal(ensemble->n_outputs, 3);
    standin_refuses(&onnxruntime, ensemble, STATUS_UNSUPPORTED, "ONNX Runtime: no such model");
    assert_int_equal(standin_n_alive(&onnxruntime), 0);
}

static void what_is_not_there_is_told_with_a_remedy(void **state) {
    (void)state;
    setenv(onnxruntime.variable, "/nonexistent/libonnxruntime.so", 1);
    standin_is_not_found(&onnxruntime, "/nonexistent/libonnxruntime.so: cannot open");
    standin_is_not_found(&onnxruntime,
                         "Set TREEBENCH_ONNXRUNTIME to the path of a libonnxruntime.so.1 (its");
    standin_use(&onnxruntime, "other.so", "-DWITHOUT_BASE");
    standin_is_not_found(&onnxruntime, "other.so has no function OrtGetApiBase");
    standin_use(&onnxruntime, "old.so", "-DWITHOUT_API");
    standin_refuses(&onnxruntime, stumps(), STATUS_MACHINE,
                    "ONNX Runtime 0.0.0 is too old: it has no API of");
}

static void what_is_there_is_told_by_its_path(void **state) {
    (void)state;
    use_fake();
    standin_is_found(&onnxruntime);
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
