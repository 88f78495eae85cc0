/* Stands for LightGBM's library in tests of what is passed on: knows one model, of 4 trees and 2
 * features, and predicts 42 for everything. */
#include <stdint.h>

static int model;

const char *LGBM_GetLastError(void) {
    return "the stand-in's error";
}

int LGBM_BoosterCreateFromModelfile(const char *filename, int *n_iterations, void **handle) {
    (void)filename;
    *n_iterations = 4;
    *handle = &model;
    return 0;
}

int LGBM_BoosterNumberOfTotalModel(void *handle, int *n_trees) {
    *n_trees = 4;
    return handle != &model;
}

int LGBM_BoosterGetNumFeature(void *handle, int *n_features) {
    *n_features = 2;
    return handle != &model;
}

int LGBM_BoosterCalcNumPredict(void *handle, int n_rows, int type, int start, int number,
                               int64_t *n_results) {
    (void)type, (void)start, (void)number;
    *n_results = n_rows;
    return handle != &model;
}

int LGBM_BoosterPredictForMat(void *handle, const void *data, int data_type, int32_t n_rows,
                              int32_t n_columns, int is_row_major, int type, int start, int number,
                              const char *parameters, int64_t *n_results, double *results) {
    (void)data, (void)data_type, (void)is_row_major, (void)start, (void)number, (void)parameters;
    if (handle != &model || n_columns != 2 || type == 9)
        return -1;
    for (int32_t i = 0; i < n_rows; i++)
        results[i] = 42;
    *n_results = n_rows;
    return 0;
}

int LGBM_BoosterSetLeafValue(void *handle, int tree, int leaf, double value) {
    (void)tree, (void)leaf, (void)value;
    return handle != &model;
}

int LGBM_BoosterFree(void *handle) {
    return handle != &model;
}
