/* Maps: the config, the winner of a point, and the layout of the tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/tuning/map.h"
#include "tests/harness/rows/made_up_rows.h"

static char *folder;

static int make_folder(void **state) {
    (void)state;
    static char template[] = "/tmp/test_map_XXXXXX";
    folder = mkdtemp(template);
    return folder ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder);
}

/* --- the config ------------------------------------------------------------------------------- */

#define AXES "\"features\": [10], \"leaves\": [4, 16], \"trees\": [5, 20]"
#define REST "\"documents\": 4096, \"most_leaves\": 100, \"rounds\": 3"

static enum status read_text(const char *scale, struct map_grid *grid, struct error *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/map.json", folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream, "{\"seed\": 7, \"scales\": {\"smoke\": {%s}}}", scale);
    assert_int_equal(fclose(stream), 0);
    enum status status = map_read(path, "smoke", grid, error);
    unlink(path);
    return status;
}

static void a_config_is_read(void **state) {
    (void)state;
    struct map_grid grid;
    struct error error;
    assert_int_equal(read_text(AXES ", \"calls\": [1, 64, 4096], " REST, &grid, &error), STATUS_OK);
    assert_string_equal(grid.name, "smoke");
    assert_int_equal(grid.seed, 7);
    assert_int_equal(grid.calls.count, 3);
    assert_int_equal(grid.calls.values[2], 4096);
    assert_true(map_asks(&grid, 4, 20));
    assert_false(map_asks(&grid, 16, 20)); /* 320 leaves */
    assert_int_equal(map_points(&grid), 3 * 3);
}

static void a_wrong_config_is_refused_by_key(void **state) {
    (void)state;
    static const struct {
        const char *scale, *expected;
    } cases[] = {
        {AXES ", " REST, "calls"},
        {AXES ", \"calls\": [], " REST, "calls: must be"},
        {AXES ", \"calls\": [8, 1], " REST, "calls: must be"},
        {AXES ", \"calls\": [1, 1], " REST, "calls: must be"},
        {AXES ", \"calls\": [1.5], " REST, "calls: must be"},
        {AXES ", \"calls\": [0], " REST, "calls: must be"},
        {AXES ", \"calls\": [1, \"8\"], " REST, "calls: must be"},
        {AXES ", \"calls\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17], " REST, "calls: must be"},
        {AXES ", \"calls\": [5000], " REST, "documents"},
        {AXES ", \"calls\": [1], \"colour\": 1, " REST, "colour"},
        {AXES ", \"calls\": [1], \"documents\": 4096, \"most_leaves\": 100, \"rounds\": 2",
         "rounds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct map_grid grid;
        struct error error;
        assert_int_equal(read_text(cases[i].scale, &grid, &error), STATUS_INPUT);
        if (!strstr(error.text, cases[i].expected))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].expected);
    }
    struct map_grid grid;
    struct error error;
    assert_int_equal(map_read("/nonexistent/map.json", "smoke", &grid, &error), STATUS_IO);
}

/* --- points ----------------------------------------------------------------------------------- */

/* A point of 10 features and 4 leaves: the time of each variant in ns; negative: unsupported. */
struct entry {
    const char *variant;
    double ns;
    bool screened;
};

static void add_point(struct made_up *made, uint32_t trees, uint32_t call,
                      const struct entry *entries, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double ns = entries[i].ns < 0 ? 1 : entries[i].ns;
        struct row *row = made_up_add(made, 0, 10, 0, entries[i].variant, ns);
        snprintf(row->cell, sizeof row->cell, "t%u-n%u", trees, call);
        snprintf(row->artefacts, sizeof row->artefacts, "map");
        row->cell_rows = (uint32_t)count;
        row->workload.max_leaves = 4;
        row->workload.trees = trees;
        row->doc_block = entries[i].screened && call > 1000 ? 1000 : call;
        if (entries[i].screened)
            row->samples.count = 2;
        if (entries[i].ns < 0) {
            row->status = ROW_UNSUPPORTED;
            row->samples.count = 0;
        }
    }
}

static struct map_regions regions_of(const struct made_up *made) {
    struct map_regions regions;
    struct error error;
    assert_int_equal(map_regions_make(&made->rows, &regions, &error), STATUS_OK);
    return regions;
}

static void the_winner_is_the_fastest_that_was_sampled_but_not_auto(void **state) {
    (void)state;
    const struct entry entries[] = {
        {"auto", 90, false},        {"qs", 50, true},     {"vpred,v=8", 104, false},
        {"vpred,v=16", 100, false}, {"pred", 130, false}, {"planes", -1, false},
        {"xgboost", 900, true},
    };
    struct made_up made = {.capacity = 0};
    add_point(&made, 5, 10000, entries, sizeof entries / sizeof *entries);
    struct map_regions regions = regions_of(&made);
    const struct map_point *point = map_point_at(&regions, 10, 4, 5, 10000);
    assert_non_null(point);
    assert_string_equal(point->winner->params, "v=16");
    assert_string_equal(point->second.row->impl, "pred"); /* not the winner with another v */
    assert_true(fabs(point->second.ratio.value - 1.3) < 1e-9);
    assert_false(map_is_tie(point));
    assert_string_equal(point->library.row->impl, "xgboost");
    assert_true(fabs(point->library.ratio.value - 9) < 1e-9);
    assert_true(isnan(point->library.ratio.interval.low));
    assert_false(map_is_lost(point));
    assert_false(map_auto_exceeds(point, 1.1));
    map_regions_free(&regions);
    made_up_free(&made);
}

static void ties_and_points_of_libraries_are_told(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    add_point(&made, 1, 1, (struct entry[]){{"qs", 100, false}, {"bwqs", 100, false}}, 2);
    add_point(&made, 2, 1, (struct entry[]){{"qs", 100, false}, {"xgboost", 90, false}}, 2);
    add_point(&made, 3, 1, (struct entry[]){{"qs", 100, false}, {"xgboost", 100, false}}, 2);
    add_point(&made, 4, 1, (struct entry[]){{"qs", -1, false}, {"auto", 100, false}}, 2);
    struct map_regions regions = regions_of(&made);
    assert_true(map_is_tie(&regions.points[0]));
    assert_false(map_is_lost(&regions.points[0]));
    assert_true(map_auto_exceeds(&regions.points[0], 1.1)); /* it is not there */
    assert_string_equal(regions.points[1].winner->impl, "xgboost");
    assert_true(map_is_lost(&regions.points[1]));
    assert_string_equal(regions.points[2].winner->impl, "qs");
    assert_true(map_is_lost(&regions.points[2]));
    assert_null(regions.points[3].winner);
    assert_false(map_is_lost(&regions.points[3]));
    map_regions_free(&regions);
    made_up_free(&made);
}

static void auto_exceeds_where_that_is_resolved(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    add_point(&made, 1, 1, (struct entry[]){{"qs", 100, false}, {"auto", 120, false}}, 2);
    add_point(&made, 2, 1, (struct entry[]){{"qs", 100, false}, {"auto", 120, false}}, 2);
    struct row *restless = &made.rows.list[3];
    restless->samples.cpu[0] = restless->samples.cpu[2] = 90;
    struct map_regions regions = regions_of(&made);
    assert_true(map_auto_exceeds(&regions.points[0], 1.1));
    assert_false(map_auto_exceeds(&regions.points[0], 1.3));
    assert_true(regions.points[1].choice.ratio.value > 1.1);
    assert_false(map_auto_exceeds(&regions.points[1], 1.1));
    map_regions_free(&regions);
    made_up_free(&made);
}

static void rows_that_are_no_map_are_refused(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct map_regions regions;
    struct error error;
    add_point(&made, 1, 1, (struct entry[]){{"qs", 100, false}}, 1);
    snprintf(made.rows.list[0].artefacts, ROW_REASON_SIZE, "asadi2014-fig2");
    assert_int_equal(map_regions_make(&made.rows, &regions, &error), STATUS_INPUT);
    made_up_free(&made);
}

static void families_are_what_implementations_declare(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"planes-avx2", "planes"}, {"rank-bytes", "rank-bytes"}, {"of-later", "of-later"}};
    for (size_t i = 0; i < 3; i++) {
        struct row row;
        row_init(&row);
        snprintf(row.impl, sizeof row.impl, "%s", names[i][0]);
        assert_string_equal(map_family(&row), names[i][1]);
    }
}

/* --- texts ------------------------------------------------------------------------------------ */

static struct made_up four_points_less_one(void) {
    struct made_up made = {.capacity = 0};
    add_point(&made, 20, 1,
              (struct entry[]){{"qs", 100, false}, {"bwqs", 100, false}, {"auto", 250, false}}, 3);
    add_point(
        &made, 5, 64,
        (struct entry[]){
            {"planes", 10, false}, {"qs", 25, false}, {"xgboost", 300, true}, {"auto", 10, false}},
        4);
    add_point(&made, 5, 1, (struct entry[]){{"qs", 100, false}, {"xgboost", 50, false}}, 2);
    return made;
}

static char *text_of(void (*write)(FILE *, const struct map_regions *)) {
    struct made_up made = four_points_less_one();
    struct map_regions regions = regions_of(&made);
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    write(stream, &regions);
    fclose(stream);
    map_regions_free(&regions);
    made_up_free(&made);
    return text;
}

static void a_table_has_trees_down_and_calls_across(void **state) {
    (void)state;
    char *text = text_of(map_write_tables);
    assert_string_equal(
        text, "\n### 10 features, 4 leaves\n\n"
              "| trees \\ call | 1 | 64 |\n"
              "|---|---|---|\n"
              "| 5 | **xgboost**<br>qs 2.0 [2.0, 2.0] |"
              " **planes**<br>qs 2.5 [2.5, 2.5]<br>xgboost about 30<br>auto 1.00 [1.00, 1.00] |\n"
              "| 20 | *qs* (tie)<br>bwqs 1.00 [1.00, 1.00]<br>auto 2.5 [2.5, 2.5] | – |\n");
    free(text);
}

static void findings_list_what_libraries_win_and_where_auto_is_slow(void **state) {
    (void)state;
    char *text = text_of(map_write_findings);
    assert_string_equal(
        text,
        "3 points. Wins, and in parentheses how many are ties with the second: planes 1 (0), qs 1 "
        "(1), xgboost 1 (0)\n\n"
        "Points that a library wins or ties: 1\n"
        "- 10 features, 4 leaves, 5 trees, 1 document a call: xgboost; then qs 2.0 [2.0, "
        "2.0]\n\n"
        "Points where auto takes more than 10 % longer than the fastest: 2\n"
        "- 10 features, 4 leaves, 20 trees, 1 document a call: auto 2.5 [2.5, 2.5] of qs\n"
        "- 10 features, 4 leaves, 5 trees, 1 document a call: auto has no time; the fastest is "
        "xgboost\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_config_is_read),
        cmocka_unit_test(a_wrong_config_is_refused_by_key),
        cmocka_unit_test(the_winner_is_the_fastest_that_was_sampled_but_not_auto),
        cmocka_unit_test(ties_and_points_of_libraries_are_told),
        cmocka_unit_test(auto_exceeds_where_that_is_resolved),
        cmocka_unit_test(rows_that_are_no_map_are_refused),
        cmocka_unit_test(families_are_what_implementations_declare),
        cmocka_unit_test(a_table_has_trees_down_and_calls_across),
        cmocka_unit_test(findings_list_what_libraries_win_and_where_auto_is_slow),
    };
    return cmocka_run_group_tests_name("map", tests, make_folder, remove_folder);
}
