/* A device with too little memory, and one that gets lost. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/process.h"
#include "devices/device.h"
#include "tests/impls/forests.h"
#include "tests/impls/gpu/device_scores.h"

#include <dlfcn.h>

static const char *const impls[] = {"qs-gpu", "planes-gpu", "walk-gpu"};
enum { N_IMPLS = sizeof impls / sizeof *impls, N_ROWS = 100 };

static size_t *largest; /* of failing_opencl.c */
static int *launches;
static const char **devices;

/* Compiles failing_opencl.c, and makes it the library of OpenCL. */
static int use_failing(void **state) {
    char path[512], message[1024];
    if (device_begin(state))
        return -1;
    if (!device_is_here)
        return 0;
    snprintf(path, sizeof path, "%s/failing_opencl.so", scratch_folder);
    const char *const argv[] = {"cc",
                                "-shared",
                                "-fPIC",
                                "-o",
                                path,
                                "tests/impls/gpu/failing_opencl.c",
                                "-Wl,--no-as-needed",
                                "-l:libOpenCL.so.1",
                                "-ldl",
                                NULL};
    struct process process;
    int exit_status = 1;
    if (process_start(argv, NULL, 0, &process, NULL))
        return -1;
    process_finish(&process, message, sizeof message, &exit_status);
    if (exit_status)
        print_message("# %s\n", message);
    void *handle = exit_status ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle || setenv("TREEBENCH_OPENCL", path, 1))
        return -1;
    largest = dlsym(handle, "failing_largest");
    launches = dlsym(handle, "failing_launches");
    devices = dlsym(handle, "failing_devices");
    return largest && launches && devices ? 0 : -1;
}

static void reset(void) {
    skip_without_device();
    *largest = SIZE_MAX;
    *launches = -1;
    *devices = NULL;
}

/* Without a number, the first GPU is opened, or the first device if there is no GPU. */
static void the_first_gpu_is_chosen(void **state) {
    (void)state;
    static const struct {
        const char *name, *devices, *refused;
    } opened[] = {{"opencl", "CGG", "opencl:1: "},
                  {"opencl", "GC", "opencl:0: "},
                  {"opencl", "CC", "opencl:0: "},
                  {"opencl:2", "CGG", "opencl:2: "}};
    reset();
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        struct device *device = NULL;
        struct error error = {""};
        *devices = opened[i].devices;
        assert_int_equal(device_open(opened[i].name, &device, &error), STATUS_MACHINE);
        assert_ptr_equal(strstr(error.text, opened[i].refused), error.text);
        assert_non_null(strstr(error.text, "no double precision"));
    }
}

/* The batch is halved until it fits. Scores do not depend on it. */
static void batches_are_halved(void **state) {
    (void)state;
    reset();
    struct device_case checked = case_make(nan_goes_left(), N_ROWS);
    *largest = 1 << 20;
    for (size_t i = 0; i < N_IMPLS; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s,batch=1000000", impls[i]);
        check_rows_of(&checked, spec, N_ROWS);
    }
    case_free(&checked);
}

static void too_little_memory_is_refused(void **state) {
    (void)state;
    reset();
    struct ensemble *ensemble = nan_goes_left();
    *largest = 64;
    for (size_t i = 0; i < N_IMPLS; i++) {
        struct scorer *scorer = NULL;
        struct error error = {""};
        assert_int_equal(scorer_build(impls[i], ensemble, &scorer, &error), STATUS_MEMORY);
        assert_null(scorer);
        assert_string_equal(error.text, "opencl: a buffer: out of device memory");
    }
    ensemble_free(ensemble);
}

/* `score` returns no error: scores are NaN, and the scorer knows why. */
static void a_lost_device_is_reported(void **state) {
    (void)state;
    reset();
    struct device_case checked = case_make(stumps(), N_ROWS);
    for (size_t i = 0; i < N_IMPLS; i++) {
        struct scorer *scorer = NULL;
        double scores[N_ROWS] = {0};
        *launches = -1;
        assert_int_equal(scorer_build(impls[i], checked.ensemble, &scorer, NULL), STATUS_OK);
        const struct batch batch = {checked.rows->values, checked.rows->stride, scores, NULL};
        const struct plan plan = {.order = ORDER_SD};
        assert_null(scorer->impl->failure(scorer));
        *launches = 1; /* of a call's two or more */
        scorer_run(scorer, &plan, N_ROWS, &batch);
        for (size_t row = 0; row < N_ROWS; row++)
            assert_true(isnan(scores[row]));
        assert_non_null(strstr(scorer->impl->failure(scorer), impls[i]));
        assert_non_null(strstr(scorer->impl->failure(scorer), "or the device was lost"));
        scorer_destroy(scorer);
    }
    case_free(&checked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_gpu_is_chosen),
        cmocka_unit_test(batches_are_halved),
        cmocka_unit_test(too_little_memory_is_refused),
        cmocka_unit_test(a_lost_device_is_reported),
    };
    return cmocka_run_group_tests(tests, use_failing, scratch_end);
}
