/* Code that lleaves (1.0 and later) generated from a LightGBM model with raw_score=True. The user
 * links it into a shared object. The object's function is forest_root(rows, scores, begin, end).
 * Rows are consecutive and have one double per feature of the model's file. The object does not
 * tell how many features it reads, so the object of another model may read beyond the rows.
 *
 * Documents are converted to doubles, ROWS at a time, so that the rows stay in the cache. */
#include "impls/impl.h"

#include "impls/peers/peer_library.h"

enum { ROWS = 64 }; /* documents per call of forest_root */

typedef void forest_root(const double *rows, double *scores, int begin, int end);

static forest_root *root;
static const struct peer_library library = {
    .name = "lleaves",
    .file = "shared object of the model",
    .variable = "TREEBENCH_LLEAVES",
    .is_object = true,
    .origin = "cc -shared -o model.so CACHE, of its compile(cache=CACHE, raw_score=True)"};
static const struct loader_symbol functions[] = {{"forest_root", (void **)&root}, {0}};

struct peer_lleaves {
    struct scorer scorer;
    forest_root *root; /* kept for each scorer, because another object may be loaded later */
    double base[];     /* [n_outputs] */
};

static void score_rows(const struct peer_lleaves *peer, struct span docs,
                       const struct batch *batch) {
    uint32_t n_features = peer->scorer.n_features, n_outputs = peer->scorer.n_outputs;
    double *rows = batch->workspace, *results = rows + (size_t)ROWS * n_features;
    size_t n_rows = docs.end - docs.begin;
    for (size_t i = 0; i < n_rows; i++)
        for (uint32_t f = 0; f < n_features; f++)
            rows[i * n_features + f] = (double)batch->x[(docs.begin + i) * batch->stride + f];
    peer->root(rows, results, 0, (int)n_rows);
    double *scores = batch->scores + docs.begin * n_outputs;
    for (size_t i = 0; i < n_rows; i++, scores += n_outputs, results += n_outputs)
        for (uint32_t k = 0; k < n_outputs; k++)
            scores[k] += results[k] - peer->base[k];
}

static void lleaves_score(const struct scorer *scorer, struct span units, struct span docs,
                          const struct batch *batch) {
    if (units.begin == units.end)
        return;
    for (size_t end; docs.begin < docs.end; docs.begin = end) {
        end = docs.end - docs.begin < ROWS ? docs.end : docs.begin + ROWS;
        score_rows((const struct peer_lleaves *)scorer, (struct span){docs.begin, end}, batch);
    }
}

static enum status lleaves_build(const struct impl *impl, const struct ensemble *ensemble,
                                 const struct options *options, struct scorer **scorer,
                                 struct error *error) {
    (void)options;
    enum status status = peer_library_open(&library, functions, error);
    if (status)
        return status;
    size_t n_outputs = ensemble->n_outputs;
    /* one call of the library scores all trees */
    struct peer_lleaves *peer =
        scorer_create(sizeof *peer + n_outputs * sizeof *peer->base, impl, ensemble, 1, 0, error);
    if (!peer)
        return STATUS_MEMORY;
    peer->scorer.workspace = ROWS * (ensemble->n_features + n_outputs) * sizeof(double);
    peer->root = root;
    for (size_t k = 0; k < n_outputs; k++)
        peer->base[k] = ensemble->base[k];
    return scorer_finish(&peer->scorer, STATUS_OK, scorer, error);
}

static enum status lleaves_find(char *text, size_t size) {
    return peer_library_find(&library, functions, NULL, text, size);
}

const struct impl impl_lleaves = {.name = "lleaves",
                                  .title = "lleaves' code",
                                  .source = "github.com/siboehm/lleaves",
                                  .kind = IMPL_OBJECT,
                                  .find = lleaves_find,
                                  .build = lleaves_build,
                                  .score = lleaves_score};
