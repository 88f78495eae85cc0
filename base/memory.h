/* Aligned memory and growing arrays. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MEMORY_ALIGNMENT = 64 }; /* bytes of a cache line and of the widest vector */

/* Allocate memory, aligned to 64 bytes; the size may be 0. Return NULL if out of memory. Release
 * the memory with free(). memory_aligned_calloc sets it to zero. */
void *memory_aligned_alloc(size_t bytes);
void *memory_aligned_calloc(size_t count, size_t size);

/* Makes room for one more element in a malloc'd array with `count` used elements. The capacity
 * doubles. Returns false and changes nothing if out of memory.
 *   if (!memory_grow((void **)&list, &capacity, count, sizeof *list)) return error_memory(...); */
bool memory_grow(void **array, size_t *capacity, size_t count, size_t size);

/* Appends n elements, likewise, and adds n to *count. */
bool memory_append(void **array, size_t *capacity, size_t *count, const void *elements, size_t n,
                   size_t size);

/* A growing array of numbers or characters, or of anything. Starts as {0}. Its owner frees
 * `values`. */
struct memory_list {
    union {
        void *values;
        char *text;
        uint32_t *u32;
        int32_t *i32;
        int64_t *integer;
        float *real;
        double *number;
    };
    size_t count, capacity;
};

/* Appends an element of `size` bytes. Returns false and changes nothing if out of memory. */
bool memory_list_add(struct memory_list *list, const void *element, size_t size);

/* Arrays that are freed together. Starts as {0}. */
struct memory_pool {
    void **arrays;
    size_t count, capacity; /* of `arrays` */
    size_t bytes;           /* of all arrays together */
    bool failed;            /* out of memory: at least one array is missing */
};

/* Allocates an array of zeros, like memory_aligned_calloc, which memory_pool_free frees. Returns
 * NULL if out of memory now or before, so that it is enough to check `failed` after the last array.
 */
void *memory_pool_array(struct memory_pool *pool, size_t count, size_t size);

/* The same, with a copy of an array. `from` may be NULL if there are no elements. */
void *memory_pool_copy(struct memory_pool *pool, const void *from, size_t count, size_t size);
void memory_pool_free(struct memory_pool *pool);

/* A stream that writes to memory. After memory_close_stream, *text holds the *size bytes written,
 * followed by a NUL. The caller must free it, even after a failure. Unlike open_memstream, the
 * stream sets ferror if it runs out of memory. Returns NULL if out of memory. */
FILE *memory_open_stream(char **text, size_t *size);

/* Closes the stream. Returns false if it ran out of memory at any time. */
bool memory_close_stream(FILE *stream);

/* Computes a * b. Returns false on overflow. */
bool memory_multiply(size_t a, size_t b, size_t *product);

#endif
