/* Places documents of doubles for models that compare doubles.
 *
 * Kernels compare float32. Rounding a value to float32 can move it across a double threshold: 0.15
 * <= 0.15000000000000005 is true, but with value and threshold in float32 it is false. A value is
 * therefore *placed*: it becomes the nearest float32 or, if that is on the other side of a
 * threshold, the neighbouring float32 on the right side. Every test of the model then gives the
 * same result for the float32 as for the double.
 *
 * If two thresholds of a feature have no float32 between them (for example Unix seconds), the
 * feature is *coded*: its values become ranks among its thresholds, and its thresholds in the
 * ensemble become ranks too. */
#ifndef MODELS_PLACING_H
#define MODELS_PLACING_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>
#include <stdint.h>

struct placing;

/* Sets *placing to NULL if the model compares float32 and needs no placing. May code features,
 * which changes the ensemble. On failure, the ensemble is unchanged. `placing` keeps no pointer to
 * the ensemble. */
enum status placing_create(struct ensemble *ensemble, struct placing **placing,
                           struct error *error);
void placing_free(struct placing *placing); /* NULL is allowed */

/* Returns the float32 that represents a feature's value. NaN stays NaN. If `placing` is NULL,
 * returns the nearest float32. */
float placing_place(const struct placing *placing, uint32_t feature, double value);

/* The same for the features 0 to n_features - 1 of a document, which the model has. */
void placing_place_row(const struct placing *placing, const double *values, uint32_t n_features,
                       float *x);

/* Is the feature coded? Values of coded features must be placed even if they are float32. */
bool placing_is_coded(const struct placing *placing, uint32_t feature);

/* The number of coded features. */
uint32_t placing_count_coded(const struct placing *placing);

/* Gets the thresholds of a feature, in increasing order, and the float32 that the ensemble has for
 * each threshold. The first threshold >= x determines how x is placed. Returns the number of
 * thresholds. `placing` must not be NULL. */
uint32_t placing_thresholds(const struct placing *placing, uint32_t feature,
                            const double **thresholds, const float **placed);

#endif
