/* Aligned memory and growing arrays. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MEMORY_ALIGNMENT = 64 }; /* a cache line, and the widest vector register */

/* `bytes` of memory (0 gives a valid pointer too), at a multiple of 64. NULL when there is none.
 * Release with free(). The content is undefined (aligned_calloc: zero). */
void *memory_aligned_alloc(size_t bytes);
void *memory_aligned_calloc(size_t count, size_t size);

/* Makes room for one more element in a malloc'd array of `count` used elements; grows by doubling.
 * Returns false, with everything unchanged, when there is no memory.
 *   if (!memory_grow((void **)&list, &capacity, count, sizeof *list)) return error_memory(...); */
bool memory_grow(void **array, size_t *capacity, size_t count, size_t size);

/* A stream into memory. After memory_close_stream *text is what was written, with a NUL behind its
 * *size bytes; it must be freed even if that failed. Unlike open_memstream, a stream that ran out
 * of memory has ferror set. NULL when there is no memory. */
FILE *memory_open_stream(char **text, size_t *size);

/* Returns false when memory ran out at any time. */
bool memory_close_stream(FILE *stream);

/* a * b, false when it does not fit. */
bool memory_multiply(size_t a, size_t b, size_t *product);

#endif
