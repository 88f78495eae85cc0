/* Writes tables that are read back as the same documents. */
#include "datasets/csv_write.h"
#include "base/number.h"
#include "datasets/csv_fields.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

static void write_float(FILE *stream, float value) {
    char text[NUMBER_TEXT_SIZE];
    if (isfinite(value))
        number_format_float(value, text);
    else
        snprintf(text, sizeof text, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    fputs(text, stream);
}

/* Is this the name of a column that the reader would not treat as a feature? */
static bool is_taken(const char *name) {
    return strcasecmp(name, "qid") == 0 || strcmp(name, "label") == 0 ||
           strcmp(name, "target") == 0;
}

/* Checks that the reader will recognise the header: text above numbers, in a single line. */
static enum status check_names(const struct matrix *matrix, struct error *error) {
    bool has_word = matrix->labels || matrix->query_id;
    float value;
    const char *name = matrix->column_names;
    for (uint32_t i = 0; i < matrix->n_named; i++, name += strlen(name) + 1) {
        if (is_taken(name))
            return error_set(error, STATUS_UNSUPPORTED,
                             "a CSV file cannot have a feature named '%s', because treebench reads "
                             "this column as something else. Write a cache instead",
                             name);
        if (strpbrk(name, "\r\n\""))
            return error_set(
                error, STATUS_UNSUPPORTED,
                "the name of column %" PRIu32
                " contains a quote or a line break, which CSV cannot store. Write a cache instead",
                i + 1);
        const struct csv_field field = {name, name + strlen(name)};
        has_word |= csv_classify(',', field, &value) == CSV_WORD;
    }
    return has_word ? STATUS_OK
                    : error_set(error, STATUS_UNSUPPORTED,
                                "all column names are numbers, truth values or missing, but a CSV "
                                "header needs at least one word. Write a cache instead");
}

static void write_name(FILE *stream, const char *name) {
    const char *quote = name[0] && !strpbrk(name, ";,\t ") ? "" : "\"";
    fprintf(stream, "%s%s%s", quote, name, quote);
}

static void write_header(const struct matrix *matrix, FILE *stream) {
    const char *before = "", *name = matrix->column_names;
    if (matrix->labels) {
        fputs("label", stream);
        before = ",";
    }
    if (matrix->query_id) {
        fprintf(stream, "%sqid", before);
        before = ",";
    }
    for (uint32_t i = 0; i < matrix->n_features; i++, before = ",") {
        fputs(before, stream);
        if (name && i < matrix->n_named) {
            write_name(stream, name);
            name += strlen(name) + 1;
        } else {
            fprintf(stream, "f%" PRIu32, i + 1);
        }
    }
    fputc('\n', stream);
}

static void write_row(const struct matrix *matrix, size_t row, size_t query, FILE *stream) {
    const float *values = matrix_row(matrix, row);
    const char *before = "";
    if (matrix->labels) {
        write_float(stream, matrix->labels[row]);
        before = ",";
    }
    if (matrix->query_id) {
        fprintf(stream, "%s%" PRId64, before, matrix->query_id[query]);
        before = ",";
    }
    for (uint32_t i = 0; i < matrix->n_features; i++, before = ",") {
        fputs(before, stream);
        write_float(stream, values[i]);
    }
    fputc('\n', stream);
}

enum status csv_write(const struct matrix *matrix, FILE *stream, struct error *error) {
    enum status status = matrix->column_names ? check_names(matrix, error) : STATUS_OK;
    size_t query = 0;
    if (status)
        return status;
    if (matrix->column_names || matrix->labels || matrix->query_id)
        write_header(matrix, stream);
    for (size_t row = 0; row < matrix->n_rows; row++) {
        while (matrix->query_id && matrix->query_row[query + 1] <= row)
            query++;
        write_row(matrix, row, query, stream);
    }
    return STATUS_OK;
}
