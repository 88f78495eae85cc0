#include "dropin/xgboost/recall.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 4 }; /* values and margins of two models */

struct entry {
    struct recall_key key;
    float *values; /* NULL if the entry is free */
};

struct recall {
    pthread_mutex_t lock;
    struct entry entry[ENTRIES];
    unsigned next; /* the entry that is replaced */
};

struct recall *recall_create(void) {
    struct recall *recall = calloc(1, sizeof *recall);
    if (recall)
        pthread_mutex_init(&recall->lock, NULL);
    return recall;
}

void recall_free(struct recall *recall) {
    if (!recall)
        return;
    for (int i = 0; i < ENTRIES; i++)
        free(recall->entry[i].values);
    pthread_mutex_destroy(&recall->lock);
    free(recall);
}

/* The caller holds the lock. */
static const struct entry *find(const struct recall *recall, struct recall_key key) {
    for (const struct entry *e = recall->entry; e < recall->entry + ENTRIES; e++)
        if (e->values && e->key.model == key.model && e->key.transforms == key.transforms)
            return e;
    return NULL;
}

bool recall_get(struct recall *recall, struct recall_key key, float *values, size_t n) {
    pthread_mutex_lock(&recall->lock);
    const struct entry *entry = find(recall, key);
    if (entry)
        memcpy(values, entry->values, n * sizeof *values);
    pthread_mutex_unlock(&recall->lock);
    return entry != NULL;
}

void recall_put(struct recall *recall, struct recall_key key, const float *values, size_t n) {
    float *copy = malloc(n * sizeof *copy);
    if (!copy)
        return;
    memcpy(copy, values, n * sizeof *copy);
    pthread_mutex_lock(&recall->lock);
    float *dropped = copy; /* another thread was faster */
    if (!find(recall, key)) {
        struct entry *oldest = &recall->entry[recall->next++ % ENTRIES];
        dropped = oldest->values;
        *oldest = (struct entry){key, copy};
    }
    pthread_mutex_unlock(&recall->lock);
    free(dropped);
}
