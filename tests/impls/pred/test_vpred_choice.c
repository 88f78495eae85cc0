/* The stored choice of v: what vpred does without an option. */
#include "base/cpu.h"
#include "base/files/file.h"
#include "impls/pred/vpred_choice.h"
#include "impls/scorer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/treebench-choice-XXXXXX";
static char subfolder[sizeof folder + 16], file[sizeof subfolder + 16];
static struct cpu_info cpu;

static int enter(void **state) {
    (void)state;
    if (!mkdtemp(folder) || setenv("XDG_CONFIG_HOME", folder, 1) != 0)
        return -1;
    snprintf(subfolder, sizeof subfolder, "%s/treebench", folder);
    snprintf(file, sizeof file, "%s/vpred.json", subfolder);
    cpu_read_info(&cpu);
    return 0;
}

static int forget(void **state) {
    (void)state;
    unlink(file);
    return 0;
}

static int leave(void **state) {
    (void)state;
    rmdir(subfolder);
    return rmdir(folder);
}

static unsigned standard_v(uint32_t features, uint32_t depth) {
    unsigned v = 0;
    struct error error = {""};
    if (vpred_standard_v(features, depth, &v, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return v;
}

static void store(const char *model, const struct vpred_choice *choices, size_t count) {
    struct error error = {""};
    if (vpred_choice_store(model, choices, count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void write_text(const char *text) {
    struct file_writer writer;
    assert_int_equal(file_make_directories(subfolder, NULL), STATUS_OK);
    assert_int_equal(file_write_begin(&writer, file, NULL), STATUS_OK);
    fputs(text, writer.stream);
    assert_int_equal(file_write_commit(&writer, NULL), STATUS_OK);
}

static void without_a_file_it_is_eight(void **state) {
    (void)state;
    assert_int_equal(standard_v(32, 7), VPRED_STANDARD_V);
    assert_int_equal(VPRED_STANDARD_V, 8);
}

static void the_nearest_entry_decides(void **state) {
    (void)state;
    const struct vpred_choice choices[] = {{3, 32, 4}, {11, 32, 16}, {11, 512, 64}};
    store(cpu.model, choices, 3);
    assert_int_equal(standard_v(32, 3), 4);
    assert_int_equal(standard_v(30, 10), 16);
    assert_int_equal(standard_v(700, 12), 64);
    assert_int_equal(standard_v(0, 0), 4);
}

static void another_processor_does_not_count_and_is_kept(void **state) {
    (void)state;
    const struct vpred_choice other = {7, 32, 64}, here = {7, 32, 16}, later = {7, 32, 4};
    store("another processor", &other, 1);
    assert_int_equal(standard_v(32, 7), VPRED_STANDARD_V);
    store(cpu.model, &here, 1);
    store(cpu.model, &later, 1);
    assert_int_equal(standard_v(32, 7), 4);
    struct file_text text;
    assert_int_equal(file_read(file, &text, NULL), STATUS_OK);
    assert_non_null(strstr(text.data, "another processor"));
    assert_non_null(strstr(text.data, "64"));
    assert_null(strstr(text.data, "16"));
    file_text_free(&text);
}

static void check_damage(const char *text, const char *complaint) {
    struct error error = {""};
    unsigned v;
    write_text(text);
    assert_int_equal(vpred_standard_v(32, 7, &v, &error), STATUS_INPUT);
    if (!strstr(error.text, file) || !strstr(error.text, complaint))
        fail_msg("'%s' names not both '%s' and '%s'", error.text, file, complaint);
}

static void damage_is_an_error_that_names_the_file(void **state) {
    (void)state;
    char text[512];
    check_damage("{", "");
    check_damage("[]", "object");
    snprintf(text, sizeof text, "{\"%s\": 1}", cpu.model);
    check_damage(text, "array");
    snprintf(text, sizeof text, "{\"%s\": [1]}", cpu.model);
    check_damage(text, "depth");
    snprintf(text, sizeof text, "{\"%s\": [{\"depth\": 7, \"features\": 32}]}", cpu.model);
    check_damage(text, "v");
    snprintf(text, sizeof text, "{\"%s\": [{\"depth\": 7, \"features\": 32, \"v\": 5}]}",
             cpu.model);
    check_damage(text, "v is 5, but must be one of: 1 4 8");
}

static void a_damaged_file_is_not_overwritten(void **state) {
    (void)state;
    const struct vpred_choice choice = {7, 32, 16};
    write_text("{\"mine\": ");
    assert_int_equal(vpred_choice_store(cpu.model, &choice, 1, NULL), STATUS_INPUT);
    struct file_text text;
    assert_int_equal(file_read(file, &text, NULL), STATUS_OK);
    assert_string_equal(text.data, "{\"mine\": ");
    file_text_free(&text);
}

static void the_scorer_uses_it_and_fails_with_it(void **state) {
    (void)state;
    struct ensemble *ensemble;
    struct scorer *scorer;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, 1, ENSEMBLE_NO_COUNT);
    assert_int_equal(
        ensemble_builder_finish(b, &(struct ensemble_shape){.n_features = 32, .n_outputs = 1},
                                &ensemble, NULL),
        STATUS_OK);
    const struct vpred_choice choice = {7, 32, 16};
    store(cpu.model, &choice, 1);
    assert_int_equal(scorer_build("vpred", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer->lanes, 16);
    scorer_destroy(scorer);
    write_text("damage");
    assert_int_equal(scorer_build("vpred", ensemble, &scorer, NULL), STATUS_INPUT);
    assert_int_equal(scorer_build("vpred,v=4", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer->lanes, 4);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

/* Trees of depth 0 and 1 count as depth 1. */
static void the_mean_depth_is_rounded_up(void **state) {
    (void)state;
    struct ensemble *ensemble;
    struct scorer *scorer;
    struct ensemble_builder *b = ensemble_builder_create();
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_leaf(b, 1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_tree(b, 0);
    ensemble_builder_add_inner(
        b, &(struct inner_node){.left = 1, .right = 2, .count = ENSEMBLE_NO_COUNT});
    ensemble_builder_add_leaf(b, 1, ENSEMBLE_NO_COUNT);
    ensemble_builder_add_leaf(b, 2, ENSEMBLE_NO_COUNT);
    assert_int_equal(
        ensemble_builder_finish(b, &(struct ensemble_shape){.n_features = 32, .n_outputs = 1},
                                &ensemble, NULL),
        STATUS_OK);
    const struct vpred_choice choices[] = {{0, 32, 4}, {1, 32, 16}};
    store(cpu.model, choices, 2);
    assert_int_equal(scorer_build("vpred", ensemble, &scorer, NULL), STATUS_OK);
    assert_int_equal(scorer->lanes, 16);
    scorer_destroy(scorer);
    ensemble_free(ensemble);
}

#define TEST(function) cmocka_unit_test_teardown(function, forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(without_a_file_it_is_eight),
        TEST(the_nearest_entry_decides),
        TEST(another_processor_does_not_count_and_is_kept),
        TEST(damage_is_an_error_that_names_the_file),
        TEST(a_damaged_file_is_not_overwritten),
        TEST(the_scorer_uses_it_and_fails_with_it),
        TEST(the_mean_depth_is_rounded_up),
    };
    return cmocka_run_group_tests_name("vpred_choice", tests, enter, leave);
}
