/* A stream that writes to a descriptor, optionally packs with gzip, and remembers why a write
 * failed. file.c is its only user. */
#ifndef BASE_FILES_SINK_H
#define BASE_FILES_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct sink;

/* Takes ownership of the descriptor. Returns NULL if out of memory; the caller then keeps the
 * descriptor. */
FILE *sink_open(int descriptor, bool packed, struct sink **sink);

/* Flushes, syncs to disk if `sync` is true, closes the stream and the descriptor, and frees the
 * sink. Returns 0, or the errno of the first failure. */
int sink_close(FILE *stream, struct sink *sink, bool sync);

#endif
