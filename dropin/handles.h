/* What treebench knows of the handles that a program has: a table from a handle to an entry.
 *
 * Looking up takes no lock, so that many threads can score with one handle at once. A handle must
 * not be taken out while another thread still uses it, which no library allows. */
#ifndef DROPIN_HANDLES_H
#define DROPIN_HANDLES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { HANDLES_CHAINS = 256 };

struct handles_node {
    _Atomic(const void *) handle; /* NULL: free for another handle of the chain */
    _Atomic(void *) entry;
    _Atomic(struct handles_node *) next;
};

/* Starts as {.lock = PTHREAD_MUTEX_INITIALIZER}. Nodes are never freed, because a reader may be at
 * any of them. */
struct handles {
    pthread_mutex_t lock; /* for changes */
    _Atomic(struct handles_node *) chain[HANDLES_CHAINS];
};

/* Stores an entry, which is not NULL, for a handle. Replaces one that the handle has. Returns false
 * if out of memory. */
bool handles_put(struct handles *handles, const void *handle, void *entry);

/* The entry of a handle; NULL if it has none. */
void *handles_get(struct handles *handles, const void *handle);

/* Removes and returns the entry of a handle; NULL if it has none. */
void *handles_take(struct handles *handles, const void *handle);

#endif
