/* A peer that wraps CatBoost's library for applying models, libcatboostmodel.so.
 *
 *     cc -O2 -shared -fPIC peer_catboost.c -o catboost.so -ldl
 *     treebench compare --peer ./catboost.so,library=/path/to/libcatboostmodel.so,model=m.cbm \
 *         --model m.cbm --data d.txt
 *
 * Without the option `library`, the loader finds libcatboostmodel.so. treebench does not write
 * CatBoost's format, so the file is the user's. Its features must all be numbers. */
#include <treebench_peer.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char failure[300];
static void *(*create)(void);
static void (*delete_model)(void *model);
static const char *(*get_error)(void);
static bool (*load_file)(void *model, const char *path);
static size_t (*count_numbers)(void *model);
static size_t (*count_categories)(void *model);
static size_t (*count_outputs)(void *model);
static bool (*predict)(void *model, size_t n_rows, const float **rows, size_t n_numbers,
                       const char ***categories, size_t n_categories, double *results,
                       size_t n_results);
static bool (*predict_row)(void *model, const float *row, size_t n_numbers, const char **categories,
                           size_t n_categories, double *results, size_t n_results);

/* Finds the library's functions. Returns 0 if one is missing. */
static int load(const char *options) {
    struct {
        const char *name;
        void *address;
    } functions[] = {{"ModelCalcerCreate", &create},
                     {"ModelCalcerDelete", &delete_model},
                     {"GetErrorString", &get_error},
                     {"LoadFullModelFromFile", &load_file},
                     {"GetFloatFeaturesCount", &count_numbers},
                     {"GetCatFeaturesCount", &count_categories},
                     {"GetDimensionsCount", &count_outputs},
                     {"CalcModelPrediction", &predict},
                     {"CalcModelPredictionSingle", &predict_row}};
    const char *named = strncmp(options, "library=", 8) == 0 ? options + 8 : "libcatboostmodel.so";
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
    void *model = load(options) ? create() : NULL;
    if (!model)
        return NULL;
    if (!load_file(model, path))
        snprintf(failure, sizeof failure, "%s", get_error());
    else if (count_categories(model))
        snprintf(failure, sizeof failure, "%s has categorical features", path);
    else
        return model;
    delete_model(model);
    return NULL;
}

static int score(const void *opened, const float *rows, size_t stride, size_t n_rows,
                 double *scores) {
    void *model = (void *)opened;
    size_t n_numbers = count_numbers(model), n_outputs = count_outputs(model);
    if (n_rows == 1)
        return !predict_row(model, rows, n_numbers, NULL, 0, scores, n_outputs);
    const float **addresses = malloc(n_rows * sizeof *addresses);
    for (size_t i = 0; addresses && i < n_rows; i++)
        addresses[i] = rows + i * stride;
    bool done = addresses &&
                predict(model, n_rows, addresses, n_numbers, NULL, 0, scores, n_rows * n_outputs);
    free(addresses);
    return !done;
}

static void close_model(void *model) {
    delete_model(model);
}

static uint32_t n_features(const void *model) {
    return (uint32_t)count_numbers((void *)model);
}

static uint32_t n_outputs(const void *model) {
    return (uint32_t)count_outputs((void *)model);
}

static const char *last_error(void) {
    return failure;
}

const struct treebench_peer *treebench_peer(void) {
    static const struct treebench_peer peer = {.abi = TREEBENCH_PEER_ABI,
                                               .sums = TREEBENCH_PEER_DOUBLE,
                                               .name = "catboost",
                                               .version = "CatBoost",
                                               .open = open_model,
                                               .n_features = n_features,
                                               .n_outputs = n_outputs,
                                               .score_floats = score,
                                               .close = close_model,
                                               .last_error = last_error};
    return &peer;
}
