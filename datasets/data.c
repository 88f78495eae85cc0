#include "datasets/data.h"

#include "base/files/file.h"
#include "datasets/cache.h"
#include "datasets/columns.h"
#include "datasets/queries.h"
#include "datasets/recognise.h"

#include <string.h>
#include <zlib.h>

static const struct data_format *const FORMATS[] = {&data_format_cache, &data_format_csv,
                                                    &data_format_svmlight};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

const struct data_format *const *data_formats(size_t *count) {
    *count = N_FORMATS;
    return FORMATS;
}

/* TEXT_NUMBERS and TEXT_UNKNOWN have no format. */
static const struct data_format *const BY_TEXT[] = {[TEXT_SVMLIGHT] = &data_format_svmlight,
                                                    [TEXT_TABLE] = &data_format_csv,
                                                    [TEXT_NUMBERS] = NULL};

const struct data_format *data_recognise(const char *text, size_t size) {
    return cache_begins(text, size) ? &data_format_cache : BY_TEXT[text_recognise(text, size)];
}

/* Rejects options that the format of the documents has no use for. */
static enum status check_options(const char *path, const struct data_format *format,
                                 const struct data_reading *reading, struct error *error) {
    if (reading->format && format != reading->format)
        return error_set(error, STATUS_INPUT,
                         "%s: --data-format is for text, but the file is a cache. Omit the option",
                         path);
    if (reading->first_feature_given && format != &data_format_svmlight)
        return error_set(error, STATUS_INPUT,
                         "%s: --first-feature applies only to SVMlight text, but the format is %s. "
                         "Omit the option",
                         path, format->name);
    if (!reading->label || format == &data_format_csv)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: --label names a column of a table, but the format is %s. Omit the option",
                     path, format->name);
}

/* Rejects --missing if no feature can be absent: tables and caches have a value for every feature
 * of the file. */
static enum status check_missing(const char *path, const struct data_format *format,
                                 const struct data_reading *reading, const struct matrix *matrix,
                                 struct error *error) {
    if (!reading->missing_given || format == &data_format_svmlight ||
        matrix->n_named < reading->n_features)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: --missing only applies to features that SVMlight text omits, but the "
                     "format is %s. Omit the option",
                     path, format->name);
}

/* Sets *format to the format of the text, or fails and names the option that decides. */
static enum status find_format(const char *path, const struct file_text *text,
                               const struct data_reading *reading,
                               const struct data_format **format, struct error *error) {
    const enum text_format kind = text_recognise(text->data, text->size);
    *format = reading->format                        ? reading->format
              : cache_begins(text->data, text->size) ? &data_format_cache
                                                     : BY_TEXT[kind];
    if (*format)
        return STATUS_OK;
    if (kind == TEXT_UNKNOWN)
        return error_set(error, STATUS_INPUT,
                         "%s:1: unknown data format. Expected SVMlight/LETOR text (LABEL [qid:N] "
                         "FEATURE:VALUE ...) or a table with commas, semicolons, tabs or spaces. "
                         "If it is one, add --data-format svmlight or --data-format csv",
                         path);
    if (reading->n_features != 1)
        return error_set(error, STATUS_INPUT,
                         "%s: every line is one number. Add --data-format csv if this is a table "
                         "of one column, or --data-format svmlight if these are labels without "
                         "features",
                         path);
    *format = &data_format_csv;
    return STATUS_OK;
}

static enum status read_text(const char *path, const struct file_text *text,
                             const struct data_reading *reading, struct matrix **matrix,
                             struct error *error) {
    const struct data_format *format;
    const char *foreign = file_foreign(text);
    if (foreign)
        return error_set(error, STATUS_INPUT, "%s:1: %s", path, foreign);
    enum status status = find_format(path, text, reading, &format, error);
    if (!status)
        status = check_options(path, format, reading, error);
    if (!status)
        status = format->read(path, text->data, text->size, reading, matrix, error);
    return status ? status : check_missing(path, format, reading, *matrix, error);
}

static enum status read_documents(const char *path, const struct data_reading *reading,
                                  struct matrix **matrix, struct error *error) {
    enum status status = STATUS_OK;
    if (cache_is_file(path))
        status = check_options(path, &data_format_cache, reading, error);
    if (!status && cache_is_file(path)) {
        status = cache_map(path, reading, matrix, error);
        return status ? status : check_missing(path, &data_format_cache, reading, *matrix, error);
    }
    struct file_text text;
    if (!status)
        status = file_read(path, &text, error);
    if (status)
        return status;
    file_text_drop_mark(&text);
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    status = read_text(name, &text, reading, matrix, error);
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

/* File name suffixes that select a format. ".gz" may follow. */
static const struct suffix {
    const char *text;
    const struct data_format *format;
} SUFFIXES[] = {{".cache", &data_format_cache},       {".csv", &data_format_csv},
                {".txt", &data_format_svmlight},      {".svm", &data_format_svmlight},
                {".svmlight", &data_format_svmlight}, {".libsvm", &data_format_svmlight},
                {"", &data_format_svmlight}};
enum { N_SUFFIXES = sizeof SUFFIXES / sizeof *SUFFIXES };

enum status data_find_writer(const char *path, const char *format,
                             const struct data_format **writer, struct error *error) {
    char suffix[FILE_SUFFIX_SIZE];
    *writer = NULL;
    for (size_t i = 0; i < N_FORMATS && format; i++)
        if (FORMATS[i]->write && strcmp(FORMATS[i]->name, format) == 0)
            *writer = FORMATS[i];
    file_suffix(path, suffix);
    for (size_t i = 0; i < N_SUFFIXES && !format; i++)
        if (strcmp(SUFFIXES[i].text, suffix) == 0)
            *writer = SUFFIXES[i].format;
    if (*writer)
        return STATUS_OK;
    if (format)
        return error_set(error, STATUS_INPUT,
                         "cannot write documents as '%s'. Supported formats: svmlight, csv, cache",
                         format);
    return error_set(
        error, STATUS_INPUT,
        "%s: no data format has the suffix %s. Use .txt, .svm, .svmlight or .libsvm for SVMlight "
        "text, .csv or .cache, or treebench convert --format with svmlight, csv or cache",
        path, suffix);
}

unsigned data_read_origin(const char *path) {
    char text[4 * MATRIX_NOTE_SIZE], note[MATRIX_NOTE_SIZE];
    if (cache_is_file(path))
        return cache_read_origin(path);
    gzFile file = gzopen(path, "rb"); /* reads text that is not compressed, too */
    int size = file ? gzread(file, text, sizeof text) : 0;
    if (file)
        gzclose(file);
    return size > 0 ? svmlight_read_origin(text, (size_t)size, note) : 0;
}

enum status data_write(const struct matrix *matrix, const char *path, const char *format,
                       struct error *error) {
    const struct data_format *chosen;
    struct file_writer writer;
    struct error inner;
    enum status status = data_find_writer(path, format, &chosen, error);
    if (!status)
        status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    status = chosen->write(matrix, writer.stream, &inner);
    if (!status)
        return file_write_commit(&writer, error);
    file_write_abandon(&writer);
    return error_set(error, status, "%s: %s", path, inner.text);
}
