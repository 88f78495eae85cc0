/* The collected LETOR files and tables, compared with the shapes in their index. */
#include "datasets/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape {
    size_t n_rows, n_queries;
    uint32_t n_features;
};

/* The names of the files, with "*" for each character of `parts` in turn. */
static const struct collection {
    const char *pattern, *parts;
    struct shape shape; /* of all parts together */
} collections[] = {
    {"ltr/mq2008/S*.txt.gz", "12345", {15211, 784, 46}},
    {"ltr/mq2008-xgb/mq2008.test.gz", "-", {2874, 0, 46}},
    {"ltr/ohsumed25/fold*.test.txt.gz", "12345", {16140, 106, 25}},
    {"ltr/clueweb09-webis/fold*.test.txt.gz", "12345", {26646, 61, 42}},
    {"ltr/mslr-web30k-sample/fold1.train.txt.gz", "-", {5555, 54, 136}},
    {"ltr/mslr-web30k-sample/fold1.vali.txt.gz", "-", {1734, 18, 136}},
    {"ltr/mslr-web30k-sample/fold1.test.txt.gz", "-", {1900, 18, 136}},
    {"ltr/lightgbm-rank-example/rank.train.gz", "-", {3005, 0, 300}},
    {"ltr/lightgbm-rank-example/rank.test.gz", "-", {768, 0, 300}},
    {"models/opttrees.features.mslr.dat", "-", {20, 1, 136}},
};

static struct matrix *read_part(const char *folder, const char *pattern, char part) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/", folder);
    char *to = path + length;
    for (const char *from = pattern; *from && to < path + sizeof path - 1; from++)
        *to++ = *from == '*' ? part : *from;
    *to = '\0';
    struct matrix *matrix;
    struct error error;
    if (data_read(path, &(struct data_reading){0}, &matrix, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return matrix;
}

static void shapes_are_those_of_the_index(void **state) {
    (void)state;
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real data\n");
        skip();
    }
    for (size_t i = 0; i < sizeof collections / sizeof *collections; i++) {
        const struct collection *c = &collections[i];
        struct shape sum = {0};
        for (const char *part = c->parts; *part; part++) {
            struct matrix *matrix = read_part(folder, c->pattern, *part);
            sum.n_rows += matrix->n_rows;
            sum.n_queries += matrix->n_queries;
            assert_int_equal(matrix->n_features, c->shape.n_features);
            matrix_free(matrix);
        }
        if (sum.n_rows != c->shape.n_rows || sum.n_queries != c->shape.n_queries)
            fail_msg("%s: %zu documents and %zu queries", c->pattern, sum.n_rows, sum.n_queries);
    }
}

/* --- tables ----------------------------------------------------------------------------------- */

struct table {
    const char *file, *label;
    size_t rows;
    uint32_t features;
    float first_label; /* NaN if not checked */
};

static const struct table tables[] = {
    {"adult-train.csv.gz", "last", 32561, 14, 0},
    {"adult-test.csv.gz", "15", 16281, 14, 0},
    {"adult.tsv.gz", NULL, 48842, 14, 1},
    {"abalone.test2000.with_xgb_prediction.csv.gz", "last", 2000, 8, 15.17435264587402344F},
    {"covtype.20k.data.gz", "55", 20000, 54, 5},
    {"fact16.csv.gz", NULL, 3000, 16, NAN},
    {"higgs.test2000.with_xgb_prediction.csv.gz", "last", 2000, 28, NAN},
    {"letter.tsv.gz", NULL, 20000, 16, 26},
    {"magic.tsv.gz", NULL, 19020, 10, 0},
    {"mnist.test10k.csv.gz", "last", 10000, 784, 8},
    {"satimage.tsv.gz", "target", 6435, 36, 3},
    {"shuttle.tsv.gz", NULL, 58000, 9, 2},
    {"spambase.tsv.gz", NULL, 4601, 57, 1},
    {"wine_quality_red.tsv.gz", NULL, 1599, 11, 5},
    {"wine_quality_white.tsv.gz", NULL, 4898, 11, 6},
    {"year_prediction_msd.random1000.with_xgb_prediction.csv.gz", "last", 1000, 90, NAN},
};

static void test_real_tables(void **state) {
    (void)state;
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        print_message("TREEBENCH_DATA is unset: no real tables\n");
        skip();
        return;
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct table *t = &tables[i];
        char path[4096];
        struct matrix *m = NULL;
        struct error error;
        snprintf(path, sizeof path, "%s/tabular/%s", folder, t->file);
        if (data_read(path, &(struct data_reading){.label = t->label}, &m, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        if (m->n_rows != t->rows || m->n_features != t->features)
            fail_msg("%s: %zu rows of %u features", t->file, m->n_rows, m->n_features);
        if (!isnan(t->first_label) && m->labels[0] != t->first_label)
            fail_msg("%s: first label %g", t->file, (double)m->labels[0]);
        matrix_free(m);
    }
}

/* Its last line is truncated. The error gives the place. */
static void test_real_table_that_is_cut(void **state) {
    (void)state;
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder) {
        skip();
        return;
    }
    char path[4096];
    struct matrix *m = NULL;
    struct error error;
    snprintf(path, sizeof path, "%s/tabular/Sensorless_drive_diagnosis.truncated.txt.gz", folder);
    assert_int_equal(data_read(path, &(struct data_reading){0}, &m, &error), STATUS_INPUT);
    assert_null(m);
    assert_non_null(strstr(error.text, ".gz:5749:"));
    assert_non_null(strstr(error.text, ", but the first line has 49"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_those_of_the_index),
                                       cmocka_unit_test(test_real_tables),
                                       cmocka_unit_test(test_real_table_that_is_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
