/* Calls of n documents: the competing implementations, and the number of documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "harness/measure/calls.h"

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
    size_t count = calls_libraries(specs, LIMIT);
    assert_true(has(specs, count, "xgboost")); /* which is linked */
    assert_false(has(specs, count, "planes"));
    assert_int_equal(calls_libraries(specs, 0), 0);
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
        cmocka_unit_test(documents_are_whole_calls_as_many_as_there_is_time_for),
        cmocka_unit_test(a_row_that_lacked_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
