#include "harness/latency/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_different_calls_score_each_document_once(void **state) {
    (void)state;
    const struct call_size pairs = {2, 2};
    for (uint64_t k = 0; k < 9; k++) {
        struct call call = schedule_call(pairs, CALL_DIFFERENT, 7, 1, k);
        assert_true(call.row == k % 3 * 2 && call.n_rows == 2);
        call = schedule_call(pairs, CALL_SAME, 7, 1, k);
        assert_true(call.row == 0 && call.n_rows == 2);
    }
}

static void test_drawn_sizes_are_equally_frequent(void **state) {
    (void)state;
    const struct call_size sizes = {35, 100};
    size_t counts[101] = {0};
    for (uint64_t k = 0; k < 66000; k++) {
        struct call call = schedule_call(sizes, CALL_DIFFERENT, 250, 1, k);
        assert_true(call.row + call.n_rows <= 250 && call.n_rows >= 35 && call.n_rows <= 100);
        counts[call.n_rows]++;
    }
    for (size_t size = 35; size <= 100; size++)
        assert_in_range(counts[size], 850, 1150);
    assert_true(schedule_call(sizes, CALL_DIFFERENT, 250, 1, 5).n_rows ==
                schedule_call(sizes, CALL_SAME, 250, 1, 5).n_rows);
}

static void test_shuffling_keeps_all_documents(void **state) {
    (void)state;
    enum { ROWS = 200 };
    struct matrix *documents, *shuffled, *again;
    bool found[ROWS] = {false}, moved = false;
    assert_int_equal(matrix_create(ROWS, 3, &documents, NULL), STATUS_OK);
    for (size_t i = 0; i < ROWS; i++)
        matrix_row(documents, i)[2] = (float)i;
    assert_int_equal(schedule_shuffle(documents, 5, &shuffled, NULL), STATUS_OK);
    assert_int_equal(schedule_shuffle(documents, 5, &again, NULL), STATUS_OK);
    for (size_t i = 0; i < ROWS; i++) {
        size_t from = (size_t)matrix_row(shuffled, i)[2];
        assert_false(found[from]);
        found[from] = true;
        moved |= from != i;
        assert_memory_equal(matrix_row(shuffled, i), matrix_row(again, i), 3 * sizeof(float));
    }
    assert_true(moved);
    matrix_free(documents);
    matrix_free(shuffled);
    matrix_free(again);
}

static void test_arrivals_are_a_poisson_process(void **state) {
    (void)state;
    enum { N = 100000 };
    uint64_t *arrivals = calloc(N, sizeof *arrivals);
    assert_non_null(arrivals);
    schedule_arrivals(1e6, 3, N, arrivals);
    size_t short_gaps = 0;
    for (size_t i = 1; i < N; i++) {
        assert_true(arrivals[i] >= arrivals[i - 1]);
        short_gaps += arrivals[i] - arrivals[i - 1] < 693; /* the median: ln 2 of the mean */
    }
    assert_in_range(arrivals[N - 1], 0.99e8, 1.01e8);
    assert_in_range(short_gaps, 49000, 51000);
    free(arrivals);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_different_calls_score_each_document_once),
        cmocka_unit_test(test_drawn_sizes_are_equally_frequent),
        cmocka_unit_test(test_shuffling_keeps_all_documents),
        cmocka_unit_test(test_arrivals_are_a_poisson_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
