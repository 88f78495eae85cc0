/* A program with XGBoost's calls: predicts made-up rows with a model and prints the bits of the
 * results. Run with the real library and with treebench's, it must print the same.
 *
 * Usage: xgboost_program MODEL [more]; `more` also makes calls that treebench passes on. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

enum { ROWS = 203 };

static bool more;

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

/* What a call predicts. */
struct asks {
    int type, begin, end;
    bool strict;
};

static void write_config(const struct asks *asks, char text[static 300]) {
    snprintf(text, 300,
             "{\"type\": %d, \"training\": false, \"iteration_begin\": %d, \"iteration_end\": %d, "
             "\"strict_shape\": %s, \"cache_id\": 0, \"missing\": 3}",
             asks->type, asks->begin, asks->end, asks->strict ? "true" : "false");
}

static void write_array(const void *data, size_t n, const char *kind, char text[static 200]) {
    snprintf(text, 200,
             "{\"data\": [%llu, true], \"shape\": [%zu], \"typestr\": \"<%s\", \"version\": 3}",
             (unsigned long long)(uintptr_t)data, n, kind);
}

static void write_rows(const float *x, size_t n_rows, size_t n_columns, char text[static 200]) {
    snprintf(
        text, 200,
        "{\"data\": [%llu, true], \"shape\": [%zu, %zu], \"typestr\": \"<f4\", \"version\": 3}",
        (unsigned long long)(uintptr_t)x, n_rows, n_columns);
}

/* --- rows with gaps --------------------------------------------------------------------------- */

struct sparse {
    size_t *begin; /* [ROWS + 1] */
    unsigned *column;
    float *value;
    size_t n_columns;
};

static struct sparse make_sparse(const float *x, size_t n_columns) {
    struct sparse sparse = {malloc((ROWS + 1) * sizeof *sparse.begin),
                            malloc(ROWS * n_columns * sizeof *sparse.column),
                            malloc(ROWS * n_columns * sizeof *sparse.value), n_columns};
    size_t n = 0;
    for (size_t row = 0; row < ROWS; row++) {
        sparse.begin[row] = n;
        for (size_t c = 0; c < n_columns; c++)
            if (!isnan(x[row * n_columns + c])) {
                sparse.column[n] = (unsigned)c;
                sparse.value[n++] = x[row * n_columns + c];
            }
    }
    sparse.begin[ROWS] = n;
    return sparse;
}

static void predict_csr(BoosterHandle booster, const struct sparse *sparse,
                        const struct asks *asks) {
    const bst_ulong *shape;
    bst_ulong dim;
    const float *values;
    char begin[200], column[200], value[200], config[300];
    write_array(sparse->begin, ROWS + 1, "u8", begin);
    write_array(sparse->column, sparse->begin[ROWS], "u4", column);
    write_array(sparse->value, sparse->begin[ROWS], "f4", value);
    write_config(asks, config);
    check(XGBoosterPredictFromCSR(booster, begin, column, value, sparse->n_columns, config, NULL,
                                  &shape, &dim, &values));
    print_shaped("csr", shape, dim, values);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Some calls fail in both libraries, such as those with more iterations than there are. */
static void predict_matrix(BoosterHandle booster, DMatrixHandle matrix, const struct asks *asks) {
    const bst_ulong *shape;
    bst_ulong dim;
    const float *values;
    char config[300];
    write_config(asks, config);
    if (XGBoosterPredictFromDMatrix(booster, matrix, config, &shape, &dim, &values))
        puts("failed");
    else
        print_shaped("matrix", shape, dim, values);
}

static void predict_dense(BoosterHandle booster, const float *x, size_t n_rows, size_t n_columns,
                          const struct asks *asks) {
    const bst_ulong *shape;
    bst_ulong dim;
    const float *values;
    char rows[200], config[300];
    write_rows(x, n_rows, n_columns, rows);
    write_config(asks, config);
    check(XGBoosterPredictFromDense(booster, rows, config, NULL, &shape, &dim, &values));
    print_shaped("dense", shape, dim, values);
}

static void predict_old(BoosterHandle booster, DMatrixHandle matrix, int mask, unsigned n_trees) {
    bst_ulong n;
    const float *values;
    check(XGBoosterPredict(booster, matrix, mask, n_trees, 0, &n, &values));
    print_values("predict", values, n);
}

/* Twice, because libraries may remember the values of a matrix. */
static void predict_values(BoosterHandle booster, DMatrixHandle matrix, int type) {
    const struct asks asks = {.type = type}, strict = {.type = type, .strict = true};
    for (int i = 0; i < 2; i++) {
        predict_matrix(booster, matrix, &asks);
        predict_matrix(booster, matrix, &strict);
        predict_old(booster, matrix, type, 0);
    }
}

static void predict_more(BoosterHandle booster, DMatrixHandle matrix) {
    static const struct asks asks[] = {{0, 0, 1, false}, {1, 1, 2, false}, {1, 0, 3, true},
                                       {6, 0, 0, true},  {6, 1, 2, false}, {2, 0, 0, true}};
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        predict_matrix(booster, matrix, &asks[i]);
    predict_old(booster, matrix, 2, 0);  /* leaves */
    predict_old(booster, matrix, 16, 1); /* the first tree */
    predict_old(booster, matrix, 1, 1);
}

/* --- threads ---------------------------------------------------------------------------------- */

struct thread {
    BoosterHandle booster;
    const float *x;
    size_t n_columns;
    float *values; /* of all rows, by single rows */
    size_t n;
};

static void *predict_in_thread(void *context) {
    struct thread *thread = context;
    const struct asks asks = {.type = 1};
    char rows[200], config[300];
    write_config(&asks, config);
    for (size_t row = 0; row < ROWS; row++) {
        const bst_ulong *shape;
        bst_ulong dim;
        const float *values;
        write_rows(thread->x + row * thread->n_columns, 1, thread->n_columns, rows);
        check(
            XGBoosterPredictFromDense(thread->booster, rows, config, NULL, &shape, &dim, &values));
        size_t n = dim > 1 ? shape[1] : 1;
        if (!thread->values)
            thread->values = malloc(ROWS * n * sizeof *values);
        memcpy(thread->values + thread->n, values, n * sizeof *values);
        thread->n += n;
    }
    return NULL;
}

static void predict_in_threads(BoosterHandle booster, const float *x, size_t n_columns) {
    enum { THREADS = 4 };
    pthread_t id[THREADS];
    struct thread threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){booster, x, n_columns, NULL, 0};
        if (pthread_create(&id[i], NULL, predict_in_thread, &threads[i]))
            exit(1);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(id[i], NULL);
        print_values("thread", threads[i].values, threads[i].n);
        free(threads[i].values);
    }
}

/* --- the program ------------------------------------------------------------------------------ */

static void predict_matrices(BoosterHandle booster, const float *x, const struct sparse *sparse) {
    char rows[200];
    DMatrixHandle matrix[4];
    check(XGDMatrixCreateFromMat(x, ROWS, sparse->n_columns, NAN, &matrix[0]));
    check(XGDMatrixCreateFromMat(x, ROWS, sparse->n_columns, 2, &matrix[1]));
    write_rows(x, ROWS, sparse->n_columns, rows);
    check(XGDMatrixCreateFromDense(rows, "{\"missing\": 5, \"nthread\": 1}", &matrix[2]));
    check(XGDMatrixCreateFromCSREx(sparse->begin, sparse->column, sparse->value, ROWS + 1,
                                   sparse->begin[ROWS], sparse->n_columns, &matrix[3]));
    for (int i = 0; i < 4; i++) {
        for (int type = 0; type < 2; type++)
            predict_values(booster, matrix[i], type);
        if (more)
            predict_more(booster, matrix[i]);
    }
    for (int i = 0; i < 4; i++)
        check(XGDMatrixFree(matrix[i]));
}

static void predict_all(BoosterHandle booster, const float *x, size_t n_columns) {
    struct sparse sparse = make_sparse(x, n_columns);
    predict_matrices(booster, x, &sparse);
    for (int type = 0; type < 2; type++) {
        const struct asks asks = {.type = type};
        predict_dense(booster, x, ROWS, n_columns, &asks);
        predict_csr(booster, &sparse, &asks);
        for (size_t n = 1; n < 40; n += 7)
            predict_dense(booster, x + n * n_columns, n, n_columns, &asks);
    }
    predict_in_threads(booster, x, n_columns);
    free(sparse.begin);
    free(sparse.column);
    free(sparse.value);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    *size = (size_t)ftell(file);
    char *text = malloc(*size + 1);
    rewind(file);
    if (!text || fread(text, 1, *size, file) != *size)
        exit(1);
    fclose(file);
    return text;
}

/* Loads the file, or else its bytes. */
static BoosterHandle load(const char *path, bool as_file) {
    BoosterHandle booster;
    size_t size;
    char *text = as_file ? NULL : read_file(path, &size);
    check(XGBoosterCreate(NULL, 0, &booster));
    check(XGBoosterSetParam(booster, "nthread", "2"));
    check(text ? XGBoosterLoadModelFromBuffer(booster, text, size)
               : XGBoosterLoadModel(booster, path));
    free(text);
    return booster;
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    more = argc > 2;
    for (int as_file = 0; as_file < 2; as_file++) {
        BoosterHandle booster = load(argv[1], as_file);
        bst_ulong n_columns;
        check(XGBoosterGetNumFeature(booster, &n_columns));
        float *x = make_rows(n_columns);
        if (!x)
            return 1;
        predict_all(booster, x, n_columns);
        free(x);
        check(XGBoosterFree(booster));
    }
    return 0;
}
