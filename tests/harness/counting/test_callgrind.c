#include "datasets/data.h"
#include "harness/counting/counted_pass.h"
#include "models/format.h"

#include "base/cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#define EVENTS "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\n"

static enum status read_totals(const char *text, struct counter_value *values,
                               struct error *error) {
    return callgrind_read_totals("profile", text, values, error);
}

static void test_events_add_up_to_counters(void **state) {
    (void)state;
    struct counter_value v[COUNTER_COUNT];
    const char *text = "# callgrind format\nversion: 1\n\n" EVENTS "fn=(1) main\n1 5 5\n"
                       "totals: 1000 200 30 4 50 6 1 7 20 300 40 8 2\n";
    assert_int_equal(read_totals(text, v, NULL), STATUS_OK);
    assert_int_equal(v[COUNTER_INSTRUCTIONS].value, 1000);
    assert_int_equal(v[COUNTER_L1D_REFERENCES].value, 230);
    assert_int_equal(v[COUNTER_L1D_MISSES].value, 56);
    assert_int_equal(v[COUNTER_LLC_REFERENCES].value, 60);
    assert_int_equal(v[COUNTER_LLC_MISSES].value, 28);
    assert_int_equal(v[COUNTER_BRANCHES].value, 308);
    assert_int_equal(v[COUNTER_BRANCH_MISSES].value, 42);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        assert_int_equal(v[i].valid, i != COUNTER_CYCLES);
}

static void test_zeros_at_the_end_may_be_left_out(void **state) {
    (void)state;
    struct counter_value v[COUNTER_COUNT];
    assert_int_equal(read_totals(EVENTS "totals: 18446744073709551615 2\n", v, NULL), STATUS_OK);
    assert_true(v[COUNTER_INSTRUCTIONS].value == UINT64_MAX);
    assert_int_equal(v[COUNTER_L1D_REFERENCES].value, 2);
    assert_true(v[COUNTER_BRANCHES].valid && v[COUNTER_BRANCHES].value == 0);
}

static void test_what_is_no_profile_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "totals: 1\n",
        EVENTS,
        EVENTS "totals: -1\n",
        EVENTS "totals: 1 2x\n",
        EVENTS "totals: 18446744073709551616\n",
        EVENTS "totals: 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n",
        "events: Ir Dr Dw\ntotals: 1 2 3\n",
        "events: Ir Ir Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim\ntotals: 1\n",
        "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim sysTime\ntotals: 1\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct counter_value v[COUNTER_COUNT] = {{.value = 77}};
        struct error error;
        assert_int_equal(read_totals(texts[i], v, &error), STATUS_INPUT);
        assert_memory_equal(error.text, "profile: ", 9);
        assert_int_equal(v[0].value, 77);
    }
}

static void test_a_pass_is_sized_down_to_whole_steps(void **state) {
    (void)state;
    assert_int_equal(counted_pass_documents(100, 16, 1, count_by_callgrind.most_pairs), 100);
    assert_int_equal(counted_pass_documents(1000000, 16, 1000, count_by_callgrind.most_pairs), 512);
    assert_int_equal(counted_pass_documents(1000000, 16, 20000, count_by_callgrind.most_pairs), 64);
    assert_int_equal(counted_pass_documents(1000000, 16, 0, count_by_callgrind.most_pairs), 524288);
    assert_int_equal(counted_pass_documents(1000000, 512, 1, count_by_callgrind.most_pairs), 16384);
    assert_int_equal(counted_pass_documents(10, 1u << 24, 1, count_by_callgrind.most_pairs), 10);
}

/* Documents to warm up by lie between those that are counted, and are others. */
static void test_the_pass_has_documents_to_warm_up_by(void **state) {
    (void)state;
    enum { ROWS = 128, COUNTED = 64 };
    struct counted_pass pass;
    struct ensemble *ensemble;
    struct matrix *documents, *picked;
    assert_int_equal(model_read("tests/fuzz/corpus/json_model/stump.json", &ensemble, NULL),
                     STATUS_OK);
    assert_int_equal(matrix_create(ROWS, 1, &documents, NULL), STATUS_OK);
    for (size_t i = 0; i < ROWS; i++)
        matrix_row(documents, i)[0] = (float)i;
    counted_pass_begin(&pass, &(struct pass_counter){.most_pairs = COUNTED}, ensemble, documents);
    assert_string_equal(pass.reason, "");
    assert_int_equal(pass.documents, COUNTED);
    assert_int_equal(
        data_read(pass.folder.files[COUNTED_DOCUMENTS], &(struct data_reading){0}, &picked, NULL),
        STATUS_OK);
    assert_int_equal(picked->n_rows, ROWS);
    for (size_t i = 0; i < COUNTED; i++) {
        assert_true(matrix_row(picked, i)[0] == (float)(2 * i + 1));
        assert_true(matrix_row(picked, COUNTED + i)[0] == (float)(2 * i));
    }
    matrix_free(picked);
    matrix_free(documents);
    ensemble_free(ensemble);
    counted_pass_end(&pass);
}

/* The blocks of an order of its own are no calls. */
static void test_the_command_has_the_documents_of_a_call(void **state) {
    (void)state;
    struct counted_pass pass = {.documents = 64, .counter = &count_by_callgrind};
    static const struct {
        const char *variant;
        struct plan plan;
        const char *block;
    } cases[] = {{"struct", {.doc_block = 8, .call = 32}, "8"},
                 {"struct", {.call = 32}, "64"},
                 {"struct,d=8,order=DSDS,s=2", {.doc_block = 8, .call = 32}, "32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counted_command command;
        assert_int_equal(
            counted_command_make(&pass, cases[i].variant, &cases[i].plan, &command, NULL),
            STATUS_OK);
        assert_string_equal(command.block, cases[i].block);
        counted_command_free(&command);
    }
}

static void test_avx512_is_not_simulated_and_says_so(void **state) {
    (void)state;
    struct counted_pass pass = {.documents = 64, .counter = &count_by_callgrind};
    const struct impl impl = {.name = "wide", .cpu = CPU_AVX2 | CPU_AVX512};
    const struct scorer scorer = {.impl = &impl, .lanes = 16};
    struct counts counts;
    counted_pass_count(&pass, "wide", &scorer, &(struct plan){.doc_block = 0},
                       &simulated_caches_default, &counts);
    assert_string_equal(counts.source, "none");
    assert_string_equal(counts.simulated, "");
    assert_non_null(strstr(counts.reason, "--counters step"));
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        assert_false(counts.values[i].valid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_add_up_to_counters),
        cmocka_unit_test(test_zeros_at_the_end_may_be_left_out),
        cmocka_unit_test(test_what_is_no_profile_is_refused),
        cmocka_unit_test(test_a_pass_is_sized_down_to_whole_steps),
        cmocka_unit_test(test_the_pass_has_documents_to_warm_up_by),
        cmocka_unit_test(test_the_command_has_the_documents_of_a_call),
        cmocka_unit_test(test_avx512_is_not_simulated_and_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
