/* Surroundings that are read from made-up trees. */
#include "harness/instruments/surroundings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/harness/instruments/made_up_system.h"

#include <math.h>

static struct surroundings read_system(void) {
    struct surroundings s;
    surroundings_read(made_up_root, &s);
    return s;
}

static void assert_everything_is_unknown(const struct surroundings *s) {
    assert_string_equal(s->governor, "");
    assert_int_equal(s->turbo, ANSWER_UNKNOWN);
    assert_null(s->turbo_switch);
    assert_int_equal(s->smt, ANSWER_UNKNOWN);
    assert_int_equal(s->isolated, ANSWER_UNKNOWN);
    assert_int_equal(s->tickless, ANSWER_UNKNOWN);
    assert_int_equal(s->idle_exit_us, -1);
    assert_int_equal(s->aslr, -1);
    assert_string_equal(s->huge_pages, "");
    assert_true(isnan(s->load));
    assert_true(isnan(surroundings_steal(&(struct cpu_ticks){0}, &s->ticks)));
    assert_int_equal(s->is_virtual, ANSWER_UNKNOWN);
    assert_string_equal(s->hypervisor, "");
    assert_true(isnan(s->cpu_quota));
    assert_int_equal(s->perf_event_paranoid, -2);
    assert_int_equal(s->ptrace_scope, -1);
    assert_string_equal(s->clock_source, "");
    assert_int_equal(s->memory_available, 0);
}

static void nothing_is_known_without_files(void **state) {
    (void)state;
    struct surroundings s = read_system();
    assert_everything_is_unknown(&s);
}

static const char *const paths[] = {
    "/sys/devices/system/cpu/intel_pstate/no_turbo",
    "/sys/devices/system/cpu/smt/active",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/proc/loadavg",
    "/proc/stat",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/self/cgroup",
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory.current",
    "/proc/sys/kernel/randomize_va_space",
    "/proc/sys/kernel/perf_event_paranoid",
    "/proc/sys/kernel/yama/ptrace_scope",
};

static void malformed_files_tell_nothing(void **state) {
    (void)state;
    char longest[9000];
    memset(longest, '/', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const char *const contents[] = {"",     "\n",     "-",       "\xff\xfe", "[",
                                    "0::/", "cpu  x", "nothing", longest};
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            has_file(paths[k], contents[i]);
        struct surroundings s = read_system();
        assert_everything_is_unknown(&s);
    }
}

static void settings_are_read(void **state) {
    (void)state;
    has_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    has_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    has_file("/sys/devices/system/cpu/smt/active", "1\n");
    has_file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    has_file("/proc/loadavg", "1.25 0.50 0.10 3/200 4711\n");
    has_file("/proc/sys/kernel/randomize_va_space", "2\n");
    has_file("/proc/sys/kernel/perf_event_paranoid", "-1\n");
    has_file("/proc/sys/kernel/yama/ptrace_scope", "1\n");
    has_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
    struct surroundings s = read_system();
    assert_string_equal(s.governor, "performance");
    assert_int_equal(s.smt, ANSWER_YES);
    assert_string_equal(s.huge_pages, "madvise");
    assert_true(s.load == 1.25);
    assert_int_equal(s.aslr, 2);
    assert_int_equal(s.perf_event_paranoid, -1);
    assert_int_equal(s.ptrace_scope, 1);
    assert_string_equal(s.clock_source, "tsc");
}

static void isolated_processors_are_lists(void **state) {
    (void)state;
    assert_int_equal(read_system().isolated, ANSWER_UNKNOWN);
    assert_int_equal(read_system().tickless, ANSWER_UNKNOWN);
    has_file("/sys/devices/system/cpu/isolated", "\n");
    assert_int_equal(read_system().isolated, ANSWER_NO);
    assert_int_equal(read_system().tickless, ANSWER_NO);
    has_file("/sys/fs/cgroup/cpuset.cpus.isolated", "3\n");
    assert_int_equal(read_system().isolated, ANSWER_YES);
    has_file("/sys/fs/cgroup/cpuset.cpus.isolated", "\n");
    has_file("/sys/devices/system/cpu/isolated", "2-3,8\n");
    has_file("/sys/devices/system/cpu/nohz_full", "(null)\n");
    assert_int_equal(read_system().isolated, ANSWER_YES);
    assert_int_equal(read_system().tickless, ANSWER_NO);
    has_file("/sys/devices/system/cpu/nohz_full", "2-3\n");
    assert_int_equal(read_system().tickless, ANSWER_YES);
}

/* Disabled states do not count. */
static void the_deepest_idle_state_is_told(void **state) {
    (void)state;
    has_file("/sys/devices/system/cpu/cpu0/cpuidle/state0/latency", "0\n");
    has_file("/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2\n");
    has_file("/sys/devices/system/cpu/cpu0/cpuidle/state2/latency", "133\n");
    has_file("/sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "0\n");
    assert_int_equal(read_system().idle_exit_us, 133);
    has_file("/sys/devices/system/cpu/cpu0/cpuidle/state2/disable", "1\n");
    assert_int_equal(read_system().idle_exit_us, 2);
}

static void one_processor_with_another_governor_is_told(void **state) {
    (void)state;
    has_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    has_file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
    has_file("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n");
    assert_string_equal(read_system().governor, "schedutil");
}

static void turbo_has_two_switches_that_work_the_other_way_round(void **state) {
    (void)state;
    has_file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
    assert_int_equal(read_system().turbo, ANSWER_YES);
    has_file("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    assert_int_equal(read_system().turbo, ANSWER_NO);
    has_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    assert_int_equal(read_system().turbo, ANSWER_YES);
    has_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    struct surroundings s = read_system();
    assert_int_equal(s.turbo, ANSWER_NO);
    assert_non_null(strstr(s.turbo_switch, "no_turbo"));
}

static void steal_is_a_share_of_all_time(void **state) {
    (void)state;
    has_file("/proc/stat", "cpu  100 50 150 600 50 10 20 20 100 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
    struct surroundings before = read_system();
    assert_int_equal(before.ticks.total, 1000); /* the guest's 100 are in the user's */
    assert_true(surroundings_steal(&(struct cpu_ticks){0}, &before.ticks) == 0.02);
    has_file("/proc/stat", "cpu  100 50 150 680 50 10 20 40 100 0\n");
    struct surroundings after = read_system();
    assert_true(surroundings_steal(&before.ticks, &after.ticks) == 0.2);
    assert_true(isnan(surroundings_steal(&after.ticks, &before.ticks)));
    assert_true(isnan(surroundings_steal(&after.ticks, &after.ticks)));
}

static void old_kernels_have_no_stolen_time(void **state) {
    (void)state;
    has_file("/proc/stat", "cpu  100 50 150 600\n");
    assert_int_equal(read_system().ticks.total, 0);
}

static void a_virtual_machine_is_told_by_a_flag(void **state) {
    (void)state;
    has_file("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lm\nbugs\t: none\n");
    assert_int_equal(read_system().is_virtual, ANSWER_YES);
    has_file("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisors\nbugs\t: hypervisor\n");
    assert_int_equal(read_system().is_virtual, ANSWER_NO);
    has_file("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n");
    assert_int_equal(read_system().is_virtual, ANSWER_UNKNOWN);
    has_file("/sys/hypervisor/type", "xen\n");
    struct surroundings s = read_system();
    assert_int_equal(s.is_virtual, ANSWER_YES);
    assert_string_equal(s.hypervisor, "xen");
}

static void the_tightest_quota_of_the_groups_counts(void **state) {
    (void)state;
    has_file("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    assert_true(isinf(read_system().cpu_quota));
    has_file("/proc/self/cgroup", "12:cpu:/old\n0::/slice/unit/scope\n");
    has_file("/sys/fs/cgroup/slice/unit/scope/cpu.max", "max 100000\n");
    assert_true(isinf(read_system().cpu_quota));
    has_file("/sys/fs/cgroup/slice/unit/cpu.max", "150000 100000\n");
    has_file("/sys/fs/cgroup/slice/cpu.max", "400000 100000\n");
    assert_true(read_system().cpu_quota == 1.5);
    has_file("/sys/fs/cgroup/cpu.max", "100000 200000\n");
    assert_true(read_system().cpu_quota == 0.5);
}

static void the_first_version_of_groups_has_a_quota_too(void **state) {
    (void)state;
    has_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    has_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    assert_true(isinf(read_system().cpu_quota));
    has_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "250000\n");
    assert_true(read_system().cpu_quota == 2.5);
}

static void a_group_limits_the_memory_of_the_machine(void **state) {
    (void)state;
    has_file("/proc/meminfo", "MemTotal:  9000 kB\nMemFree: 10 kB\nMemAvailable:    4000 kB\n");
    assert_int_equal(read_system().memory_available, 4000 * 1024);
    has_file("/proc/self/cgroup", "0::/box\n");
    has_file("/sys/fs/cgroup/box/memory.max", "max\n");
    has_file("/sys/fs/cgroup/box/memory.current", "1000000\n");
    assert_int_equal(read_system().memory_available, 4000 * 1024);
    has_file("/sys/fs/cgroup/box/memory.max", "3000000\n");
    assert_int_equal(read_system().memory_available, 2000000);
    has_file("/sys/fs/cgroup/box/memory.max", "500000\n"); /* over its limit already */
    assert_int_equal(read_system().memory_available, 1);
}

static void json_has_every_key_and_null_for_what_is_unknown(void **state) {
    (void)state;
    static const char *const keys[] = {"governor",
                                       "turbo",
                                       "smt",
                                       "aslr",
                                       "huge_pages",
                                       "load",
                                       "steal",
                                       "virtual",
                                       "hypervisor",
                                       "cpu_quota",
                                       "perf_event_paranoid",
                                       "ptrace_scope",
                                       "clock_source",
                                       "isolated",
                                       "tickless",
                                       "idle_exit_us"};
    struct surroundings s = read_system();
    cJSON *json = record_to_json(&surroundings_record, &s);
    assert_int_equal(cJSON_GetArraySize(json), sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, keys[i])));
    cJSON_Delete(json);
    s.cpu_quota = 2;
    s.turbo = ANSWER_NO;
    s.ptrace_scope = 0;
    json = record_to_json(&surroundings_record, &s);
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "cpu_quota")) == 2);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(json, "turbo")));
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "ptrace_scope")) == 0);
    cJSON_Delete(json);
}

static void the_running_system_is_read(void **state) {
    (void)state;
    struct surroundings s;
    surroundings_read("", &s);
    assert_true(s.memory_available > 0);
    assert_true(s.ticks.total > 0);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_system, remove_system)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_TREE(nothing_is_known_without_files),
        IN_A_TREE(malformed_files_tell_nothing),
        IN_A_TREE(settings_are_read),
        IN_A_TREE(isolated_processors_are_lists),
        IN_A_TREE(the_deepest_idle_state_is_told),
        IN_A_TREE(one_processor_with_another_governor_is_told),
        IN_A_TREE(turbo_has_two_switches_that_work_the_other_way_round),
        IN_A_TREE(steal_is_a_share_of_all_time),
        IN_A_TREE(old_kernels_have_no_stolen_time),
        IN_A_TREE(a_virtual_machine_is_told_by_a_flag),
        IN_A_TREE(the_tightest_quota_of_the_groups_counts),
        IN_A_TREE(the_first_version_of_groups_has_a_quota_too),
        IN_A_TREE(a_group_limits_the_memory_of_the_machine),
        IN_A_TREE(json_has_every_key_and_null_for_what_is_unknown),
        cmocka_unit_test(the_running_system_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
