/* The binary cache: documents in the same layout as in memory, so that a file is mapped instead of
 * read. A cache only works on machines with the byte order of the writer, and with this version of
 * the layout. Any other cache is rejected and must be recreated from the original text.
 *
 *     header     256 bytes, struct header of cache.c
 *     values     n_rows * stride floats, stride = n_features rounded up to 16, padding zero
 *     labels     n_rows floats, if there are labels
 *     query_row  n_queries + 1 u64, if there are queries
 *     query_id   n_queries i64, if there are queries
 *     names      the name of each column, terminated by a NUL, if columns have names
 *
 * Every part begins at a multiple of 64 bytes. The gaps between parts are zero. A CRC-32 covers the
 * whole file. The cache does not store which features a document omitted: absent features got a
 * value before the cache was written. */
#ifndef DATASETS_CACHE_H
#define DATASETS_CACHE_H

#include "datasets/format.h"

#include <stdbool.h>

/* Do the bytes begin like a cache? */
bool cache_begins(const char *bytes, size_t size);

/* Returns the origin in the header of a cache, without checking the file; 0 if it cannot be read.
 */
unsigned cache_read_origin(const char *path);

/* Is `path` a regular file that begins like a cache? */
bool cache_is_file(const char *path);

/* Maps the documents of a cache. The mapping is private: writing to it does not change the file. If
 * another program truncates the file while it is mapped, the signal handler of mapping.h reports it
 * and ends the program. (data_write never truncates a file: it replaces the file by renaming.) If
 * `reading` requests more features than the file has, the documents are copied. */
enum status cache_map(const char *path, const struct data_reading *reading, struct matrix **matrix,
                      struct error *error);

#endif
