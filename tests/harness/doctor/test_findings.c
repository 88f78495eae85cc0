/* Findings from made-up facts. */
#include "harness/doctor/finding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct findings findings;

static int forget(void **state) {
    (void)state;
    findings.count = 0;
    return 0;
}

static const struct finding *get(const char *name) {
    for (size_t i = 0; i < findings.count; i++)
        if (strcmp(findings.items[i].name, name) == 0)
            return &findings.items[i];
    fail_msg("no finding %s", name);
    return NULL;
}

static void assert_finding(const char *name, enum finding_level level, const char *text,
                           const char *fix) {
    const struct finding *finding = get(name);
    if (finding->level != level || !strstr(finding->text, text) || !strstr(finding->fix, fix))
        fail_msg("%s: %s, \"%s\", fix \"%s\"", name, finding_level_names[finding->level],
                 finding->text, finding->fix);
    if (level != FINDING_OK && (!finding->effect[0] || !finding->fix[0]))
        fail_msg("%s: no effect or no fix", name);
}

/* --- the list --------------------------------------------------------------------------------- */

static void more_findings_than_fit_do_no_harm(void **state) {
    (void)state;
    for (int i = 0; i < 2 * FINDINGS_MOST; i++)
        findings_add(&findings, "many", FINDING_OK, NULL, NULL, "%d", i);
    assert_int_equal(findings.count, FINDINGS_MOST);
    assert_string_equal(findings.items[FINDINGS_MOST - 1].text, "127");
}

static void texts_are_cut_and_plain(void **state) {
    (void)state;
    char longest[2000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    findings_add(&findings, longest, FINDING_WARNING, longest, longest, "\x1b[31m%s", longest);
    const struct finding *finding = &findings.items[0];
    assert_int_equal(finding->text[0], '?');
    assert_int_equal(strlen(finding->fix), FINDING_TEXT_SIZE - 1);
}

static void a_finding_that_is_ok_has_nothing_to_fix(void **state) {
    (void)state;
    findings_add(&findings, "a", FINDING_OK, "effect", "fix", "text");
    assert_string_equal(findings.items[0].fix, "");
    assert_string_equal(findings.items[0].effect, "effect");
}

static void a_reason_is_divided_into_text_and_fix(void **state) {
    (void)state;
    findings_add_reason(&findings, "a", FINDING_WARNING, "effect", "x.so 1.2: refused. Run y. z");
    assert_finding("a", FINDING_WARNING, "x.so 1.2: refused", "Run y. z");
    findings_add_reason(&findings, "b", FINDING_WARNING, "effect", "refused");
    assert_string_equal(get("b")->text, "refused");
    assert_string_equal(get("b")->fix, "");
}

static void the_worst_level_counts(void **state) {
    (void)state;
    assert_int_equal(findings_worst(&findings), FINDING_OK);
    findings_add(&findings, "a", FINDING_MISSING, NULL, NULL, "a");
    findings_add(&findings, "b", FINDING_WARNING, NULL, NULL, "b");
    assert_int_equal(findings_worst(&findings), FINDING_MISSING);
}

static void json_has_null_for_empty_texts(void **state) {
    (void)state;
    findings_add(&findings, "a \"b\"", FINDING_WARNING, "effect", "fix", "text");
    findings_add(&findings, "c", FINDING_OK, NULL, NULL, "text");
    cJSON *array =
        record_list(&finding_record, findings.items, findings.count, sizeof *findings.items);
    assert_int_equal(cJSON_GetArraySize(array), 2);
    const cJSON *first = cJSON_GetArrayItem(array, 0), *second = cJSON_GetArrayItem(array, 1);
    assert_string_equal(cJSON_GetObjectItem(first, "name")->valuestring, "a \"b\"");
    assert_string_equal(cJSON_GetObjectItem(first, "level")->valuestring, "warning");
    assert_string_equal(cJSON_GetObjectItem(first, "fix")->valuestring, "fix");
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(second, "effect")));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(second, "fix")));
    cJSON_Delete(array);
}

/* --- the system ------------------------------------------------------------------------------- */

static const struct surroundings quiet = {.governor = "performance",
                                          .turbo = ANSWER_NO,
                                          .turbo_switch = "/sys/x/boost",
                                          .smt = ANSWER_NO,
                                          .isolated = ANSWER_YES,
                                          .tickless = ANSWER_YES,
                                          .idle_exit_us = 2,
                                          .aslr = 2,
                                          .huge_pages = "madvise",
                                          .load = 0.1,
                                          .is_virtual = ANSWER_NO,
                                          .cpu_quota = (double)INFINITY};

static void a_quiet_system_has_nothing_to_fix(void **state) {
    (void)state;
    find_settings(&quiet, 4, &findings);
    assert_int_equal(findings.count, 10);
    assert_int_equal(findings_worst(&findings), FINDING_OK);
}

static void what_disturbs_is_a_warning_with_a_command(void **state) {
    (void)state;
    struct surroundings s = quiet;
    s.turbo = ANSWER_YES;
    s.smt = ANSWER_YES;
    s.isolated = ANSWER_NO;
    s.idle_exit_us = 133;
    s.aslr = 0;
    s.load = 3.5;
    s.is_virtual = ANSWER_YES;
    s.cpu_quota = 1.5;
    snprintf(s.governor, sizeof s.governor, "schedutil");
    snprintf(s.hypervisor, sizeof s.hypervisor, "KVM");
    find_settings(&s, 4, &findings);
    assert_finding("governor", FINDING_WARNING, "schedutil",
                   "sudo cpupower frequency-set -g performance");
    assert_finding("turbo", FINDING_WARNING, "on", "echo 0 | sudo tee /sys/x/boost");
    assert_finding("SMT", FINDING_WARNING, "on", "sudo tee /sys/devices/system/cpu/smt/control");
    assert_finding("isolated cores", FINDING_WARNING, "none", "isolcpus=N nohz_full=N");
    assert_finding("idle states", FINDING_WARNING, "up to 133 us", "cpupower idle-set -D");
    assert_finding("ASLR", FINDING_WARNING, "off", "sudo sysctl kernel.randomize_va_space=2");
    assert_finding("load", FINDING_WARNING, "3.50 of 4 cores", "top");
    assert_finding("virtualisation", FINDING_WARNING, "KVM", "bare metal");
    assert_finding("CPU quota", FINDING_WARNING, "1.50 of 4 cores", "quota");
    s.turbo_switch = "/sys/x/no_turbo";
    s.isolated = ANSWER_YES;
    s.tickless = ANSWER_NO;
    findings.count = 0;
    find_settings(&s, 4, &findings);
    assert_finding("turbo", FINDING_WARNING, "on", "echo 1 | sudo tee /sys/x/no_turbo");
    assert_finding("isolated cores", FINDING_WARNING, "with timer interrupts", "nohz_full");
}

static void what_is_unknown_has_a_reason(void **state) {
    (void)state;
    const struct surroundings s = {.aslr = -1,
                                   .idle_exit_us = -1,
                                   .load = (double)NAN,
                                   .cpu_quota = (double)NAN,
                                   .ptrace_scope = -1};
    find_settings(&s, 4, &findings);
    assert_int_equal(findings.count, 10);
    for (size_t i = 0; i < findings.count; i++)
        assert_finding(findings.items[i].name, FINDING_UNKNOWN, " ", "");
}

static void the_load_leaves_a_core_for_measuring(void **state) {
    (void)state;
    struct surroundings s = quiet;
    s.load = 1;
    find_settings(&s, 2, &findings);
    assert_finding("load", FINDING_OK, "1.00 of 2 cores", "");
    findings.count = 0;
    s.load = 1.01;
    find_settings(&s, 2, &findings);
    assert_finding("load", FINDING_WARNING, "1.01 of 2 cores", "");
}

static void stolen_time_is_judged_between_two_readings(void **state) {
    (void)state;
    const struct cpu_ticks none = {0}, before = {1000, 100}, after = {2000, 101},
                           later = {3000, 200};
    find_steal(&none, &before, &findings);
    assert_finding("steal time", FINDING_WARNING, "10.00 % of the time since the system", "");
    findings.count = 0;
    find_steal(&before, &after, &findings);
    assert_finding("steal time", FINDING_OK, "0.10 % of the time while doctor", "");
    findings.count = 0;
    find_steal(&after, &later, &findings);
    assert_finding("steal time", FINDING_WARNING, "9.90 %", "");
    findings.count = 0;
    find_steal(&none, &none, &findings);
    assert_finding("steal time", FINDING_UNKNOWN, "/proc/stat", "");
}

static void one_core_is_too_few(void **state) {
    (void)state;
    const struct cpu_info one = {.cores = 1, .numa_nodes = 1},
                          more = {.cores = 8, .numa_nodes = 2, .l1d_bytes = 1, .l2_bytes = 1};
    find_processor(&one, &findings);
    assert_finding("cores", FINDING_WARNING, "1", "two cores");
    assert_finding("caches", FINDING_UNKNOWN, "/sys/devices/system/cpu", "/sys");
    assert_finding("CPU", FINDING_OK, "unknown model", "");
    findings.count = 0;
    find_processor(&more, &findings);
    assert_finding("cores", FINDING_OK, "8 on 2 NUMA nodes", "");
    assert_finding("caches", FINDING_OK, "L1d 0 KB", "");
}

/* --- tools ------------------------------------------------------------------------------------ */

static void clocks_that_are_coarse_or_stand_still_are_told(void **state) {
    (void)state;
    const struct timer_info timer = {.wall_resolution_ns = 4e6, .cpu_resolution_ns = 0};
    struct surroundings s = quiet;
    snprintf(s.clock_source, sizeof s.clock_source, "jiffies");
    find_clocks(&s, &timer, &findings);
    assert_finding("wall clock", FINDING_WARNING, "jiffies, steps of 4000000 ns", "clocksource");
    assert_finding("CPU clock", FINDING_MISSING, "does not advance", "clocksource");
}

static void a_compiler_that_does_not_run_is_missing(void **state) {
    (void)state;
    setenv("TREEBENCH_CC", "/nonexistent/cc", 1);
    find_programs(&findings);
    unsetenv("TREEBENCH_CC");
    assert_finding("compiler", FINDING_MISSING, "/nonexistent/cc", "TREEBENCH_CC");
}

static void only_root_may_count_if_the_kernel_says_so(void **state) {
    (void)state;
    struct surroundings s = quiet;
    s.perf_event_paranoid = 3;
    find_counters(&s, &findings);
    assert_finding("perf events", FINDING_WARNING, "is 3",
                   "sudo sysctl kernel.perf_event_paranoid=2");
    findings.count = 0;
    s.perf_event_paranoid = 2;
    find_counters(&s, &findings);
    assert_finding("perf events", FINDING_OK, "is 2", "");
    findings.count = 0;
    s.perf_event_paranoid = -2;
    find_counters(&s, &findings);
    assert_finding("perf events", FINDING_UNKNOWN, "cannot be read", "/proc/sys");
}

/* --- measurements ----------------------------------------------------------------------------- */

static const struct error no_error = {""};

static struct memory_survey made_up_survey(void) {
    struct memory_survey survey = {.caches = {{{32 << 10, 1}, {1 << 20, 1}, {32 << 20, 8}}},
                                   .clock_ghz = 2,
                                   .bandwidth = 12.5,
                                   .bandwidth_bytes = 256 << 20};
    for (int i = 0; i < PAGE_KINDS; i++) {
        survey.pages[i].is_measured = true;
        survey.pages[i].levels = (struct latency_levels){
            {32 << 10, 1 << 20, 32 << 20}, {1.5, 6, 15, 90}, {32 << 10, 1 << 20, 32 << 20}};
    }
    return survey;
}

static void latencies_are_told_with_cycles_and_ratios(void **state) {
    (void)state;
    struct memory_survey survey = made_up_survey();
    find_memory(&survey, STATUS_OK, &no_error, &findings);
    assert_int_equal(findings_worst(&findings), FINDING_OK);
    assert_string_equal(get("latency")->text,
                        "L1 1.5 ns (3 cycles), L2 6.0 ns (12 cycles), L3 15.0 ns (30 cycles), "
                        "memory 90.0 ns (180 cycles); c2 = 4.0, c3 = 10.0, c4 = 60.0");
    assert_string_equal(get("latency (huge)")->text, get("latency")->text);
    assert_finding("bandwidth", FINDING_OK, "12.5 GB/s, one thread reading 256 MB", "");
    assert_finding("clock rate", FINDING_OK, "2.00 GHz", "");
}

static void a_cache_that_others_use_is_a_warning(void **state) {
    (void)state;
    struct memory_survey survey = made_up_survey();
    survey.pages[PAGES_SMALL].levels.bytes[2] = 6 << 20;
    find_memory(&survey, STATUS_OK, &no_error, &findings);
    assert_finding("last cache", FINDING_WARNING, "reports 32.0 MB of L3, but only about 6.0 MB",
                   "");
}

static void memory_that_could_not_be_measured_is_unknown(void **state) {
    (void)state;
    struct memory_survey survey = made_up_survey();
    survey.pages[PAGES_HUGE].is_measured = false;
    survey.bandwidth = (double)NAN;
    for (int i = 0; i < LATENCY_LEVELS; i++)
        survey.pages[PAGES_SMALL].levels.ns[i] = (double)NAN;
    find_memory(&survey, STATUS_OK, &no_error, &findings);
    assert_finding("latency", FINDING_UNKNOWN, "sizes of the caches", "/sys");
    assert_finding("latency (huge)", FINDING_UNKNOWN, "no huge pages", "transparent_hugepage");
    assert_finding("bandwidth", FINDING_UNKNOWN, "too little memory", "memory");
}

static void a_measurement_without_memory_is_missing(void **state) {
    (void)state;
    struct memory_survey survey = made_up_survey();
    struct noise noise = {0};
    struct error error;
    error_memory(&error, "a buffer");
    find_memory(&survey, STATUS_MEMORY, &error, &findings);
    find_noise(&noise, STATUS_MEMORY, &error, &findings);
    assert_int_equal(findings.count, 2);
    assert_int_equal(get("latency")->level, FINDING_MISSING);
    assert_int_equal(get("noise")->level, FINDING_MISSING);
    assert_non_null(strstr(get("noise")->text, "out of memory"));
    error_set(&error, STATUS_MACHINE, "too little");
    findings.count = 0;
    find_memory(&survey, STATUS_MACHINE, &error, &findings);
    assert_int_equal(get("latency")->level, FINDING_UNKNOWN);
}

/* A clock of 50 ns a reading. Every 1,000th reading comes 100 us late. */
static uint64_t made_up_now, made_up_readings;
static uint64_t read_made_up_clock(void) {
    made_up_now += ++made_up_readings % 1000 == 0 ? 100000 : 50;
    return made_up_now;
}

static void stalls_are_gaps_between_readings(void **state) {
    (void)state;
    struct stalls stalls = stalls_measure(1, read_made_up_clock);
    double period_ns = 999 * 50 + 100000;
    assert_true(fabs(stalls.per_second / (1e9 / period_ns) - 1) < 0.001);
    assert_true(fabs(stalls.share / (100000 / period_ns) - 1) < 0.001);
    assert_true(stalls.longest_ns == 100000);
    assert_true(stalls.seconds >= 1);
    find_stalls(&stalls, &findings);
    assert_finding("stalls", FINDING_WARNING, "the longest 100 us", "isolated cores");
    findings.count = 0;
    stalls = (struct stalls){.seconds = 1, .per_second = 20, .share = 0.00006, .longest_ns = 3000};
    find_stalls(&stalls, &findings);
    assert_finding("stalls", FINDING_OK, "with a chance of 0.008 %", "");
}

static void noise_is_a_floor_of_what_one_compare_sees(void **state) {
    (void)state;
    struct noise noise = {.impl = "qs",
                          .placements = 40,
                          .rounds = 120,
                          .ratio = {1.001, {0.998, 1.004}},
                          .floor = 0.004,
                          .compare_floor = 0.02,
                          .placement_deviation = 0.03};
    find_noise(&noise, STATUS_OK, &no_error, &findings);
    assert_finding("noise", FINDING_OK,
                   "differences under 2.0 % cannot be seen by one compare, nor under 0.4 % in 40 "
                   "placements (qs against itself: 1.001 [0.998, 1.004]",
                   "");
    findings.count = 0;
    noise.compare_floor = 0.06;
    find_noise(&noise, STATUS_OK, &no_error, &findings);
    assert_finding("noise", FINDING_WARNING, "under 6.0 %", "--placements");
    findings.count = 0;
    noise.compare_floor = (double)NAN;
    find_noise(&noise, STATUS_OK, &no_error, &findings);
    assert_int_equal(get("noise")->level, FINDING_UNKNOWN);
}

#define FRESH(test) cmocka_unit_test_setup(test, forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        FRESH(more_findings_than_fit_do_no_harm),
        FRESH(texts_are_cut_and_plain),
        FRESH(a_finding_that_is_ok_has_nothing_to_fix),
        FRESH(a_reason_is_divided_into_text_and_fix),
        FRESH(the_worst_level_counts),
        FRESH(json_has_null_for_empty_texts),
        FRESH(a_quiet_system_has_nothing_to_fix),
        FRESH(what_disturbs_is_a_warning_with_a_command),
        FRESH(what_is_unknown_has_a_reason),
        FRESH(the_load_leaves_a_core_for_measuring),
        FRESH(stolen_time_is_judged_between_two_readings),
        FRESH(one_core_is_too_few),
        FRESH(clocks_that_are_coarse_or_stand_still_are_told),
        FRESH(a_compiler_that_does_not_run_is_missing),
        FRESH(only_root_may_count_if_the_kernel_says_so),
        FRESH(latencies_are_told_with_cycles_and_ratios),
        FRESH(a_cache_that_others_use_is_a_warning),
        FRESH(memory_that_could_not_be_measured_is_unknown),
        FRESH(a_measurement_without_memory_is_missing),
        FRESH(stalls_are_gaps_between_readings),
        FRESH(noise_is_a_floor_of_what_one_compare_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
