/* Stand-ins: the shape of a data set, labels that can be learned, identical bytes everywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/hash.h"
#include "synth/standin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Computed once. Update it, and mention it, if the meaning of a seed changes. */
#define GOLDEN_STANDIN 0x9fc6cd68d0d81fcdu

static struct matrix *make(const char *name, size_t n_rows, uint64_t seed) {
    const struct data_set *set;
    struct matrix *matrix = NULL;
    struct error error = {""};
    if (data_set_find(name, &set, &error) || synth_standin(set, n_rows, seed, &matrix, &error))
        fail_msg("%s", error.text);
    return matrix;
}

static void the_same_seed_gives_the_same_bytes(void **state) {
    (void)state;
    struct matrix *matrix = make("mq2008", 500, 7);
    uint64_t hash = hash_bytes(HASH_START, matrix->values,
                               matrix->n_rows * matrix->stride * sizeof *matrix->values);
    hash = hash_bytes(hash, matrix->labels, matrix->n_rows * sizeof *matrix->labels);
    hash = hash_bytes(hash, matrix->query_row, (matrix->n_queries + 1) * sizeof(size_t));
    if (hash != GOLDEN_STANDIN)
        fail_msg("0x%llx", (unsigned long long)hash);
    struct matrix *other = make("mq2008", 500, 8);
    assert_memory_not_equal(matrix->values, other->values, 500 * matrix->stride * sizeof(float));
    matrix_free(other);
    matrix_free(matrix);
}

static void the_note_says_what_it_is(void **state) {
    (void)state;
    struct matrix *matrix = make("istella-s", 10, 3);
    assert_string_equal(matrix->note, "synthetic stand-in for istella-s, seed 3");
    matrix_free(matrix);
}

static void the_shape_is_the_data_sets(void **state) {
    (void)state;
    struct matrix *matrix = make("mq2008", 0, 1);
    assert_int_equal(matrix->n_rows, 15211);
    assert_int_equal(matrix->n_features, 46);
    /* 784 queries are expected. Sizes are uniform over 1 to 37, so the standard deviation is about
     * 10 / 19 * sqrt(784) = 15 queries. */
    assert_in_range(matrix->n_queries, 784 - 75, 784 + 75);
    assert_int_equal(matrix->query_row[0], 0);
    assert_int_equal(matrix->query_row[matrix->n_queries], matrix->n_rows);
    for (size_t i = 0; i < matrix->n_queries; i++) {
        assert_in_range(matrix->query_row[i + 1] - matrix->query_row[i], 1, 37);
        assert_int_equal(matrix->query_id[i], i + 1);
    }
    matrix_free(matrix);
}

static size_t count_label(const struct matrix *matrix, float label) {
    size_t count = 0;
    for (size_t row = 0; row < matrix->n_rows; row++)
        count += matrix->labels[row] == label;
    return count;
}

static void labels_have_the_shares_they_should(void **state) {
    (void)state;
    struct matrix *matrix = make("mslr-web10k", 2000, 1);
    const size_t first = count_label(matrix, 0);
    assert_in_range(first, 1190, 1240); /* 1 / (1 + .4 + .16 + .064 + .0256) of 2000 is 1212.4 */
    size_t all = first;
    for (float label = 1; label < 5; label++) {
        assert_in_range(count_label(matrix, label), 1, count_label(matrix, label - 1) / 2);
        all += count_label(matrix, label);
    }
    assert_int_equal(all, 2000);
    matrix_free(matrix);

    matrix = make("letter", 2600, 1);
    assert_null(matrix->query_row);
    assert_int_equal(matrix->n_queries, 0);
    for (float label = 0; label < 26; label++)
        assert_in_range(count_label(matrix, label), 98, 102);
    matrix_free(matrix);
}

/* The correlation of the labels with a feature. `shift` pairs each label with another document. */
static double correlation(const struct matrix *matrix, uint32_t feature, size_t shift) {
    double n = (double)matrix->n_rows, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t row = 0; row < matrix->n_rows; row++) {
        double a = matrix_row(matrix, row)[feature];
        double b = matrix->labels[(row + shift) % matrix->n_rows];
        x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    double spread = sqrt((xx - x * x / n) * (yy - y * y / n));
    return spread > 0 ? fabs((xy - x * y / n) / spread) : 0;
}

static uint32_t best_feature(const struct matrix *matrix, size_t shift) {
    uint32_t best = 0;
    for (uint32_t f = 1; f < matrix->n_features; f++)
        if (correlation(matrix, f, shift) > correlation(matrix, best, shift))
            best = f;
    return best;
}

static void labels_depend_on_the_features(void **state) {
    (void)state;
    static const char *const names[] = {"mq2007", "mslr-web10k", "yahoo-c14-set1", "magic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct matrix *matrix = make(names[i], 3000, 1), *other = make(names[i], 3000, 2);
        uint32_t best = best_feature(matrix, 0);
        assert_true(correlation(matrix, best, 0) > 0.2);
        assert_true(correlation(matrix, best_feature(matrix, 1500), 1500) < 0.1);
        assert_true(correlation(other, best, 0) >
                    0.15); /* what is learned on one holds for the other */
        matrix_free(other);
        matrix_free(matrix);
    }
}

/* As in real data, some features have few values, and some are shared by a query. */
static void features_are_of_several_kinds(void **state) {
    (void)state;
    struct matrix *matrix = make("mslr-web10k", 3000, 1);
    uint32_t mostly_zero = 0, integral = 0, by_query = 0;
    for (uint32_t f = 0; f < matrix->n_features; f++) {
        size_t zeros = 0, integers = 0, changes = 0;
        for (size_t row = 0; row < matrix->n_rows; row++) {
            float value = matrix_row(matrix, row)[f];
            assert_true(isfinite(value) && value >= 0);
            zeros += value == 0;
            integers += value == floorf(value);
        }
        for (size_t row = 1; row < matrix->query_row[1]; row++)
            changes += matrix_row(matrix, row)[f] != matrix_row(matrix, 0)[f];
        mostly_zero += zeros > 1500 && zeros < 3000;
        integral += integers == 3000;
        by_query += changes == 0 && zeros < 1000;
    }
    assert_in_range(mostly_zero, 10, 100);
    assert_in_range(integral, 20, 110);
    assert_in_range(by_query, 1, 40);
    matrix_free(matrix);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(the_note_says_what_it_is),
        cmocka_unit_test(the_shape_is_the_data_sets),
        cmocka_unit_test(labels_have_the_shares_they_should),
        cmocka_unit_test(labels_depend_on_the_features),
        cmocka_unit_test(features_are_of_several_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
