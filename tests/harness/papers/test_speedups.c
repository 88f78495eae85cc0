/* Figures of speed-ups: means over data sets, on made-up rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/papers/report_parts.h"
#include "tests/harness/rows/made_up_rows.h"

#define PANEL(title, data, more)                                                                   \
    "{\"title\": \"" title "\", \"data\": \"" data "\", \"learner\": \"random-forest\", "          \
    "\"trees\": 3, \"depth\": [1, 5]" more "}"
#define PANELS                                                                                     \
    PANEL("letter", "letter", "")                                                                  \
    ", " PANEL("magic", "magic", "") ", " PANEL("bank", "bank", "") ", " PANEL(                    \
        "magic resampled", "magic", ", \"resample\": 50")
#define CONFIG(figure)                                                                             \
    "{\"name\": \"a\", \"title\": \"T\", \"source\": \"paper\", \"seed\": 5, \"scales\": "         \
    "{\"smoke\": {\"kind\": \"forest\", \"x\": \"depth\", \"trials\": 1, \"rounds\": 3, "          \
    "\"panels\": [" PANELS "]}}, "                                                                 \
    "\"variants\": {\"native\": \"naive\", \"ifelse\": \"IfTree\"}, \"figure\": " figure ", "      \
    "\"table\": {\"columns\": [{\"title\": \"t\", \"time\": \"native\"}]}, \"claims\": []}"
#define SPEEDUPS "{\"kind\": \"speedups\", \"slow\": \"native\", \"variants\": [\"ifelse\"]}"

static char folder[] = "/tmp/test_speedups.XXXXXX";

static int set_up(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    return rmdir(folder);
}

static void open_config(const char *json, struct artefact *artefact) {
    struct error error = {""};
    if (made_up_artefact(folder, "a", json, artefact, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void add(struct made_up *made, const char *data, uint32_t depth, uint32_t resample,
                const char *variant, double ns) {
    struct row *row = made_up_add(made, depth, 0, 0, variant, ns);
    snprintf(row->workload.kind, sizeof row->workload.kind, "random-forest");
    snprintf(row->workload.data, sizeof row->workload.data, "%s", data);
    snprintf(row->cell, sizeof row->cell, "%s-%u-%u", data, depth, resample);
    row->workload.trees = 3;
    row->workload.resample = resample;
}

/* At depth 1, speed-ups of 2, 8 and 2; at depth 5, 4 for one of the data sets. */
static void fill(struct made_up *made) {
    add(made, "letter", 1, 0, "native", 4);
    add(made, "letter", 1, 0, "ifelse", 2);
    add(made, "magic", 1, 0, "native", 8);
    add(made, "magic", 1, 0, "ifelse", 1);
    add(made, "bank", 1, 0, "native", 4);
    add(made, "bank", 1, 0, "ifelse", 2);
    add(made, "magic", 1, 50, "native", 100);
    add(made, "magic", 1, 50, "ifelse", 1);
    add(made, "magic", 5, 0, "native", 8);
    add(made, "magic", 5, 0, "ifelse", 2);
}

typedef void writer(const struct artefact_report *report);

static char *text_of(writer *write) {
    struct made_up made = {.capacity = 0};
    struct artefact artefact;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    open_config(CONFIG(SPEEDUPS), &artefact);
    assert_true(report_has_speedups(&artefact));
    fill(&made);
    write(&(struct artefact_report){
        .artefact = &artefact, .results = made_up_index(&made), .stream = stream});
    assert_int_equal(fclose(stream), 0);
    artefact_free(&artefact);
    made_up_free(&made);
    return text;
}

static void expect(const char *text, const char *words) {
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
}

static void means_are_over_data_sets(void **state) {
    (void)state;
    char *text = text_of(report_speedups_write_table);
    expect(text, "Times as fast as naive: mean");
    expect(text, "| IfTree |\n");
    expect(text, "\n| 1 | 4.00 ± 3.46; 3.17 [0.43, 23.18] (3) |\n");
    expect(text, "\n| 5 | 4.00 (1) |\n");
    free(text);
}

static void lines_are_means_and_data_sets(void **state) {
    (void)state;
    char *text = text_of(report_speedups_write_csv);
    expect(text,
           "1,\"IfTree\",depth,1,1,\"ifelse\",\"mean and standard deviation\",,times as fast,");
    expect(text, ",0.53589838"); /* 4 - 3.4641 */
    expect(text,
           "1,\"IfTree\",depth,1,2,\"ifelse\",\"geometric mean and interval\",,times as fast,");
    expect(text, "1,\"IfTree\",depth,5,1,\"ifelse\",\"mean and standard deviation\",,times as "
                 "fast,4,,,,forest,,,,,,\"\",,\n");
    expect(text, "1,\"IfTree\",depth,1,3,\"ifelse\",\"each data set\",1,times as fast,2,");
    expect(text, "1,\"IfTree\",depth,1,3,\"ifelse\",\"each data set\",2,times as fast,");
    assert_null(strstr(text, "\"each data set\",4,"));
    assert_null(strstr(text, "depth,5,3,\"ifelse\",\"each data set\",1,"));
    free(text);
}

static void wrong_figures_are_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {CONFIG("{\"kind\": \"speedups\", \"variants\": [\"ifelse\"]}"), "slow"},
        {CONFIG("{\"kind\": \"speedups\", \"slow\": \"qs\", \"variants\": [\"ifelse\"]}"),
         "figure: slow: must be a variant"},
        {CONFIG("{\"kind\": \"curves\", \"slow\": \"native\", \"variants\": [\"ifelse\"]}"),
         "figure: slow: only for \"speedups\""},
        {CONFIG(
             "{\"kind\": \"bars\", \"over\": \"d\", \"axis\": \"d\", \"variants\": [\"ifelse\"]}"),
         "figure: over: only for \"lines\""},
        {CONFIG("{\"kind\": \"lines\", \"over\": \"d\", \"axis\": \"a, b\", \"variants\": "
                "[\"ifelse\"]}"),
         "figure: axis: must not contain commas"},
        {CONFIG("{\"kind\": \"pie\", \"variants\": [\"ifelse\"]}"), "or speedups"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct artefact artefact;
        struct error error = {""};
        assert_int_equal(made_up_artefact(folder, "a", cases[i][0], &artefact, &error),
                         STATUS_INPUT);
        expect(error.text, cases[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_over_data_sets),
        cmocka_unit_test(lines_are_means_and_data_sets),
        cmocka_unit_test(wrong_figures_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
