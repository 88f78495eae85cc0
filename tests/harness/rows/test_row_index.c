#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "harness/rows/row_index.h"
#include "tests/harness/rows/made_up_rows.h"

/* Every row is found at its own point and variant, and nowhere else. */
static void every_row_is_found(void **state) {
    (void)state;
    static const char *const variants[] = {"vpred,v=8", "vpred", "pred"};
    struct made_up made = {.capacity = 0};
    struct row_index index;
    for (uint32_t depth = 5; depth > 2; depth--)
        for (size_t v = 0; v < 3; v++)
            made_up_trials(&made, depth, 32, 4, variants[v], 10.0 * depth);
    made.rows.list[7].status = ROW_WRONG; /* indexed all the same */
    assert_int_equal(row_index_make(&made.rows, &index, NULL), STATUS_OK);
    for (size_t i = 0; i < made.rows.count; i++) {
        const struct point point = point_of_row(&made.rows.list[i]);
        assert_int_equal(row_index_at(&index, &point).count, 12);
        for (size_t v = 0; v < 3; v++) {
            struct row_span span = row_index_find(&index, &point, variants[v]);
            assert_int_equal(span.count, 4);
            for (uint32_t trial = 0; trial < 4; trial++) {
                assert_int_equal(span.entries[trial].row->workload.trial, trial);
                assert_int_equal(span.entries[trial].row->workload.depth, point.depth);
                assert_string_equal(span.entries[trial].variant, variants[v]);
            }
        }
    }
    row_index_free(&index);
    made_up_free(&made);
}

static void nothing_is_found_elsewhere(void **state) {
    (void)state;
    struct made_up made = {.capacity = 0};
    struct row_index index;
    assert_int_equal(row_index_make(&made.rows, &index, NULL), STATUS_OK); /* no rows */
    struct point point = {
        .kind = "synthetic", .depth = 3, .features = 32, .trees = 1, .threads = 1};
    assert_int_equal(row_index_at(&index, &point).count, 0);
    row_index_free(&index);

    made_up_trials(&made, 3, 32, 2, "pred", 10);
    assert_int_equal(row_index_make(&made.rows, &index, NULL), STATUS_OK);
    assert_int_equal(row_index_find(&index, &point, "pred").count, 2);
    assert_int_equal(row_index_find(&index, &point, "vpred").count, 0);
    struct point cold = point;
    snprintf(cold.passes, sizeof cold.passes, "cold");
    assert_int_equal(row_index_at(&index, &cold).count, 0);
    point.threads = 2;
    assert_int_equal(row_index_at(&index, &point).count, 0);
    row_index_free(&index);
    made_up_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(nothing_is_found_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
