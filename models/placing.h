/* Documents of doubles for a model that compares doubles.
 *
 * Kernels compare float32. Rounding a value to float32 can move it across a threshold that is a
 * double: 0.15 <= 0.15000000000000005 holds, in float32 with the threshold rounded down it does
 * not. A value is therefore *placed*: it becomes the nearest float32, or, if that lies on another
 * side of one of the model's thresholds, the neighbouring float32 on the right side. Every test of
 * the model then decides the float32 as its maker decides the double.
 *
 * Where two thresholds of a feature have no float32 between them (unix seconds, for example), the
 * feature is *coded*: its values become ranks among its thresholds, and its thresholds in the
 * ensemble become ranks too. */
#ifndef MODELS_PLACING_H
#define MODELS_PLACING_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

struct placing;

/* *placing is NULL if the model compares float32, which needs no placing. Codes features in the
 * ensemble, if need be; the ensemble is unchanged on failure, and is not used afterwards. */
enum status placing_create(struct ensemble *ensemble, struct placing **placing,
                           struct error *error);
void placing_free(struct placing *placing); /* NULL is fine */

/* The float32 that stands for a feature's value. NaN stays NaN. NULL: the nearest float32. */
float placing_place(const struct placing *placing, uint32_t feature, double value);

/* Is the feature coded? Then values that are float32 already must be placed too. */
bool placing_is_coded(const struct placing *placing, uint32_t feature);

/* How many features are coded. */
uint32_t placing_count_coded(const struct placing *placing);

/* The thresholds of a feature, increasing, and what they are in the ensemble: of value x, the
 * first threshold that is >= x decides. For those who place by code of their own. */
uint32_t placing_thresholds(const struct placing *placing, uint32_t feature,
                            const double **thresholds, const float **placed);

#endif
