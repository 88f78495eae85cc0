#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/grid.h"
#include "harness/judge/claims.h"
#include "harness/judge/compare.h"
#include "harness/papers/report.h"
#include "tests/harness/artefacts/folder.h"
#include "tests/harness/papers/expect_in_file.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

/* Two numbers of trees with 1, 2 and 8 threads; `rest` is the end of the file. */
static struct artefact read_good(const char *name, const char *rest) {
    struct artefact artefact;
    struct error error = {""};
    char json[4096];
    snprintf(json, sizeof json,
             "{\"name\": \"%s\", \"title\": \"T\", \"source\": \"S\", \"seed\": 7, \"scales\":"
             " {\"smoke\": {\"kind\": \"grown\", \"x\": \"trees\", \"trials\": 1, \"rounds\": 5,"
             " \"panels\": [{\"title\": \"P\", \"data\": \"istella\", \"max_leaves\": 64, "
             "\"trees\": [10, 20], \"documents\": 100, \"threads\": [1, 2, 8], \"parallel\": "
             "\"documents\"}]}}, \"variants\": {\"qs\": \"QS\", \"vqs-avx2\": \"vQS\"}, %s}",
             name, rest);
    if (made_up_artefact(directory, name, json, &artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return artefact;
}

static struct row *add(struct made_up *made, const struct point *point, uint32_t threads,
                       const char *variant, double ns) {
    struct row *row = made_up_add(made, 0, 0, 0, variant, ns);
    struct workload *w = &row->workload;
    snprintf(w->kind, sizeof w->kind, "%s", point->kind);
    snprintf(w->data, sizeof w->data, "%s", point->data);
    snprintf(row->parallel, sizeof row->parallel, "%s", point->parallel);
    snprintf(row->barrier, sizeof row->barrier, "%s", point->barrier);
    snprintf(row->cell, sizeof row->cell, "%u trees, %u threads", point->trees, threads);
    w->trees = row->model_trees = point->trees;
    w->max_leaves = point->max_leaves;
    row->threads = threads;
    row->median_interval = (struct interval){ns * 0.99, ns * 1.01};
    return row;
}

/* With one thread 1000 and 400 us per tree, with two 600 and 210. */
static void fill(struct made_up *made, const struct scale *scale) {
    const struct panel *panel = &scale->panels[0];
    for (size_t i = 0; i < panel->n_points; i++) {
        const struct point *point = &panel->points[i];
        add(made, point, 1, "qs", 1000.0 * point->trees);
        add(made, point, 1, "vqs-avx2", 400.0 * point->trees);
        add(made, point, 2, "qs", 600.0 * point->trees);
        add(made, point, 2, "vqs-avx2", 210.0 * point->trees);
    }
}

static void each_thread_is_a_cell(void **state) {
    (void)state;
    struct artefact artefact = read_good("fig", "\"claims\": []");
    struct cell *cells = NULL;
    size_t count = 0;
    struct error error = {""};
    assert_int_equal(scale_limit_threads(&artefact.scale, 4), 2);
    assert_int_equal(grid_build(&artefact, 1, &cells, &count, &error), STATUS_OK);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cells[i].workload.trees, i < 2 ? 20 : 10); /* the end of 20 is cut off */
        assert_int_equal(cells[i].threads, i % 2 + 1);
        assert_int_equal(cells[i].parallel, PARALLEL_DOCUMENTS);
    }
    free(cells);
    artefact_free(&artefact);
}

/* The rows of the cell have the point that the operand refers to. */
static void assert_row_is_found(const struct panel *panel, const struct cell *cell,
                                const char *operand) {
    struct row rows[CELL_VARIANTS_MAX];
    struct point at;
    bool found = false;
    cell_prepare_rows(cell, rows);
    struct point measured = point_of_row(&rows[0]);
    for (size_t i = 0; i < panel->n_points; i++)
        found |= panel_operand_point(panel, &panel->points[i], operand, &at) &&
                 point_equal(&at, &measured);
    assert_true(found);
}

/* Threads over documents run both variants. Over trees, only the
 * variant runs that an operand names. */
static void an_operand_asks_for_what_threads_share(void **state) {
    (void)state;
    struct artefact artefact = read_good(
        "fig", "\"table\": {\"columns\": [{\"title\": \"t\", \"time\": \"vqs-avx2@all/trees\"}]}, "
               "\"claims\": []");
    struct cell *cells = NULL;
    size_t count = 0, over_trees = 0;
    struct error error = {""};
    scale_limit_threads(&artefact.scale, 4);
    assert_int_equal(grid_build(&artefact, 1, &cells, &count, &error), STATUS_OK);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        bool is_over_trees = cells[i].parallel == PARALLEL_TREES;
        over_trees += is_over_trees;
        assert_int_equal(cells[i].n_variants, is_over_trees ? 1 : 2);
        assert_string_equal(cells[i].artefacts, "fig");
        if (is_over_trees) {
            assert_int_equal(cells[i].threads, 2);
            assert_string_equal(cells[i].variants[0], "vqs-avx2");
            assert_row_is_found(&artefact.scale.panels[0], &cells[i], "vqs-avx2@all/trees");
        }
    }
    assert_int_equal(over_trees, 2);
    free(cells);
    artefact_free(&artefact);
}

static void operands_name_threads(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good("fig", "\"claims\": []");
    scale_limit_threads(&artefact.scale, 4);
    fill(&made, &artefact.scale);
    const struct panel *panel = &artefact.scale.panels[0];
    const struct point *point = &panel->points[1];
    struct point trees = *point;
    snprintf(trees.parallel, sizeof trees.parallel, "trees");
    snprintf(trees.barrier, sizeof trees.barrier, "pass");
    add(&made, &trees, 2, "vqs-avx2", 9000);
    static const struct {
        const char *operand;
        double ns;
    } times[] = {{"qs", 20000},
                 {"qs@1", 20000},
                 {"qs@2", 12000},
                 {"vqs-avx2@all", 4200},
                 {"vqs-avx2@all/trees", 9000},
                 {"qs@1/documents", 20000}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct estimate time = compare_operand_time(
            &(struct place){made_up_index(&made), panel, point}, times[i].operand);
        assert_true(fabs(time.mean / times[i].ns - 1) < 1e-12); /* by logarithms */
    }
    /* Known, but this machine has too few cores. */
    assert_true(artefact_knows_operand(&artefact, "qs@8"));
    assert_true(isnan(
        compare_operand_time(&(struct place){made_up_index(&made), panel, point}, "qs@8").mean));
    assert_false(artefact_knows_operand(&artefact, "qs@3"));
    assert_false(artefact_knows_operand(&artefact, "qs@"));
    assert_false(artefact_knows_operand(&artefact, "qs@2x"));
    assert_false(artefact_knows_operand(&artefact, "qs@2/dogs"));
    assert_false(artefact_knows_operand(&artefact, "qs@3/trees"));
    assert_false(artefact_knows_operand(&artefact, "struct@2"));
    struct ratio ratio = compare_operand_ratio(&(struct place){made_up_index(&made), panel, point},
                                               "qs", "vqs-avx2@all");
    assert_true(fabs(ratio.value - 1000.0 / 210) < 1e-9);
    assert_true(fabs(ratio.interval.low - 1000 * 0.99 / (210 * 1.01)) < 1e-9);
    made_up_free(&made);
    artefact_free(&artefact);
}

#define SCALES(low)                                                                                \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"ratio\", \"slow\": \"vqs-avx2\", \"fast\": "    \
    "\"vqs-avx2@all\", \"per\": \"threads\", \"low\": " low "}"
#define COUNTED(kind, rest)                                                                        \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"" kind "\", \"counter\": \"branches\", " rest   \
    ", \"low\": 1}"
#define FALLS(variant) COUNTED("speedup", "\"variants\": \"" variant "\"")
#define FEWER(fast, rest) COUNTED("ratio", "\"slow\": \"qs\", \"fast\": \"" fast "\"" rest)

static void expect_judged(const struct artefact *artefact, const struct row_index *rows, size_t i,
                          enum verdict verdict, const char *says) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error = {""};
    assert_int_equal(claims_judge(artefact->name, artefact, rows, &judged, &count, &error),
                     STATUS_OK);
    if (judged[i].verdict != verdict)
        fail_msg("claim %zu is %s: %s", i, verdict_names[judged[i].verdict], judged[i].measured);
    if (!strstr(judged[i].measured, says))
        fail_msg("claim %zu says '%s', not '%s'", i, judged[i].measured, says);
    free(judged);
}

static void expect_verdict(const struct artefact *artefact, const struct row_index *rows, size_t i,
                           enum verdict verdict) {
    expect_judged(artefact, rows, i, verdict, "");
}

/* 400 / 210 / 2 = 0.952, within 2 %. */
static void claims_weigh_speedups_by_threads(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact =
        read_good("fig", "\"claims\": [" SCALES("0.9") ", " SCALES("0.95") ", " SCALES("1") "]");
    scale_limit_threads(&artefact.scale, 4);
    fill(&made, &artefact.scale);
    expect_verdict(&artefact, made_up_index(&made), 0, VERDICT_HELD);
    expect_verdict(&artefact, made_up_index(&made), 1, VERDICT_UNRESOLVED);
    expect_judged(&artefact, made_up_index(&made), 2, VERDICT_NOT_HELD,
                  "(vqs-avx2@1 / vqs-avx2@2, istella L=64, 10 trees, threads over documents)");
    expect_judged(&artefact, made_up_index(&made), 2, VERDICT_NOT_HELD,
                  "fails at 2: istella L=64, 10 trees, threads over documents; ");
    made_up_free(&made);
    artefact_free(&artefact);
}

#define AS_FAST(fast, more)                                                                        \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"ratio\", \"slow\": \"qs\", \"fast\": \"" fast   \
    "\", \"low\": 0.5" more "}"

/* With one core, "@all" is one thread. A ratio of 1 would then hold without any threads. */
static void nothing_is_compared_with_itself(void **state) {
    (void)state;
    static const char *const nothing = "not measured: both variants are the same here, or have the "
                                       "same number of threads";
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(
        "fig", "\"claims\": [" AS_FAST("qs@all/trees", "") ", " AS_FAST("qs@all", "") ", " AS_FAST(
                   "vqs-avx2@all", ", \"per\": \"threads\"") ", " AS_FAST("vqs-avx2@all", "") "]");
    scale_limit_threads(&artefact.scale, 1);
    fill(&made, &artefact.scale);
    for (size_t i = 0; i < 3; i++)
        expect_judged(&artefact, made_up_index(&made), i, VERDICT_NOT_MEASURED, nothing);
    expect_verdict(&artefact, made_up_index(&made), 3, VERDICT_HELD);
    const struct panel *panel = &artefact.scale.panels[0];
    struct ratio ratio = compare_operand_ratio(
        &(struct place){made_up_index(&made), panel, &panel->points[0]}, "qs", "qs@all");
    assert_true(isnan(ratio.value) && isnan(ratio.interval.low));
    artefact_free(&artefact);
    artefact = read_good("fig", "\"claims\": [" AS_FAST("qs@all", "") "]");
    scale_limit_threads(&artefact.scale, 2);
    expect_verdict(&artefact, made_up_index(&made), 0, VERDICT_HELD);
    made_up_free(&made);
    artefact_free(&artefact);
}

static void set_branches(struct row *row, uint64_t branches) {
    struct counts *counts = &row->counts;
    counts->values[COUNTER_BRANCHES] = (struct counter_value){.valid = true, .value = branches};
    counts->documents = 10;
    snprintf(counts->source, sizeof counts->source, "callgrind");
    snprintf(counts->simulated, sizeof counts->simulated, "some caches");
}

/* Per document and tree: QS 8, then 4; vQS 5 and 5. */
static void fill_counts(struct made_up *made, const struct scale *scale) {
    const struct panel *panel = &scale->panels[0];
    for (size_t i = 0; i < 2; i++) {
        const struct point *point = &panel->points[i];
        set_branches(add(made, point, 1, "qs", 1), 800);
        set_branches(add(made, point, 1, "vqs-avx2", 1), 50 * point->trees);
    }
}

static void claims_compare_counts(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    static const char *const claims[] = {
        FALLS("qs"),           FALLS("vqs-avx2"),       FEWER("vqs-avx2", ", \"x\": [10]"),
        FEWER("vqs-avx2", ""), FEWER("vqs-avx2@2", ""),
    };
    char rest[1024];
    snprintf(rest, sizeof rest, "\"claims\": [%s, %s, %s, %s, %s]", claims[0], claims[1], claims[2],
             claims[3], claims[4]);
    struct artefact artefact = read_good("fig", rest);
    fill_counts(&made, &artefact.scale);
    expect_verdict(&artefact, made_up_index(&made), 0, VERDICT_HELD);
    expect_verdict(&artefact, made_up_index(&made), 1, VERDICT_NOT_HELD);
    expect_verdict(&artefact, made_up_index(&made), 2, VERDICT_HELD);
    expect_verdict(&artefact, made_up_index(&made), 3, VERDICT_NOT_HELD);
    expect_verdict(&artefact, made_up_index(&made), 4, VERDICT_NOT_MEASURED);
    made_up_free(&made);
    artefact_free(&artefact);
}

static void expect_text(const char *wanted) {
    char path[64];
    snprintf(path, sizeof path, "%s/fig.md", directory);
    expect_in_file(path, wanted);
}

static void report(const struct artefact *artefact, const struct row_index *rows) {
    const struct report_paths paths = {"plots", directory};
    char warning[64];
    struct error error = {""};
    if (report_artefact(directory, artefact, rows, &paths, NULL, NULL, warning, sizeof warning,
                        &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void remove_file(const char *name) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

static void write_reference(void) {
    char path[64];
    snprintf(path, sizeof path, "%s/paper.csv", directory);
    FILE *stream = fopen(path, "w");
    if (!stream || fputs("trees,time,mt,gain\n10,3,2,1.5\n", stream) < 0 || fclose(stream) != 0)
        abort();
}

/* A column without numbers of the paper or of this machine is left out. */
static void columns_are_of_threads_ratios_and_the_paper(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(
        "fig", "\"table\": {\"reference\": \"paper.csv\", \"machine\": \"an abacus\","
               " \"columns\": [{\"title\": \"one\", \"time\": \"vqs-avx2\", \"reference\": "
               "\"time\"}, {\"title\": \"two\", \"time\": \"vqs-avx2@2\"}, {\"title\": \"eight\","
               " \"time\": \"vqs-avx2@8\"}, {\"title\": \"gain\", \"faster\": \"vqs-avx2@all\", "
               "\"than\": \"vqs-avx2\", \"reference\": \"gain\"}, {\"title\": \"theirs\", "
               "\"reference\": \"mt\"}]}, \"claims\": []");
    scale_limit_threads(&artefact.scale, 4);
    fill(&made, &artefact.scale);
    write_reference();
    report(&artefact, made_up_index(&made));
    expect_text("The paper's numbers were measured on an abacus.");
    expect_text(
        "| trees | one, paper | one, here | two | gain, paper | gain, here | theirs, paper |");
    expect_text("| 10 | 3 | 4.000 | 2.100 | 1.5x | 1.90x [1.87, 1.94] | 2 |");
    remove_file("paper.csv");
    remove_file("fig.md");
    remove_file("fig.csv");
    made_up_free(&made);
    artefact_free(&artefact);
}

/* vqs-avx2 takes 4 us per document at 10 trees, qs with two threads 6 us. */
static void columns_are_of_queries(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact =
        read_good("fig", "\"table\": {\"columns\": [{\"title\": \"ms\", \"query\": \"vqs-avx2\", "
                         "\"documents\": 200}, {\"title\": \"per second\", \"queries\": \"qs@2\", "
                         "\"documents\": 200}]}, \"claims\": []");
    scale_limit_threads(&artefact.scale, 4);
    fill(&made, &artefact.scale);
    report(&artefact, made_up_index(&made));
    expect_text("| trees | ms | per second |");
    expect_text("| 10 | 0.800 | 833 |\n| 20 | 1.600 | 417 |");
    remove_file("fig.md");
    remove_file("fig.csv");
    made_up_free(&made);
    artefact_free(&artefact);
}

static void tables_of_counts_say_that_they_are_simulated(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(
        "fig", "\"measure\": \"counts\", \"tables\": [{\"title\": \"branches\", \"columns\": "
               "[{\"title\": \"QS\", \"count\": \"qs\", \"counter\": \"branches\"}]}, {\"title\": "
               "\"cycles\", \"columns\": [{\"title\": \"QS\", \"count\": \"qs\", \"counter\": "
               "\"cycles\"}]}], \"claims\": []");
    fill_counts(&made, &artefact.scale);
    report(&artefact, made_up_index(&made));
    expect_text("### P: branches\n\nUnit: per document and tree, by callgrind: **simulated**");
    expect_text("| 10 | 8.0000 |\n| 20 | 4.0000 |");
    expect_text("### P: cycles");
    expect_text("| 10 | - |");
    expect_text("not trained");
    remove_file("fig.md");
    remove_file("fig.csv");
    made_up_free(&made);
    artefact_free(&artefact);
}

static void the_least_time_of_each_line_is_bold(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct artefact artefact = read_good(
        "fig", "\"table\": {\"marks\": \"least\", \"columns\": [{\"title\": \"QS\", \"time\": "
               "\"qs\"}, {\"title\": \"vQS\", \"time\": \"vqs-avx2\"}, {\"title\": \"gain\", "
               "\"faster\": \"vqs-avx2\", \"than\": \"qs\"}]}, \"claims\": []");
    add(&made, &artefact.scale.panels[0].points[0], 1, "qs", 4000);
    add(&made, &artefact.scale.panels[0].points[0], 1, "vqs-avx2", 2000);
    add(&made, &artefact.scale.panels[0].points[1], 1, "qs", 3000);
    add(&made, &artefact.scale.panels[0].points[1], 1, "vqs-avx2", 6000);
    report(&artefact, made_up_index(&made));
    expect_text("| 10 | 4.000 | **2.000** | 2.00x");
    expect_text("| 20 | **3.000** | 6.000 | 0.50x");
    remove_file("fig.md");
    remove_file("fig.csv");
    made_up_free(&made);
    artefact_free(&artefact);
}

/* If two artefacts share a cell, only the variants of the one with counters are counted. */
static void only_what_asks_is_simulated(void **state) {
    (void)state;
    struct artefact artefacts[] = {
        read_good("times", "\"claims\": []"),
        read_good("counts", "\"measure\": \"counts\", \"claims\": []"),
    };
    struct cell *cells = NULL;
    size_t count = 0;
    struct error error = {""};
    snprintf(artefacts[1].variants[0], ROW_NAME_SIZE, "bwqs");
    assert_int_equal(grid_build(artefacts, 2, &cells, &count, &error), STATUS_OK);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(cells[i].n_variants, 3);
        assert_false(cells[i].simulated[0]); /* qs */
        assert_true(cells[i].simulated[1]);  /* vqs-avx2 */
        assert_true(cells[i].simulated[2]);  /* bwqs */
    }
    free(cells);
    artefact_free(&artefacts[0]);
    artefact_free(&artefacts[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_thread_is_a_cell),
        cmocka_unit_test(operands_name_threads),
        cmocka_unit_test(an_operand_asks_for_what_threads_share),
        cmocka_unit_test(claims_weigh_speedups_by_threads),
        cmocka_unit_test(nothing_is_compared_with_itself),
        cmocka_unit_test(claims_compare_counts),
        cmocka_unit_test(columns_are_of_threads_ratios_and_the_paper),
        cmocka_unit_test(columns_are_of_queries),
        cmocka_unit_test(tables_of_counts_say_that_they_are_simulated),
        cmocka_unit_test(the_least_time_of_each_line_is_bold),
        cmocka_unit_test(only_what_asks_is_simulated),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
