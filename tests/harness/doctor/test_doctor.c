/* doctor on this machine: what it finds differs, but its shape does not. */
#include "harness/doctor/doctor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/doctor/finding.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

static struct examination examination;

static const cJSON *get(const cJSON *object, const char *key) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!found)
        fail_msg("no key %s", key);
    return found;
}

static void every_finding_has_a_name_of_its_own_and_a_text(void **state) {
    (void)state;
    static const char *const expected[] = {
        "CPU",      "instructions", "cores",      "caches",    "load",        "CPU quota",
        "SMT",      "ASLR",         "huge pages", "turbo",     "governor",    "virtualisation",
        "PAPI",     "wall clock",   "CPU clock",  "counters",  "perf events", "ptrace",
        "compiler", "valgrind",     "gnuplot",    "steal time"};
    doctor_examine(DOCTOR_NONE, NULL, NULL, &examination);
    const struct findings *all = &examination.findings;
    assert_true(all->count < FINDINGS_MOST);
    for (size_t i = 0; i < all->count; i++) {
        assert_true(all->items[i].name[0] && all->items[i].text[0]);
        assert_true(strlen(all->items[i].name) <= 14); /* the column of cmd_doctor.c */
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(all->items[i].name, all->items[k].name);
    }
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        bool found = false;
        for (size_t k = 0; k < all->count; k++)
            found |= strcmp(all->items[k].name, expected[i]) == 0;
        if (!found)
            fail_msg("no finding %s", expected[i]);
    }
}

static void without_measuring_json_has_null(void **state) {
    (void)state;
    doctor_examine(DOCTOR_NONE, NULL, NULL, &examination);
    cJSON *json = doctor_to_json(&examination);
    assert_non_null(json);
    assert_true(cJSON_GetNumberValue(get(json, "schema")) == DOCTOR_SCHEMA);
    assert_int_equal(cJSON_GetArraySize(get(json, "findings")), examination.findings.count);
    assert_true(cJSON_IsObject(get(json, "surroundings")));
    assert_true(cJSON_IsNull(get(json, "memory")) && cJSON_IsNull(get(json, "noise")));
    cJSON_Delete(json);
}

static void what_was_measured_is_in_json(void **state) {
    (void)state;
    memset(&examination, 0, sizeof examination);
    examination.has_memory = examination.has_noise = true;
    examination.noise.ratio.value = 1;
    cJSON *json = doctor_to_json(&examination);
    assert_true(cJSON_IsArray(get(get(json, "memory"), "pages")));
    assert_true(cJSON_GetNumberValue(get(get(json, "noise"), "ratio")) == 1);
    cJSON_Delete(json);
}

static void a_manifest_gets_what_is_not_ok(void **state) {
    (void)state;
    cJSON *manifest = cJSON_CreateObject();
    assert_int_equal(doctor_summarise(manifest, false, NULL), STATUS_OK);
    const cJSON *summary = get(manifest, "doctor"), *finding;
    assert_true(cJSON_GetNumberValue(get(summary, "schema")) == DOCTOR_SCHEMA);
    assert_true(cJSON_IsNull(get(summary, "memory")));
    cJSON_ArrayForEach(finding, get(summary, "findings")) {
        assert_string_not_equal(get(finding, "level")->valuestring, "ok");
        assert_true(get(finding, "name")->valuestring[0] && get(finding, "text")->valuestring[0]);
    }
    cJSON_Delete(manifest);
}

static void a_manifest_gets_latencies(void **state) {
    (void)state;
    cJSON *manifest = cJSON_CreateObject();
    assert_int_equal(doctor_summarise(manifest, true, NULL), STATUS_OK);
    const cJSON *pages = get(get(get(manifest, "doctor"), "memory"), "pages");
    assert_int_equal(cJSON_GetArraySize(pages), 1);
    assert_true(cJSON_IsObject(get(cJSON_GetArrayItem(pages, 0), "ratios")));
    cJSON_Delete(manifest);
}

static void noise_is_measured_over_placements(void **state) {
    (void)state;
    struct noise noise;
    assert_int_equal(noise_measure(0.01, NULL, &noise, NULL), STATUS_OK);
    assert_true(noise.impl[0] != '\0');
    assert_true(noise.placements >= 8 && noise.rounds >= 24);
    assert_true(noise.ratio.interval.low <= noise.ratio.value);
    assert_true(noise.ratio.interval.high >= noise.ratio.value);
    assert_true(noise.floor >= 0 && noise.compare_floor >= 0);
    assert_true(noise.placement_deviation > 1e-9); /* each placement has rounds of its own */
    assert_true(noise.floor >= fabs(noise.ratio.interval.low - 1));
    assert_true(noise.floor >= fabs(noise.ratio.interval.high - 1));
    cJSON *json = record_to_json(&noise_record, &noise);
    assert_int_equal(cJSON_GetNumberValue(get(json, "placements")), noise.placements);
    assert_true(cJSON_IsNumber(get(json, "floor")));
    cJSON_Delete(json);
}

static void stepping_leaves_no_child(void **state) {
    (void)state;
    struct error error = {""};
    enum status status = stepping_try(&error);
    assert_true(status == STATUS_OK || (status == STATUS_MACHINE && strstr(error.text, "ptrace")));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_finding_has_a_name_of_its_own_and_a_text),
        cmocka_unit_test(without_measuring_json_has_null),
        cmocka_unit_test(what_was_measured_is_in_json),
        cmocka_unit_test(a_manifest_gets_what_is_not_ok),
        cmocka_unit_test(a_manifest_gets_latencies),
        cmocka_unit_test(noise_is_measured_over_placements),
        cmocka_unit_test(stepping_leaves_no_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
