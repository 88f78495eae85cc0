/* Models that treebench scores for LightGBM's handles. */
#ifndef DROPIN_LIGHTGBM_BOOSTER_H
#define DROPIN_LIGHTGBM_BOOSTER_H

#include "dropin/lightgbm/objective.h"
#include "dropin/scoring.h"

#include <pthread.h>
#include <stdatomic.h>

/* Some consecutive iterations of a model, built for scoring. */
struct range {
    int first, count;        /* iterations */
    bool leaves;             /* the scores are leaf indices, one per tree */
    uint32_t n_outputs;      /* scores per document */
    struct scoring *scoring; /* NULL if there are no iterations */
    struct range *next;
};

struct booster {
    bool has_real;       /* the handle is the real library's */
    atomic_bool changed; /* only the real library still knows the model */
    struct ensemble *ensemble;
    struct placing *placing;
    uint32_t *leaf_number; /* [ensemble->n_leaves] LightGBM's index of each leaf in its tree */
    int n_iterations;
    bool averages; /* predictions are divided by the number of iterations */
    struct objective objective;
    pthread_mutex_t lock; /* for new ranges */
    _Atomic(struct range *) ranges;
};

/* Makes a booster from a text model. Its scorer for all iterations is built already. */
enum status booster_create(const char *name, const char *text, size_t size,
                           struct booster **booster, struct error *error);
void booster_free(struct booster *booster); /* NULL is allowed */

/* Stores a booster for a handle, which then owns it. */
enum status booster_put(const void *handle, struct booster *booster, struct error *error);

/* The booster of a handle. NULL if treebench does not have its model. */
struct booster *booster_get(const void *handle);

/* Removes the booster of a handle; NULL if there is none. The caller frees it. */
struct booster *booster_take(const void *handle);

/* The model is about to change: from now on booster_get returns NULL. The booster lives on until
 * booster_take, because other threads may be scoring. */
void booster_drop(const void *handle);

/* Clips a range of iterations as LightGBM does. `number` <= 0 means all that follow. */
void booster_clip(const struct booster *booster, int *start, int *number);

/* Returns the scorer for clipped iterations. It is built on the first call, and lives as long as
 * the booster. NULL, with the error, if that fails. */
const struct range *booster_range(struct booster *booster, int first, int count, bool leaves,
                                  struct error *error);

#endif
