/* Rows of a call or of a DMatrix. Missing values are NaN, or absent. */
#ifndef DROPIN_XGBOOST_MATRIX_H
#define DROPIN_XGBOOST_MATRIX_H

#include "dropin/scoring.h"
#include "dropin/xgboost/recall.h"

struct xgboost_matrix {
    struct rows rows; /* first: scoring passes it to `fill` */
    size_t n_rows, n_columns;
    float missing; /* another value that is missing; NaN if none */

    /* Values row by row, `step` bytes from row to row; NULL for sparse rows. */
    const char *dense;
    size_t step;
    bool doubles; /* the values are doubles, which are rounded */

    /* Sparse rows. */
    const char *starts, *columns, *values;
    unsigned start_bytes, column_bytes; /* 4 or 8 */

    void *owned[3];        /* memory to free */
    struct recall *recall; /* of a DMatrix; NULL for the rows of a call */
};

/* Read array interfaces (JSON) of floats or doubles. `missing` becomes NaN. Return false if the
 * interface is another one: the call is passed on. */
bool matrix_read_dense(const char *interface, struct xgboost_matrix *matrix);
bool matrix_read_csr(const char *indptr, const char *indices, const char *values, size_t n_columns,
                     struct xgboost_matrix *matrix);

/* Makes the rows ready for models of n_features features: sets matrix->rows. */
void matrix_prepare(struct xgboost_matrix *matrix, size_t n_features);

/* Copies the values to memory of its own. Returns NULL if out of memory. */
struct xgboost_matrix *matrix_copy(const struct xgboost_matrix *matrix);
void matrix_free(struct xgboost_matrix *matrix); /* NULL is allowed */

#endif
