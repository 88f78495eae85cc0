#include "dropin/scratch.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static _Thread_local struct {
    void *memory;
    size_t bytes;
} of_thread;

static pthread_key_t at_end; /* its value is the memory */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void create_key(void) {
    has_key = pthread_key_create(&at_end, free) == 0;
}

void *scratch(size_t bytes) {
    if (bytes <= of_thread.bytes)
        return of_thread.memory;
    pthread_once(&once, create_key);
    void *memory = has_key ? memory_aligned_alloc(bytes) : NULL;
    if (!memory || pthread_setspecific(at_end, memory)) {
        free(memory);
        return NULL;
    }
    free(of_thread.memory);
    of_thread.memory = memory;
    of_thread.bytes = bytes;
    return memory;
}
