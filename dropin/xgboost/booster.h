/* The boosters whose handles a program has. */
#ifndef DROPIN_XGBOOST_BOOSTER_H
#define DROPIN_XGBOOST_BOOSTER_H

#include "dropin/xgboost/model.h"
#include "dropin/xgboost/results.h"

struct booster {
    struct xgboost_scorer *scorer;     /* NULL: no model, or calls are passed on */
    const struct objective *objective; /* NULL: only margins are served */
    long rounds;                       /* of boosting; 0 if unknown */
    unsigned threads;                  /* 0: OpenMP's default */
    bool is_set; /* a parameter was set that may change scores: models are not served any more */
    struct results results;
};

/* NULL if the booster is unknown. */
struct booster *booster_find(const void *handle);

/* The number of threads for a call. */
unsigned booster_threads(const struct booster *booster);

#endif
