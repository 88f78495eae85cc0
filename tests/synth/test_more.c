/* More documents per query: which are copied, what is replaced, identical bytes for a seed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "synth/more.h"

#include <stdlib.h>
#include <string.h>

enum { FEATURES = 20, PER_QUERY = 2000 };

/* Two queries: documents 0 to 4 have the labels 4, 0, 3, 1 and 2, and documents 5 and 6 have
 * the label 3. Value f
 * of document i is 100 i + f. */
static struct matrix *make_given(void) {
    static const float labels[] = {4, 0, 3, 1, 2, 3, 3};
    struct matrix *given;
    assert_int_equal(matrix_create(7, FEATURES, &given, NULL), STATUS_OK);
    given->labels = malloc(sizeof labels);
    given->query_row = malloc(3 * sizeof *given->query_row);
    given->query_id = malloc(2 * sizeof *given->query_id);
    memcpy(given->labels, labels, sizeof labels);
    memcpy(given->query_row, (const size_t[]){0, 5, 7}, 3 * sizeof *given->query_row);
    memcpy(given->query_id, (const int64_t[]){30, -4}, 2 * sizeof *given->query_id);
    given->n_queries = 2;
    for (size_t row = 0; row < 7; row++)
        for (uint32_t f = 0; f < FEATURES; f++)
            matrix_row(given, row)[f] = (float)(100 * row + f);
    return given;
}

static struct matrix *make(const struct matrix *given, uint64_t seed) {
    struct matrix *more = NULL;
    struct error error = {""};
    if (synth_more("d.txt", given, PER_QUERY, seed, &more, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return more;
}

static void given_documents_stay_and_queries_grow(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = make(given, 1);
    assert_int_equal(more->n_rows, 2 * PER_QUERY);
    assert_int_equal(more->n_queries, 2);
    assert_int_equal(more->query_row[1], PER_QUERY);
    assert_int_equal(more->query_row[2], 2 * PER_QUERY);
    assert_int_equal(more->query_id[1], -4);
    for (size_t row = 0; row < 5; row++)
        assert_memory_equal(matrix_row(more, row), matrix_row(given, row),
                            FEATURES * sizeof(float));
    assert_memory_equal(matrix_row(more, PER_QUERY), matrix_row(given, 5),
                        FEATURES * sizeof(float));
    assert_string_equal(more->note, "synthetic: 3993 of 4000 are changed copies, seed 1");
    matrix_free(more);
    matrix_free(given);
}

/* 16, 8, 4, 2 and 1 of 31. */
static void low_labels_are_copied_more_often(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = make(given, 1);
    size_t counts[5] = {0};
    for (size_t row = 5; row < PER_QUERY; row++)
        counts[(size_t)more->labels[row]]++;
    const double parts[] = {16, 8, 4, 2, 1};
    for (size_t label = 0; label < 5; label++) {
        double expected = (PER_QUERY - 5) * parts[label] / 31;
        assert_in_range(counts[label], (size_t)(0.6 * expected), (size_t)(1.4 * expected));
    }
    matrix_free(more);
    matrix_free(given);
}

/* A replaced value comes from the same feature of a document of the query with label 0 or 1. */
static void a_tenth_of_the_values_is_replaced(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = make(given, 1);
    const size_t with_label[] = {1, 3, 4, 2, 0};
    size_t replaced = 0, values = 0;
    for (size_t row = 5; row < PER_QUERY; row++)
        for (uint32_t f = 0; f < FEATURES; f++) {
            size_t from = (size_t)matrix_row(more, row)[f] / 100;
            assert_int_equal((size_t)matrix_row(more, row)[f] % 100, f);
            if (more->labels[row] < 2)
                continue; /* the copied document may also be the one that replaces */
            values++;
            if (from != with_label[(size_t)more->labels[row]]) {
                assert_true(from == 1 || from == 3);
                replaced++;
            }
        }
    assert_in_range(replaced, values * 8 / 100, values * 12 / 100);
    /* The second query has no document with a low label, so nothing is replaced. */
    for (size_t row = PER_QUERY; row < 2 * PER_QUERY; row++) {
        size_t from = (size_t)matrix_row(more, row)[0] / 100;
        assert_in_range(from, 5, 6);
        assert_memory_equal(matrix_row(more, row), matrix_row(given, from),
                            FEATURES * sizeof(float));
    }
    matrix_free(more);
    matrix_free(given);
}

static void a_seed_gives_the_same_documents(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = make(given, 1), *same = make(given, 1),
                  *other = make(given, 2);
    size_t bytes = more->n_rows * more->stride * sizeof(float);
    assert_memory_equal(more->values, same->values, bytes);
    assert_memory_not_equal(more->values, other->values, bytes);
    matrix_free(other);
    matrix_free(same);
    matrix_free(more);
    matrix_free(given);
}

static void what_has_no_labels_or_other_labels_is_refused(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = NULL;
    struct error error = {""};
    given->labels[3] = 5;
    assert_int_equal(synth_more("d.txt", given, 10, 1, &more, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "d.txt: document 4 has the label 5"));
    free(given->labels);
    given->labels = NULL;
    assert_int_equal(synth_more("d.txt", given, 10, 1, &more, &error), STATUS_INPUT);
    assert_non_null(strstr(error.text, "no labels or no queries"));
    matrix_free(given);
}

static void a_query_with_more_keeps_them(void **state) {
    (void)state;
    struct matrix *given = make_given(), *more = NULL;
    assert_int_equal(synth_more("d.txt", given, 3, 1, &more, NULL), STATUS_OK);
    assert_int_equal(more->n_rows, 5 + 3);
    matrix_free(more);
    matrix_free(given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_documents_stay_and_queries_grow),
        cmocka_unit_test(low_labels_are_copied_more_often),
        cmocka_unit_test(a_tenth_of_the_values_is_replaced),
        cmocka_unit_test(a_seed_gives_the_same_documents),
        cmocka_unit_test(what_has_no_labels_or_other_labels_is_refused),
        cmocka_unit_test(a_query_with_more_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
