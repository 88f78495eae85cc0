/* Code that TL2cgen (1.0 and later) generated from a Treelite model. The user compiles it into a
 * shared object. Each call computes the margins of one document, including base scores, in the type
 * of the model's leaves.
 *
 * As in TL2cgen's own predictor, a document is copied into a row of `union Entry`. The integer -1
 * marks a missing value. The call may change the row. */
#include "impls/impl.h"

#include "impls/peers/peer_library.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MISSING = -1, MARGIN = 1 };

/* TL2cgen's `union Entry`. Its type depends on the model's thresholds: float32 or double. */
union float_entry {
    int missing;
    float value;
};
union double_entry {
    int missing;
    double value;
};

struct api {
    int32_t (*n_targets)(void);
    void (*n_classes)(int32_t *of_target);
    int32_t (*n_features)(void);
    const char *(*threshold_type)(void);
    const char *(*leaf_type)(void);
    void (*predict)(void *entries, int margin, void *results);
};

static struct api api;
static const struct peer_library library = {.name = "tl2cgen",
                                            .file = "shared object of the model",
                                            .variable = "TREEBENCH_TL2CGEN",
                                            .is_object = true,
                                            .origin = "tl2cgen.export_lib makes one"};
static const struct loader_symbol functions[] = {
    {"get_num_target", (void **)&api.n_targets},
    {"get_num_class", (void **)&api.n_classes},
    {"get_num_feature", (void **)&api.n_features},
    {"get_threshold_type", (void **)&api.threshold_type},
    {"get_leaf_output_type", (void **)&api.leaf_type},
    {"predict", (void **)&api.predict},
    {0}};

struct peer_tl2cgen {
    struct scorer scorer;
    struct api api; /* kept for each scorer, because another object may be loaded later */
    bool float_thresholds;
    double base[]; /* [n_outputs] */
};

/* --- scoring ---------------------------------------------------------------------------------- */

static void fill_floats(union float_entry *entries, const float *x, uint32_t n) {
    for (uint32_t f = 0; f < n; f++) {
        entries[f].value = x[f];
        if (isnan(x[f]))
            entries[f].missing = MISSING;
    }
}

static void fill_doubles(union double_entry *entries, const float *x, uint32_t n) {
    for (uint32_t f = 0; f < n; f++) {
        entries[f].value = (double)x[f];
        if (isnan(x[f]))
            entries[f].missing = MISSING;
    }
}

static void score_document(const struct peer_tl2cgen *peer, const float *x, void *entries,
                           void *results, double *scores) {
    uint32_t n = peer->scorer.n_features, n_outputs = peer->scorer.n_outputs;
    if (peer->float_thresholds)
        fill_floats(entries, x, n);
    else
        fill_doubles(entries, x, n);
    memset(results, 0, n_outputs * sizeof(double)); /* because `predict` adds to the results */
    peer->api.predict(entries, MARGIN, results);
    for (uint32_t k = 0; k < n_outputs; k++)
        scores[k] += (peer->scorer.float_trees ? (double)((const float *)results)[k]
                                               : ((const double *)results)[k]) -
                     peer->base[k];
}

static void tl2cgen_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    const struct peer_tl2cgen *peer = (const struct peer_tl2cgen *)scorer;
    char *entries = batch->workspace;
    char *results = entries + scorer->n_features * sizeof(union double_entry);
    for (size_t i = units.begin == units.end ? docs.end : docs.begin; i < docs.end; i++)
        score_document(peer, batch->x + i * batch->stride, entries, results,
                       batch->scores + i * scorer->n_outputs);
}

/* --- building --------------------------------------------------------------------------------- */

static enum status read_type(const char *what, const char *type, bool *is_float,
                             struct error *error) {
    *is_float = strcmp(type, "float32") == 0;
    if (*is_float || strcmp(type, "float64") == 0)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "tl2cgen: the object's %s are %s; only float32 and float64 are supported",
                     what, type);
}

/* Only objects with one target are supported. They compute one result per class for a document.
 * n_classes writes one number per target, so it is not called if there are several targets. */
static enum status check_shape(const struct ensemble *ensemble, struct error *error) {
    int32_t n_targets = api.n_targets(), n_features = api.n_features(), n_classes = 1;
    if (n_targets == 1)
        api.n_classes(&n_classes);
    if (n_targets == 1 && (uint32_t)n_classes == ensemble->n_outputs &&
        (uint32_t)n_features <= ensemble->n_features)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "tl2cgen: the object has %" PRId32 " target(s), %" PRId32
                     " class(es) and %" PRId32 " feature(s), but the model has 1, %" PRIu32
                     " and %" PRIu32 ". Make the object from this model",
                     n_targets, n_classes, n_features, ensemble->n_outputs, ensemble->n_features);
}

static enum status tl2cgen_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct options *options, struct scorer **scorer,
                                 struct error *error) {
    (void)options;
    bool float_sums = false, float_thresholds = false;
    enum status status = peer_library_open(&library, functions, error);
    if (!status)
        status = read_type("leaves", api.leaf_type(), &float_sums, error);
    if (!status)
        status = read_type("thresholds", api.threshold_type(), &float_thresholds, error);
    if (!status)
        status = check_shape(ensemble, error);
    if (status)
        return status;
    size_t n_outputs = ensemble->n_outputs;
    /* one call of the library scores all trees */
    struct peer_tl2cgen *peer =
        scorer_create(sizeof *peer + n_outputs * sizeof *peer->base, impl, ensemble, 1, 1, error);
    if (!peer)
        return STATUS_MEMORY;
    peer->scorer.workspace =
        ensemble->n_features * sizeof(union double_entry) + n_outputs * sizeof(double);
    peer->scorer.float_trees = float_sums ? UINT32_MAX : 0;
    peer->api = api;
    peer->float_thresholds = float_thresholds;
    memcpy(peer->base, ensemble->base, n_outputs * sizeof *peer->base);
    return scorer_finish(&peer->scorer, STATUS_OK, scorer, error);
}

static enum status tl2cgen_find(char *text, size_t size) {
    return peer_library_find(&library, functions, NULL, text, size);
}

const struct impl impl_tl2cgen = {.name = "tl2cgen",
                                  .title = "TL2cgen's code",
                                  .source = "Cho and Li 2018",
                                  .kind = IMPL_OBJECT,
                                  .find = tl2cgen_find,
                                  .build = tl2cgen_build,
                                  .score = tl2cgen_score};
