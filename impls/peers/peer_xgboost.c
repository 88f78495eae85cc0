/* The XGBoost library (1.6 and later): the installed one, or the one that TREEBENCH_XGBOOST names.
 * The installed one still trains. The in-place prediction computes margins, on one thread. The
 * model is passed in XGBoost's JSON format.
 *
 * XGBoost adds float32 leaves in float32, so scores match the reference only up to rounding. A call
 * allocates memory inside the library.
 *
 * XGBoost's own threads are not used. treebench's threads divide the documents and call the library
 * concurrently. XGBoost's documentation (Prediction, Thread Safety) allows this for tree models
 * from version 1.4 on, if no parameters are set at the same time. Results are in memory that
 * belongs to the calling thread. */
#include "impls/impl.h"

#include "impls/peers/peer_library.h"
#include "models/xgboost/xgboost_library.h"
#include "models/xgboost/xgboost_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

/* A node of XGBoost's RegTree has five members of 4 bytes: the parent, two children, the feature
 * with the default side, and the threshold or leaf value. */
enum { NODE_BYTES = 20, ARRAY_TEXT_SIZE = 192 };

struct api {
    __typeof__(XGBoostVersion) *version;
    __typeof__(XGBGetLastError) *last_error;
    __typeof__(XGBoosterCreate) *create;
    __typeof__(XGBoosterFree) *free;
    __typeof__(XGBoosterSetParam) *set_param;
    __typeof__(XGBoosterLoadModelFromBuffer) *load_model;
    __typeof__(XGBoosterPredictFromDense) *predict;
};

static struct api found; /* the functions of the library that was opened last */

static const struct peer_library library = {.name = "xgboost",
                                            .file = "libxgboost.so",
                                            .variable = "TREEBENCH_XGBOOST",
                                            .origin = "pip install xgboost-cpu brings one"};
static const struct loader_symbol functions[] = {
    {"XGBoostVersion", (void **)&found.version},
    {"XGBGetLastError", (void **)&found.last_error},
    {"XGBoosterCreate", (void **)&found.create},
    {"XGBoosterFree", (void **)&found.free},
    {"XGBoosterSetParam", (void **)&found.set_param},
    {"XGBoosterLoadModelFromBuffer", (void **)&found.load_model},
    {"XGBoosterPredictFromDense", (void **)&found.predict},
    {0}};

/* If both libraries export this C++ variable, the loader gives both the same one. Two versions
 * would then share objects of different sizes. */
#define SHARED_VARIABLE "_ZZN4dmlc16ThreadLocalStoreI16XGBAPIErrorEntryE3GetEvE4inst"

struct peer_xgboost {
    struct scorer scorer;
    struct api api; /* kept for each scorer, because another library may be named later */
    BoosterHandle booster;
};

/* Asks for the margins of all trees: a row for each document, and a column for each output. */
static const char WHAT_TO_PREDICT[] =
    "{\"type\":1,\"training\":false,\"iteration_begin\":0,\"iteration_end\":0,"
    "\"strict_shape\":true,\"cache_id\":0,\"missing\":NaN}";

/* Sets *margins to the results. The library owns them, and they are valid until the thread's next
 * call. */
static int predict(const struct peer_xgboost *peer, const float *x, size_t n_docs, size_t stride,
                   const float **margins) {
    char array[ARRAY_TEXT_SIZE];
    const bst_ulong *shape;
    bst_ulong dimensions;
    snprintf(array, sizeof array,
             "{\"data\":[%" PRIuPTR ",true],\"shape\":[%zu,%" PRIu32 "],\"strides\":[%zu,%zu],"
             "\"typestr\":\"<f4\",\"version\":3}",
             (uintptr_t)x, n_docs, peer->scorer.n_features, stride * sizeof *x, sizeof *x);
    return peer->api.predict(peer->booster, array, WHAT_TO_PREDICT, NULL, &shape, &dimensions,
                             margins);
}

static void xgboost_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    size_t n_docs = docs.end - docs.begin;
    if (units.begin == units.end || n_docs == 0)
        return;
    const float *margins, *x = batch->x + docs.begin * batch->stride;
    int failed = predict((const struct peer_xgboost *)scorer, x, n_docs, batch->stride, &margins);
    double *scores = batch->scores + docs.begin * scorer->n_outputs;
    /* `score` cannot return an error, so a failure makes the scores NaN. */
    for (size_t i = 0; i < n_docs * scorer->n_outputs; i++)
        scores[i] += failed ? (double)NAN : (double)margins[i];
}

static void xgboost_destroy(struct scorer *scorer) {
    struct peer_xgboost *peer = (struct peer_xgboost *)scorer;
    if (peer->booster)
        peer->api.free(peer->booster);
}

static enum status check(const struct peer_xgboost *peer, int result, struct error *error) {
    return result ? error_library(error, "XGBoost", peer->api.last_error()) : STATUS_OK;
}

static enum status load(const struct peer_xgboost *peer, const struct ensemble *ensemble,
                        struct error *error) {
    char *text;
    size_t size;
    enum status status = peer_write_model(ensemble, xgboost_write_json, &text, &size, error);
    if (!status)
        status = check(peer, peer->api.load_model(peer->booster, text, size), error);
    free(text);
    return status;
}

/* The first prediction configures the booster. Later predictions only read it, so threads may make
 * them concurrently. */
static enum status predict_once(const struct peer_xgboost *peer, struct error *error) {
    const float *margins;
    float *x = calloc(peer->scorer.n_features, sizeof *x);
    if (!x)
        return error_memory(error, "a document");
    int failed = predict(peer, x, 1, peer->scorer.n_features, &margins);
    free(x);
    return check(peer, failed, error);
}

static enum status start(struct peer_xgboost *peer, const struct ensemble *ensemble,
                         struct error *error) {
    enum status status = check(peer, peer->api.create(NULL, 0, &peer->booster), error);
    if (!status)
        status = check(peer, peer->api.set_param(peer->booster, "nthread", "1"), error);
    if (!status)
        status = load(peer, ensemble, error);
    return status ? status : predict_once(peer, error);
}

static void write_version(__typeof__(XGBoostVersion) *version, char *text, size_t size) {
    int major, minor, patch;
    version(&major, &minor, &patch);
    snprintf(text, size, "XGBoost %d.%d.%d", major, minor, patch);
}

/* Rejects a named library of another version that shares variables with the installed library. */
static enum status check_shared(struct error *error) {
    char named_text[32], installed_text[32];
    void *named = NULL, *installed = NULL;
    __typeof__(XGBoostVersion) *version = NULL;
    const struct loader_symbol of_named[] = {{SHARED_VARIABLE, &named}, {0}},
                               of_installed[] = {{"XGBoostVersion", (void **)&version},
                                                 {SHARED_VARIABLE, &installed},
                                                 {0}};
    if (peer_library_open(&library, of_named, NULL) ||
        loader_load(&xgboost_library, of_installed, NULL, NULL) || named != installed)
        return STATUS_OK;
    write_version(found.version, named_text, sizeof named_text);
    write_version(version, installed_text, sizeof installed_text);
    if (strcmp(named_text, installed_text) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE,
                     "xgboost: %s is %s and would share C++ variables with the installed %s. Build "
                     "it with -DHIDE_CXX_SYMBOLS=ON",
                     getenv(library.variable), named_text, installed_text);
}

/* *file is set to the library's name or path. */
static enum status open_api(struct api *api, const char **file, struct error *error) {
    enum status status;
    *file = getenv(library.variable);
    if (*file && **file) {
        status = peer_library_open(&library, functions, error);
        if (!status)
            status = check_shared(error);
    } else {
        status = loader_load(&xgboost_library, functions, file, error);
    }
    *api = found;
    return status;
}

static enum status xgboost_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct options *options, struct scorer **scorer,
                                 struct error *error) {
    (void)options;
    struct api api;
    const char *file;
    enum status status = open_api(&api, &file, error);
    if (status)
        return status;
    /* one call of the library scores all trees */
    struct peer_xgboost *peer = scorer_create(sizeof *peer, impl, ensemble, 1, 0, error);
    if (!peer)
        return STATUS_MEMORY;
    peer->scorer.bytes = NODE_BYTES * (ensemble->n_nodes + ensemble->n_leaves);
    peer->api = api;
    return scorer_finish(&peer->scorer, start(peer, ensemble, error), scorer, error);
}

static enum status xgboost_find(char *text, size_t size) {
    struct api api;
    struct error error;
    char version[32];
    const char *file;
    enum status status = open_api(&api, &file, &error);
    if (status) {
        snprintf(text, size, "%s", error.text);
        return status;
    }
    write_version(api.version, version, sizeof version);
    snprintf(text, size, "%s, %s", version, file);
    return STATUS_OK;
}

static void xgboost_version(char *text, size_t size) {
    struct api api;
    const char *file;
    *text = '\0';
    if (open_api(&api, &file, NULL) == STATUS_OK)
        write_version(api.version, text, size);
}

const struct impl impl_xgboost = {.name = "xgboost",
                                  .title = "XGBoost",
                                  .source = "Chen and Guestrin 2016",
                                  .kind = IMPL_LIBRARY,
                                  .sets = true,
                                  .find = xgboost_find,
                                  .version = xgboost_version,
                                  .build = xgboost_build,
                                  .score = xgboost_score,
                                  .destroy = xgboost_destroy};
