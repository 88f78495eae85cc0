/* Calls that predict. What treebench cannot answer is passed on. */
#include "dropin/last_error.h"
#include "dropin/xgboost/api.h"
#include "dropin/xgboost/booster.h"
#include "dropin/xgboost/dmatrix.h"
#include "dropin/xgboost/flat.h"

#include <string.h>

enum { TYPE_VALUE, TYPE_MARGIN };

/* What a call asks for. */
struct request {
    bool transforms, strict_shape;
};

/* All rounds, from the first one? */
static bool asks_all_rounds(const char *config, const struct booster *booster) {
    long begin, end;
    return flat_integer(config, "iteration_begin", &begin) &&
           flat_integer(config, "iteration_end", &end) && begin == 0 &&
           (end == 0 || (booster->rounds && end == booster->rounds));
}

static bool has_limit(const char *config) {
    const char *limit = flat_find(config, "ntree_limit");
    return limit && *limit != '0' && *limit != 'n';
}

/* Reads the JSON of a call. Returns false if the call is to be passed on. */
static bool read_config(const char *config, const struct booster *booster,
                        struct request *request) {
    long type;
    if (!config || !flat_integer(config, "type", &type) ||
        (type != TYPE_VALUE && type != TYPE_MARGIN) ||
        !flat_bool(config, "strict_shape", &request->strict_shape) || has_limit(config))
        return false;
    request->transforms = type == TYPE_VALUE;
    return asks_all_rounds(config, booster);
}

/* A matrix of a prediction. */
static bool can_serve(const struct booster *booster, const struct xgboost_matrix *matrix,
                      const struct request *request) {
    return matrix && matrix->n_rows > 0 && (!request->transforms || booster->objective) &&
           matrix->n_columns <= xgboost_scorer_facts(booster->scorer).n_features;
}

/* Returns NULL, with the error, if out of memory. */
static struct result *predict(struct booster *booster, const struct xgboost_matrix *matrix,
                              const struct request *request, size_t *per_document,
                              struct error *error) {
    struct xgboost_scorer_facts facts = xgboost_scorer_facts(booster->scorer);
    bool one_value = request->transforms && booster->objective->one_value;
    *per_document = one_value ? 1 : facts.n_outputs;
    struct result *result = results_get(&booster->results, matrix->n_rows * *per_document);
    if (!result) {
        error_memory(error, "a prediction");
        return NULL;
    }
    struct recall_key key = {facts.id, request->transforms};
    size_t n_values = matrix->n_rows * *per_document;
    if (matrix->recall && recall_get(matrix->recall, key, result->values, n_values))
        return result;
    struct xgboost_matrix ready = *matrix;
    matrix_prepare(&ready, facts.n_features);
    enum status status =
        xgboost_scorer_run(booster->scorer, &ready.rows, matrix->n_rows, booster_threads(booster),
                           request->transforms, result->values, error);
    if (!status && matrix->recall)
        recall_put(matrix->recall, key, result->values, n_values);
    return status ? NULL : result;
}

static int answer(struct booster *booster, const struct xgboost_matrix *matrix,
                  const struct request *request, const uint64_t **out_shape, uint64_t *out_dim,
                  const float **out_result) {
    size_t per_document;
    struct error error;
    struct result *result = predict(booster, matrix, request, &per_document, &error);
    if (!result)
        return last_error_set(&error);
    result->shape[0] = matrix->n_rows;
    result->shape[1] = per_document;
    *out_dim = per_document == 1 && !request->strict_shape ? 1 : 2;
    *out_shape = result->shape;
    *out_result = result->values;
    return 0;
}

static struct booster *find_served(const void *handle) {
    struct booster *booster = booster_find(handle);
    return booster && booster->scorer ? booster : NULL;
}

int XGBoosterPredict(void *handle, void *dmat, int option_mask, unsigned ntree_limit, int training,
                     uint64_t *out_len, const float **out_result) {
    enum { MARGIN = 1, OTHER = ~MARGIN };
    struct booster *booster = find_served(handle);
    const struct xgboost_matrix *matrix = dmatrix_find(dmat);
    const struct request request = {.transforms = !(option_mask & MARGIN)};
    if (!booster || (option_mask & OTHER) || ntree_limit || training ||
        !can_serve(booster, matrix, &request))
        return real_XGBoosterPredict(handle, dmat, option_mask, ntree_limit, training, out_len,
                                     out_result);
    const uint64_t *shape;
    uint64_t dim;
    int status = answer(booster, matrix, &request, &shape, &dim, out_result);
    if (!status)
        *out_len = dim == 1 ? shape[0] : shape[0] * shape[1];
    return status;
}

int XGBoosterPredictFromDMatrix(void *handle, void *dmat, const char *config,
                                const uint64_t **out_shape, uint64_t *out_dim,
                                const float **out_result) {
    struct booster *booster = find_served(handle);
    const struct xgboost_matrix *matrix = dmatrix_find(dmat);
    struct request request;
    bool training;
    if (!booster || !read_config(config, booster, &request) ||
        !flat_bool(config, "training", &training) || training ||
        !can_serve(booster, matrix, &request))
        return real_XGBoosterPredictFromDMatrix(handle, dmat, config, out_shape, out_dim,
                                                out_result);
    return answer(booster, matrix, &request, out_shape, out_dim, out_result);
}

/* Answers a call that predicts in place. Returns false if it is to be passed on; *result is the
 * call's otherwise. XGBoost's predictions in place of dart round differently, a proxy may have
 * margins, and the number of columns must be the model's. */
static bool serve_in_place(void *handle, struct xgboost_matrix *matrix, const void *proxy,
                           const char *config, const uint64_t **out_shape, uint64_t *out_dim,
                           const float **out_result, int *result) {
    struct booster *booster = find_served(handle);
    struct request request;
    if (!booster || xgboost_scorer_facts(booster->scorer).is_dart || proxy ||
        !read_config(config, booster, &request) ||
        !flat_float(config, "missing", &matrix->missing) || !can_serve(booster, matrix, &request) ||
        matrix->n_columns != xgboost_scorer_facts(booster->scorer).n_features)
        return false;
    *result = answer(booster, matrix, &request, out_shape, out_dim, out_result);
    return true;
}

int XGBoosterPredictFromDense(void *handle, const char *values, const char *config, void *m,
                              const uint64_t **out_shape, uint64_t *out_dim,
                              const float **out_result) {
    struct xgboost_matrix matrix;
    int result;
    if (matrix_read_dense(values, &matrix) &&
        serve_in_place(handle, &matrix, m, config, out_shape, out_dim, out_result, &result))
        return result;
    return real_XGBoosterPredictFromDense(handle, values, config, m, out_shape, out_dim,
                                          out_result);
}

int XGBoosterPredictFromCSR(void *handle, const char *indptr, const char *indices,
                            const char *values, uint64_t ncol, const char *config, void *m,
                            const uint64_t **out_shape, uint64_t *out_dim,
                            const float **out_result) {
    struct xgboost_matrix matrix;
    int result;
    if (matrix_read_csr(indptr, indices, values, ncol, &matrix) &&
        serve_in_place(handle, &matrix, m, config, out_shape, out_dim, out_result, &result))
        return result;
    return real_XGBoosterPredictFromCSR(handle, indptr, indices, values, ncol, config, m, out_shape,
                                        out_dim, out_result);
}
