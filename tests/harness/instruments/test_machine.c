#include "harness/instruments/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const cJSON *member(const cJSON *manifest, const char *group, const char *key) {
    const cJSON *object = manifest;
    if (group != NULL)
        object = cJSON_GetObjectItemCaseSensitive(manifest, group);
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    if (found == NULL)
        fail_msg("%s.%s is missing", group != NULL ? group : "", key);
    return found;
}

static void assert_kind_or_null(const cJSON *item, cJSON_bool (*is_kind)(const cJSON *)) {
    if (!cJSON_IsNull(item) && !is_kind(item))
        fail_msg("%s is of the wrong type", item->string);
}

static void test_every_key_is_there(void **state) {
    (void)state;
    cJSON *manifest = machine_manifest();
    assert_non_null(manifest);
    static const char *const texts[] = {"model", "microcode", "features", "governor"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_kind_or_null(member(manifest, "cpu", texts[i]), cJSON_IsString);
    static const char *const numbers[] = {"l1d_bytes", "l2_bytes", "l3_bytes", "cores",
                                          "numa_nodes"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_kind_or_null(member(manifest, "cpu", numbers[i]), cJSON_IsNumber);
    assert_kind_or_null(member(manifest, "cpu", "hypervisor"), cJSON_IsBool);
    assert_true(cJSON_IsString(member(manifest, NULL, "kernel")));
    assert_kind_or_null(member(manifest, NULL, "load"), cJSON_IsNumber);
    assert_true(member(manifest, NULL, "memory_bytes")->valuedouble > 1 << 20);
    assert_true(cJSON_IsString(member(manifest, "build", "commit")));
    assert_true(cJSON_IsBool(member(manifest, "build", "dirty")));
    assert_true(cJSON_IsString(member(manifest, "build", "compiler")));
    assert_non_null(strstr(member(manifest, "build", "flags")->valuestring, "-O"));
    assert_true(member(manifest, "clocks", "wall_resolution_ns")->valuedouble >= 1);
    assert_true(member(manifest, "clocks", "cpu_resolution_ns")->valuedouble >= 1);
    assert_true(member(manifest, "clocks", "wall_cost_ns")->valuedouble > 0);
    assert_true(member(manifest, "clocks", "cpu_cost_ns")->valuedouble > 0);
    const char *source = member(manifest, "counters", "source")->valuestring;
    bool none = strcmp(source, "none") == 0;
    assert_true(none || strcmp(source, "perf") == 0 || strcmp(source, "papi") == 0);
    const cJSON *reason = member(manifest, "counters", "reason");
    assert_true(cJSON_IsString(reason) || (!none && cJSON_IsNull(reason)));
    static const char *const settings[] = {"governor", "turbo", "smt", "aslr", "steal", "virtual"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        member(manifest, "surroundings", settings[i]);
    cJSON_Delete(manifest);
}

static void test_started_is_a_time_in_utc(void **state) {
    (void)state;
    cJSON *manifest = machine_manifest();
    assert_non_null(manifest);
    int year, month, day, hour, minute, second;
    char zone;
    assert_int_equal(sscanf(member(manifest, NULL, "started")->valuestring,
                            "%4d-%2d-%2dT%2d:%2d:%2d%c", &year, &month, &day, &hour, &minute,
                            &second, &zone),
                     7);
    assert_true(year >= 2024 && zone == 'Z');
    cJSON_Delete(manifest);
}

static void assert_tells_nothing(const cJSON *value, const char *host, const char *folder) {
    if (cJSON_IsString(value)) {
        assert_string_not_equal(value->valuestring, host);
        assert_int_not_equal(value->valuestring[0], '/');
        assert_null(strstr(value->valuestring, folder));
    }
    for (const cJSON *child = value->child; child != NULL; child = child->next)
        assert_tells_nothing(child, host, folder);
}

static void test_no_host_and_no_path(void **state) {
    (void)state;
    struct utsname names;
    char folder[PATH_MAX];
    assert_int_equal(uname(&names), 0);
    assert_non_null(getcwd(folder, sizeof folder));
    cJSON *manifest = machine_manifest();
    assert_non_null(manifest);
    assert_tells_nothing(manifest, names.nodename, folder);
    cJSON_Delete(manifest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_key_is_there),
        cmocka_unit_test(test_started_is_a_time_in_utc),
        cmocka_unit_test(test_no_host_and_no_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
