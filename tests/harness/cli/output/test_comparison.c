/* What compare prints for made-up rows: ratios, verdicts, the order, and each form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/cli/output/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, PER_PLACEMENT = 3, ROWS = 5, TEXT_SIZE = 1 << 14 };

/* Rows of: struct-plus, qs (half the time), codegen (not supported), noop (a tenth), and
 * struct-plus again. */
struct made {
    struct row rows[ROWS];
    struct comparison comparison;
};

static void set_time(struct row *row, double ns, double noise) {
    row->status = ROW_OK;
    row->median = ns;
    row->median_interval = (struct interval){ns * 0.99, ns * 1.01};
    row->samples = (struct sample_set){.wall = calloc(ROUNDS, sizeof(double)),
                                       .cpu = calloc(ROUNDS, sizeof(double)),
                                       .count = ROUNDS,
                                       .rounds = PER_PLACEMENT};
    for (int i = 0; i < ROUNDS; i++)
        row->samples.wall[i] = row->samples.cpu[i] = ns * (1 + noise * (i % 5 - 2));
    row->resident = (struct resident){.held_bytes = 8192, .most_bytes = 12288};
    row->built_bytes = 4096;
    row->build_ns = 1.5e6;
}

static void make_rows(struct row *rows) {
    static const char *const variants[ROWS] = {"struct-plus", "qs", "codegen", "noop",
                                               "struct-plus"};
    for (size_t i = 0; i < ROWS; i++) {
        row_init(&rows[i]);
        row_set_variant(&rows[i], variants[i]);
        snprintf(rows[i].clock, sizeof rows[i].clock, "cpu");
        snprintf(rows[i].counts.source, sizeof rows[i].counts.source, "none");
    }
    set_time(&rows[0], 200, 0);
    set_time(&rows[1], 100, 0.001);
    rows[2].status = ROW_UNSUPPORTED;
    snprintf(rows[2].reason, sizeof rows[2].reason, "codegen: \"cc\" | is, not found");
    set_time(&rows[3], 20, 0.001);
    set_time(&rows[4], 200, 0.01);
}

static void remake(struct made *made, const struct row *again) {
    struct error error;
    comparison_free(&made->comparison);
    made->comparison = (struct comparison){.inputs = {.model = "m.json",
                                                      .data = "d,1.txt",
                                                      .documents = 1000,
                                                      .trees = 50,
                                                      .features = 7},
                                           .clock = "cpu",
                                           .threads = 1,
                                           .parallel = "",
                                           .counters = "none"};
    assert_int_equal(comparison_make(made->rows, ROWS - 1, again, &made->comparison, &error),
                     STATUS_OK);
}

static int set_up(void **state) {
    struct made *made = calloc(1, sizeof *made);
    make_rows(made->rows);
    remake(made, &made->rows[ROWS - 1]);
    *state = made;
    return 0;
}

static int tear_down(void **state) {
    struct made *made = *state;
    comparison_free(&made->comparison);
    for (size_t i = 0; i < ROWS; i++)
        row_free(&made->rows[i]);
    free(made);
    return 0;
}

static cJSON *machine(void) {
    cJSON *manifest =
        cJSON_Parse("{\"started\": \"2026-01-02T03:04:05Z\", \"load\": 0.5, \"cpu\": {\"model\": "
                    "\"Z80, fast\", \"features\": \"avx2\", \"cores\": 2, \"hypervisor\": null}, "
                    "\"kernel\": \"Linux\", \"build\": {\"commit\": \"0123456789abcdef\", "
                    "\"dirty\": false, \"compiler\": \"gcc\", \"flags\": \"-O2\"}}");
    assert_non_null(manifest);
    return manifest;
}

typedef void print_function(const struct comparison *comparison, const cJSON *machine,
                            FILE *stream);

static void print_table(const struct comparison *comparison, const cJSON *manifest, FILE *stream) {
    (void)manifest;
    comparison_print_table(comparison, stream);
}

static void print_records(const struct comparison *comparison, enum measured_form form,
                          const cJSON *manifest, FILE *stream) {
    const struct measured_output output = {form, stream, cJSON_Duplicate(manifest, true)};
    struct error error;
    assert_int_equal(comparison_print_records(comparison, &output, &error), STATUS_OK);
    cJSON_Delete(output.machine);
}

static void print_json(const struct comparison *comparison, const cJSON *manifest, FILE *stream) {
    print_records(comparison, MEASURED_JSON, manifest, stream);
}

static void print_csv(const struct comparison *comparison, const cJSON *manifest, FILE *stream) {
    print_records(comparison, MEASURED_CSV, manifest, stream);
}

static const char *printed(print_function *print, const struct comparison *comparison) {
    static char text[TEXT_SIZE];
    FILE *stream = fmemopen(text, sizeof text, "w");
    cJSON *manifest = machine();
    assert_non_null(stream);
    print(comparison, manifest, stream);
    assert_int_equal(fclose(stream), 0);
    cJSON_Delete(manifest);
    return text;
}

/* --- the lines -------------------------------------------------------------------------------- */

static void ratios_are_to_the_first(void **state) {
    const struct made *made = *state;
    const struct comparison_line *lines = made->comparison.lines;
    assert_true(made->comparison.has_ratios);
    assert_float_equal(lines[0].ratio.value, 1, 0);
    assert_int_equal(lines[0].verdict.kind, VERDICT_NONE);
    assert_float_equal(lines[1].ratio.value, 0.5, 0.001);
    assert_int_equal(lines[1].verdict.kind, VERDICT_FASTER);
    assert_float_equal(comparison_times_as_fast(&lines[1]), 2, 0.01);
    assert_float_equal(comparison_documents_per_second(&lines[1]), 1e7, 1);
    assert_true(isnan(lines[2].ratio.value));
    assert_int_equal(lines[2].verdict.kind, VERDICT_NONE);
    assert_int_equal(made->comparison.rounds, ROUNDS);
    assert_int_equal(made->comparison.placements, ROUNDS / PER_PLACEMENT);
}

static void noise_floor_is_of_the_first_again(void **state) {
    const struct made *made = *state;
    const struct comparison *c = &made->comparison;
    assert_null(c->noise_reason);
    assert_float_equal(c->noise.value, 1, 0.01);
    assert_true(c->noise_floor >= 0.005 && c->noise_floor <= 0.021);
}

static void without_noise_floor_nothing_is_told(void **state) {
    struct made *made = *state;
    remake(made, NULL);
    assert_non_null(made->comparison.noise_reason);
    assert_int_equal(made->comparison.lines[1].verdict.kind, VERDICT_UNRESOLVED);
    made->rows[4].status = ROW_FAILED;
    snprintf(made->rows[4].reason, sizeof made->rows[4].reason, "out of memory");
    remake(made, &made->rows[4]);
    assert_string_equal(made->comparison.noise_reason, "out of memory");
}

static void without_a_time_of_the_first_there_are_no_ratios(void **state) {
    struct made *made = *state;
    made->rows[0].status = ROW_WRONG;
    remake(made, &made->rows[4]);
    assert_false(made->comparison.has_ratios);
    assert_true(isnan(made->comparison.lines[1].ratio.value));
    const char *text = printed(print_table, &made->comparison);
    assert_non_null(strstr(text, "no ratios: the first has no time"));
    assert_null(strstr(text, "verdict"));
    assert_null(strstr(text, "noise"));
}

static void fastest_computes_scores(void **state) {
    const struct made *made = *state;
    for (size_t i = 0; i < made->comparison.count; i++)
        assert_int_equal(made->comparison.lines[i].is_fastest, i == 1); /* not noop */
}

static void sorted_by_time(void **state) {
    struct made *made = *state;
    static const char *const expected[] = {"noop", "qs", "struct-plus", "codegen"};
    comparison_sort(&made->comparison);
    for (size_t i = 0; i < made->comparison.count; i++)
        assert_string_equal(made->comparison.lines[i].row->impl, expected[i]);
    assert_float_equal(made->comparison.lines[1].ratio.value, 0.5, 0.001); /* to struct-plus */
}

/* --- forms ------------------------------------------------------------------------------------ */

static void table_has_a_line_each(void **state) {
    const struct made *made = *state;
    const char *text = printed(print_table, &made->comparison);
    assert_non_null(strstr(text, "12 interleaved rounds in 4"));
    assert_non_null(strstr(text, "\nstruct-plus              200.00  [198.00, 202.00]  1.000"));
    assert_non_null(strstr(text, "\nqs                       100.00  [99.00, 101.00]   0.500  ["));
    assert_non_null(strstr(text, "  2.00x  faster\n"));
    assert_non_null(strstr(text, "\ncodegen            unsupported: codegen: \"cc\" | is, not"));
    assert_non_null(strstr(text, "\nnoise floor: "));
    assert_null(strstr(text, " \n")); /* no line ends in spaces */
}

/* Returns the column of `word` in the line of `text` that begins with `line`. */
static size_t column_of(const char *text, const char *line, const char *word) {
    char begin[64];
    snprintf(begin, sizeof begin, "\n%s", line);
    const char *found = strstr(text, begin);
    assert_non_null(found);
    const char *at = strstr(found + 1, word);
    assert_non_null(at);
    return (size_t)(at - found - 1);
}

static void table_aligns_columns_and_drops_the_speed_of_long_lines(void **state) {
    struct made *made = *state;
    const char *text = printed(print_table, &made->comparison);
    assert_non_null(strstr(text, "  speed  "));
    assert_int_equal(column_of(text, "implementation", "verdict"), column_of(text, "qs", "faster"));
    assert_int_equal(column_of(text, "struct-plus", "1.00x"), column_of(text, "qs", "2.00x"));
    row_set_variant(&made->rows[1], "vpred,a-parameter-with-a-long-name=and-value");
    remake(made, &made->rows[4]);
    text = printed(print_table, &made->comparison);
    assert_null(strstr(text, "  speed  "));
    assert_int_equal(column_of(text, "implementation", "verdict"),
                     column_of(text, "vpred,a-param", "faster"));
}

static void table_without_intervals(void **state) {
    struct made *made = *state;
    for (size_t i = 0; i < ROWS; i++) {
        made->rows[i].samples.count = made->rows[i].samples.count ? 1 : 0;
        made->rows[i].median_interval = (struct interval){NAN, NAN};
    }
    remake(made, &made->rows[4]);
    const char *text = printed(print_table, &made->comparison);
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "unresolved"));
    assert_non_null(strstr(text, "noise floor: unknown: there are too few rounds"));
}

/* libraries have no lanes: they take all documents */
static void a_call_is_described(void **state) {
    struct made *made = *state;
    char text[COMPARISON_CALL_SIZE];
    made->comparison.block = 1;
    comparison_describe_call(&made->comparison, text);
    assert_string_equal(text, "calls of 1 document");
    made->comparison.block = 0;
    made->rows[0].lanes = 16;
    made->rows[1].lanes = 8;
    made->rows[2].lanes = 4; /* not supported */
    made->rows[3].lanes = 2000;
    comparison_describe_call(&made->comparison, text);
    assert_string_equal(text, "calls of one step each (8 to 1000 documents)");
    made->rows[3].lanes = 0;
    comparison_describe_call(&made->comparison, text);
    assert_string_equal(text, "calls of one step each (8 to 1000 documents)");
    made->rows[3].lanes = 16;
    comparison_describe_call(&made->comparison, text);
    assert_string_equal(text, "calls of one step each (8 to 16 documents)");
    row_set_variant(&made->rows[1], "struct,order=SD");
    comparison_describe_call(&made->comparison, text);
    assert_string_equal(text, "calls of one step each (16 to 1000 documents)");
}

static void an_incomplete_placement_counts(void **state) {
    struct made *made = *state;
    for (size_t i = 0; i < ROWS; i++)
        made->rows[i].samples.count = made->rows[i].samples.count ? 10 : 0;
    remake(made, &made->rows[4]);
    assert_int_equal(made->comparison.rounds, 10);
    assert_int_equal(made->comparison.placements, 4);
}

static double number_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

static const char *text_of(const cJSON *object, const char *key) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    assert_true(cJSON_IsString(item));
    return item->valuestring;
}

static void assert_null_member(const cJSON *object, const char *key) {
    assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, key)));
}

static void json_holds_everything(void **state) {
    const struct made *made = *state;
    cJSON *json = cJSON_Parse(printed(print_json, &made->comparison));
    assert_non_null(json);
    const cJSON *manifest = cJSON_GetObjectItemCaseSensitive(json, "machine");
    const cJSON *lines = cJSON_GetObjectItemCaseSensitive(json, "implementations");
    assert_float_equal(number_of(json, "schema"), 1, 0);
    assert_string_equal(text_of(manifest, "kernel"), "Linux");
    assert_string_equal(text_of(json, "data"), "d,1.txt");
    assert_float_equal(number_of(json, "placements"), 4, 0);
    assert_null_member(json, "block");
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(json, "interrupted")));
    assert_true(number_of(json, "noise_floor") > 0);
    assert_int_equal(cJSON_GetArraySize(lines), ROWS - 1);

    const cJSON *first = cJSON_GetArrayItem(lines, 0), *qs = cJSON_GetArrayItem(lines, 1);
    const cJSON *codegen = cJSON_GetArrayItem(lines, 2);
    assert_float_equal(number_of(first, "ratio"), 1, 0);
    assert_null_member(first, "ratio_low");
    assert_string_equal(text_of(first, "verdict"), "");
    assert_string_equal(text_of(qs, "implementation"), "qs");
    assert_string_equal(text_of(qs, "verdict"), "faster");
    assert_null_member(qs, "within_percent");
    assert_float_equal(number_of(qs, "median_ns"), 100, 1e-9);
    assert_float_equal(number_of(qs, "median_low_ns"), 99, 1e-9);
    assert_float_equal(number_of(qs, "documents_per_second"), 1e7, 1e-3);
    assert_float_equal(number_of(qs, "samples"), ROUNDS, 0);
    assert_float_equal(number_of(qs, "built_bytes"), 4096, 0);
    assert_float_equal(number_of(qs, "resident_peak_bytes"), 12288, 0);
    assert_float_equal(number_of(qs, "build_ns"), 1.5e6, 0);
    assert_null(cJSON_GetObjectItemCaseSensitive(qs, "instructions"));
    assert_string_equal(text_of(codegen, "status"), "unsupported");
    assert_string_equal(text_of(codegen, "reason"), "codegen: \"cc\" | is, not found");
    assert_null_member(codegen, "median_ns");
    assert_null_member(codegen, "built_bytes");
    cJSON_Delete(json);
}

static void json_of_equal_times_and_counters(void **state) {
    struct made *made = *state;
    row_free(&made->rows[1]);
    set_time(&made->rows[1], 201, 0.001);
    made->rows[1].counts.documents = 10;
    made->rows[1].counts.values[COUNTER_INSTRUCTIONS] =
        (struct counter_value){.valid = true, .value = 77};
    remake(made, &made->rows[4]);
    made->comparison.counters = "perf";
    cJSON *json = cJSON_Parse(printed(print_json, &made->comparison));
    const cJSON *qs =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "implementations"), 1);
    assert_string_equal(text_of(qs, "verdict"), "same");
    assert_float_equal(number_of(qs, "within_percent"), 1, 0);
    assert_float_equal(number_of(qs, "instructions"), 77, 0);
    assert_float_equal(number_of(qs, "counter_documents"), 10, 0);
    assert_null_member(qs, "cycles");
    cJSON_Delete(json);
}

/* Counts the fields of a line of CSV. */
static size_t count_fields(const char *line) {
    size_t fields = 1;
    bool is_quoted = false;
    for (; *line != '\n'; line++) {
        is_quoted ^= *line == '"';
        fields += *line == ',' && !is_quoted;
    }
    return fields;
}

static void csv_has_a_header_and_a_line_each(void **state) {
    const struct made *made = *state;
    const char *text = printed(print_csv, &made->comparison);
    size_t fields = count_fields(text), lines = 0;
    assert_int_equal(strncmp(text, "schema,started,load,cpu,", 24), 0);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1, lines++)
        assert_int_equal(count_fields(line), fields);
    assert_int_equal(lines, ROWS);
    assert_non_null(strstr(text, "\n1,2026-01-02T03:04:05Z,0.5,\"Z80, fast\",avx2,2,,Linux,"
                                 "0123456789abcdef,false,gcc,-O2,m.json,\"d,1.txt\",1000,7,50,"));
    assert_non_null(strstr(text, ",qs,,,ok,,12,100,99,101,1e+07,0.4997"));
    assert_non_null(strstr(text, ",faster,,,,,,,,,8192,12288,4096,1.5e+06\n"));
    assert_non_null(strstr(
        text,
        ",codegen,,,unsupported,\"codegen: \"\"cc\"\" | is, not found\",0,,,,,,,,,,,,,,,,,,,,,\n"));
}

/* Counts the cells of a row of a Markdown table. */
static size_t count_cells(const char *line) {
    size_t cells = 0;
    for (; *line != '\n'; line++)
        cells += *line == '|' && line[-1] != '\\';
    return cells;
}

static void markdown_is_a_table(void **state) {
    const struct made *made = *state;
    const char *text = printed(comparison_print_markdown, &made->comparison);
    size_t rows = 0, cells = 0;
    for (const char *line = strstr(text, "\n|"); line; line = strstr(line + 1, "\n|"), rows++) {
        cells = cells ? cells : count_cells(line + 1);
        assert_int_equal(count_cells(line + 1), cells);
    }
    assert_int_equal(rows, 2 + ROWS - 1);
    assert_non_null(strstr(text, "| **qs** | 100.00 |"));
    assert_non_null(strstr(text, "| faster | 4096 | 1.500 |"));
    assert_non_null(strstr(text, "\"cc\" \\| is, not found"));
    assert_non_null(
        strstr(text, "Machine: Z80, fast, 2 cores; Linux; gcc; treebench 0123456789ab"));
}

static void interruption_is_told(void **state) {
    struct made *made = *state;
    made->comparison.is_interrupted = true;
    assert_non_null(strstr(printed(print_json, &made->comparison), "\"interrupted\":\ttrue"));
    assert_non_null(strstr(printed(print_csv, &made->comparison), ",12,4,true,"));
    assert_non_null(strstr(printed(comparison_print_markdown, &made->comparison), "Interrupted."));
}

/* --- ending early ----------------------------------------------------------------------------- */

static void clear_differences_settle_after_four_placements(void **state) {
    struct made *made = *state;
    assert_true(comparison_is_settled(made->rows, ROWS));
    for (size_t i = 0; i < ROWS; i++)
        made->rows[i].samples.count = made->rows[i].samples.count ? 3 * PER_PLACEMENT : 0;
    assert_false(comparison_is_settled(made->rows, ROWS));
}

static void small_differences_do_not_settle(void **state) {
    struct made *made = *state;
    row_free(&made->rows[1]);
    set_time(&made->rows[1], 190, 0.001);
    assert_false(comparison_is_settled(made->rows, ROWS));
}

static void differences_within_the_noise_floor_do_not_settle(void **state) {
    struct made *made = *state;
    row_free(&made->rows[4]);
    set_time(&made->rows[4], 200, 0.3);
    assert_false(comparison_is_settled(made->rows, ROWS));
}

static void without_a_first_time_nothing_settles(void **state) {
    struct made *made = *state;
    assert_false(comparison_is_settled(made->rows, 1));
    made->rows[0].status = ROW_FAILED;
    assert_false(comparison_is_settled(made->rows, ROWS));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void) {
    setenv("NO_COLOR", "1", 1);
    const struct CMUnitTest tests[] = {
        TEST(ratios_are_to_the_first),
        TEST(noise_floor_is_of_the_first_again),
        TEST(without_noise_floor_nothing_is_told),
        TEST(without_a_time_of_the_first_there_are_no_ratios),
        TEST(fastest_computes_scores),
        TEST(sorted_by_time),
        TEST(table_has_a_line_each),
        TEST(table_aligns_columns_and_drops_the_speed_of_long_lines),
        TEST(table_without_intervals),
        TEST(a_call_is_described),
        TEST(an_incomplete_placement_counts),
        TEST(json_holds_everything),
        TEST(json_of_equal_times_and_counters),
        TEST(csv_has_a_header_and_a_line_each),
        TEST(markdown_is_a_table),
        TEST(interruption_is_told),
        TEST(clear_differences_settle_after_four_placements),
        TEST(small_differences_do_not_settle),
        TEST(differences_within_the_noise_floor_do_not_settle),
        TEST(without_a_first_time_nothing_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
