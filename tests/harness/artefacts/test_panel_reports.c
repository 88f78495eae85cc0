/* Reports on panels: units, shapes, notes and tags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/origin.h"
#include "harness/papers/report.h"
#include "tests/harness/artefacts/panels.h"
#include "tests/harness/papers/expect_in_file.h"

static void expect_text(const char *suffix, const char *wanted) {
    char path[64];
    snprintf(path, sizeof path, "%s/fig.%s", directory, suffix);
    expect_in_file(path, wanted);
}

static void remove_report(void) {
    static const char *const suffixes[] = {"md", "csv"};
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/fig.%s", directory, suffixes[i]);
        unlink(path);
    }
}

static void reports_show_units_shapes_and_notes(void **state) {
    (void)state;
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct error error = {""};
    struct artefact artefact = read_good(TRAINED, "\"claims\": []");
    fill_trained(&made, &artefact.scale);
    for (size_t i = 0; i < made.rows.count; i++)
        if (strcmp(made.rows.list[i].workload.data, "mq2008") != 0) {
            snprintf(made.rows.list[i].note, ROW_NOTE_SIZE, "synthetic stand-in, seed 1");
            made.rows.list[i].origin = ORIGIN_STAND_IN;
        }
    /* the last of the three trials was not measured */
    for (size_t i = 0; i < made.rows.count; i++)
        made.rows.list[i].workload.trial = made.rows.list[i].workload.trial > 0;
    if (report_artefact(directory, &artefact, made_up_index(&made), &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    expect_text("md", "The models are trained");
    expect_text("md", "### Small\n\nUnit: us per document. Trials: 2. Calls: one step each; "
                      "all documents with an order.\n");
    expect_text("md", "### Large\n\nUnit: us per document. Trials: 1. Calls: one step each; all "
                      "documents with an order.\n\n**Note: synthetic stand-in");
    expect_text("md", "| 150 (depth 4.5, 39 trees) | 0.100 |");
    expect_text("csv", "1,\"Small\",max_leaves,3,1,\"codegen\",");
    expect_text("csv", ",trained,39,4.5,46,500,trained trees on a synthetic stand-in,\"synthetic "
                       "stand-in, seed 1\"");
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

/* Expects a title in the report and an origin in the figure's data if the second panel has a note.
 */
static void expect_tag(const char *note, const char *in_report, const char *in_data) {
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct artefact artefact = read_good(RESAMPLED, "\"claims\": []");
    fill_resampled(&made, &artefact.scale);
    for (size_t i = 0; i < made.rows.count; i++)
        if (made.rows.list[i].workload.resample > 0) {
            snprintf(made.rows.list[i].note, ROW_NOTE_SIZE, "%s", note);
            made.rows.list[i].origin =
                (origin_of_model_note(note) | ORIGIN_RESAMPLED) | ORIGIN_RESAMPLED;
        }
    assert_int_equal(report_artefact(directory, &artefact, made_up_index(&made), &paths, NULL, NULL,
                                     warning, sizeof warning, NULL),
                     STATUS_OK);
    expect_text("md", in_report);
    expect_text("csv", in_data);
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

static void reports_tag_resampled_documents(void **state) {
    (void)state;
    expect_tag("4000 documents resampled from 300",
               "### Small resampled\n\nUnit: us per document. Trials: 1. Calls: one step each; all "
               "documents with an order.\n\n"
               "**Note: 4000 documents resampled from 300**",
               ",500,trained trees on real data; resampled,\"4000 documents");
    expect_tag("trained on a sample; documents: a sample; 4000 documents resampled from 300",
               "### Small resampled", ",500,trained trees on a sample; resampled,\"trained on");
    /* What is copied here are the documents. */
    expect_tag("trained on a sample; documents: synthetic: 5 of 9 are changed copies, seed 3",
               "### Small resampled",
               ",500,trained trees on a synthetic stand-in; resampled,\"trained on");
    expect_tag(
        "trained on a part of fact: 3 of 9 rows; documents: 4000 documents resampled from 300",
        "### Small resampled",
        ",500,trained trees on a part of the data set; resampled,\"trained on");
}

static void threads_are_shown_as_throughput_and_gain(void **state) {
    (void)state;
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct error error = {""};
    struct artefact artefact =
        read_good(THREADS, "\"table\": {\"columns\": [{\"title\": \"C\", \"time\": \"codegen\"},"
                           " {\"title\": \"less\", \"less\": \"codegen\"}]}, \"claims\": []");
    scale_limit_threads(&artefact.scale, 2);
    fill_threads(&made, &artefact.scale);
    if (report_artefact(directory, &artefact, made_up_index(&made), &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    expect_text("md", "Unit: documents per second");
    expect_text("md", "| 1 | 99950037 [");
    expect_text("md", "] | - |\n| 2 | 0.008 [");
    expect_text("md", "| 20 % [20, 20] |\n\n### (b)");
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

static void times_per_tree_are_shown_in_ns(void **state) {
    (void)state;
    const struct report_paths paths = {"plots", "results/reference"};
    struct made_up made = {.capacity = 0};
    char warning[64];
    struct error error = {""};
    struct artefact artefact = read_good(PER_TREE, "\"claims\": []");
    const struct panel *panel = &artefact.scale.panels[0];
    add(&made, &panel->points[0], 0, "codegen", 15);
    add(&made, &panel->points[1], 0, "codegen", 90);
    if (report_artefact(directory, &artefact, made_up_index(&made), &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    expect_text("md", "Unit: ns per document and tree");
    expect_text("md", "| 10 | 1.50 |");
    expect_text("md", "| 40 | 2.25 |");
    expect_text("csv", ",ns per document and tree,1.5,");
    remove_report();
    made_up_free(&made);
    artefact_free(&artefact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_show_units_shapes_and_notes),
        cmocka_unit_test(reports_tag_resampled_documents),
        cmocka_unit_test(threads_are_shown_as_throughput_and_gain),
        cmocka_unit_test(times_per_tree_are_shown_in_ns),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
