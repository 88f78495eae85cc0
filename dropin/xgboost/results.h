/* Results of predictions. XGBoost's belong to a booster and a thread: they stay valid until the
 * next prediction with this booster in this thread, and so do these. */
#ifndef DROPIN_XGBOOST_RESULTS_H
#define DROPIN_XGBOOST_RESULTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct thread_token;

struct result {
    struct result *next;
    struct thread_token *owner;
    float *values;
    size_t capacity;
    uint64_t shape[2];
};

/* Starts as {.lock = PTHREAD_MUTEX_INITIALIZER}. */
struct results {
    pthread_mutex_t lock;
    uint64_t id; /* set by the first use; no other struct has it */
    struct result *first;
};

/* The calling thread's result, with room for n_values. NULL if out of memory. */
struct result *results_get(struct results *results, size_t n_values);
void results_free(struct results *results);

#endif
