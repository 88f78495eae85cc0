/* XGBoost's objectives: what they make of a file's base score. */
#ifndef MODELS_XGBOOST_OBJECTIVE_H
#define MODELS_XGBOOST_OBJECTIVE_H

#include "models/xgboost_model.h"

/* The margins that scores begin with, [header->n_outputs]. Refuses objectives that are not
 * XGBoost's own, and base scores without a finite margin. Errors begin with the file's name. */
enum status xgboost_margins(const char *name, const struct xgboost_header *header, double *margins,
                            struct error *error);

#endif
