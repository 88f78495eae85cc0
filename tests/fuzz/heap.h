/* How much memory a reader takes. Everything that is allocated counts, in libraries too. */
#ifndef TESTS_FUZZ_HEAP_H
#define TESTS_FUZZ_HEAP_H

#include <sanitizer/allocator_interface.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Beside what is counted for the input: structs, errors, a parser's buffers. */
enum { HEAP_FIXED = 64 * 1024 };

/* Atomic because libFuzzer has a thread of its own. Signed because that thread may free what was
 * allocated before the hooks were installed. */
static atomic_llong heap_live, heap_peak;

static void heap_allocated(const volatile void *memory, size_t size) {
    (void)memory;
    long long live = atomic_fetch_add(&heap_live, (long long)size) + (long long)size;
    if (live > atomic_load(&heap_peak))
        atomic_store(&heap_peak, live);
}

static void heap_freed(const volatile void *memory) {
    if (memory)
        atomic_fetch_sub(&heap_live, (long long)__sanitizer_get_allocated_size(memory));
}

/* Begins to count; returns what lives now. */
static inline long long heap_begin(void) {
    static int installed;
    if (!installed)
        installed = __sanitizer_install_malloc_and_free_hooks(heap_allocated, heap_freed);
    long long live = atomic_load(&heap_live);
    atomic_store(&heap_peak, live);
    return live;
}

/* Aborts when more than `allowed` bytes lived at once since heap_begin. */
static inline void heap_expect(long long begin, size_t allowed) {
    long long peak = atomic_load(&heap_peak) - begin;
    if (peak <= (long long)allowed)
        return;
    fprintf(stderr, "the reader took %lld bytes, %zu are allowed\n", peak, allowed);
    abort();
}

#endif
