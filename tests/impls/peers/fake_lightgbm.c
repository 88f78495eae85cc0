/* Stands in for lib_lightgbm.so in test_peer_lightgbm.c, which compiles it: predicts what is easy
 * to tell, and fails where a call is not as it should be. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int n_outputs, n_alive;
static const char *error = "";

const char *LGBM_GetLastError(void) {
    return error;
}

#ifndef WITHOUT_ALIASES /* as before 4.0 */
int LGBM_DumpParamAliases(void) {
    return -1;
}
#endif

int fake_n_alive(void) {
    return n_alive;
}

/* A model with a name "refused" among its features' is refused. */
int LGBM_BoosterLoadModelFromString(const char *text, int *n_iterations, void **booster) {
    const char *classes = strstr(text, "num_class=");
    error = "no such model\nand more lines";
    *booster = (void *)1; /* not to be freed after a failure */
    if (strncmp(text, "tree\nversion=v4\n", 16) != 0 || !classes || strstr(text, "refused"))
        return -1;
    n_outputs = atoi(classes + strlen("num_class="));
    *n_iterations = 1;
    *booster = malloc(1);
    n_alive++;
    return 0;
}

int LGBM_BoosterFree(void *booster) {
    free(booster);
    n_alive--;
    return 0;
}

/* Output k of a document: its first feature + 10 times its last + 100 k. A first feature of 999 is
 * an error, and one of 998 has a result too few. */
int LGBM_BoosterPredictForMats(void *booster, const void **rows, int data_type, int32_t n_rows,
                               int32_t n_columns, int predict_type, int start_iteration,
                               int n_iterations, const char *parameters, int64_t *n_results,
                               double *results) {
    const int float32 = 0, raw_score = 1;
    if (!booster || data_type != float32 || predict_type != raw_score || start_iteration != 0 ||
        n_iterations > 0 || !strstr(parameters, "num_threads=1"))
        return -1;
    for (int32_t i = 0; i < n_rows; i++) {
        const float *x = rows[i];
        if (x[0] == 999)
            return -1;
        for (int k = 0; k < n_outputs; k++)
            results[i * n_outputs + k] = (double)x[0] + 10 * (double)x[n_columns - 1] + 100 * k;
    }
    *n_results = (int64_t)n_rows * n_outputs - (n_rows > 0 && *(const float *)rows[0] == 998);
    return 0;
}
