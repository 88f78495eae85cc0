/* Caches of made-up trees, buffers, and what a survey of this machine holds. No test depends on a
 * time. */
#include "harness/caches/survey.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/harness/instruments/made_up_system.h"

#include "harness/caches/buffer.h"

#include <math.h>

static void has_cache(int index, const char *level, const char *type, const char *size,
                      const char *shared) {
    const char *const names[] = {"level", "type", "size", "shared_cpu_list"};
    const char *const texts[] = {level, type, size, shared};
    for (size_t i = 0; i < 4; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index,
                 names[i]);
        has_file(path, texts[i]);
    }
}

static void caches_are_read_with_the_cores_that_share_them(void **state) {
    (void)state;
    struct caches caches;
    has_cache(0, "1\n", "Data\n", "48K\n", "0,8\n");
    has_cache(1, "1\n", "Instruction\n", "32K\n", "0,8\n");
    has_cache(2, "2\n", "Unified\n", "2048K\n", "0,8\n");
    has_cache(3, "3\n", "Unified\n", "36M\n", "0-15\n");
    has_file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,8\n");
    caches_read(made_up_root, &caches);
    assert_int_equal(caches.levels[0].bytes, 48 << 10);
    assert_int_equal(caches.levels[0].cores, 1);
    assert_int_equal(caches.levels[1].bytes, 2 << 20);
    assert_int_equal(caches.levels[2].bytes, 36 << 20);
    assert_int_equal(caches.levels[2].cores, 8);
    assert_int_equal(caches_last(&caches), 2);
}

/* A hyper-thread without its sibling, as containers have it, is a core too. */
static void part_of_a_core_counts(void **state) {
    (void)state;
    struct caches caches;
    has_cache(0, "2\n", "Unified\n", "2048K\n", "0-2\n");
    has_file("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
    caches_read(made_up_root, &caches);
    assert_int_equal(caches.levels[1].cores, 2);
}

static void malformed_caches_are_unknown(void **state) {
    (void)state;
    struct caches caches;
    has_cache(0, "1\n", "Data\n", "-5K\n", "0-\n");
    has_cache(1, "9\n", "Data\n", "32K\n", "0\n");
    has_cache(2, "", "", "", "");
    has_cache(3, "33\n", "Unified\n", "1M\n", "0\n");
    caches_read(made_up_root, &caches);
    for (int i = 0; i < CACHE_LEVELS; i++)
        assert_int_equal(caches.levels[i].bytes, 0);
    assert_int_equal(caches_last(&caches), -1);
}

static void busy_cores_divide_a_shared_cache(void **state) {
    (void)state;
    const struct cache shared = {32 << 20, 8}, unknown = {32 << 20, 0};
    assert_int_equal(caches_effective(&shared, 0), 32 << 20);
    assert_int_equal(caches_effective(&shared, 1), 32 << 20);
    assert_int_equal(caches_effective(&shared, 4), 8 << 20);
    assert_int_equal(caches_effective(&shared, 16), 4 << 20);
    assert_int_equal(caches_effective(&unknown, 16), 32 << 20);
}

static void a_buffer_is_aligned_and_can_be_written(void **state) {
    (void)state;
    for (int huge = 0; huge < 2; huge++) {
        struct memory_buffer buffer;
        assert_int_equal(memory_buffer_create((5 << 20) + 17, huge, &buffer, NULL), STATUS_OK);
        assert_int_equal((uintptr_t)buffer.bytes % (2 << 20), 0);
        memset(buffer.bytes, 3, buffer.size);
        assert_true(isnan(buffer.huge_share) || (buffer.huge_share >= 0 && buffer.huge_share <= 1));
        assert_true(bandwidth_measure(&buffer) > 0);
        memory_buffer_free(&buffer);
        assert_null(buffer.bytes);
        memory_buffer_free(&buffer);
    }
}

static void a_buffer_that_is_too_large_is_an_error(void **state) {
    (void)state;
    struct memory_buffer buffer;
    struct error error;
    assert_int_equal(memory_buffer_create(SIZE_MAX / 2, false, &buffer, &error), STATUS_MEMORY);
    assert_non_null(strstr(error.text, "out of memory"));
    assert_int_equal(memory_buffer_create(SIZE_MAX, true, &buffer, &error), STATUS_MEMORY);
    assert_int_equal(memory_buffer_create(0, false, &buffer, &error), STATUS_MEMORY);
    memory_buffer_free(&buffer);
}

static void a_survey_leaves_most_memory_to_others(void **state) {
    (void)state;
    assert_int_equal(memory_survey_most(0), 0);
    assert_int_equal(memory_survey_most(1 << 20), 0);
    assert_int_equal(memory_survey_most(400 << 20), 100 << 20);
}

static void a_small_survey_has_latencies_and_no_bandwidth_of_caches(void **state) {
    (void)state;
    const struct survey_request request = {
        .detail = &latency_least, .most = 1 << 20, .times_last = 4, .with_huge = false};
    struct memory_survey survey;
    assert_int_equal(memory_survey(&request, &survey, NULL), STATUS_OK);
    const struct page_survey *pages = &survey.pages[PAGES_SMALL];
    assert_true(survey.clock_ghz > 0);
    assert_true(pages->is_measured && !survey.pages[PAGES_HUGE].is_measured);
    assert_true(pages->curve.count > 0);
    assert_true(pages->curve.points[pages->curve.count - 1].bytes <= 1 << 20);
    for (size_t i = 0; i < pages->curve.count; i++)
        assert_true(pages->curve.points[i].ns > 0);
    if (caches_last(&survey.caches) >= 0) {
        /* 1 MiB is not beyond the caches */
        assert_true(isnan(survey.bandwidth) && isnan(pages->levels.ns[CACHE_LEVELS]));
    }
}

static const cJSON *get(const cJSON *object, const char *key) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!found)
        fail_msg("no key %s", key);
    return found;
}

static void json_has_levels_ratios_and_points(void **state) {
    (void)state;
    struct memory_survey survey = {.caches = {{{32 << 10, 1}, {1 << 20, 1}, {0, 0}}},
                                   .clock_ghz = 2,
                                   .bandwidth = (double)NAN};
    struct page_survey *pages = &survey.pages[PAGES_SMALL];
    *pages = (struct page_survey){.is_measured = true, .huge_share = (double)NAN};
    pages->curve = (struct latency_curve){{{4096, 1.5}}, 1};
    pages->levels = (struct latency_levels){{32 << 10, 1 << 20, 0}, {1.5, 6, (double)NAN, 90}, {0}};
    cJSON *json = memory_survey_to_json(&survey, true);
    assert_non_null(json);
    assert_true(cJSON_IsNull(get(json, "bandwidth_gb_per_s")));
    const cJSON *array = get(json, "pages");
    assert_int_equal(cJSON_GetArraySize(array), 1);
    const cJSON *item = cJSON_GetArrayItem(array, 0), *levels = get(item, "levels");
    assert_int_equal(cJSON_GetArraySize(levels), 4);
    assert_true(cJSON_GetNumberValue(get(cJSON_GetArrayItem(levels, 1), "cycles")) == 12);
    assert_true(cJSON_IsNull(get(cJSON_GetArrayItem(levels, 2), "ns")));
    assert_string_equal(get(cJSON_GetArrayItem(levels, 3), "name")->valuestring, "memory");
    assert_true(cJSON_GetNumberValue(get(get(item, "ratios"), "c2")) == 4);
    assert_true(cJSON_GetNumberValue(get(get(item, "extra"), "c4")) == 59);
    assert_true(cJSON_IsNull(get(get(item, "ratios"), "c3")));
    assert_true(cJSON_GetNumberValue(get(cJSON_GetArrayItem(get(item, "points"), 0), "ns")) == 1.5);
    cJSON_Delete(json);
    json = memory_survey_to_json(&survey, false);
    item = cJSON_GetArrayItem(get(json, "pages"), 0);
    assert_null(cJSON_GetObjectItemCaseSensitive(item, "points"));
    cJSON_Delete(json);
}

#define IN_A_TREE(test) cmocka_unit_test_setup_teardown(test, make_system, remove_system)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_TREE(caches_are_read_with_the_cores_that_share_them),
        IN_A_TREE(part_of_a_core_counts),
        IN_A_TREE(malformed_caches_are_unknown),
        cmocka_unit_test(busy_cores_divide_a_shared_cache),
        cmocka_unit_test(a_buffer_is_aligned_and_can_be_written),
        cmocka_unit_test(a_buffer_that_is_too_large_is_an_error),
        cmocka_unit_test(a_survey_leaves_most_memory_to_others),
        cmocka_unit_test(a_small_survey_has_latencies_and_no_bandwidth_of_caches),
        cmocka_unit_test(json_has_levels_ratios_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
