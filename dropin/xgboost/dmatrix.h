/* The matrices whose values treebench knows. */
#ifndef DROPIN_XGBOOST_DMATRIX_H
#define DROPIN_XGBOOST_DMATRIX_H

#include "dropin/xgboost/matrix.h"

/* NULL if the values are unknown. */
const struct xgboost_matrix *dmatrix_find(const void *handle);

/* Later calls with the matrix are passed on. */
void dmatrix_forget(const void *handle);

#endif
