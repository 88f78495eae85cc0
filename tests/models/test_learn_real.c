/* Forests learned from real data are as accurate as scikit-learn's on the same split, and
 * LambdaMART ranks MQ2008 as well as LambdaMART does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/number.h"
#include "datasets/format.h"
#include "models/learner.h"
#include "tests/models/reading.h"

enum { MAX_COLUMNS = 64 };

/* The path of a file of the data folder; skips the test where there is none. */
static const char *data_path(const char *file) {
    static char path[4096];
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real data\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", file);
    return path;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct table {
    size_t n_rows;
    uint32_t n_features;
    float *values; /* [n_rows * n_features] */
    float *labels; /* [n_rows] */
};

static void table_free(struct table *table) {
    free(table->values);
    free(table->labels);
}

/* The header names n_features columns, "target" or "label", and perhaps what is passed over. */
static struct table read_table(const char *file) {
    struct file_text text;
    struct error error;
    if (file_read(data_path(file), &text, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    const char *end = text.data + text.size, *at = memchr(text.data, '\n', text.size);
    size_t n_lines = 0;
    for (const char *c = text.data; c < end; c++)
        n_lines += *c == '\n';
    struct table table = {0};
    const char *label = memmem(text.data, (size_t)(at - text.data), "target", 6);
    if (!label)
        label = memmem(text.data, (size_t)(at - text.data), "label", 5);
    assert_non_null(label);
    for (const char *c = text.data; c < label; c++)
        table.n_features += *c == '\t' || *c == ',';
    table.values = calloc(n_lines * table.n_features, sizeof *table.values);
    table.labels = calloc(n_lines, sizeof *table.labels);
    assert_true(table.values && table.labels);
    for (at++; at < end; table.n_rows++) {
        for (uint32_t f = 0; f <= table.n_features; f++) {
            float *to = f < table.n_features ? &table.values[table.n_rows * table.n_features + f]
                                             : &table.labels[table.n_rows];
            at = number_parse_float(at, end, to);
            assert_non_null(at);
            at++;
        }
        if (at[-1] != '\n')
            at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    }
    file_text_free(&text);
    return table;
}

static const float *table_row(const struct table *table, size_t row) {
    return table->values + row * table->n_features;
}

/* Removes the test rows, each once. */
static void table_remove(struct table *table, const struct table *test) {
    size_t bytes = table->n_features * sizeof *table->values, n = 0;
    uint8_t *gone = calloc(table->n_rows, 1);
    assert_non_null(gone);
    for (size_t i = 0; i < test->n_rows; i++) {
        size_t row = 0;
        while (row < table->n_rows &&
               (gone[row] || memcmp(table_row(table, row), table_row(test, i), bytes) != 0))
            row++;
        assert_true(row < table->n_rows);
        gone[row] = 1;
    }
    for (size_t row = 0; row < table->n_rows; row++) {
        if (gone[row])
            continue;
        memmove(table->values + n * table->n_features, table_row(table, row), bytes);
        table->labels[n++] = table->labels[row];
    }
    table->n_rows = n;
    free(gone);
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Labels by their rank among the distinct labels, as the test files have them. */
static void table_rank_labels(struct table *table) {
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

/* --- forests ---------------------------------------------------------------------------------- */

static double accuracy(const struct ensemble *e, const struct table *table) {
    size_t right = 0;
    for (size_t row = 0; row < table->n_rows; row++) {
        const float *x = table_row(table, row);
        uint32_t best = 0;
        double best_score = score_by_walking(e, x, 0);
        for (uint32_t k = 1; k < e->n_outputs; k++) {
            double score = score_by_walking(e, x, k);
            if (score > best_score) {
                best = k;
                best_score = score;
            }
        }
        if (e->n_outputs == 1)
            best = best_score > 0;
        right += (float)best == table->labels[row];
    }
    return (double)right / (double)table->n_rows;
}

struct figure {
    const char *table, *test;
    struct forest_options options;
    double scikit_learn; /* accuracy on the same test rows */
};

static void check_figure(const struct figure *figure) {
    struct table train = read_table(figure->table), test = read_table(figure->test);
    table_rank_labels(&train);
    table_remove(&train, &test);
    struct learner_data data = {.name = figure->table,
                                .n_rows = train.n_rows,
                                .n_features = train.n_features,
                                .stride = train.n_features,
                                .values = train.values,
                                .labels = train.labels};
    struct ensemble *e = NULL;
    struct error error;
    if (learn_forest(&data, &figure->options, &e, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    double reached = accuracy(e, &test);
    print_message("%s: %zu rows, %u trees: accuracy %.3f, scikit-learn's %.3f\n", figure->table,
                  train.n_rows, e->n_trees, reached, figure->scikit_learn);
    assert_true(reached > figure->scikit_learn - 0.01);
    ensemble_free(e);
    table_free(&train);
    table_free(&test);
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
