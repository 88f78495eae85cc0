/* Converts base scores to margins, depending on XGBoost's objective. */
#ifndef MODELS_XGBOOST_XGBOOST_OBJECTIVE_H
#define MODELS_XGBOOST_XGBOOST_OBJECTIVE_H

#include "models/xgboost/xgboost_model.h"

/* Computes the margin that the score of each output starts from: margins[header->n_outputs]. Fails
 * for objectives that are not XGBoost's own and for base scores without a finite margin. Errors
 * begin with the file name. */
enum status xgboost_margins(const char *name, const struct xgboost_header *header, double *margins,
                            struct error *error);

#endif
