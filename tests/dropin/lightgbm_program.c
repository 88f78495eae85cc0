/* A program that uses LightGBM's C API in all ways that treebench serves. It prints a checksum of
 * the bits of each call's predictions, so that two libraries can be compared.
 *
 * Usage: lightgbm_program MODEL ROWS [PARAMETERS]. The documents are made up: thresholds of the
 * model and their neighbours, small integers, missing values, values that count as 0, infinities.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(how, name, params, args) const char *name params;
#define CALL(how, name, params, args) int name params;
#include "dropin/lightgbm/calls.def"

enum { FLOAT32, FLOAT64, INT32, INT64 };

static uint64_t state = 1;

static uint64_t random_below(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static void check(int result, const char *what) {
    if (result == 0)
        return;
    printf("%s: %s\n", what, LGBM_GetLastError());
    exit(1);
}

/* --- documents -------------------------------------------------------------------------------- */

enum { THRESHOLDS = 100000 };
static double thresholds[THRESHOLDS];
static size_t n_thresholds;

static void read_thresholds(const char *model) {
    for (const char *at = model; (at = strstr(at, "\nthreshold="));) {
        at += strlen("\nthreshold=");
        for (char *end; *at != '\n' && n_thresholds < THRESHOLDS; at = end + (*end == ' ')) {
            thresholds[n_thresholds++] = strtod(at, &end);
            if (end == at)
                return;
        }
    }
}

static double make_value(void) {
    static const double special[] = {0,      -0.0,  1e-36,  -1e-36,      1e300,
                                     -1e300, 1e-20, -1e-20, 4294967296.0};
    switch (random_below(8)) {
    case 0:
        return (double)NAN;
    case 1:
        return random_below(2) ? (double)INFINITY : -(double)INFINITY;
    case 2:
        return special[random_below(sizeof special / sizeof *special)];
    case 3:
        return (double)random_below(40) - 5;
    case 4:
        return ((double)random_below(1000000) - 500000) / 77777;
    default:
        break;
    }
    double at = n_thresholds ? thresholds[random_below(n_thresholds)] : 0;
    double to = random_below(2) ? (double)INFINITY : -(double)INFINITY;
    double value = random_below(3) == 0 ? at : nextafter(at, to);
    /* In sparse layouts, treebench takes this number for 0 (docs/drop-in.md). */
    return value == -(double)1e-35f ? 0 : value;
}

/* The same documents in each layout. */
struct documents {
    int n_rows, n_columns;
    double *doubles, *by_columns;
    float *floats;
    const void **rows;
    int32_t *row_begin, *row_index, *column_index;
    int64_t *column_begin, n_entries;
    double *row_values, *column_values;
};

static void *array(size_t count, size_t size) {
    void *made = calloc(count + 1, size);
    if (!made)
        exit(2);
    return made;
}

static void make_documents(struct documents *d) {
    size_t n = (size_t)d->n_rows * (size_t)d->n_columns;
    d->doubles = array(n, sizeof(double));
    d->by_columns = array(n, sizeof(double));
    d->floats = array(n, sizeof(float));
    d->rows = array((size_t)d->n_rows, sizeof *d->rows);
    for (int i = 0; i < d->n_rows; i++) {
        d->rows[i] = d->doubles + (size_t)i * (size_t)d->n_columns;
        for (int c = 0; c < d->n_columns; c++) {
            double value = random_below(3) ? make_value() : 0;
            size_t at = (size_t)i * (size_t)d->n_columns + (size_t)c;
            d->doubles[at] = value;
            d->by_columns[(size_t)c * (size_t)d->n_rows + (size_t)i] = value;
            d->floats[at] = (float)value;
        }
    }
}

/* Sparse layouts have no zeros. */
static void make_sparse(struct documents *d) {
    size_t n = (size_t)d->n_rows * (size_t)d->n_columns;
    d->row_begin = array((size_t)d->n_rows + 1, sizeof(int32_t));
    d->column_begin = array((size_t)d->n_columns + 1, sizeof(int64_t));
    d->row_index = array(n, sizeof(int32_t));
    d->column_index = array(n, sizeof(int32_t));
    d->row_values = array(n, sizeof(double));
    d->column_values = array(n, sizeof(double));
    int32_t entries = 0;
    for (int i = 0; i < d->n_rows; d->row_begin[++i] = entries)
        for (int c = 0; c < d->n_columns; c++)
            if (((const double *)d->rows[i])[c] != 0) {
                d->row_index[entries] = c;
                d->row_values[entries++] = ((const double *)d->rows[i])[c];
            }
    for (int c = 0; c < d->n_columns; d->column_begin[++c] = d->n_entries)
        for (int i = 0; i < d->n_rows; i++)
            if (((const double *)d->rows[i])[c] != 0) {
                d->column_index[d->n_entries] = i;
                d->column_values[d->n_entries++] = ((const double *)d->rows[i])[c];
            }
}

/* --- calls ------------------------------------------------------------------------------------ */

static void *booster;
static double *results;
static int64_t n_results;
static const char *parameters;

/* The bits of the predictions, as a checksum (FNV-1a). */
static void print(const char *what, int type, int start, int number) {
    uint64_t sum = 14695981039346656037u;
    for (int64_t i = 0; i < n_results; i++) {
        uint64_t bits;
        memcpy(&bits, &results[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
    }
    printf("%s type %d iterations %d+%d: %lld values %016llx %a\n", what, type, start, number,
           (long long)n_results, (unsigned long long)sum, n_results ? results[0] : 0);
    memset(results, 0x55, (size_t)n_results * sizeof *results);
    n_results = -1;
}

static void predict_dense(const struct documents *d, int type, int start, int number) {
    check(LGBM_BoosterPredictForMat(booster, d->doubles, FLOAT64, d->n_rows, d->n_columns, 1, type,
                                    start, number, parameters, &n_results, results),
          "Mat doubles");
    print("Mat doubles", type, start, number);
    check(LGBM_BoosterPredictForMat(booster, d->by_columns, FLOAT64, d->n_rows, d->n_columns, 0,
                                    type, start, number, parameters, &n_results, results),
          "Mat columns");
    print("Mat columns", type, start, number);
    check(LGBM_BoosterPredictForMat(booster, d->floats, FLOAT32, d->n_rows, d->n_columns, 1, type,
                                    start, number, parameters, &n_results, results),
          "Mat floats");
    print("Mat floats", type, start, number);
    check(LGBM_BoosterPredictForMats(booster, d->rows, FLOAT64, d->n_rows, d->n_columns, type,
                                     start, number, parameters, &n_results, results),
          "Mats");
    print("Mats", type, start, number);
}

static void predict_sparse(const struct documents *d, int type, int start, int number) {
    check(LGBM_BoosterPredictForCSR(booster, d->row_begin, INT32, d->row_index, d->row_values,
                                    FLOAT64, d->n_rows + 1, d->n_entries, d->n_columns, type, start,
                                    number, parameters, &n_results, results),
          "CSR");
    print("CSR", type, start, number);
    check(LGBM_BoosterPredictForCSC(booster, d->column_begin, INT64, d->column_index,
                                    d->column_values, FLOAT64, d->n_columns + 1, d->n_entries,
                                    d->n_rows, type, start, number, parameters, &n_results,
                                    results),
          "CSC");
    print("CSC", type, start, number);
}

static void predict_rows(const struct documents *d, int type, int number) {
    void *fast = NULL, *sparse = NULL;
    check(LGBM_BoosterPredictForMatSingleRowFastInit(booster, type, 0, number, FLOAT64,
                                                     d->n_columns, parameters, &fast),
          "FastInit");
    /* LightGBM 4 confuses the arguments of this call, unless they are these. */
    check(LGBM_BoosterPredictForCSRSingleRowFastInit(booster, 0, 0, -1, FLOAT64, d->n_columns,
                                                     parameters, &sparse),
          "CSR FastInit");
    for (int i = 0; i < d->n_rows && i < 40; i++) {
        check(LGBM_BoosterPredictForMatSingleRow(booster, d->rows[i], FLOAT64, d->n_columns, 1,
                                                 type, 0, number, parameters, &n_results, results),
              "SingleRow");
        print("SingleRow", type, 0, number);
        check(LGBM_BoosterPredictForMatSingleRowFast(fast, d->rows[i], &n_results, results),
              "Fast");
        print("Fast", type, 0, number);
        check(LGBM_BoosterPredictForCSRSingleRow(
                  booster, d->row_begin + i, INT32, d->row_index, d->row_values, FLOAT64, 2,
                  d->n_entries, d->n_columns, type, 0, number, parameters, &n_results, results),
              "CSR SingleRow");
        print("CSR SingleRow", type, 0, number);
        check(LGBM_BoosterPredictForCSRSingleRowFast(sparse, d->row_begin + i, INT32, d->row_index,
                                                     d->row_values, 2, d->n_entries, &n_results,
                                                     results),
              "CSR Fast");
        print("CSR Fast", 0, 0, -1);
    }
    check(LGBM_FastConfigFree(fast), "FastConfigFree");
    check(LGBM_FastConfigFree(sparse), "FastConfigFree");
}

static void predict(const struct documents *d) {
    static const int ranges[][2] = {{0, -1}, {0, 3}, {2, 5}, {1, 0}, {1000000, 2}, {-1, 1}};
    for (int type = 0; type < 3; type++) {
        for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
            predict_dense(d, type, ranges[i][0], ranges[i][1]);
        predict_sparse(d, type, 0, -1);
        predict_rows(d, type, -1);
    }
}

/* --- the program ------------------------------------------------------------------------------ */

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    size_t size = (size_t)ftell(file);
    char *text = array(size, 1);
    rewind(file);
    if (fread(text, 1, size, file) != size)
        exit(2);
    fclose(file);
    return text;
}

static void print_facts(int n_iterations) {
    int features, classes, iterations, per_iteration, models, linear;
    check(LGBM_BoosterGetNumFeature(booster, &features), "features");
    check(LGBM_BoosterGetNumClasses(booster, &classes), "classes");
    check(LGBM_BoosterGetCurrentIteration(booster, &iterations), "iterations");
    check(LGBM_BoosterNumModelPerIteration(booster, &per_iteration), "trees per iteration");
    check(LGBM_BoosterNumberOfTotalModel(booster, &models), "trees");
    check(LGBM_BoosterGetLinear(booster, &linear), "linear");
    printf("%d features, %d classes, %d = %d iterations of %d trees, %d trees, linear %d\n",
           features, classes, n_iterations, iterations, per_iteration, models, linear);
}

static int64_t most_results(int n_rows) {
    int64_t most = 0, leaves = 0;
    check(LGBM_BoosterCalcNumPredict(booster, n_rows, 0, 0, -1, &most), "results");
    check(LGBM_BoosterCalcNumPredict(booster, n_rows, 2, 0, -1, &leaves), "leaf indices");
    printf("%lld predictions, %lld leaf indices\n", (long long)most, (long long)leaves);
    return most + leaves;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    char *model = read_file(argv[1]);
    struct documents d = {.n_rows = atoi(argv[2])};
    int n_iterations = 0;
    parameters = argc > 3 ? argv[3] : "";
    read_thresholds(model);
    check(LGBM_BoosterLoadModelFromString(model, &n_iterations, &booster), "model string");
    check(LGBM_BoosterFree(booster), "free");
    check(LGBM_BoosterCreateFromModelfile(argv[1], &n_iterations, &booster), "model");
    print_facts(n_iterations);
    check(LGBM_BoosterGetNumFeature(booster, &d.n_columns), "features");
    results = array((size_t)most_results(d.n_rows), sizeof *results);
    make_documents(&d);
    make_sparse(&d);
    predict(&d);
    check(LGBM_BoosterFree(booster), "free");
    return 0;
}
