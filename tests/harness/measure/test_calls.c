/* Calls of n documents: the competing implementations, and the number of documents. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/measure/calls.h"
#include "impls/auto/auto_default.h"
#include "models/format.h"
#include "synth/synth.h"

enum { LIMIT = 64 };

static bool has(char specs[][AUTO_SPEC_SIZE], size_t count, const char *spec) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(specs[i], spec) == 0)
            return true;
    return false;
}

static void candidates_score_exactly_and_are_no_baselines(void **state) {
    (void)state;
    static const char *const out[] = {"reference", "object",  "codegen", "auto",         "noop",
                                      "vpred",     "xgboost", "native",  "native-folded"};
    static const char *const in[] = {"struct-plus", "qs",        "planes",
                                     "native-opt",  "vpred,v=8", "vpred,v=32"};
    char specs[LIMIT][AUTO_SPEC_SIZE];
    size_t count = calls_candidates(false, specs, LIMIT);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++)
        assert_false(has(specs, count, out[i]));
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        assert_true(has(specs, count, in[i]));
    size_t more = calls_candidates(true, specs, LIMIT);
    assert_int_equal(more, count + 2);
    assert_true(has(specs, more, "codegen"));
    assert_true(has(specs, more, "ifelse-opt"));
    assert_int_equal(calls_candidates(true, specs, 3), 3);
}

static void libraries_are_those_that_are_here(void **state) {
    (void)state;
    char specs[LIMIT][AUTO_SPEC_SIZE];
    size_t count = calls_of_kind(IMPL_LIBRARY, specs, LIMIT);
    assert_true(has(specs, count, "xgboost")); /* which make installs */
    assert_false(has(specs, count, "planes"));
    assert_int_equal(calls_of_kind(IMPL_LIBRARY, specs, 0), 0);
}

/* --- the order in which they are built -------------------------------------------------------- */

static void the_library_of_the_models_maker_is_first(void **state) {
    (void)state;
    static const struct {
        const char *format, *first;
    } formats[] = {{"lightgbm", "lightgbm"},
                   {"xgboost-ubjson", "xgboost"},
                   {"onnx", "onnxruntime"},
                   {"ranklib", "tl2cgen"},
                   {NULL, "tl2cgen"}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char specs[][AUTO_SPEC_SIZE] = {"tl2cgen", "xgboost", "lightgbm", "onnxruntime"};
        const struct model_format format = {.name = formats[i].format};
        const struct ensemble model = {.format = formats[i].format ? &format : NULL};
        calls_maker_first(&model, specs, 4);
        assert_string_equal(specs[0], formats[i].first);
        for (size_t k = 0; k < 4; k++)
            assert_true(has(
                specs, 4, ((const char *[]){"tl2cgen", "xgboost", "lightgbm", "onnxruntime"})[k]));
    }
}

static void promising_candidates_come_first(void **state) {
    (void)state;
    struct ensemble *model;
    const struct synth_shape shape = {.depth = 6, .n_features = 20, .n_trees = 200};
    assert_int_equal(synth_trees(&shape, 1, &model, NULL), STATUS_OK);
    struct auto_table table;
    assert_int_equal(auto_default_table(model, &table, NULL), STATUS_OK);
    char specs[LIMIT][AUTO_SPEC_SIZE] = {"no-costs"};
    size_t count = 1 + calls_candidates(false, specs + 1, LIMIT - 1);
    assert_int_equal(calls_promising_first(model, 1000, 1000, specs, count, NULL), STATUS_OK);
    assert_true(has(specs, count, "no-costs") && has(specs, count, "struct-plus"));
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        double cost = INFINITY;
        for (size_t k = 0; k < table.count; k++)
            if (strcmp(table.specs[k], specs[i]) == 0)
                cost = auto_cost_of(&table.costs[k], 1000);
        assert_true(cost >= before);
        before = cost;
    }
    assert_true(isinf(before) && table.count > 1);
    ensemble_free(model);
}

static size_t rows(size_t n_rows, size_t trees, size_t call, size_t least, size_t visits) {
    const struct matrix documents = {.n_rows = n_rows};
    return calls_documents(&documents, trees, call, least, visits).n_rows;
}

static void documents_are_whole_calls_as_many_as_there_is_time_for(void **state) {
    (void)state;
    assert_int_equal(rows(5000, 10, 1, 1, 10000), 1000);
    assert_int_equal(rows(5000, 10, 300, 300, 10000), 900);
    assert_int_equal(rows(500, 10, 1, 1, 10000), 500);      /* there are no more */
    assert_int_equal(rows(5000, 100000, 64, 64, 1000), 64); /* at least one call */
    assert_int_equal(rows(1000000, 0, 1, 1, 1 << 20), 65536);
}

static void a_row_that_lacked_memory_is_an_error(void **state) {
    (void)state;
    struct error error;
    struct row two[2] = {{.status = ROW_OK}, {.status = ROW_FAILED, .impl = "qs"}};
    strcpy(two[1].reason, "the compiler failed");
    assert_int_equal(calls_check_memory(two, 2, &error), STATUS_OK);
    strcpy(two[1].reason, "masks: out of memory");
    assert_int_equal(calls_check_memory(two, 2, &error), STATUS_MEMORY);
    assert_string_equal(error.text, "qs: masks: out of memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_score_exactly_and_are_no_baselines),
        cmocka_unit_test(libraries_are_those_that_are_here),
        cmocka_unit_test(the_library_of_the_models_maker_is_first),
        cmocka_unit_test(promising_candidates_come_first),
        cmocka_unit_test(documents_are_whole_calls_as_many_as_there_is_time_for),
        cmocka_unit_test(a_row_that_lacked_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
