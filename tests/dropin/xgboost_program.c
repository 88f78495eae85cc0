/* A program with XGBoost's calls: predicts made-up rows with a model and prints the bits of the
 * results. Run with the real library and with treebench's, it must print the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

enum { ROWS = 203 };

static void check(int status) {
    if (status == 0)
        return;
    fprintf(stderr, "%s\n", XGBGetLastError());
    exit(1);
}

/* Missing values, small integers (categories) and fractions. */
static float *make_rows(size_t n_columns) {
    float *x = malloc(ROWS * n_columns * sizeof *x);
    uint32_t state = 1;
    for (size_t i = 0; x && i < ROWS * n_columns; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t kind = state >> 29;
        float value = (float)(state >> 8 & 0xffff) / 4096 - 4;
        x[i] = kind == 0 ? NAN : kind < 3 ? (float)(state >> 12 & 7) : value;
    }
    return x;
}

static void print_values(const char *what, const float *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        printf("%s %zu %08x\n", what, i, bits);
    }
}

static void print_shaped(const char *what, const bst_ulong *shape, bst_ulong dim,
                         const float *values) {
    size_t n = 1;
    printf("%s: dimensions", what);
    for (bst_ulong i = 0; i < dim; i++) {
        printf(" %llu", (unsigned long long)shape[i]);
        n *= shape[i];
    }
    puts("");
    print_values(what, values, n);
}

static void predict_matrix(BoosterHandle booster, DMatrixHandle matrix, int type, int strict) {
    const bst_ulong *shape;
    bst_ulong dim;
    const float *values;
    char config[200];
    snprintf(config, sizeof config,
             "{\"type\": %d, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, "
             "\"strict_shape\": %s}",
             type, strict ? "true" : "false");
    check(XGBoosterPredictFromDMatrix(booster, matrix, config, &shape, &dim, &values));
    print_shaped("matrix", shape, dim, values);
}

static void predict_dense(BoosterHandle booster, const float *x, size_t n_rows, size_t n_columns,
                          int type) {
    const bst_ulong *shape;
    bst_ulong dim;
    const float *values;
    char rows[200], config[200];
    snprintf(rows, sizeof rows,
             "{\"data\": [%llu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": "
             "3}",
             (unsigned long long)(uintptr_t)x, n_rows, n_columns);
    snprintf(config, sizeof config,
             "{\"type\": %d, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, "
             "\"strict_shape\": false, \"cache_id\": 0, \"missing\": 3}",
             type);
    check(XGBoosterPredictFromDense(booster, rows, config, NULL, &shape, &dim, &values));
    print_shaped("dense", shape, dim, values);
}

static void predict_old(BoosterHandle booster, DMatrixHandle matrix, int margins) {
    bst_ulong n;
    const float *values;
    check(XGBoosterPredict(booster, matrix, margins, 0, 0, &n, &values));
    print_values("predict", values, n);
}

static void predict_all(BoosterHandle booster, const float *x, size_t n_columns, float missing) {
    DMatrixHandle matrix;
    check(XGDMatrixCreateFromMat(x, ROWS, n_columns, missing, &matrix));
    for (int type = 0; type < 2; type++) {
        predict_matrix(booster, matrix, type, type);
        predict_old(booster, matrix, type);
        predict_dense(booster, x, ROWS, n_columns, type);
        for (size_t row = 0; row < 9; row++)
            predict_dense(booster, x + row * n_columns, 1, n_columns, type);
    }
    check(XGDMatrixFree(matrix));
}

int main(int argc, char **argv) {
    BoosterHandle booster;
    bst_ulong n_columns;
    if (argc < 2)
        return 2;
    check(XGBoosterCreate(NULL, 0, &booster));
    check(XGBoosterSetParam(booster, "nthread", "2"));
    check(XGBoosterLoadModel(booster, argv[1]));
    check(XGBoosterGetNumFeature(booster, &n_columns));
    float *x = make_rows(n_columns);
    if (!x)
        return 1;
    predict_all(booster, x, n_columns, NAN);
    predict_all(booster, x, n_columns, 2);
    free(x);
    check(XGBoosterFree(booster));
    return 0;
}
