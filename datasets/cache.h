/* The binary cache: documents as they lie in memory, so that a file is mapped instead of read. A
 * cache belongs to the kind of machine that wrote it (byte order) and to this version of the
 * layout; any other is refused, and is made anew from the text.
 *
 *     header     256 bytes, struct header of cache.c
 *     values     n_rows * stride floats, stride = n_features rounded up to 16, padding zero
 *     labels     n_rows floats, where there are labels
 *     query_row  n_queries + 1 u64, where there are queries
 *     query_id   n_queries i64, likewise
 *     names      of the columns, each ended by a NUL, where they have some
 *
 * Every part begins at a multiple of 64 bytes, with zeros before it. A CRC-32 covers the whole
 * file. An absent feature has no place here: what it counted as was decided when the cache was
 * written. */
#ifndef DATASETS_CACHE_H
#define DATASETS_CACHE_H

#include "datasets/format.h"

#include <stdbool.h>

/* Whether `path` is a plain file that begins as a cache does. */
bool cache_is_file(const char *path);

/* The documents of a cache. Their memory is a private mapping of the file: writing to it changes no
 * file. If somebody cuts the file short meanwhile, mapping.h says so and ends the program
 * (data_write never does that: it renames).
 * A copy is made where `reading` wants more features than the file has. */
enum status cache_map(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error);

#endif
