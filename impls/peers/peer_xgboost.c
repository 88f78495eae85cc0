/* The XGBoost library (1.3 and later). Its in-place prediction computes margins, on one thread. The
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
#include <xgboost/c_api.h>

extern const struct impl impl_xgboost;

/* A node of XGBoost's RegTree has five members of 4 bytes: the parent, two children, the feature
 * with the default side, and the threshold or leaf value. */
enum { NODE_BYTES = 20, ARRAY_TEXT_SIZE = 192 };

struct peer_xgboost {
    struct scorer scorer;
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
    return XGBoosterPredictFromDense(peer->booster, array, WHAT_TO_PREDICT, NULL, &shape,
                                     &dimensions, margins);
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
        XGBoosterFree(peer->booster);
    free(peer);
}

static enum status load(BoosterHandle booster, const struct ensemble *ensemble,
                        struct error *error) {
    char *text;
    size_t size;
    enum status status = peer_write_model(ensemble, xgboost_write_json, &text, &size, error);
    if (!status)
        status = xgboost_check(XGBoosterLoadModelFromBuffer(booster, text, size), error);
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
    return xgboost_check(failed, error);
}

static enum status start(struct peer_xgboost *peer, const struct ensemble *ensemble,
                         struct error *error) {
    enum status status = xgboost_check(XGBoosterCreate(NULL, 0, &peer->booster), error);
    if (!status)
        status = xgboost_check(XGBoosterSetParam(peer->booster, "nthread", "1"), error);
    if (!status)
        status = load(peer->booster, ensemble, error);
    return status ? status : predict_once(peer, error);
}

static enum status xgboost_build(const struct ensemble *ensemble, const struct options *options,
                                 struct scorer **scorer, struct error *error) {
    (void)options;
    struct peer_xgboost *peer = calloc(1, sizeof *peer);
    if (!peer)
        return error_memory(error, "xgboost");
    peer->scorer = (struct scorer){.impl = &impl_xgboost,
                                   .n_units = 1, /* one call of the library scores all trees */
                                   .n_features = ensemble->n_features,
                                   .n_outputs = ensemble->n_outputs,
                                   .bytes = NODE_BYTES * (ensemble->n_nodes + ensemble->n_leaves)};
    enum status status = start(peer, ensemble, error);
    if (status) {
        xgboost_destroy(&peer->scorer);
        return status;
    }
    *scorer = &peer->scorer;
    return STATUS_OK;
}

static enum status xgboost_find(char *text, size_t size) {
    int major, minor, patch;
    XGBoostVersion(&major, &minor, &patch);
    snprintf(text, size, "XGBoost %d.%d.%d, linked", major, minor, patch);
    return STATUS_OK;
}

const struct impl impl_xgboost = {.name = "xgboost",
                                  .title = "XGBoost",
                                  .source = "Chen and Guestrin 2016",
                                  .kind = IMPL_LIBRARY,
                                  .sets = true,
                                  .find = xgboost_find,
                                  .build = xgboost_build,
                                  .score = xgboost_score,
                                  .destroy = xgboost_destroy};
