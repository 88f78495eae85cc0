/* Forests trained on real data are as accurate as scikit-learn's on the same split. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/order.h"
#include "datasets/data.h"
#include "models/learn/learner.h"
#include "tests/models/reading.h"

static struct matrix *read_table(const char *file) {
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real data\n");
        skip();
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", file);
    struct matrix *matrix = NULL;
    struct error error;
    if (data_read(path, &(struct data_reading){0}, &matrix, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_non_null(matrix->labels);
    return matrix;
}

/* Removes the test rows, each once. They have more columns after their features. */
static void remove_rows(struct matrix *table, const struct matrix *test) {
    size_t bytes = table->n_features * sizeof *table->values, n = 0;
    uint8_t *gone = calloc(table->n_rows, 1);
    assert_non_null(gone);
    for (size_t i = 0; i < test->n_rows; i++) {
        size_t row = 0;
        while (row < table->n_rows &&
               (gone[row] || memcmp(matrix_row(table, row), matrix_row(test, i), bytes) != 0))
            row++;
        assert_true(row < table->n_rows);
        gone[row] = 1;
    }
    for (size_t row = 0; row < table->n_rows; row++) {
        if (gone[row])
            continue;
        memmove(matrix_row(table, n), matrix_row(table, row), bytes);
        table->labels[n++] = table->labels[row];
    }
    table->n_rows = n;
    free(gone);
}

/* Replaces labels by their rank among the distinct labels, as in the test files. */
static void rank_labels(struct matrix *table) {
    float *sorted = malloc(table->n_rows * sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, table->labels, table->n_rows * sizeof *sorted);
    qsort(sorted, table->n_rows, sizeof *sorted, compare_floats);
    size_t n = 1;
    for (size_t i = 1; i < table->n_rows; i++)
        if (sorted[i] != sorted[n - 1])
            sorted[n++] = sorted[i];
    for (size_t i = 0; i < table->n_rows; i++) {
        const float *at = bsearch(&table->labels[i], sorted, n, sizeof *sorted, compare_floats);
        table->labels[i] = (float)(at - sorted);
    }
    free(sorted);
}

static uint32_t find_class(const struct ensemble *e, const float *x) {
    double best_score = score_by_walking(e, x, 0);
    if (e->n_outputs == 1)
        return best_score > 0;
    uint32_t best = 0;
    for (uint32_t k = 1; k < e->n_outputs; k++) {
        double score = score_by_walking(e, x, k);
        if (score > best_score) {
            best = k;
            best_score = score;
        }
    }
    return best;
}

static double accuracy(const struct ensemble *e, const struct matrix *table) {
    size_t right = 0;
    for (size_t row = 0; row < table->n_rows; row++)
        right += (float)find_class(e, matrix_row(table, row)) == table->labels[row];
    return (double)right / (double)table->n_rows;
}

struct figure {
    const char *table, *test;
    struct forest_options options;
    double scikit_learn; /* accuracy on the same test rows */
};

static void check_figure(const struct figure *figure) {
    struct matrix *train = read_table(figure->table), *test = read_table(figure->test);
    rank_labels(train);
    remove_rows(train, test);
    struct learner_data data = {.name = figure->table,
                                .n_rows = train->n_rows,
                                .n_features = train->n_features,
                                .stride = train->stride,
                                .values = train->values,
                                .labels = train->labels};
    struct ensemble *e = NULL;
    struct error error;
    if (learn_forest(&data, &figure->options, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    double reached = accuracy(e, test);
    print_message("%s: %zu rows, %u trees: accuracy %.3f, scikit-learn's %.3f\n", figure->table,
                  train->n_rows, e->n_trees, reached, figure->scikit_learn);
    assert_true(reached > figure->scikit_learn - 0.01);
    ensemble_free(e);
    matrix_free(train);
    matrix_free(test);
}

static void test_letter(void **state) {
    (void)state;
    check_figure(&(struct figure){
        "tabular/letter.tsv.gz",
        "models/sklearn/letter.rf25.depth20.test.csv.gz",
        {.kind = FOREST_RANDOM, .n_trees = 25, .max_depth = 20, .seed = 1, .n_threads = 2},
        0.941});
}

static void test_satimage(void **state) {
    (void)state;
    check_figure(&(struct figure){
        "tabular/satimage.tsv.gz",
        "models/sklearn/satimage.et25.depth15.test.csv.gz",
        {.kind = FOREST_EXTRA, .n_trees = 25, .max_depth = 15, .seed = 1, .n_threads = 2},
        0.900});
}

static void test_magic(void **state) {
    (void)state;
    check_figure(&(struct figure){
        "tabular/magic.tsv.gz",
        "models/sklearn/magic.rf25.depth15.test.csv.gz",
        {.kind = FOREST_RANDOM, .n_trees = 25, .max_depth = 15, .seed = 2, .n_threads = 2},
        0.889});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_letter),
        cmocka_unit_test(test_satimage),
        cmocka_unit_test(test_magic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
