/* Model files: one file of this folder per format, and one line in format.c. */
#ifndef MODELS_FORMAT_H
#define MODELS_FORMAT_H

#include "base/file.h"
#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdio.h>

struct model_format {
    const char *name, *title;
    const char *suffix; /* of files that are written in it, ".onnx"; or NULL */
    /* Does the text look like this format? Decides by content only, from the first few KB. */
    bool (*recognise)(const char *text, size_t size);
    /* NULL where there is no reader or no writer. `name` is the file's name, for errors. */
    enum status (*read)(const char *name, const char *text, size_t size, struct ensemble **ensemble,
                        struct error *error);
    /* Errors of the stream are found by whoever closes it. */
    enum status (*write)(const struct ensemble *ensemble, FILE *stream, struct error *error);
    bool absent_is_missing;  /* a feature that SVMlight text does not name is NaN to its library */
    bool numbers_as_written; /* its library numbers features of SVMlight text from 0 */
    bool float32_leaves;     /* the writer rounds leaves and base scores */
    bool names_features;     /* the writer keeps the features' names */
    bool sets;               /* the writer knows set nodes; others write plain tests instead */
    bool compares_doubles;   /* the writer keeps double thresholds */
};

/* All formats, in the order in which they are tried; *count of them. */
const struct model_format *const *model_formats(size_t *count);

/* The format that a text looks like, or NULL. */
const struct model_format *model_recognise(const char *text, size_t size);

/* Reads a model of any format (".gz" or not; "-" is standard input). An unknown content is refused
 * with the list of the formats that are known. */
enum status model_read(const char *path, struct ensemble **ensemble, struct error *error);

/* The writer of that format. Where it is NULL the end of PATH says which: the format whose suffix
 * it has, treebench's JSON if it has none. Refused, with what there is: a format that is not
 * written, and another suffix. */
enum status model_find_writer(const char *path, const char *format,
                              const struct model_format **writer, struct error *error);

/* For models that were made: refuses a name of another format than treebench's JSON, which keeps
 * everything. */
enum status model_check_own_name(const char *path, struct error *error);

/* Writes aside and renames, by the writer that model_find_writer finds. */
enum status model_write(const struct ensemble *ensemble, const char *path, const char *format,
                        struct error *error);

#endif
