/* Devices: names, memory, programs and launches, on the first OpenCL device. PoCL provides one
 * where there is no GPU. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "devices/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct device *device; /* NULL if there is none */

static char cache[] = "/tmp/treebench-test-XXXXXX";

static int begin(void **state) {
    (void)state;
    struct error error;
    if (!mkdtemp(cache) || setenv("POCL_CACHE_DIR", cache, 1))
        return -1;
    if (device_open("opencl", &device, &error)) {
        print_message("# no device: %s\n", error.text);
        device = NULL;
    }
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[64];
    device_close(device);
    snprintf(command, sizeof command, "rm -rf %s", cache);
    return system(command);
}

static void skip_without_device(void) {
    if (!device)
        skip();
}

static void names(void **state) {
    (void)state;
    static const char *const good[] = {"cuda", "opencl", "cuda:0", "opencl:12"};
    static const char *const bad[] = {"",         "gpu",     "opencl:",    "opencl:-1",
                                      "opencl:x", "opencl1", "cuda:99999", "cuda:1x"};
    struct error error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(device_check_name(good[i], &error), STATUS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(device_check_name(bad[i], &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "no device 'cuda:1x': name cuda or opencl"));
}

static void check_missing(const char *name, const char *text) {
    struct device *opened = NULL;
    struct error error = {""};
    assert_int_equal(device_open(name, &opened, &error), STATUS_MACHINE);
    assert_null(opened);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    setenv("TREEBENCH_OPENCL", "/nonexistent/libOpenCL.so", 1);
    setenv("TREEBENCH_CUDA", "/nonexistent/libcuda.so", 1);
    check_missing("opencl", "/nonexistent/libOpenCL.so");
    check_missing("cuda", "cuda: ");
    setenv("TREEBENCH_OPENCL", "libm.so.6", 1);
    check_missing("opencl", "opencl: libm.so.6 has no function clGetPlatformIDs");
    unsetenv("TREEBENCH_OPENCL");
    unsetenv("TREEBENCH_CUDA");
}

/* The devices are numbered from 0, so the number of devices is none's number. */
static void the_number_behind_the_last_is_refused(void **state) {
    (void)state;
    skip_without_device();
    struct device *opened = NULL;
    struct error error = {""};
    unsigned count = 0;
    char name[32], expected[64];
    assert_int_equal(device_open("opencl:9999", &opened, &error), STATUS_MACHINE);
    assert_int_equal(sscanf(error.text, "opencl: no device 9999: there are %u", &count), 1);
    snprintf(name, sizeof name, "opencl:%u", count);
    snprintf(expected, sizeof expected, "opencl: no device %u: there are %u", count, count);
    check_missing(name, expected);
}

static void facts(void **state) {
    (void)state;
    skip_without_device();
    const struct device_facts *found = device_facts(device);
    assert_memory_equal(found->spec, "opencl:", 7);
    assert_true(*found->name && *found->driver);
    assert_true(found->units >= 1 && found->threads_per_block >= 1);
    assert_true(found->shared_per_block >= 16 << 10 && found->l2_bytes > 0);
    assert_true(found->memory_bytes >= found->largest_buffer && found->largest_buffer > 0);
    assert_non_null(strstr(found->assumed, "threads per unit"));
}

static struct device_buffer *make_buffer(size_t bytes) {
    struct device_buffer *buffer = NULL;
    assert_int_equal(device_buffer_create(device, bytes, &buffer, NULL), STATUS_OK);
    return buffer;
}

/* Rows that are apart in the host's memory are not in the buffer. */
static void memory(void **state) {
    (void)state;
    skip_without_device();
    static const uint32_t rows[3][4] = {{1, 2, 91, 92}, {3, 4, 93, 94}, {5, 6, 95, 96}};
    static const uint32_t expected[8] = {1, 2, 3, 4, 5, 6, 0, 0};
    uint32_t found[8];
    struct device_buffer *buffer = make_buffer(sizeof found), *empty = make_buffer(0);
    assert_int_equal(device_clear(device, buffer, sizeof found, NULL), STATUS_OK);
    assert_int_equal(device_write_rows(device, buffer, rows, 8, 16, 3, NULL), STATUS_OK);
    assert_int_equal(device_write_rows(device, buffer, rows, 8, 16, 0, NULL), STATUS_OK);
    assert_int_equal(device_read(device, buffer, found, sizeof found, NULL), STATUS_OK);
    assert_memory_equal(found, expected, sizeof found);
    assert_int_equal(device_write(device, buffer, rows, 16, NULL), STATUS_OK);
    assert_int_equal(device_read(device, buffer, found, 16, NULL), STATUS_OK);
    assert_memory_equal(found, rows, 16);
    device_buffer_free(buffer);
    device_buffer_free(empty);
    device_buffer_free(NULL);
}

static void too_much_memory_is_refused(void **state) {
    (void)state;
    skip_without_device();
    struct device_buffer *buffer = NULL;
    struct error error = {""};
    assert_int_equal(device_buffer_create(device, SIZE_MAX / 4, &buffer, &error), STATUS_MEMORY);
    assert_null(buffer);
    assert_non_null(strstr(error.text, "out of device memory"));
}

/* Each block reverses its part by shared memory, and adds a number. */
static const char reverse[] =
    "__kernel void reverse(__global uint *x, uint add, __local uint *part) {\n"
    "    uint i = get_local_id(0), n = get_local_size(0), first = get_group_id(0) * n;\n"
    "    part[i] = x[first + i] + add + 100 * (uint)get_group_id(1);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x[first + i] = part[n - 1 - i];\n"
    "}\n";

static void launches(void **state) {
    (void)state;
    skip_without_device();
    const struct device_source source = {.name = "reverse", .text = reverse};
    static const uint32_t expected[8] = {14, 13, 12, 11, 18, 17, 16, 15};
    uint32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct device_program *program = NULL;
    const struct device_kernel *kernel = NULL;
    struct device_buffer *buffer = make_buffer(sizeof x);
    double before[DEVICE_STAGES], after[DEVICE_STAGES];
    assert_int_equal(device_program_build(device, &source, &program, NULL), STATUS_OK);
    assert_int_equal(device_kernel_find(program, "reverse", &kernel, NULL), STATUS_OK);
    assert_true(device_kernel_threads(kernel) >= 4);
    assert_int_equal(device_write(device, buffer, x, sizeof x, NULL), STATUS_OK);
    device_times(device, before);
    const struct device_argument arguments[] = {{.buffer = buffer}, {.value = 10}};
    const struct device_launch launch = {.kernel = kernel,
                                         .blocks = {2, 1},
                                         .threads = 4,
                                         .shared = 4 * sizeof *x,
                                         .arguments = arguments,
                                         .n_arguments = 2,
                                         .stage = DEVICE_PREPARING};
    assert_int_equal(device_launch(device, &launch, NULL), STATUS_OK);
    assert_int_equal(device_read(device, buffer, x, sizeof x, NULL), STATUS_OK);
    assert_memory_equal(x, expected, sizeof x);
    assert_int_equal(device_finish(device, NULL), STATUS_OK);
    device_times(device, after);
    assert_true(after[DEVICE_PREPARING] > before[DEVICE_PREPARING]);
    assert_true(after[DEVICE_COPYING] > before[DEVICE_COPYING]);
    assert_true(after[DEVICE_SCORING] == before[DEVICE_SCORING]);
    for (int i = 0; i < 300; i++) /* more commands than are kept */
        assert_int_equal(device_launch(device, &launch, NULL), STATUS_OK);
    assert_int_equal(device_finish(device, NULL), STATUS_OK);
    device_buffer_free(buffer);
    device_program_free(program);
}

static void a_kernel_that_is_wrong_is_refused_with_a_reason(void **state) {
    (void)state;
    skip_without_device();
    const struct device_source wrong = {.name = "wrong.cl", .text = "__kernel void f() { y = 1; }"};
    const struct device_source source = {.name = "reverse", .text = reverse};
    struct device_program *program = NULL;
    const struct device_kernel *kernel = NULL;
    struct error error = {""};
    assert_int_equal(device_program_build(device, &wrong, &program, &error), STATUS_MACHINE);
    assert_null(program);
    assert_non_null(strstr(error.text, "wrong.cl was rejected by the compiler of "));
    assert_non_null(strstr(error.text, "'y'"));
    assert_int_equal(device_program_build(device, &source, &program, NULL), STATUS_OK);
    assert_int_equal(device_kernel_find(program, "none", &kernel, &error), STATUS_MACHINE);
    assert_string_equal(error.text, "opencl: none: no such kernel");
    device_program_free(program);
    device_program_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(the_number_behind_the_last_is_refused),
        cmocka_unit_test(facts),
        cmocka_unit_test(memory),
        cmocka_unit_test(too_much_memory_is_refused),
        cmocka_unit_test(launches),
        cmocka_unit_test(a_kernel_that_is_wrong_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
