/* A program that predicts documents by LightGBM's C API.
 *
 * Usage: lightgbm_score MODEL TYPE START NUMBER PARAMETERS [change] <ROWS. The rows are numbers
 * with commas between them. With `change`, it sets a leaf value before it predicts. Four threads
 * predict with the same handle, and must agree. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(how, name, params, args) const char *name params;
#define CALL(how, name, params, args) int name params;
#include "dropin/lightgbm/calls.def"

enum { FLOAT64 = 1, THREADS = 4, REPEATS = 20, VALUES = 1 << 20 };

static double values[VALUES];
static int n_rows, n_columns;
static void *booster;
static char **options;

static void fail(const char *what) {
    printf("%s: %s\n", what, LGBM_GetLastError());
    exit(1);
}

static void read_rows(void) {
    static char line[1 << 16];
    size_t n = 0;
    for (; fgets(line, sizeof line, stdin); n_rows++) {
        n_columns = 0;
        for (char *at = strtok(line, ",\n"); at && n < VALUES; at = strtok(NULL, ",\n")) {
            values[n++] = strtod(at, NULL);
            n_columns++;
        }
    }
}

static void *predict(void *argument) {
    int64_t n_results = 0, most = 0;
    int type = atoi(options[0]), start = atoi(options[1]), number = atoi(options[2]);
    (void)argument;
    if (LGBM_BoosterCalcNumPredict(booster, n_rows, type, start, number, &most))
        fail("number of predictions");
    double *results = calloc((size_t)most + 1, sizeof *results);
    for (int i = 0; results && i < REPEATS; i++)
        if (LGBM_BoosterPredictForMat(booster, values, FLOAT64, n_rows, n_columns, 1, type, start,
                                      number, options[3], &n_results, results))
            fail("predict");
    if (n_results != most)
        exit(3);
    return results;
}

static void print(const double *results) {
    int64_t most = 0;
    LGBM_BoosterCalcNumPredict(booster, n_rows, atoi(options[0]), atoi(options[1]),
                               atoi(options[2]), &most);
    int64_t per_row = n_rows ? most / n_rows : 1;
    for (int64_t i = 0; i < most; i++)
        printf("%.17g%c", results[i], (i + 1) % per_row ? ' ' : '\n');
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    double *results[THREADS];
    int n_iterations = 0;
    if (argc < 6)
        return 2;
    options = argv + 2;
    read_rows();
    if (LGBM_BoosterCreateFromModelfile(argv[1], &n_iterations, &booster))
        fail("model");
    if (argc > 6 && LGBM_BoosterSetLeafValue(booster, 0, 0, 1))
        fail("change");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, predict, NULL))
            return 2;
    for (int i = 0; i < THREADS; i++) {
        void *made = NULL;
        pthread_join(threads[i], &made);
        results[i] = made;
    }
    print(results[0]);
    for (int i = 1; i < THREADS; i++)
        if (memcmp(results[0], results[i], sizeof(double) * (size_t)n_rows))
            printf("thread %d differs\n", i);
    for (int i = 0; i < THREADS; i++)
        free(results[i]);
    return LGBM_BoosterFree(booster) ? 1 : 0;
}
