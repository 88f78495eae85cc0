/* Single rows with a handle that was prepared for them (LightGBM's FastConfig). */
#include "base/memory.h"
#include "dropin/handles.h"
#include "dropin/last_error.h"
#include "dropin/lightgbm/api.h"
#include "dropin/lightgbm/layouts.h"
#include "dropin/lightgbm/request.h"

#include <stdlib.h>

/* With a real library, its handle is the program's, and it answers once the model has changed. */
struct fast {
    const struct booster *booster;
    struct answer answer;
    bool is_double;
    uint32_t n_columns;
};

static struct handles prepared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What was prepared for a handle; NULL if the real library answers. */
static const struct fast *find(const void *handle) {
    const struct fast *fast = handles_get(&prepared, handle);
    bool gone = !fast || atomic_load_explicit(&fast->booster->changed, memory_order_acquire);
    return gone ? NULL : fast;
}

static enum status create(struct booster *booster, const struct request *request,
                          struct fast **fast, struct error *error) {
    struct fast *made = calloc(1, sizeof *made);
    if (!made)
        return error_memory(error, "a handle");
    enum status status = request_prepare(booster, request, &made->answer, error);
    if (status) {
        free(made);
        return status;
    }
    made->booster = booster;
    made->is_double = request->data_type == DTYPE_FLOAT64;
    made->n_columns = (uint32_t)request->n_columns;
    made->answer.threads = 1;
    *fast = made;
    return STATUS_OK;
}

/* Prepares a handle. *handle is the real library's, or becomes treebench's own. If treebench does
 * not serve the request, the real library's handle stays as it is. */
static int prepare(struct booster *booster, const struct request *request, void **handle) {
    struct fast *fast = NULL;
    struct error error;
    enum status status = create(booster, request, &fast, &error);
    if (!status && !handles_put(&prepared, booster->has_real ? *handle : fast, fast))
        status = error_memory(&error, "a handle");
    if (status) {
        free(fast);
        return booster->has_real ? 0 : last_error_set(&error);
    }
    if (!booster->has_real)
        *handle = fast;
    return 0;
}

int LGBM_BoosterPredictForMatSingleRowFastInit(void *handle, int predict_type, int start_iteration,
                                               int num_iteration, int data_type, int32_t ncol,
                                               const char *parameter, void **out_fastConfig) {
    struct booster *booster = booster_get(handle);
    const struct request request = {predict_type, start_iteration, num_iteration, data_type,
                                    ncol,         parameter};
    if ((!booster || booster->has_real) && real_LGBM_BoosterPredictForMatSingleRowFastInit(
                                               handle, predict_type, start_iteration, num_iteration,
                                               data_type, ncol, parameter, out_fastConfig))
        return -1;
    return booster ? prepare(booster, &request, out_fastConfig) : 0;
}

/* LightGBM 4 confuses the arguments of this call, unless all have their usual values. The program
 * then gets what it would get without treebench. */
static bool is_confused(const struct booster *booster, const struct request *request) {
    return booster->has_real && (request->predict_type != PREDICT_NORMAL ||
                                 request->start_iteration != 0 || request->num_iteration > 0);
}

int LGBM_BoosterPredictForCSRSingleRowFastInit(void *handle, int predict_type, int start_iteration,
                                               int num_iteration, int data_type, int64_t num_col,
                                               const char *parameter, void **out_fastConfig) {
    struct booster *booster = booster_get(handle);
    const struct request request = {predict_type, start_iteration, num_iteration,
                                    data_type,    num_col,         parameter};
    if ((!booster || booster->has_real) && real_LGBM_BoosterPredictForCSRSingleRowFastInit(
                                               handle, predict_type, start_iteration, num_iteration,
                                               data_type, num_col, parameter, out_fastConfig))
        return -1;
    if (!booster || is_confused(booster, &request))
        return 0;
    return prepare(booster, &request, out_fastConfig);
}

static int answer(const struct fast *fast, const struct rows *rows, double *out, int64_t *n_out) {
    struct error error;
    return request_answer(&fast->answer, rows, 1, out, n_out, &error) ? last_error_set(&error) : 0;
}

int LGBM_BoosterPredictForMatSingleRowFast(void *fastConfig_handle, const void *data,
                                           int64_t *out_len, double *out_result) {
    const struct fast *fast = find(fastConfig_handle);
    if (!fast)
        return real_LGBM_BoosterPredictForMatSingleRowFast(fastConfig_handle, data, out_len,
                                                           out_result);
    struct dense dense = {
        .numbers = {data, fast->is_double}, .column_step = 1, .n_columns = fast->n_columns};
    layout_dense(&dense, fast->booster->ensemble->n_features);
    return answer(fast, &dense.rows, out_result, out_len);
}

int LGBM_BoosterPredictForCSRSingleRowFast(void *fastConfig_handle, const void *indptr,
                                           int indptr_type, const int32_t *indices,
                                           const void *data, int64_t nindptr, int64_t nelem,
                                           int64_t *out_len, double *out_result) {
    const struct fast *fast = find(fastConfig_handle);
    bool is_int64 = indptr_type == DTYPE_INT64;
    if (!fast || (indptr_type != DTYPE_INT32 && !is_int64))
        return real_LGBM_BoosterPredictForCSRSingleRowFast(fastConfig_handle, indptr, indptr_type,
                                                           indices, data, nindptr, nelem, out_len,
                                                           out_result);
    struct sparse sparse = {.begin = indptr,
                            .is_int64 = is_int64,
                            .index = indices,
                            .numbers = {data, fast->is_double}};
    layout_sparse_rows(&sparse);
    return answer(fast, &sparse.rows, out_result, out_len);
}

/* A handle may outlive its booster, which LightGBM allows as long as it is only freed. */
int LGBM_FastConfigFree(void *fastConfig) {
    struct fast *fast = handles_take(&prepared, fastConfig);
    bool is_own = fast == fastConfig && fast;
    free(fast);
    return is_own ? 0 : real_LGBM_FastConfigFree(fastConfig);
}
