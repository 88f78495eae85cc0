/* What XGBoost makes of margins: probabilities, classes, exponentials. Operations are XGBoost's, on
 * floats and in the same order, so results are the same bit for bit. */
#ifndef DROPIN_XGBOOST_TRANSFORM_H
#define DROPIN_XGBOOST_TRANSFORM_H

#include <stddef.h>

/* Changes the n_outputs margins of a document. */
typedef void transform(float *margins, size_t n_outputs);

struct objective {
    const char *name;
    transform *transform; /* NULL: values are margins */
    int one_value;        /* the transform leaves one value, whatever the number of outputs */
};

/* NULL if the objective is unknown. */
const struct objective *objective_find(const char *name);

#endif
