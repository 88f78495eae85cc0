/* A call that predicts: what it asks for, and how it is answered. */
#ifndef DROPIN_LIGHTGBM_REQUEST_H
#define DROPIN_LIGHTGBM_REQUEST_H

#include "dropin/lightgbm/booster.h"

/* What a call says, in LightGBM's words. */
struct request {
    int predict_type, start_iteration, num_iteration;
    int data_type;
    int64_t n_columns;
    const char *parameters;
};

/* A request that treebench can answer. */
struct answer {
    const struct booster *booster;
    const struct range *range;
    unsigned threads;
    bool converts; /* raw scores become predictions */
};

/* Checks a request, and builds its scorer if it is the first of its kind. Fails, with the reason,
 * if treebench does not serve it. */
enum status request_prepare(struct booster *booster, const struct request *request,
                            struct answer *answer, struct error *error);

/* Writes the predictions of n_docs documents, and their number to *n_results. */
enum status request_answer(const struct answer *answer, const struct rows *rows, size_t n_docs,
                           double *results, int64_t *n_results, struct error *error);

/* The most threads of a call, as LGBM_SetMaxThreads sets it; 0 or less: any number. */
void request_set_most_threads(int threads);
int request_most_threads(void);

#endif
