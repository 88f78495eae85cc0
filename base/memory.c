#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void *memory_aligned_alloc(size_t bytes) {
    if (bytes > SIZE_MAX - MEMORY_ALIGNMENT)
        return NULL;
    size_t rounded = (bytes + MEMORY_ALIGNMENT - 1) / MEMORY_ALIGNMENT * MEMORY_ALIGNMENT;
    return aligned_alloc(MEMORY_ALIGNMENT, rounded ? rounded : MEMORY_ALIGNMENT);
}

void *memory_aligned_calloc(size_t count, size_t size) {
    size_t bytes;
    if (!memory_multiply(count, size, &bytes))
        return NULL;
    void *memory = memory_aligned_alloc(bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

bool memory_grow(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? *capacity : 8;
    size_t bytes;
    if (!memory_multiply(wanted, 2, &wanted) || !memory_multiply(wanted, size, &bytes))
        return false;
    void *grown = realloc(*array, bytes);
    if (!grown)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

bool memory_append(void **array, size_t *capacity, size_t *count, const void *elements, size_t n,
                   size_t size) {
    while (*capacity - *count < n)
        if (!memory_grow(array, capacity, *capacity, size))
            return false;
    if (n > 0)
        memcpy((char *)*array + *count * size, elements, n * size);
    *count += n;
    return true;
}

bool memory_list_add(struct memory_list *list, const void *element, size_t size) {
    return memory_append(&list->values, &list->capacity, &list->count, element, 1, size);
}

/* --- pools ------------------------------------------------------------------------------------ */

void *memory_pool_array(struct memory_pool *pool, size_t count, size_t size) {
    void *array = NULL;
    if (!pool->failed &&
        memory_grow((void **)&pool->arrays, &pool->capacity, pool->count, sizeof *pool->arrays))
        array = memory_aligned_calloc(count, size);
    if (array) {
        pool->arrays[pool->count++] = array;
        pool->bytes += count * size;
    }
    pool->failed = !array;
    return array;
}

void *memory_pool_copy(struct memory_pool *pool, const void *from, size_t count, size_t size) {
    void *array = memory_pool_array(pool, count, size);
    if (array && count)
        memcpy(array, from, count * size);
    return array;
}

void memory_pool_free(struct memory_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->arrays[i]);
    free(pool->arrays);
    *pool = (struct memory_pool){0};
}

/* --- streams ---------------------------------------------------------------------------------- */

struct memory_stream {
    char **text;
    size_t *size, capacity;
};

/* Returns 0 on failure, as fopencookie requires. */
static ssize_t write_stream(void *cookie, const char *bytes, size_t count) {
    struct memory_stream *stream = cookie;
    size_t size = *stream->size, wanted = stream->capacity;
    while (wanted - size <= count)
        if (!memory_multiply(wanted, 2, &wanted))
            return 0;
    if (wanted > stream->capacity) {
        char *grown = realloc(*stream->text, wanted);
        if (!grown)
            return 0;
        *stream->text = grown;
        stream->capacity = wanted;
    }
    memcpy(*stream->text + size, bytes, count);
    *stream->size = size + count;
    (*stream->text)[size + count] = '\0';
    return (ssize_t)count;
}

/* Supports ftell only. */
static int seek_stream(void *cookie, off64_t *offset, int from) {
    struct memory_stream *stream = cookie;
    if (from != SEEK_CUR || *offset != 0)
        return -1;
    *offset = (off64_t)*stream->size;
    return 0;
}

static int close_stream(void *cookie) {
    free(cookie);
    return 0;
}

FILE *memory_open_stream(char **text, size_t *size) {
    enum { FIRST_CAPACITY = 1024 };
    struct memory_stream *cookie = malloc(sizeof *cookie);
    *text = calloc(1, FIRST_CAPACITY);
    *size = 0;
    FILE *stream = NULL;
    if (cookie && *text) {
        *cookie = (struct memory_stream){text, size, FIRST_CAPACITY};
        stream =
            fopencookie(cookie, "w",
                        (cookie_io_functions_t){
                            .write = write_stream, .seek = seek_stream, .close = close_stream});
    }
    if (!stream) {
        free(cookie);
        free(*text);
        *text = NULL;
    }
    return stream;
}

bool memory_close_stream(FILE *stream) {
    bool whole = !ferror(stream);
    return fclose(stream) == 0 && whole;
}

bool memory_multiply(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}
