/* A peer that wraps a library: LightGBM's C API, by its function for single rows.
 *
 *     cc -O2 -shared -fPIC peer_lightgbm.c -o lgb.so -ldl
 *     treebench latency --peer ./lgb.so,library=/path/to/lib_lightgbm.so --model m.txt --data d.txt
 *
 * Without the option `library`, the loader finds lib_lightgbm.so. */
#include <treebench_peer.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants of LightGBM's c_api.h. */
enum { FLOAT32 = 0, ROW_MAJOR = 1, RAW_SCORE = 1, ALL_ITERATIONS = -1 };

struct model {
    void *booster;
    int n_features, n_outputs;
};

static char failure[300];
static const char *(*get_error)(void);
static int (*create)(const char *path, int *n_iterations, void **booster);
static int (*free_booster)(void *booster);
static int (*get_features)(void *booster, int *n);
static int (*get_classes)(void *booster, int *n);
static int (*predict)(void *booster, const void *row, int type, int n_columns, int is_row_major,
                      int predict_type, int first, int n_iterations, const char *parameters,
                      int64_t *n_results, double *results);

/* Finds the library's functions. Returns 0 if one is missing. */
static int load(const char *options) {
    struct {
        const char *name;
        void *address;
    } functions[] = {{"LGBM_GetLastError", &get_error},
                     {"LGBM_BoosterCreateFromModelfile", &create},
                     {"LGBM_BoosterFree", &free_booster},
                     {"LGBM_BoosterGetNumFeature", &get_features},
                     {"LGBM_BoosterGetNumClasses", &get_classes},
                     {"LGBM_BoosterPredictForMatSingleRow", &predict}};
    const char *named = strncmp(options, "library=", 8) == 0 ? options + 8 : "lib_lightgbm.so";
    void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL), *found = library;
    for (size_t i = 0; found && i < sizeof functions / sizeof *functions; i++) {
        found = dlsym(library, functions[i].name);
        memcpy(functions[i].address, &found, sizeof found);
    }
    if (!found)
        snprintf(failure, sizeof failure, "%s", dlerror());
    return found != NULL;
}

static void *open_model(const char *path, const char *options) {
    int n_iterations;
    struct model *m = load(options) ? malloc(sizeof *m) : NULL;
    if (!m)
        return NULL;
    if (create(path, &n_iterations, &m->booster) == 0 &&
        get_features(m->booster, &m->n_features) == 0 &&
        get_classes(m->booster, &m->n_outputs) == 0)
        return m;
    snprintf(failure, sizeof failure, "%s", get_error());
    free(m);
    return NULL;
}

static void close_model(void *model) {
    free_booster(((struct model *)model)->booster);
    free(model);
}

static int score(const void *model, const float *rows, size_t stride, size_t n_rows,
                 double *scores) {
    const struct model *m = model;
    int64_t n_results;
    int failed = 0;
    for (size_t i = 0; i < n_rows && !failed; i++)
        failed = predict(m->booster, rows + i * stride, FLOAT32, m->n_features, ROW_MAJOR,
                         RAW_SCORE, 0, ALL_ITERATIONS, "num_threads=1 verbosity=-1", &n_results,
                         scores + i * (size_t)m->n_outputs);
    return failed;
}

static uint32_t n_features(const void *model) {
    return (uint32_t)((const struct model *)model)->n_features;
}

static uint32_t n_outputs(const void *model) {
    return (uint32_t)((const struct model *)model)->n_outputs;
}

static const char *last_error(void) {
    return failure;
}

const struct treebench_peer *treebench_peer(void) {
    static const struct treebench_peer peer = {.abi = TREEBENCH_PEER_ABI,
                                               .sums = TREEBENCH_PEER_DOUBLE,
                                               .name = "lightgbm-rows",
                                               .version = "LightGBM",
                                               .formats = "lightgbm",
                                               .open = open_model,
                                               .n_features = n_features,
                                               .n_outputs = n_outputs,
                                               .score_floats = score,
                                               .close = close_model,
                                               .last_error = last_error};
    return &peer;
}
