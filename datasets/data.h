/* Reading and writing documents in any format. */
#ifndef DATASETS_DATA_H
#define DATASETS_DATA_H

#include "base/files/file.h"
#include "datasets/format.h"

const struct data_format *const *data_formats(size_t *count);

/* The format that the text looks like, or NULL. */
const struct data_format *data_recognise(const char *text, size_t size);

/* Reads documents in any format, gzipped or not; "-" is standard input. Caches are mapped. */
enum status data_read(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error);

/* Returns the origin that SVMlight text, compressed or not, or a cache states, without reading the
 * documents. 0 if the file states none or cannot be read. */
unsigned data_read_origin(const char *path);

/* Finds the writer for `format`. If `format` is NULL, the suffix of `path` decides; without a
 * suffix it is SVMlight text. Unknown formats and suffixes are errors that list the known ones. */
enum status data_find_writer(const char *path, const char *format,
                             const struct data_format **writer, struct error *error);

/* Writes documents with the writer that data_find_writer finds. */
enum status data_write(const struct matrix *matrix, const char *path, const char *format,
                       struct error *error);

#endif
