#include "datasets/format.h"

#include "base/file.h"
#include "datasets/cache.h"
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

static enum status read_documents(const char *path, const struct data_reading *reading,
                                  struct matrix **matrix, struct error *error) {
    if (cache_is_file(path))
        return cache_map(path, reading, matrix, error);
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status != STATUS_OK)
        return status;
    const struct data_format *format = NULL;
    for (size_t i = 0; i < N_FORMATS && !format; i++)
        if (FORMATS[i]->recognise(text.data, text.size))
            format = FORMATS[i];
    if (format)
        status = format->read(path, text.data, text.size, reading, matrix, error);
    else
        status =
            error_set(error, STATUS_INPUT,
                      "%s:1: no known kind of documents; should be SVMlight/LETOR text: "
                      "LABEL [qid:N] FEATURE:VALUE ..., or a table with commas, semicolons or tabs",
                      path);
    file_text_free(&text);
    return status;
}

enum status data_read(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error) {
    *matrix = NULL;
    enum status status = read_documents(path, reading, matrix, error);
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

static const struct data_format *find_writer(const char *path, const char *format) {
    if (!format)
        return ends_with(path, ".cache") ? &data_format_cache : &data_format_svmlight;
    for (size_t i = 0; i < N_FORMATS; i++)
        if (FORMATS[i]->write && strcmp(FORMATS[i]->name, format) == 0)
            return FORMATS[i];
    return NULL;
}

enum status data_write(const struct matrix *matrix, const char *path, const char *format,
                       struct error *error) {
    const struct data_format *chosen = find_writer(path, format);
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
