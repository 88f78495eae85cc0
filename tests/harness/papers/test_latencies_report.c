/* Tables and figures of single calls, on made-up latencies. */
#include "harness/papers/latencies_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/papers/report.h"
#include "tests/harness/papers/expect_in_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char config[] =
    "{\"name\": \"a\", \"title\": \"Title\", \"source\": \"none\", \"seed\": 5,"
    " \"measure\": \"latency\", \"variants\": {\"auto\": \"Auto\", \"struct\": \"STRUCT\"},"
    " \"scales\": {\"full\": {\"kind\": \"made\", \"x\": \"trees\", \"trials\": 1, \"rounds\": 1,"
    " \"panels\": [{\"title\": \"P\", \"depth\": 5, \"trees\": [200], \"features\": 64,"
    " \"documents\": 9}]}}, \"figure\": {\"kind\": \"%s\"},"
    " \"table\": {\"kind\": \"%s\", \"reference\": \"a-reference.csv\"}, \"claims\": []}";
static const char reference[] = "features,depth,trees,p50,p90,p99,p99.9,p99.99,machine,source\n"
                                "64,5,200,-,-,798,-,-,one core,a page\n";

enum { ITEMS = 8 };

struct fixture {
    char folder[32];
    struct artefact artefact;
    struct latency_item list[ITEMS];
    struct json_list items;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_latency.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {"a.md",  "a.csv",           "a.json",       "a.svg",
                                        "a.png", "a-reference.csv", "latency.jsonl"};
    artefact_free(&f->artefact);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
        unlink(path);
    }
    int left = rmdir(f->folder);
    free(f);
    return left;
}

static void write_file(const struct fixture *f, const char *name, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static enum status open_config(struct fixture *f, const char *figure, const char *table,
                               struct error *error) {
    char text[2048], path[64];
    snprintf(text, sizeof text, config, figure, table);
    write_file(f, "a.json", text);
    write_file(f, "a-reference.csv", reference);
    snprintf(path, sizeof path, "%s/a.json", f->folder);
    return artefact_open(path, "full", &f->artefact, error);
}

static void open_good(struct fixture *f, const char *table) {
    struct error error;
    if (open_config(f, "latencies", table, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* Adds what is asked for as number k: auto takes 500 ns, STRUCT ten times as much, and the empty
 * call a tenth. Percentiles grow by a tenth each, and p99.99 is not proven. */
static struct latency_item *add(struct fixture *f, size_t k) {
    struct latency_item *item = &f->list[f->items.count++];
    const struct panel *panel = &f->artefact.scale.panels[0];
    static const double median[] = {500, 5000, 50};
    f->items.list = f->list;
    assert_true(latencies_ask(&f->artefact, panel, &panel->points[0], k, item));
    snprintf(item->processor, sizeof item->processor, "Made-up");
    item->steal = 0.01;
    for (size_t r = 0; r < 3; r++) {
        item->results[r].calls = 6720;
        item->results[r].completed_rate = item->rate > 0 ? item->rate : (double)NAN;
        for (size_t i = 0; i < PERCENTILES; i++)
            item->results[r].proven_ns[i] =
                i + 1 < PERCENTILES ? median[r] * (1 + 0.1 * (double)i) : (double)NAN;
    }
    return item;
}

static void expect_in(const struct fixture *f, const char *name, const char *words) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    expect_in_file(path, words);
}

static void report(struct fixture *f) {
    struct error error;
    char warning[256];
    const struct report_paths paths = {.reference = f->folder, .plots = "plots"};
    if (report_artefact(f->folder, &f->artefact, &f->items, &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void percentiles_are_beside_published_ones(void **state) {
    struct fixture *f = *state;
    open_good(f, "percentiles");
    add(f, 0);
    report(f);
    expect_in(f, "a.md",
              "| percentile | Auto | STRUCT | empty call | published |\n"
              "|---|---:|---:|---:|---:|\n"
              "| p50 | 0.50 | 5.00 | 0.05 | - |\n"
              "| p90 | 0.55 | 5.50 | 0.06 | - |\n"
              "| p99 | 0.60 | 6.00 | 0.06 | 0.80 |\n"
              "| p99.9 | *0.65 | *6.50 | *0.07 | - |\n"
              "| p99.99 | - | - | - | - |\n");
    expect_in(f, "a.md",
              "Measured on Made-up, of which the hypervisor took 1.00 % of the time; "
              "6720 calls or more of each.\n");
    expect_in(f, "a.md", "Published: one core (a page).\n");
    expect_in(f, "a.md", "of other machines and other trees");
    /* p99 is at 100; what is published stands in the first series only. */
    expect_in(f, "a.csv",
              "1,\"P\",percentile,100,1,\"auto\",\"Auto\",,us per call,0.6,,,1,synthetic,200,,64,9,"
              "synthetic trees and documents,,,0.798\n"
              "1,\"P\",percentile,100,2,\"struct\",\"STRUCT\",,us per call,6,,,1,synthetic,200,,64,"
              "9,synthetic trees and documents,,,\n");
    expect_in(f, "a.csv", "percentile,10000,1,\"auto\",\"Auto\",,us per call,,,,");
}

static void what_was_not_measured_is_told(void **state) {
    struct fixture *f = *state;
    open_good(f, "percentiles");
    report(f);
    expect_in(f, "a.md", "| p99 | **missing** | **missing** | **missing** | 0.80 |\n");
    struct latency_item *item = add(f, 0);
    item->results[1].status = ROW_UNSUPPORTED;
    snprintf(item->results[1].reason, sizeof item->results[1].reason, "no library");
    report(f);
    expect_in(f, "a.md", "| p50 | 0.50 | - | 0.05 | - |\n");
    expect_in(f, "a.md", "\nSTRUCT: unsupported: no library\n");
}

/* A server that completes less than what arrives has no latency. */
static void servers_have_a_line_for_each_rate(void **state) {
    struct fixture *f = *state;
    const struct panel *panel;
    struct latency_item last;
    open_good(f, "rates");
    panel = &f->artefact.scale.panels[0];
    add(f, 0);
    add(f, 1)->results[1].completed_rate = 8999;
    assert_false(latencies_ask(&f->artefact, panel, &panel->points[0], ITEMS, &last));
    report(f);
    expect_in(f, "a.md", "| 5000 | 0.60 | 6.00 | 0.06 |\n| 10000 | 0.60 | too slow | 0.06 |\n");
    expect_in(f, "a.csv",
              "calls per second,5000,2,\"struct\",\"STRUCT\",,us until the reply (p99),"
              "6,");
    expect_in(f, "a.csv",
              "calls per second,10000,2,\"struct\",\"STRUCT\",,us until the reply "
              "(p99),,");
}

/* A stored line is read as it was, and is not measured again. */
static void items_are_stored(void **state) {
    struct fixture *f = *state;
    struct error error;
    struct json_store store;
    struct json_list read = {.count = 0};
    open_good(f, "rates");
    struct latency_item *item = add(f, 1), other = *item;
    if (json_store_open(&latency_lines, f->folder, false, &store, &error) != STATUS_OK ||
        json_store_append(&store, item, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    json_store_close(&store);
    if (json_list_load(&latency_lines, f->folder, &read, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    const struct latency_item *found = json_list_find(&latency_lines, &read, item);
    assert_non_null(found);
    assert_int_equal(found->n_results, 3);
    assert_true(found->results[1].proven_ns[2] == 6000);
    assert_true(isnan(found->results[1].proven_ns[4]));
    assert_string_equal(found->processor, "Made-up");
    other.rate = 5000;
    assert_null(json_list_find(&latency_lines, &read, &other));
    other = *item;
    snprintf(other.results[0].variant, ROW_NAME_SIZE, "qs");
    assert_null(json_list_find(&latency_lines, &read, &other));
    json_list_free(&latency_lines, &read);
}

static void other_figures_and_tables_are_refused(void **state) {
    struct fixture *f = *state;
    struct error error;
    assert_int_equal(open_config(f, "bars", "rates", &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "figure: kind: must be \"latencies\""));
    assert_int_equal(open_config(f, "latencies", "ndcg", &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "ndcg is none of percentiles, rates"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(percentiles_are_beside_published_ones, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_not_measured_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(servers_have_a_line_for_each_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(items_are_stored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_figures_and_tables_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
