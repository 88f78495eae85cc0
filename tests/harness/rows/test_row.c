#include "harness/rows/row.h"

#include "base/files/json.h"
#include "base/origin.h"
#include "harness/rows/row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 3 };

static double *copy_of(const double values[SAMPLES]) {
    double *copy = malloc(SAMPLES * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, values, SAMPLES * sizeof *copy);
    return copy;
}

/* Every member has a different value, at the limit of its type if that matters. */
static void fill(struct row *row) {
    row_init(row);
    strcpy(row->cell, "0123456789abcdef");
    row->cell_rows = 12;
    strcpy(row->artefacts, "asadi2014-fig2 asadi2014-table2");
    row->workload = (struct workload){.kind = "files",
                                      .model = "a \"quoted\", comma\\ed\nname",
                                      .data = "d\xc3\xa4ta",
                                      .depth = 11,
                                      .features = UINT32_MAX,
                                      .trees = 1,
                                      .max_leaves = 64,
                                      .patience = 9,
                                      .resample = 65536,
                                      .documents = 524288,
                                      .trial = 4,
                                      .seed = UINT64_MAX};
    strcpy(row->impl, "vpred");
    strcpy(row->params, "a=1,v=8");
    strcpy(row->order, "SD");
    row->doc_block = (UINT64_C(1) << 53) + 1;
    row->unit_block = 7;
    row->threads = 2;
    strcpy(row->parallel, "trees");
    strcpy(row->barrier, "step");
    strcpy(row->note, "stand-in");
    row->origin = ORIGIN_STAND_IN | ORIGIN_GROWN;
    row->model_trees = 3;
    row->mean_tree_depth = 2.5;
    row->lanes = 8;
    strcpy(row->clock, "cpu");
    row->repetitions = 3;
    row->samples =
        (struct sample_set){copy_of((double[]){0.1, 1.0 / 3, 12345.678}),
                            copy_of((double[]){5e-324, 1e22, 0x1.fffffffffffffp+1023}), SAMPLES, 2};
    row->builds = 3;
    row->build_ns = 1.5e9;
    strcpy(row->device, "a GPU");
    strcpy(row->device_driver, "CUDA 13.0");
    row->device_units = 132;
    row->device_l2_bytes = UINT64_C(50) << 20;
    row->device_scoring_ns = 0.1;
    row->device_preparing_ns = 1.0 / 3;
    row->device_copying_ns = 9.9;
    row->median = 1.0 / 3;
    row->mean = 0.1 + 0.2;
    row->median_interval = (struct interval){0.30000000000000004, 2.2250738585072014e-308};
    row->outliers = 1;
    row->built_bytes = UINT64_C(9007199254740993);
    row->mean_path = 10.999999999999998;
    row->false_nodes = 5.000000000000001;
    strcpy(row->counts.source, "perf");
    strcpy(row->counts.simulated, "no");
    row->counts.documents = 4096;
    strcpy(row->counts.reason, "multiplexed");
    row->counts.values[COUNTER_INSTRUCTIONS] =
        (struct counter_value){true, UINT64_MAX - 1, 1000, 1000};
    row->counts.values[COUNTER_LLC_MISSES] = (struct counter_value){false, 0, 1000, 999};
}

static void assert_same_real(double a, double b) {
    assert_memory_equal(&a, &b, sizeof a);
}

static void assert_same_workload(const struct workload *a, const struct workload *b) {
    assert_string_equal(a->kind, b->kind);
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->data, b->data);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->features, b->features);
    assert_int_equal(a->trees, b->trees);
    assert_int_equal(a->max_leaves, b->max_leaves);
    assert_int_equal(a->patience, b->patience);
    assert_int_equal(a->resample, b->resample);
    assert_true(a->documents == b->documents && a->seed == b->seed);
    assert_int_equal(a->trial, b->trial);
}

static void assert_same_counts(const struct counts *a, const struct counts *b) {
    assert_string_equal(a->source, b->source);
    assert_string_equal(a->simulated, b->simulated);
    assert_int_equal(a->documents, b->documents);
    assert_string_equal(a->reason, b->reason);
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        assert_int_equal(a->values[i].valid, b->values[i].valid);
        assert_true(a->values[i].value == b->values[i].value);
        assert_true(a->values[i].enabled_ns == b->values[i].enabled_ns);
        assert_true(a->values[i].running_ns == b->values[i].running_ns);
    }
}

static void assert_same(const struct row *a, const struct row *b) {
    assert_memory_equal(a->samples.wall, b->samples.wall, SAMPLES * sizeof(double));
    assert_memory_equal(a->samples.cpu, b->samples.cpu, SAMPLES * sizeof(double));
    assert_int_equal(a->samples.count, b->samples.count);
    assert_int_equal(a->samples.rounds, b->samples.rounds);
    assert_int_equal(a->builds, b->builds);
    assert_same_real(a->build_ns, b->build_ns);
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->device_driver, b->device_driver);
    assert_true(a->device_units == b->device_units && a->device_l2_bytes == b->device_l2_bytes);
    assert_same_real(a->device_scoring_ns, b->device_scoring_ns);
    assert_same_real(a->device_preparing_ns, b->device_preparing_ns);
    assert_same_real(a->device_copying_ns, b->device_copying_ns);
    assert_string_equal(a->cell, b->cell);
    assert_int_equal(a->cell_rows, b->cell_rows);
    assert_string_equal(a->artefacts, b->artefacts);
    assert_same_workload(&a->workload, &b->workload);
    assert_string_equal(a->impl, b->impl);
    assert_string_equal(a->params, b->params);
    assert_string_equal(a->order, b->order);
    assert_true(a->doc_block == b->doc_block && a->unit_block == b->unit_block);
    assert_true(a->threads == b->threads && a->lanes == b->lanes);
    assert_string_equal(a->parallel, b->parallel);
    assert_string_equal(a->barrier, b->barrier);
    assert_string_equal(a->note, b->note);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->model_trees, b->model_trees);
    assert_same_real(a->mean_tree_depth, b->mean_tree_depth);
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->reason, b->reason);
    assert_string_equal(a->clock, b->clock);
    assert_int_equal(a->repetitions, b->repetitions);
    assert_same_real(a->median, b->median);
    assert_same_real(a->mean, b->mean);
    assert_same_real(a->median_interval.low, b->median_interval.low);
    assert_same_real(a->median_interval.high, b->median_interval.high);
    assert_int_equal(a->outliers, b->outliers);
    assert_int_equal(a->built_bytes, b->built_bytes);
    assert_same_real(a->mean_path, b->mean_path);
    assert_same_real(a->false_nodes, b->false_nodes);
    assert_true(isnan(a->left_share) == isnan(b->left_share));
    assert_same_counts(&a->counts, &b->counts);
}

static char *text_of(const struct row *row) {
    cJSON *json = row_to_json(row);
    assert_non_null(json);
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    assert_non_null(text);
    return text;
}

static enum status read_text(const char *text, struct row *row, struct error *error) {
    cJSON *json;
    enum status status = json_parse("rows.jsonl:3", text, strlen(text), &json, error);
    if (!status)
        status = row_from_json("rows.jsonl:3", json, row, error);
    cJSON_Delete(json);
    return status;
}

static void test_round_trip_is_exact(void **state) {
    (void)state;
    struct row row, read;
    struct error error;
    fill(&row);
    char *text = text_of(&row);
    assert_null(strchr(text, '\n'));
    assert_int_equal(read_text(text, &read, &error), STATUS_OK);
    assert_same(&row, &read);
    assert_true(isnan(read.left_share));
    row_free(&row);
    row_free(&read);
    free(text);
}

static void test_round_trip_of_a_refused_row(void **state) {
    (void)state;
    struct row row, read;
    struct error error;
    row_init(&row);
    strcpy(row.cell, "1");
    row.cell_rows = 1;
    row.status = ROW_UNSUPPORTED;
    strcpy(row.reason, "a tree has 65 leaves, at most 64 are possible");
    char *text = text_of(&row);
    assert_int_equal(read_text(text, &read, &error), STATUS_OK);
    assert_int_equal(read.status, ROW_UNSUPPORTED);
    assert_string_equal(read.reason, row.reason);
    assert_true(isnan(read.median) && isnan(read.mean) && isnan(read.median_interval.low));
    assert_int_equal(read.samples.count, 0);
    assert_false(read.counts.values[COUNTER_CYCLES].valid);
    free(text);
}

/* Removes a key and its number from a row's text. */
static void remove_key(char *text, const char *key) {
    char *begin = strstr(text, key), *end;
    assert_non_null(begin);
    end = strchr(begin, ',');
    memmove(begin, end + 1, strlen(end + 1) + 1);
}

static void remove_newer_keys(char *text) {
    remove_key(text, "\"origin\"");
    remove_key(text, "\"device\"");
    remove_key(text, "\"device_driver\"");
    remove_key(text, "\"device_units\"");
    remove_key(text, "\"device_l2_bytes\"");
    remove_key(text, "\"device_scoring_ns\"");
    remove_key(text, "\"device_preparing_ns\"");
    remove_key(text, "\"device_copying_ns\"");
    remove_key(text, "\"passes\"");
}

static void test_a_row_of_schema_3_is_one_placement(void **state) {
    (void)state;
    struct row row, read;
    struct error error;
    fill(&row);
    char *text = text_of(&row);
    strstr(text, "\"schema\":7")[9] = '3';
    remove_key(text, "\"placement_rounds\"");
    remove_key(text, "\"builds\"");
    remove_key(text, "\"build_ns\"");
    remove_newer_keys(text);
    assert_int_equal(read_text(text, &read, &error), STATUS_OK);
    assert_int_equal(read.origin, ORIGIN_STAND_IN | ORIGIN_RESAMPLED); /* by note and resample */
    assert_int_equal(read.samples.rounds, 0);
    assert_int_equal(read.samples.count, SAMPLES);
    assert_true(read.builds == 0 && isnan(read.build_ns));
    row_free(&row);
    row_free(&read);
    free(text);
}

static void test_a_row_of_schema_4_has_no_device(void **state) {
    (void)state;
    struct row row, read;
    struct error error;
    fill(&row);
    char *text = text_of(&row);
    strstr(text, "\"schema\":7")[9] = '4';
    remove_newer_keys(text);
    assert_int_equal(read_text(text, &read, &error), STATUS_OK);
    assert_true(read.builds == 3 && read.device[0] == 0 && isnan(read.device_scoring_ns));
    row_free(&row);
    row_free(&read);
    free(text);
}

/* Replaces the first `from` in a good row's text by `to`, and expects an error. */
static void assert_refused(const char *from, const char *to, const char *complaint) {
    struct row row;
    struct error error = {""};
    fill(&row);
    char *text = text_of(&row);
    char *at = strstr(text, from);
    assert_non_null(at);
    char *changed = malloc(strlen(text) + strlen(to) + 1);
    assert_non_null(changed);
    *at = '\0';
    strcpy(changed, text);
    strcat(changed, to);
    strcat(changed, at + strlen(from));
    struct row read;
    assert_int_equal(read_text(changed, &read, &error), STATUS_INPUT);
    if (strncmp(error.text, "rows.jsonl:3", 12) != 0 || strstr(error.text, complaint) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, complaint);
    free(changed);
    free(text);
    row_free(&row);
}

static void test_what_is_no_row_is_refused(void **state) {
    (void)state;
    assert_refused("\"schema\":7", "\"schema\":1", "This treebench reads schemas 3 to 7");
    assert_refused("\"schema\":7", "\"schema\":8", "This treebench reads schemas 3 to 7");
    assert_refused("\"schema\":7,", "", "not a row");
    assert_refused("\"outliers\":1", "\"outlier\":1", "outlier: unknown key");
    assert_refused("\"outliers\":1", "\"outliers\":-1", "outliers");
    assert_refused("\"outliers\":1", "\"outliers\":1,\"outliers\":1", "outliers: duplicate key");
    assert_refused("\"outliers\":1,", "", "outliers: missing");
    assert_refused("\"status\":\"ok\"", "\"status\":\"fine\"", "is not ok, wrong");
    assert_refused("\"unit_block\":\"7\"", "\"unit_block\":\"-7\"", "unit_block: \"-7\"");
    assert_refused("\"unit_block\":\"7\"", "\"unit_block\":\"7e3\"", "unit_block: \"7e3\"");
    assert_refused("\"unit_block\":\"7\"", "\"unit_block\":\"18446744073709551616\"",
                   "0 .. 2^64 - 1");
    assert_refused("\"order\":\"SD\"", "\"order\":\"DSDSDSDS\"", "order: longer than 7 bytes");
    assert_refused("[0.1,", "[", "wall has 2 samples, but cpu has 3");
    assert_refused("[0.1,", "[0.1,0.1,", "wall has 4 samples, but cpu has 3");
    assert_refused("[0.1,", "[\"0.1\",", "wall: expected a number or null");
    assert_refused("\"left_share\":null", "\"left_share\":\"none\"", "number or null");
    assert_refused("\"cycles\":null", "\"cycles\":5", "cycles: expected an object");
    assert_refused("0123456789abcdef", "", "cell is empty");
}

static void test_variant_joins_name_and_parameters(void **state) {
    (void)state;
    struct row row;
    row_init(&row);
    strcpy(row.impl, "struct");
    assert_string_equal(row_variant(&row).text, "struct");
    strcpy(row.params, "v=8");
    assert_string_equal(row_variant(&row).text, "struct,v=8");
}

/* Counts the fields of one CSV line and returns where it ends. */
static size_t count_fields(const char *line, const char **end) {
    size_t count = 1;
    bool quoted = false;
    for (; *line != '\0' && (quoted || *line != '\n'); line++) {
        if (*line == '"')
            quoted = !quoted;
        count += *line == ',' && !quoted;
    }
    *end = line;
    return count;
}

static void test_csv_has_a_field_for_every_column(void **state) {
    (void)state;
    struct row row;
    char *text;
    size_t size;
    const char *end;
    fill(&row);
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    row_csv_write_header(stream);
    row_csv_write(&row, stream);
    fclose(stream);
    size_t columns = count_fields(text, &end);
    assert_int_equal(strncmp(text, "schema,cell,cell_rows,artefacts,kind,", 37), 0);
    assert_int_equal(count_fields(end + 1, &end), columns);
    assert_string_equal(end, "\n");
    assert_non_null(strstr(text, ",\"a \"\"quoted\"\", comma\\ed\nname\","));
    assert_non_null(
        strstr(text, ",18446744073709551615,stand-in,stand-in grown,vpred,\"a=1,v=8\",SD,"));
    assert_non_null(strstr(text, ",3,3,2,0.3333333333333333,")); /* repetitions, samples, median */
    assert_non_null(
        strstr(text, ",,5.000000000000001,perf,no,4096,multiplexed,18446744073709551614,,,,,,,\n"));
    row_free(&row);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_round_trip_of_a_refused_row),
        cmocka_unit_test(test_a_row_of_schema_3_is_one_placement),
        cmocka_unit_test(test_a_row_of_schema_4_has_no_device),
        cmocka_unit_test(test_what_is_no_row_is_refused),
        cmocka_unit_test(test_variant_joins_name_and_parameters),
        cmocka_unit_test(test_csv_has_a_field_for_every_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
