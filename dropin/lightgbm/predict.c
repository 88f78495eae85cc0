/* Calls that predict, except those with a handle for single rows (fast.c). */
#include "dropin/last_error.h"
#include "dropin/lightgbm/api.h"
#include "dropin/lightgbm/layouts.h"
#include "dropin/lightgbm/request.h"

/* Answers a call. Returns false if treebench does not serve it; *result is the call's otherwise. */
static bool serve(void *handle, const struct request *request, const struct rows *rows,
                  int64_t n_docs, double *out, int64_t *n_out, int *result) {
    struct booster *booster = booster_get(handle);
    struct answer answer;
    struct error error;
    if (!booster)
        return false;
    enum status status = n_docs >= 0 ? request_prepare(booster, request, &answer, &error)
                                     : error_set(&error, STATUS_INPUT, "no documents");
    if (!status)
        status = request_answer(&answer, rows, (size_t)n_docs, out, n_out, &error);
    if (status && booster->has_real)
        return false;
    *result = status ? last_error_set(&error) : 0;
    return true;
}

int LGBM_BoosterPredictForMat(void *handle, const void *data, int data_type, int32_t nrow,
                              int32_t ncol, int is_row_major, int predict_type, int start_iteration,
                              int num_iteration, const char *parameter, int64_t *out_len,
                              double *out_result) {
    const struct booster *booster = booster_get(handle);
    struct dense dense = {.numbers = {data, data_type == DTYPE_FLOAT64},
                          .row_step = is_row_major ? (size_t)ncol : 1,
                          .column_step = is_row_major ? 1 : (size_t)nrow,
                          .n_columns = (uint32_t)ncol};
    const struct request request = {predict_type, start_iteration, num_iteration, data_type,
                                    ncol,         parameter};
    int result;
    if (booster)
        layout_dense(&dense, booster->ensemble->n_features);
    if (serve(handle, &request, &dense.rows, nrow, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForMat(handle, data, data_type, nrow, ncol, is_row_major,
                                          predict_type, start_iteration, num_iteration, parameter,
                                          out_len, out_result);
}

int LGBM_BoosterPredictForMatSingleRow(void *handle, const void *data, int data_type, int ncol,
                                       int is_row_major, int predict_type, int start_iteration,
                                       int num_iteration, const char *parameter, int64_t *out_len,
                                       double *out_result) {
    const struct booster *booster = booster_get(handle);
    struct dense dense = {.numbers = {data, data_type == DTYPE_FLOAT64},
                          .column_step = 1,
                          .n_columns = (uint32_t)ncol};
    const struct request request = {predict_type, start_iteration, num_iteration, data_type,
                                    ncol,         parameter};
    int result;
    if (booster)
        layout_dense(&dense, booster->ensemble->n_features);
    if (serve(handle, &request, &dense.rows, 1, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForMatSingleRow(handle, data, data_type, ncol, is_row_major,
                                                   predict_type, start_iteration, num_iteration,
                                                   parameter, out_len, out_result);
}

int LGBM_BoosterPredictForMats(void *handle, const void **data, int data_type, int32_t nrow,
                               int32_t ncol, int predict_type, int start_iteration,
                               int num_iteration, const char *parameter, int64_t *out_len,
                               double *out_result) {
    struct separate separate = {
        .data = data, .is_double = data_type == DTYPE_FLOAT64, .n_columns = (uint32_t)ncol};
    const struct request request = {predict_type, start_iteration, num_iteration, data_type,
                                    ncol,         parameter};
    int result;
    layout_separate(&separate);
    if (serve(handle, &request, &separate.rows, nrow, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForMats(handle, data, data_type, nrow, ncol, predict_type,
                                           start_iteration, num_iteration, parameter, out_len,
                                           out_result);
}

int LGBM_BoosterPredictForCSR(void *handle, const void *indptr, int indptr_type,
                              const int32_t *indices, const void *data, int data_type,
                              int64_t nindptr, int64_t nelem, int64_t num_col, int predict_type,
                              int start_iteration, int num_iteration, const char *parameter,
                              int64_t *out_len, double *out_result) {
    struct sparse sparse = {.begin = indptr,
                            .is_int64 = indptr_type == DTYPE_INT64,
                            .index = indices,
                            .numbers = {data, data_type == DTYPE_FLOAT64}};
    const struct request request = {predict_type, start_iteration, num_iteration,
                                    data_type,    num_col,         parameter};
    int result;
    layout_sparse_rows(&sparse);
    if ((indptr_type == DTYPE_INT32 || sparse.is_int64) &&
        serve(handle, &request, &sparse.rows, nindptr - 1, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForCSR(handle, indptr, indptr_type, indices, data, data_type,
                                          nindptr, nelem, num_col, predict_type, start_iteration,
                                          num_iteration, parameter, out_len, out_result);
}

int LGBM_BoosterPredictForCSRSingleRow(void *handle, const void *indptr, int indptr_type,
                                       const int32_t *indices, const void *data, int data_type,
                                       int64_t nindptr, int64_t nelem, int64_t num_col,
                                       int predict_type, int start_iteration, int num_iteration,
                                       const char *parameter, int64_t *out_len,
                                       double *out_result) {
    struct sparse sparse = {.begin = indptr,
                            .is_int64 = indptr_type == DTYPE_INT64,
                            .index = indices,
                            .numbers = {data, data_type == DTYPE_FLOAT64}};
    const struct request request = {predict_type, start_iteration, num_iteration,
                                    data_type,    num_col,         parameter};
    int result;
    layout_sparse_rows(&sparse);
    if ((indptr_type == DTYPE_INT32 || sparse.is_int64) &&
        serve(handle, &request, &sparse.rows, 1, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForCSRSingleRow(
        handle, indptr, indptr_type, indices, data, data_type, nindptr, nelem, num_col,
        predict_type, start_iteration, num_iteration, parameter, out_len, out_result);
}

int LGBM_BoosterPredictForCSC(void *handle, const void *col_ptr, int col_ptr_type,
                              const int32_t *indices, const void *data, int data_type,
                              int64_t ncol_ptr, int64_t nelem, int64_t num_row, int predict_type,
                              int start_iteration, int num_iteration, const char *parameter,
                              int64_t *out_len, double *out_result) {
    struct sparse sparse = {.begin = col_ptr,
                            .is_int64 = col_ptr_type == DTYPE_INT64,
                            .index = indices,
                            .numbers = {data, data_type == DTYPE_FLOAT64},
                            .n_columns = (uint32_t)(ncol_ptr - 1)};
    const struct request request = {predict_type, start_iteration, num_iteration,
                                    data_type,    ncol_ptr - 1,    parameter};
    int result;
    layout_sparse_columns(&sparse);
    if ((col_ptr_type == DTYPE_INT32 || sparse.is_int64) &&
        serve(handle, &request, &sparse.rows, num_row, out_result, out_len, &result))
        return result;
    return real_LGBM_BoosterPredictForCSC(handle, col_ptr, col_ptr_type, indices, data, data_type,
                                          ncol_ptr, nelem, num_row, predict_type, start_iteration,
                                          num_iteration, parameter, out_len, out_result);
}
