#include "dropin/xgboost/results.h"

#include <stdbool.h>
#include <stdlib.h>

/* Tells whether a thread still runs. The thread and its results own it together. */
struct thread_token {
    atomic_bool ended;
    atomic_size_t owners;
};

static _Thread_local struct {
    struct thread_token *token;
    uint64_t results; /* the id of the results that were used last */
    struct result *result;
} of_thread;

static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;
static _Atomic uint64_t last_id;

static void drop(struct thread_token *token) {
    if (atomic_fetch_sub(&token->owners, 1) == 1)
        free(token);
}

static void end_thread(void *token) {
    atomic_store(&((struct thread_token *)token)->ended, true);
    drop(token);
}

static void create_key(void) {
    has_key = pthread_key_create(&at_end, end_thread) == 0;
}

static struct thread_token *token_of_thread(void) {
    if (of_thread.token)
        return of_thread.token;
    pthread_once(&once, create_key);
    struct thread_token *token = has_key ? calloc(1, sizeof *token) : NULL;
    if (!token || pthread_setspecific(at_end, token)) {
        free(token);
        return NULL;
    }
    atomic_store(&token->owners, 1);
    of_thread.token = token;
    return token;
}

/* The thread's result, or one of a thread that has ended. */
static struct result *find(const struct results *results, const struct thread_token *token) {
    struct result *ended = NULL;
    for (struct result *result = results->first; result; result = result->next) {
        if (result->owner == token)
            return result;
        if (atomic_load(&result->owner->ended))
            ended = result;
    }
    return ended;
}

static struct result *find_or_add(struct results *results, struct thread_token *token) {
    struct result *result = find(results, token);
    if (result && result->owner == token)
        return result;
    if (result) {
        drop(result->owner);
    } else if ((result = calloc(1, sizeof *result))) {
        result->next = results->first;
        results->first = result;
    } else {
        return NULL;
    }
    result->owner = token;
    atomic_fetch_add(&token->owners, 1);
    return result;
}

static struct result *reserve(struct result *result, size_t n_values) {
    if (n_values <= result->capacity)
        return result;
    free(result->values);
    result->values = malloc(n_values * sizeof *result->values);
    result->capacity = result->values ? n_values : 0;
    return result->values ? result : NULL;
}

struct result *results_get(struct results *results, size_t n_values) {
    if (of_thread.result && of_thread.results == results->id)
        return reserve(of_thread.result, n_values);
    struct thread_token *token = token_of_thread();
    if (!token)
        return NULL;
    pthread_mutex_lock(&results->lock);
    if (!results->id)
        results->id = atomic_fetch_add(&last_id, 1) + 1;
    struct result *result = find_or_add(results, token);
    pthread_mutex_unlock(&results->lock);
    of_thread.results = results->id;
    of_thread.result = result;
    return result ? reserve(result, n_values) : NULL;
}

void results_free(struct results *results) {
    for (struct result *result = results->first, *next; result; result = next) {
        next = result->next;
        drop(result->owner);
        free(result->values);
        free(result);
    }
    pthread_mutex_destroy(&results->lock);
}
