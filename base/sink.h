/* A stream that is written to a descriptor, remembers why a write failed, and packs with gzip where
 * that is asked for. Private to file.c. */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include <stdbool.h>
#include <stdio.h>

struct sink;

/* NULL: no memory, and the descriptor is still the caller's; else it is the sink's. */
FILE *sink_open(int descriptor, bool packed, struct sink **sink);

/* Writes what is left, waits for the disk where `sync` says so, closes stream and descriptor, and
 * frees the sink. Returns 0, or errno's reason of the first failure. */
int sink_close(FILE *stream, struct sink *sink, bool sync);

#endif
