#include "datasets/format.h"

#include "base/file.h"
#include "datasets/formats.h"

static const struct data_format *const FORMATS[] = {&data_format_svmlight};

const struct data_format *const *data_formats(size_t *count) {
    *count = sizeof FORMATS / sizeof *FORMATS;
    return FORMATS;
}

enum status data_read(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error) {
    *matrix = NULL;
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status != STATUS_OK)
        return status;
    const struct data_format *format = NULL;
    for (size_t i = 0; i < sizeof FORMATS / sizeof *FORMATS && !format; i++)
        if (FORMATS[i]->recognise(text.data, text.size))
            format = FORMATS[i];
    if (format)
        status = format->read(path, text.data, text.size, reading, matrix, error);
    else
        status = error_set(error, STATUS_INPUT,
                           "%s:1: no known kind of documents; should be SVMlight/LETOR text: "
                           "LABEL [qid:N] FEATURE:VALUE ...",
                           path);
    file_text_free(&text);
    return status;
}

enum status data_write(const struct matrix *matrix, const char *path, struct error *error) {
    struct file_writer writer;
    enum status status = file_write_begin(&writer, path, error);
    if (status != STATUS_OK)
        return status;
    status = data_format_svmlight.write(matrix, writer.stream, error);
    if (status == STATUS_OK)
        return file_write_commit(&writer, error);
    file_write_abandon(&writer);
    return status;
}
