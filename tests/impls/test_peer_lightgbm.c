/* LightGBM as a library, through a stand-in for it: where it is looked for, what it is given, what
 * becomes of its scores and of its errors. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/process.h"
#include "harness/verify.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 };

/* Compiles the stand-in into the scratch folder, and has the library looked for there. */
static void point_at_fake(const char *file, const char *flag) {
    char path[PATH_SIZE], message[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, file);
    const char *const argv[] = {
        "cc", "-shared", "-fPIC", flag, "-o", path, "tests/impls/fake_lightgbm.c", NULL};
    struct process process;
    int exit_status = 1;
    assert_int_equal(process_start(argv, NULL, 0, &process, NULL), STATUS_OK);
    process_finish(&process, message, sizeof message, &exit_status);
    if (exit_status)
        fail_msg("%s", message);
    assert_int_equal(setenv("TREEBENCH_LIGHTGBM", path, 1), 0);
}

static void use_fake(void) {
    point_at_fake("lib_lightgbm.so", "-w");
}

static int n_alive(void) {
    void *handle = dlopen(getenv("TREEBENCH_LIGHTGBM"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(handle);
    int (*count)(void);
    *(void **)&count = dlsym(handle, "fake_n_alive");
    assert_non_null(count);
    int n = count();
    dlclose(handle);
    return n;
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
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build("lightgbm", ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    assert_int_equal(n_alive(), 1);
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
    assert_int_equal(n_alive(), 0);
    ensemble_free(ensemble);
}

static void a_failed_call_makes_no_numbers(void **state) {
    (void)state;
    use_fake();
    struct ensemble *ensemble = stumps();
    struct scorer *scorer = NULL;
    float x[2 * 64] = {1};
    double scores[2] = {0, 0};
    assert_true(ensemble->n_features <= 64 && ensemble->n_outputs == 1);
    x[64] = 999;
    assert_int_equal(scorer_build("lightgbm", ensemble, &scorer, NULL), STATUS_OK);
    const struct batch batch = {x, 64, scores, NULL};
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
    struct verification found;
    struct error error = {""};
    if (verify_leaves(ensemble, NULL, "lightgbm", &found, &error))
        fail_msg("%s", error.text);
    assert_false(found.agrees);
    assert_true(found.rounding == 0);
    ensemble_free(ensemble);
}

static void check_refused(struct ensemble *ensemble, enum status status, const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build("lightgbm", ensemble, &scorer, &error), status);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
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
    check_refused(ensemble, STATUS_UNSUPPORTED, "LightGBM: no such model");
    assert_int_equal(n_alive(), 0);
}

static void check_not_found(const char *text) {
    char where[1024];
    const struct impl *impl = impl_find("lightgbm", NULL);
    assert_false(impl->found(where, sizeof where));
    assert_false(impl_is_here(impl));
    if (!strstr(where, text))
        fail_msg("'%s' does not contain '%s'", where, text);
    check_refused(stumps(), STATUS_MACHINE, text);
}

static void what_is_not_there_is_told_with_a_remedy(void **state) {
    (void)state;
    setenv("TREEBENCH_LIGHTGBM", "/nonexistent/lib_lightgbm.so", 1);
    check_not_found("/nonexistent/lib_lightgbm.so: cannot open");
    check_not_found("name a lib_lightgbm.so in TREEBENCH_LIGHTGBM (pip install lightgbm");
    point_at_fake("old.so", "-DWITHOUT_ALIASES");
    check_not_found("old.so has no function LGBM_DumpParamAliases");
}

static void what_is_there_is_told_by_its_path(void **state) {
    (void)state;
    char where[1024];
    use_fake();
    const struct impl *impl = impl_find("lightgbm", NULL);
    assert_true(impl->found(where, sizeof where));
    assert_string_equal(where, getenv("TREEBENCH_LIGHTGBM"));
    assert_true(impl_is_here(impl));
}

static int begin(void **state) {
    (void)state;
    return scratch_begin();
}

static int end(void **state) {
    (void)state;
    return scratch_end();
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
    return cmocka_run_group_tests(tests, begin, end);
}
