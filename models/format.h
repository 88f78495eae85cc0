/* Model formats. Each format has its own file or folder, and a line in formats.def. */
#ifndef MODELS_FORMAT_H
#define MODELS_FORMAT_H

#include "base/files/file.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdio.h>

struct model_format {
    const char *name, *title;
    const char *suffix; /* suffix of files in this format, such as ".onnx"; or NULL */
    /* Does the text look like this format? `read` reports what is wrong with the text. */
    bool (*recognise)(const char *text, size_t size);
    /* `read` or `write` is NULL if the format has no reader or no writer. `name` is the name of the
     * file, for errors. */
    enum status (*read)(const char *name, const char *text, size_t size, struct ensemble **ensemble,
                        struct error *error);
    /* The caller checks the stream for errors when it closes the stream. */
    enum status (*write)(const struct ensemble *ensemble, FILE *stream, struct error *error);
    bool absent_is_missing;  /* the library treats features that SVMlight text omits as NaN */
    bool numbers_as_written; /* the library numbers the features of SVMlight text from 0 */
    bool float32_leaves;     /* the writer rounds leaf values and base scores */
    bool names_features;     /* the writer stores the names of features */
    bool sets;               /* the writer supports set nodes; if false, it writes plain tests */
    bool votes;            /* the writer supports leaves that name classes; if false, it writes one
                              tree per class */
    bool compares_doubles; /* the writer stores double thresholds */
};

/* All formats, in the order in which they are tried. *count receives their number. */
const struct model_format *const *model_formats(size_t *count);

/* The format that the text looks like, or NULL. */
const struct model_format *model_recognise(const char *text, size_t size);

/* Reads a model in any format, gzipped or not; "-" is standard input. If the format is unknown, the
 * error lists the known ones. */
enum status model_read(const char *path, struct ensemble **ensemble, struct error *error);

/* Finds the writer for `format`. If `format` is NULL, the suffix of `path` decides; without a
 * suffix it is treebench's JSON. Unknown formats and suffixes are errors that list the known
 * ones. */
enum status model_find_writer(const char *path, const char *format,
                              const struct model_format **writer, struct error *error);

/* For generated models: rejects names whose suffix belongs to another format than treebench's JSON,
 * because no other format stores everything. */
enum status model_check_own_name(const char *path, struct error *error);

/* Writes the model with the writer that model_find_writer finds, to a temporary file that is then
 * renamed. */
enum status model_write(const struct ensemble *ensemble, const char *path, const char *format,
                        struct error *error);

#endif
