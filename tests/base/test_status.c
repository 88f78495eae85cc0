/* Errors that libraries give as a text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

static void the_first_line_of_a_library_is_the_reason(void **state) {
    (void)state;
    struct error error;
    assert_int_equal(
        error_library(&error, "XGBoost", "json.cc:456: Expecting: '\"'\n\nStack trace:"),
        STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "XGBoost: json.cc:456: Expecting: '\"'");
}

static void a_library_without_memory_is_no_refusal(void **state) {
    (void)state;
    struct error error;
    assert_int_equal(error_library(&error, "XGBoost", "std::bad_alloc"), STATUS_MEMORY);
    assert_string_equal(error.text, "out of memory for XGBoost");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_of_a_library_is_the_reason),
        cmocka_unit_test(a_library_without_memory_is_no_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
