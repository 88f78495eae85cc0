#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "harness/papers/report.h"
#include "harness/papers/report_parts.h"
#include "tests/harness/papers/expect_in_file.h"
#include "tests/harness/rows/made_up_rows.h"

static const char *const names[] = {"asadi2014-fig2", "asadi2014-fig3", "asadi2014-table2"};
static const char *const suffixes[] = {"csv", "svg", "png", "md"};

struct fixture {
    char directory[64];
    struct made_up made;
    char warning[256];
    uint32_t measured_features; /* no rows for other panels; 0: rows for all panels */
};

static int set_up(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    if (!fixture)
        return -1;
    snprintf(fixture->directory, sizeof fixture->directory, "/tmp/treebench-report-XXXXXX");
    *state = fixture;
    return mkdtemp(fixture->directory) ? 0 : -1;
}

/* The folder must hold only the files that the report names: rmdir fails if one is left. */
static int tear_down(void **state) {
    struct fixture *fixture = *state;
    char path[256];
    for (size_t i = 0; i < 3; i++)
        for (size_t s = 0; s < 4; s++) {
            snprintf(path, sizeof path, "%s/%s.%s", fixture->directory, names[i], suffixes[s]);
            unlink(path);
        }
    int left = rmdir(fixture->directory);
    made_up_free(&fixture->made);
    free(fixture);
    return left;
}

/* What takes longer has the smaller throughput, so the ends of an interval change places. */
static void throughput_has_its_interval_in_order(void **state) {
    (void)state;
    struct panel panel = {.show = SHOW_THROUGHPUT};
    struct estimate shown = report_shown(&(struct place){NULL, &panel, &panel.points[0]},
                                         (struct estimate){200, {100, 400}, 3});
    assert_true(shown.mean == 5e6 && shown.interval.low == 2.5e6 && shown.interval.high == 1e7);
}

/* Every variant at every point of the smoke scale: PRED takes 2, CODEGEN 1.5 and VPRED 1 units. */
static void fill(struct fixture *fixture, const struct artefact *artefact) {
    const struct scale *scale = &artefact->scale;
    for (size_t i = 0; i < artefact->n_variants; i++)
        for (size_t p = 0; p < scale->n_panels; p++)
            for (size_t k = 0; k < scale->panels[p].n_points; k++) {
                const struct point *point = &scale->panels[p].points[k];
                if (fixture->measured_features && point->features != fixture->measured_features)
                    continue;
                const char *variant = artefact->variants[i];
                double unit = point->depth + point->features / 100.0;
                double ns = strcmp(variant, "pred") == 0      ? 2 * unit
                            : strcmp(variant, "codegen") == 0 ? 1.5 * unit
                            : strstr(variant, "v=8")          ? unit
                                                              : 3 * unit;
                made_up_trials(&fixture->made, point->depth, point->features, scale->trials,
                               variant, ns);
            }
    made_up_passes(&fixture->made, scale);
    for (size_t i = 0; i < fixture->made.rows.count; i++)
        fixture->made.rows.list[i].workload.documents = 10000;
    fixture->made.rows.manifest =
        cJSON_Parse("{\"cpu\": {\"model\": \"Made-up CPU\", \"l3_bytes\": 8388608, \"cores\": 4},"
                    " \"load\": 1.25,"
                    " \"build\": {\"compiler\": \"cc 1\", \"flags\": \"-O3\", \"commit\": \"abc\","
                    " \"dirty\": true}}");
}

static void report_with(struct fixture *fixture, const char *name, const char *plots) {
    char path[128];
    struct artefact artefact;
    struct error error = {""};
    const struct report_paths paths = {plots, "results/reference"};
    snprintf(path, sizeof path, "configs/%s.json", name);
    if (artefact_open(path, "smoke", &artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    fill(fixture, &artefact);
    if (report_artefact(fixture->directory, &artefact, made_up_index(&fixture->made), &paths, NULL,
                        NULL, fixture->warning, sizeof fixture->warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    artefact_free(&artefact);
}

static void report(struct fixture *fixture, const char *name) {
    report_with(fixture, name, "plots");
}

static bool read_output(const struct fixture *fixture, const char *name, const char *suffix,
                        struct file_text *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s.%s", fixture->directory, name, suffix);
    return file_read(path, text, NULL) == STATUS_OK;
}

static void expect_text(const struct fixture *fixture, const char *name, const char *suffix,
                        const char *wanted) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s.%s", fixture->directory, name, suffix);
    expect_in_file(path, wanted);
}

static void expect_output(const struct fixture *fixture, const char *name, const char *suffix,
                          bool wanted) {
    struct file_text text;
    bool found = read_output(fixture, name, suffix, &text);
    if (found)
        file_text_free(&text);
    assert_int_equal(found, wanted);
}

/* d = 3, f = 32: a unit of 3.32 ns; the paper has 17.4, 22.6 and 23 %. */
static void the_papers_numbers_stand_beside_ours(void **state) {
    report(*state, names[2]);
    expect_text(*state, names[2], "md", "| 3 | 17.4 | 3.32 [3.32, 3.32] ");
    expect_text(*state, names[2], "md", " | 22.6 | 6.64 [");
    expect_text(*state, names[2], "md", "| 23 % | 50 % [50, 50] | 26.0 | 4.98");
    expect_text(*state, names[2], "md", "Best here: `vpred,v=8`");
    expect_text(*state, names[2], "md", "In the paper: v = 16.");
    expect_text(*state, names[2], "md", "Xeon E5620");
}

static void the_report_says_what_was_measured_on_what(void **state) {
    report(*state, names[2]);
    expect_text(*state, names[2], "md", "Made-up CPU");
    expect_text(*state, names[2], "md", "| Load before the run | 1.25 of 4 cores |");
    expect_text(*state, names[2], "md", "cc 1, `-O3`");
    expect_text(*state, names[2], "md", "abc, with uncommitted changes");
    expect_text(*state, names[2], "md", "Scale: smoke");
    expect_text(*state, names[2], "md", "The data is synthetic");
}

/* The documents take 1.2 MiB for f = 32 and 19.5 MiB for f = 512; the cache holds 8 MiB. */
static void documents_in_the_cache_are_told_by_panel(void **state) {
    report(*state, names[2]);
    expect_text(*state, names[2], "md",
                "holds 8 MiB. **The documents of f = 32 may stay in it, but");
}

static void smoke_says_that_it_judges_nothing(void **state) {
    report(*state, names[2]);
    expect_text(*state, names[2], "md", "\n\n**" REPORT_SMOKE "**\n\nSource: ");
}

static void claims_stand_with_figure_and_verdict(void **state) {
    report(*state, names[2]);
    expect_text(*state, names[2], "md", "| VPRED at its best v is faster than PRED | 2.00 [");
    expect_text(*state, names[2], "md", "holds at 6 of 6 points | **held** |");
}

static void what_has_no_time_is_listed_with_the_reason(void **state) {
    struct fixture *fixture = *state;
    struct row *row = made_up_add(&fixture->made, 3, 32, 9, "codegen", 1);
    row->status = ROW_WRONG;
    snprintf(row->reason, sizeof row->reason, "document 4 differs");
    report(fixture, names[2]);
    expect_text(fixture, names[2], "md",
                "- `codegen` at d=3 f=32, cold, trial 9: wrong: document 4 differs");
}

static void figures_are_drawn_from_the_csv(void **state) {
    for (size_t i = 0; i < 2; i++) {
        struct fixture *fixture = *state;
        made_up_free(&fixture->made);
        report(fixture, names[i]);
        if (*fixture->warning)
            skip(); /* no gnuplot here */
        expect_output(fixture, names[i], "png", true);
        expect_text(fixture, names[i], "svg", "f = 512");
        expect_text(fixture, names[i], "md", ".svg)");
    }
    expect_text(*state, names[0], "svg", "STRUCT+");
    expect_text(*state, names[0], "csv",
                "1,\"f = 32\",depth,3,8,\"pred\",\"PRED\",,ns per document,");
    expect_text(*state, names[1], "csv",
                "1,\"f = 32\",depth,3,3,\"vpred,v=8\",\"v = 8\",8,ns per document,");
}

static void figures_name_machine_and_scale(void **state) {
    struct fixture *fixture = *state;
    report(fixture, names[0]);
    if (*fixture->warning)
        skip(); /* no gnuplot here */
    expect_text(fixture, names[0], "svg",
                ">Made-up CPU; cc 1; scale smoke: not to judge; CPU time<");
    expect_text(fixture, names[0], "csv", "synthetic trees and documents");
    expect_text(fixture, names[0], "svg", "the paper's number");
}

/* A run that measured only some panels: the others are drawn, and gnuplot is not blamed. */
static void panels_without_numbers_are_drawn_as_such(void **state) {
    struct fixture *fixture = *state;
    for (size_t i = 0; i < 2; i++) {
        made_up_free(&fixture->made);
        fixture->measured_features = i == 0 ? 512 : 32; /* the first panel lacks, then the second */
        report(fixture, names[i]);
        if (strstr(fixture->warning, "Install gnuplot-nox"))
            skip(); /* no gnuplot here */
        assert_string_equal(fixture->warning, "");
        expect_text(fixture, names[i], "svg", ">not measured<");
        expect_text(fixture, names[i], "svg", i == 0 ? ">PRED<" : ">d = 3<");
        expect_output(fixture, names[i], "png", true);
    }
}

/* As without data sets that nothing replaces. gnuplot is not started, and not blamed. */
static void without_rows_there_is_no_figure(void **state) {
    struct fixture *fixture = *state;
    fixture->measured_features = 1; /* of no panel */
    report(fixture, names[0]);
    assert_string_equal(fixture->warning,
                        "asadi2014-fig2: nothing was measured, so there is no figure");
    expect_output(fixture, names[0], "svg", false);
    expect_text(fixture, names[0], "md", "## Claims");
}

static void without_gnuplot_there_is_a_warning_and_the_rest(void **state) {
    struct fixture *fixture = *state;
    char *path = strdup(getenv("PATH"));
    setenv("PATH", fixture->directory, 1);
    report(fixture, names[0]);
    setenv("PATH", path, 1);
    free(path);
    assert_non_null(strstr(fixture->warning, "Install gnuplot-nox"));
    expect_output(fixture, names[0], "csv", true);
    expect_output(fixture, names[0], "svg", false);
    expect_text(fixture, names[0], "md", "## Claims");
}

/* An unfinished picture must not stay, under any name: tear_down checks it. */
static void a_failing_figure_is_a_warning(void **state) {
    struct fixture *fixture = *state;
    char path[128];
    snprintf(path, sizeof path, "%s/bars.gp", fixture->directory);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fputs("set terminal svg\nset output ARG2\nplot x\nplot nothing\n", script);
    fclose(script);
    report_with(fixture, names[0], fixture->directory);
    unlink(path);
    if (strstr(fixture->warning, "Install gnuplot-nox"))
        skip(); /* no gnuplot here */
    assert_string_equal(fixture->warning, "asadi2014-fig2: gnuplot drew no figure: bars.gp line 4: "
                                          "undefined variable: nothing");
    expect_text(fixture, names[0], "md", "## Claims");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(throughput_has_its_interval_in_order),
        cmocka_unit_test_setup_teardown(the_papers_numbers_stand_beside_ours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_report_says_what_was_measured_on_what, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(documents_in_the_cache_are_told_by_panel, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(smoke_says_that_it_judges_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(claims_stand_with_figure_and_verdict, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_no_time_is_listed_with_the_reason, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(figures_are_drawn_from_the_csv, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures_name_machine_and_scale, set_up, tear_down),
        cmocka_unit_test_setup_teardown(panels_without_numbers_are_drawn_as_such, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_failing_figure_is_a_warning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_rows_there_is_no_figure, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_gnuplot_there_is_a_warning_and_the_rest, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
