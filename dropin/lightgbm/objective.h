/* From raw scores to LightGBM's predictions. */
#ifndef DROPIN_LIGHTGBM_OBJECTIVE_H
#define DROPIN_LIGHTGBM_OBJECTIVE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct objective {
    /* Converts the scores of n documents, n_outputs each. Computes what LightGBM computes, in its
     * order and with the same functions of libm. NULL if predictions are raw scores. */
    void (*convert)(const struct objective *objective, double *scores, size_t n);
    uint32_t n_outputs;
    double sigmoid;
    bool may_stop; /* the parameter pred_early_stop has an effect */
};

/* Reads the line of a model, such as "binary sigmoid:1"; "" if it has none. STATUS_UNSUPPORTED if
 * the objective is unknown. */
enum status objective_read(const char *text, uint32_t n_outputs, struct objective *objective,
                           struct error *error);

#endif
