#include "datasets/format.h"

#include "base/file.h"
#include "datasets/cache.h"
#include "datasets/columns.h"
#include "datasets/formats.h"
#include "datasets/queries.h"

#include <string.h>

/* SVMlight is last: it takes any text that begins with a number. */
static const struct data_format *const FORMATS[] = {&data_format_cache, &data_format_csv,
                                                    &data_format_svmlight};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

const struct data_format *const *data_formats(size_t *count) {
    *count = N_FORMATS;
    return FORMATS;
}

const struct data_format *data_recognise(const char *text, size_t size) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (FORMATS[i]->recognise(text, size))
            return FORMATS[i];
    return NULL;
}

/* Labels stand in a column of their own in tables only. */
static enum status check_label(const char *path, const struct data_format *format,
                               const struct data_reading *reading, struct error *error) {
    if (!reading->label || format == &data_format_csv)
        return STATUS_OK;
    return error_set(
        error, STATUS_INPUT,
        "%s: --label names a column of a table, and this is %s, which says itself what "
        "its labels are",
        path, format->title);
}

static enum status read_text(const char *path, const struct file_text *text,
                             const struct data_reading *reading, struct matrix **matrix,
                             struct error *error) {
    const struct data_format *format = data_recognise(text->data, text->size);
    const char *foreign = file_foreign(text);
    if (foreign)
        return error_set(error, STATUS_INPUT, "%s:1: %s", path, foreign);
    if (!format)
        return error_set(
            error, STATUS_INPUT,
            "%s:1: no known kind of documents; should be SVMlight/LETOR text: "
            "LABEL [qid:N] FEATURE:VALUE ..., or a table with commas, semicolons or tabs",
            path);
    enum status status = check_label(path, format, reading, error);
    return status ? status : format->read(path, text->data, text->size, reading, matrix, error);
}

static enum status read_documents(const char *path, const struct data_reading *reading,
                                  struct matrix **matrix, struct error *error) {
    enum status status = STATUS_OK;
    if (cache_is_file(path))
        status = check_label(path, &data_format_cache, reading, error);
    if (!status && cache_is_file(path))
        return cache_map(path, reading, matrix, error);
    struct file_text text;
    if (!status)
        status = file_read(path, &text, error);
    if (status != STATUS_OK)
        return status;
    file_text_drop_mark(&text);
    status = read_text(path, &text, reading, matrix, error);
    file_text_free(&text);
    return status;
}

enum status data_read(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error) {
    *matrix = NULL;
    enum status status = read_documents(path, reading, matrix, error);
    if (!status)
        status = columns_arrange(path, reading, *matrix, error);
    if (!status && reading->queries)
        status = queries_read_sizes(reading->queries, path, *matrix, error);
    if (status) {
        matrix_free(*matrix);
        *matrix = NULL;
    }
    return status;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

const struct data_format *data_writer(const char *path, const char *format) {
    if (!format)
        return ends_with(path, ".cache") ? &data_format_cache : &data_format_svmlight;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (FORMATS[i]->write && strcmp(FORMATS[i]->name, format) == 0)
            return FORMATS[i];
    return NULL;
}

enum status data_write(const struct matrix *matrix, const char *path, const char *format,
                       struct error *error) {
    const struct data_format *chosen = data_writer(path, format);
    if (!chosen)
        return error_set(error, STATUS_INPUT,
                         "cannot write documents as '%s'; possible are: svmlight, cache", format);
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (status != STATUS_OK)
        return status;
    status = chosen->write(matrix, writer.stream, error);
    if (status == STATUS_OK)
        return file_write_commit(&writer, error);
    file_write_abandon(&writer);
    return status;
}
