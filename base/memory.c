#include "base/memory.h"

#include <stdint.h>
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

bool memory_multiply(size_t a, size_t b, size_t *product) {
    return !__builtin_mul_overflow(a, b, product);
}
