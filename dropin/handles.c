#include "dropin/handles.h"

#include <stdint.h>
#include <stdlib.h>

static _Atomic(struct handles_node *) *chain_of(struct handles *handles, const void *handle) {
    uint64_t spread = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15u;
    return &handles->chain[spread >> 56];
}
_Static_assert(HANDLES_CHAINS == 1 << 8, "the upper 8 bits choose a chain");

static struct handles_node *find(struct handles *handles, const void *handle) {
    struct handles_node *node =
        atomic_load_explicit(chain_of(handles, handle), memory_order_acquire);
    while (node && atomic_load_explicit(&node->handle, memory_order_acquire) != handle)
        node = atomic_load_explicit(&node->next, memory_order_acquire);
    return node;
}

/* A free node of the handle's chain, or a new one; NULL if out of memory. */
static struct handles_node *find_free(struct handles *handles, const void *handle) {
    _Atomic(struct handles_node *) *chain = chain_of(handles, handle);
    struct handles_node *node = atomic_load(chain);
    while (node && atomic_load(&node->handle))
        node = atomic_load(&node->next);
    if (node)
        return node;
    node = calloc(1, sizeof *node);
    if (node) {
        atomic_store(&node->next, atomic_load(chain));
        atomic_store(chain, node);
    }
    return node;
}

bool handles_put(struct handles *handles, const void *handle, void *entry) {
    pthread_mutex_lock(&handles->lock);
    struct handles_node *node = find(handles, handle);
    if (!node)
        node = find_free(handles, handle);
    if (node) {
        atomic_store(&node->entry, entry);
        atomic_store(&node->handle, handle);
    }
    pthread_mutex_unlock(&handles->lock);
    return node != NULL;
}

void *handles_get(struct handles *handles, const void *handle) {
    const struct handles_node *node = handle ? find(handles, handle) : NULL;
    return node ? atomic_load_explicit(&node->entry, memory_order_acquire) : NULL;
}

void *handles_take(struct handles *handles, const void *handle) {
    void *entry = NULL;
    pthread_mutex_lock(&handles->lock);
    struct handles_node *node = handle ? find(handles, handle) : NULL;
    if (node) {
        entry = atomic_load(&node->entry);
        atomic_store(&node->handle, NULL);
    }
    pthread_mutex_unlock(&handles->lock);
    return entry;
}
