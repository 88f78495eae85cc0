/* The collected LETOR files, compared with the shapes in their index. */
#include "datasets/data.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_those_of_the_index)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
