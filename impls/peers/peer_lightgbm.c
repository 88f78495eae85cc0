/* The LightGBM library (4.0 and later), if the user has it. Its batch call computes raw scores, on
 * one thread. The model is passed in LightGBM's text format, in which thresholds and leaves are
 * doubles. Like the reference, LightGBM adds leaf values as doubles, in the order of the trees.
 *
 * treebench's rows may be padded. Therefore scoring uses LightGBM's batch call that takes the
 * address of each row, although that call allocates memory.
 *
 * LightGBM's own threads are not used. treebench's threads divide the documents and call the
 * library concurrently. Each batch call has its own predictor. All calls share one booster. Each
 * call writes the range of iterations to the booster, but they all write the same range (LightGBM's
 * issues 666 and 6142).
 *
 * LightGBM treats a feature value x as zero if |x| is at most kZeroThreshold. This matters if a
 * node's threshold is in that range, too (scorer.zeros_up_to). */
#include "impls/impl.h"

#include "impls/peers/peer_library.h"
#include "models/lightgbm/lightgbm.h"

#include <math.h>
#include <stdlib.h>

/* Constants of LightGBM's c_api.h and meta.h. */
enum { C_API_DTYPE_FLOAT32 = 0, C_API_PREDICT_RAW_SCORE = 1, ALL_ITERATIONS = -1 };
#define K_ZERO_THRESHOLD 1e-35f
typedef void *booster_handle;

static const char PARAMETERS[] = "num_threads=1 verbosity=-1";

static struct {
    const char *(*last_error)(void);
    int (*load_model)(const char *text, int *n_iterations, booster_handle *booster);
    int (*free_booster)(booster_handle booster);
    int (*predict)(booster_handle booster, const void **rows, int data_type, int32_t n_rows,
                   int32_t n_columns, int predict_type, int start_iteration, int n_iterations,
                   const char *parameters, int64_t *n_results, double *results);
    void *dump_aliases; /* Never called. 4.0 is the first version that has this function, and the
                           first that reads the text format that treebench writes. */
} api;

static const struct peer_library library = {.name = "lightgbm",
                                            .file = "lib_lightgbm.so",
                                            .variable = "TREEBENCH_LIGHTGBM",
                                            .origin = "pip install lightgbm brings one"};
static const struct loader_symbol functions[] = {
    {"LGBM_GetLastError", (void **)&api.last_error},
    {"LGBM_BoosterLoadModelFromString", (void **)&api.load_model},
    {"LGBM_BoosterFree", (void **)&api.free_booster},
    {"LGBM_BoosterPredictForMats", (void **)&api.predict},
    {"LGBM_DumpParamAliases", &api.dump_aliases},
    {0}};

struct peer_lightgbm {
    struct scorer scorer;
    booster_handle booster;
};

/* --- scoring ---------------------------------------------------------------------------------- */

static bool predict(const struct peer_lightgbm *peer, const float *x, size_t stride, size_t n_docs,
                    const void **rows, double *results) {
    int64_t n_results;
    if (!rows || !results || n_docs > INT32_MAX)
        return false;
    for (size_t i = 0; i < n_docs; i++)
        rows[i] = x + i * stride;
    return api.predict(peer->booster, rows, C_API_DTYPE_FLOAT32, (int32_t)n_docs,
                       (int32_t)peer->scorer.n_features, C_API_PREDICT_RAW_SCORE, 0, ALL_ITERATIONS,
                       PARAMETERS, &n_results, results) == 0 &&
           n_results == (int64_t)(n_docs * peer->scorer.n_outputs);
}

static void lightgbm_score(const struct scorer *scorer, struct span units, struct span docs,
                           const struct batch *batch) {
    size_t n_docs = docs.end - docs.begin, n_scores = n_docs * scorer->n_outputs;
    if (units.begin == units.end || n_docs == 0)
        return;
    const void **rows = malloc(n_docs * sizeof *rows);
    double *results = malloc(n_scores * sizeof *results);
    bool done = predict((const struct peer_lightgbm *)scorer, batch->x + docs.begin * batch->stride,
                        batch->stride, n_docs, rows, results);
    double *scores = batch->scores + docs.begin * scorer->n_outputs;
    /* `score` cannot return an error, so a failure makes the scores NaN. */
    for (size_t i = 0; i < n_scores; i++)
        scores[i] += done ? results[i] : (double)NAN;
    free(rows);
    free(results);
}

/* --- building --------------------------------------------------------------------------------- */

static void lightgbm_destroy(struct scorer *scorer) {
    struct peer_lightgbm *peer = (struct peer_lightgbm *)scorer;
    if (peer->booster)
        api.free_booster(peer->booster);
}

static enum status load_text(struct peer_lightgbm *peer, const char *text, struct error *error) {
    int n_iterations;
    if (api.load_model(text, &n_iterations, &peer->booster) == 0)
        return STATUS_OK;
    peer->booster = NULL;
    return error_library(error, "LightGBM", api.last_error());
}

static enum status load(struct peer_lightgbm *peer, const struct ensemble *ensemble,
                        struct error *error) {
    char *text;
    size_t size;
    enum status status = peer_write_model(ensemble, lightgbm_write, &text, &size, error);
    if (!status)
        status = load_text(peer, text, error);
    free(text);
    return status;
}

static enum status lightgbm_build(const struct impl *impl, const struct ensemble *ensemble,
                                  const struct options *options, struct scorer **scorer,
                                  struct error *error) {
    (void)options;
    enum status status = peer_library_open(&library, functions, error);
    if (status)
        return status;
    /* one call of the library scores all trees */
    struct peer_lightgbm *peer = scorer_create(sizeof *peer, impl, ensemble, 1, 0, error);
    if (!peer)
        return STATUS_MEMORY;
    /* A prediction reads these members of a node: threshold, feature, two children, type of
     * decision. */
    size_t node_bytes = sizeof(double) + 3 * sizeof(int32_t) + 1;
    peer->scorer.bytes = ensemble->n_nodes * node_bytes + ensemble->n_leaves * sizeof(double);
    peer->scorer.zeros_up_to = K_ZERO_THRESHOLD;
    return scorer_finish(&peer->scorer, load(peer, ensemble, error), scorer, error);
}

/* LightGBM's functions do not tell the version. */
static void lightgbm_version(char *text, size_t size) {
    peer_library_package_version(&library, "LightGBM", text, size);
}

static enum status lightgbm_find(char *text, size_t size) {
    return peer_library_find(&library, functions, lightgbm_version, text, size);
}

const struct impl impl_lightgbm = {.name = "lightgbm",
                                   .title = "LightGBM",
                                   .source = "Ke et al. 2017",
                                   .kind = IMPL_LIBRARY,
                                   .build = lightgbm_build,
                                   .score = lightgbm_score,
                                   .destroy = lightgbm_destroy,
                                   .find = lightgbm_find,
                                   .version = lightgbm_version};
