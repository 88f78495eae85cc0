/* What a DMatrix remembers: the last predictions of some models. To predict again is then a copy,
 * as in XGBoost. Any number of threads may call these functions at once. */
#ifndef DROPIN_XGBOOST_RECALL_H
#define DROPIN_XGBOOST_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recall;

/* What was predicted. */
struct recall_key {
    uint64_t model; /* the id of its facts (model.h) */
    bool transforms;
};

struct recall *recall_create(void);      /* NULL if out of memory */
void recall_free(struct recall *recall); /* NULL is allowed */

/* Copies the n values that were kept for the key. Returns false if there are none. */
bool recall_get(struct recall *recall, struct recall_key key, float *values, size_t n);

/* Keeps a copy of the values, in place of the oldest ones. If memory runs out, does nothing. */
void recall_put(struct recall *recall, struct recall_key key, const float *values, size_t n);

#endif
