/* A large buffer in memory of its own, with small or huge pages, for measuring caches and memory.
 */
#ifndef HARNESS_CACHES_BUFFER_H
#define HARNESS_CACHES_BUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct memory_buffer {
    char *bytes; /* aligned to 2 MiB; every page has been written */
    size_t size;
    double huge_share; /* share of the buffer in huge pages, 0 to 1; NaN if unknown */
    void *mapping;     /* private to buffer.c */
    size_t mapped;
};

/* Maps `size` bytes. With `huge`, asks for transparent huge pages, otherwise forbids them. Whether
 * the kernel complied is in huge_share. STATUS_MEMORY if out of memory. */
enum status memory_buffer_create(size_t size, bool huge, struct memory_buffer *buffer,
                                 struct error *error);
void memory_buffer_free(struct memory_buffer *buffer); /* may be all zeros */

#endif
