/* Tables that makers train on: made up, or of the shared data. Include after cmocka.h. */
#ifndef TESTS_MAKERS_TABLES_H
#define TESTS_MAKERS_TABLES_H

#include "base/files/file.h"
#include "base/number.h"
#include "library/treebench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_COLUMNS = 64 };

struct table {
    size_t rows, columns;
    double *values; /* [rows * columns] */
    float *labels;  /* [rows] */
};

static inline struct table table_of(size_t rows, size_t columns) {
    struct table t = {rows, columns, calloc(rows * columns, sizeof(double)),
                      calloc(rows, sizeof(float))};
    assert_true(t.values && t.labels && columns <= MAX_COLUMNS);
    return t;
}

static inline void free_table(struct table *t) {
    free(t->values);
    free(t->labels);
}

/* A table of the shared data: tabs, a header, the label last. Words make a row skipped. */
static inline bool read_table(const char *name, size_t limit, struct table *t) {
    char path[4096];
    struct file_text text;
    struct error error;
    const char *folder = getenv("TREEBENCH_DATA");
    if (!folder || !*folder)
        return false;
    snprintf(path, sizeof path, "%s/tabular/%s", folder, name);
    if (file_read(path, &text, &error))
        fail_msg("%s", error.text);
    size_t columns = 0;
    const char *at = memchr(text.data, '\n', text.size), *end = text.data + text.size;
    for (const char *c = text.data; c < at; c++)
        columns += *c == '\t';
    *t = table_of(limit, columns);
    t->rows = 0;
    while (at && at + 1 < end && t->rows < limit) {
        double row[MAX_COLUMNS + 1];
        size_t n = 0;
        for (const char *field = at + 1; field && n <= columns;) {
            field = number_parse_double(field, end, &row[n]);
            n += field != NULL;
            if (field && *field != '\t')
                break;
            field = field ? field + 1 : NULL;
        }
        if (n == columns + 1) {
            memcpy(t->values + t->rows * columns, row, columns * sizeof *row);
            t->labels[t->rows++] = (float)row[columns];
        }
        at = memchr(at + 1, '\n', (size_t)(end - at - 1));
    }
    file_text_free(&text);
    return true;
}

/* The shortest text of a number; nothing for a missing one. */
static inline void write_value(FILE *stream, double value) {
    char text[NUMBER_TEXT_SIZE] = "";
    if (value == value)
        number_format_double(value, text);
    fputs(text, stream);
}

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/treebench-makers-XXXXXX";
static char model_path[64], text_path[64], training_path[64];

/* Set-up and tear-down of a group. */
static inline int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(model_path, sizeof model_path, "%s/model.json", folder);
    snprintf(text_path, sizeof text_path, "%s/documents", folder);
    snprintf(training_path, sizeof training_path, "%s/training", folder);
    return 0;
}

static inline int remove_folder(void **state) {
    (void)state;
    unlink(model_path);
    unlink(text_path);
    unlink(training_path);
    return rmdir(folder);
}

/* The rows from `first` on, with a header, in text_path. */
static inline void write_csv(const struct table *t, size_t first) {
    FILE *stream = fopen(text_path, "w");
    assert_non_null(stream);
    for (size_t c = 0; c < t->columns; c++)
        fprintf(stream, "%sColumn_%zu", c ? "," : "", c);
    for (size_t row = first; row < t->rows; row++)
        for (size_t c = 0; c < t->columns; c++) {
            fputs(c ? "," : "\n", stream);
            write_value(stream, t->values[row * t->columns + c]);
        }
    fputs("\n", stream);
    assert_int_equal(fclose(stream), 0);
}

/* By the library, with the model in model_path: doubles, or, if `values` is NULL, floats. */
static inline void score_arrays(const double *values, const float *floats, size_t rows,
                                size_t columns, double *scores) {
    struct tb_model *model;
    struct tb_scorer *scorer = NULL;
    struct tb_context *context = NULL;
    struct tb_error error;
    if (tb_model_open(model_path, &model, &error) ||
        tb_scorer_build(model, NULL, &scorer, &error) ||
        tb_context_create(scorer, &context, &error) ||
        (values ? tb_score_doubles(context, values, rows, columns, columns, scores, &error)
                : tb_score(context, floats, rows, columns, columns, scores, &error)))
        fail_msg("%s", error.text);
    tb_context_free(context);
    tb_scorer_free(scorer);
    tb_model_free(model);
}

#endif
