/* Calls of DMatrix. Matrices that are made from rows in memory are copied, so that calls which
 * predict find their values. Without the real library, the copy itself is what a handle names. */
#include "dropin/xgboost/dmatrix.h"

#include "base/memory.h"
#include "dropin/handles.h"
#include "dropin/last_error.h"
#include "dropin/xgboost/api.h"
#include "dropin/xgboost/flat.h"

#include <math.h>
#include <string.h>

static struct handles matrices = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct xgboost_matrix *dmatrix_find(const void *handle) {
    return handles_get(&matrices, handle);
}

void dmatrix_forget(const void *handle) {
    matrix_free(handles_take(&matrices, handle));
}

/* Keeps a copy for the handle that the real library made, or for a handle of its own. */
static int keep(const struct xgboost_matrix *matrix, void **out) {
    struct xgboost_matrix *copy = matrix_copy(matrix);
    void *handle = xgboost_is_here() ? *out : (void *)copy;
    if (copy && handles_put(&matrices, handle, copy)) {
        *out = handle;
        return 0;
    }
    matrix_free(copy);
    struct error error;
    error_memory(&error, "a DMatrix");
    return xgboost_is_here() ? 0 : last_error_set(&error);
}

/* After the real library made the matrix or failed: keeps a copy if treebench could read it. */
static int made(int status, bool is_read, const struct xgboost_matrix *matrix, void **out) {
    return status == 0 && is_read ? keep(matrix, out) : status;
}

int XGDMatrixCreateFromMat_omp(const float *data, uint64_t nrow, uint64_t ncol, float missing,
                               void **out, int nthread) {
    const struct xgboost_matrix matrix = {.n_rows = nrow,
                                          .n_columns = ncol,
                                          .missing = missing,
                                          .dense = (const char *)data,
                                          .step = ncol * sizeof *data};
    int status = xgboost_is_here()
                     ? real_XGDMatrixCreateFromMat_omp(data, nrow, ncol, missing, out, nthread)
                     : 0;
    return made(status, data && nrow && ncol, &matrix, out);
}

int XGDMatrixCreateFromMat(const float *data, uint64_t nrow, uint64_t ncol, float missing,
                           void **out) {
    return XGDMatrixCreateFromMat_omp(data, nrow, ncol, missing, out, 1);
}

int XGDMatrixCreateFromCSREx(const size_t *indptr, const unsigned *indices, const float *data,
                             size_t nindptr, size_t nelem, size_t num_col, void **out) {
    const struct xgboost_matrix matrix = {.n_rows = nindptr - 1,
                                          .n_columns = num_col,
                                          .missing = NAN,
                                          .starts = (const char *)indptr,
                                          .columns = (const char *)indices,
                                          .values = (const char *)data,
                                          .start_bytes = sizeof *indptr,
                                          .column_bytes = sizeof *indices};
    int status = xgboost_is_here() ? real_XGDMatrixCreateFromCSREx(indptr, indices, data, nindptr,
                                                                   nelem, num_col, out)
                                   : 0;
    /* Without a number of columns, XGBoost counts them. */
    bool is_read = indptr && indices && data && nindptr > 1 && num_col > 0;
    return is_read || status || xgboost_is_here()
               ? made(status, is_read, &matrix, out)
               : real_XGDMatrixCreateFromCSREx(indptr, indices, data, nindptr, nelem, num_col, out);
}

int XGDMatrixCreateFromDense(const char *data, const char *config, void **out) {
    struct xgboost_matrix matrix;
    bool is_read = config && matrix_read_dense(data, &matrix) &&
                   flat_float(config, "missing", &matrix.missing);
    if (!is_read || xgboost_is_here())
        return made(real_XGDMatrixCreateFromDense(data, config, out), is_read, &matrix, out);
    return keep(&matrix, out);
}

int XGDMatrixCreateFromCSR(const char *indptr, const char *indices, const char *data, uint64_t ncol,
                           const char *config, void **out) {
    struct xgboost_matrix matrix;
    bool is_read = config && ncol > 0 && matrix_read_csr(indptr, indices, data, ncol, &matrix) &&
                   flat_float(config, "missing", &matrix.missing);
    if (!is_read || xgboost_is_here())
        return made(real_XGDMatrixCreateFromCSR(indptr, indices, data, ncol, config, out), is_read,
                    &matrix, out);
    return keep(&matrix, out);
}

int XGDMatrixFree(void *handle) {
    bool is_own = dmatrix_find(handle) && !xgboost_is_here();
    dmatrix_forget(handle);
    return is_own ? 0 : real_XGDMatrixFree(handle);
}

int XGDMatrixNumRow(void *handle, uint64_t *out) {
    const struct xgboost_matrix *matrix = dmatrix_find(handle);
    if (!matrix || xgboost_is_here())
        return real_XGDMatrixNumRow(handle, out);
    *out = matrix->n_rows;
    return 0;
}

int XGDMatrixNumCol(void *handle, uint64_t *out) {
    const struct xgboost_matrix *matrix = dmatrix_find(handle);
    if (!matrix || xgboost_is_here())
        return real_XGDMatrixNumCol(handle, out);
    *out = matrix->n_columns;
    return 0;
}

/* Margins that scores begin with are the real library's. Labels and weights change no scores. */
static void note_field(const void *handle, const char *field) {
    if (xgboost_is_here() && field && strcmp(field, "base_margin") == 0)
        dmatrix_forget(handle);
}

int XGDMatrixSetFloatInfo(void *handle, const char *field, const float *array, uint64_t len) {
    note_field(handle, field);
    return real_XGDMatrixSetFloatInfo(handle, field, array, len);
}

int XGDMatrixSetInfoFromInterface(void *handle, const char *field, const char *c_interface_str) {
    note_field(handle, field);
    return real_XGDMatrixSetInfoFromInterface(handle, field, c_interface_str);
}

int XGDMatrixSetDenseInfo(void *handle, const char *field, const void *data, uint64_t size,
                          int type) {
    note_field(handle, field);
    return real_XGDMatrixSetDenseInfo(handle, field, data, size, type);
}
