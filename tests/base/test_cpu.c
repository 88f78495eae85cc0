#include "base/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static void feature_names_are_listed(void **state) {
    (void)state;
    char text[64];
    cpu_feature_names(CPU_AVX2 | CPU_AVX512, text, sizeof text);
    assert_string_equal(text, "avx2 avx512");
    cpu_feature_names(0, text, sizeof text);
    assert_string_equal(text, "");
    cpu_feature_names(CPU_AVX2 | CPU_AVX512, text, 7); /* cut, not overrun */
    assert_string_equal(text, "avx2 a");
}

/* Compares with the kernel's list of flags. */
static void features_agree_with_the_kernel(void **state) {
    (void)state;
    FILE *stream = fopen("/proc/cpuinfo", "r");
    char line[16384];
    const char *flags = NULL;
    while (stream && !flags && fgets(line, sizeof line, stream))
        if (strncmp(line, "flags", 5) == 0)
            flags = line;
    if (stream)
        fclose(stream);
    if (!flags)
        skip(); /* not x86, or no /proc */
    assert_int_equal((cpu_features() & CPU_AVX2) != 0, strstr(flags, " avx2") != NULL);
    assert_int_equal((cpu_features() & CPU_SSE42) != 0, strstr(flags, " sse4_2") != NULL);
    assert_int_equal((cpu_features() & CPU_AVX512_VBMI) != 0,
                     strstr(flags, " avx512vbmi ") && strstr(flags, " gfni "));
}

static void features_can_be_hidden(void **state) {
    (void)state;
    struct error error;
    const unsigned all = cpu_features(), wide = CPU_AVX2 | CPU_AVX512 | CPU_AVX512_VBMI;
    assert_int_equal(cpu_hide("-avx512vbmi", &error), STATUS_OK);
    assert_int_equal(cpu_features(), all & ~(unsigned)CPU_AVX512_VBMI);
    assert_int_equal(cpu_hidden_features(), all & CPU_AVX512_VBMI);
    /* What is built on it goes too. */
    assert_int_equal(cpu_hide("-neon,-avx2", &error), STATUS_OK);
    assert_int_equal(cpu_features(), all & ~(wide | CPU_NEON));
    static const char *const wrong[] = {"avx2", "-avx", "-avx22", "-", "-avx2 ", ",", "-AVX2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cpu_hide(wrong[i], &error), STATUS_INPUT);
        assert_non_null(strstr(error.text, "-avx512vbmi"));
        assert_int_equal(cpu_features(), all & ~(wide | CPU_NEON));
    }
    assert_int_equal(cpu_hide("", &error), STATUS_OK);
    assert_int_equal(cpu_features(), all);
    assert_int_equal(cpu_hidden_features(), 0);
}

static void info_is_filled(void **state) {
    (void)state;
    struct cpu_info info;
    cpu_read_info(&info);
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(info.cores, CPU_COUNT(&set));
    assert_null(strchr(info.model, '\n'));
    assert_true(info.l1d_bytes <= info.l2_bytes || info.l2_bytes == 0);
}

static void pinning_leaves_one_core_until_unpinned(void **state) {
    (void)state;
    struct cpu_affinity before, after;
    int core = cpu_pin_here(&before);
    if (core < 0)
        skip(); /* not permitted here */
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    assert_int_equal(CPU_COUNT(&set), 1);
    assert_true(CPU_ISSET((size_t)core, &set));
    cpu_unpin(&before);
    assert_int_equal(sched_getaffinity(0, sizeof after.cores, &after.cores), 0);
    assert_true(CPU_EQUAL(&before.cores, &after.cores));
}

static void every_core_is_listed_once(void **state) {
    (void)state;
    struct cpu_affinity affinity;
    int cores[CPU_SETSIZE], first;
    cpu_get_affinity(&affinity);
    unsigned count = cpu_list_cores(&affinity, cores, CPU_SETSIZE);
    assert_int_equal(count, affinity.known ? CPU_COUNT(&affinity.cores) : 0);
    for (unsigned i = 0; i < count; i++) {
        assert_true(CPU_ISSET((size_t)cores[i], &affinity.cores));
        CPU_CLR((size_t)cores[i], &affinity.cores);
    }
    cpu_get_affinity(&affinity);
    assert_int_equal(cpu_list_cores(&affinity, &first, 1), count > 0);
    assert_true(count == 0 || first == cores[0]);
}

static void a_core_that_is_not_there_is_refused(void **state) {
    (void)state;
    assert_false(cpu_pin(-1));
    assert_false(cpu_pin(CPU_SETSIZE));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feature_names_are_listed),
        cmocka_unit_test(features_agree_with_the_kernel),
        cmocka_unit_test(features_can_be_hidden),
        cmocka_unit_test(info_is_filled),
        cmocka_unit_test(pinning_leaves_one_core_until_unpinned),
        cmocka_unit_test(every_core_is_listed_once),
        cmocka_unit_test(a_core_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
