#include "dropin/xgboost/model.h"

#include "base/float_mode.h"
#include "impls/auto/auto_cost.h"
#include "impls/scorer.h"
#include "models/format.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Adding doubles would round differently. Few documents are scored by the implementation that is
 * fastest for one: it finds the values of exit leaves (struct spread), and these are added up here.
 * Many documents are scored by bit planes that add as XGBoost does (sums=chain). For 1,000 trees of
 * 64 leaves, these take less than a 20th of the time, because leaf values never reach memory. */
struct xgboost_scorer {
    struct xgboost_scorer_facts facts;
    struct scorer *built;
    struct spread spread;  /* of the built scorer, or of the one that it chose */
    struct scoring leaves; /* of the spread form */
    double *zeros;         /* [n_trees] what values are added to */
    float *base;           /* [n_outputs] */
    struct scoring *chain; /* NULL if this machine has none */
    size_t few;            /* `leaves` is faster for up to so many documents per thread */
};

enum { VALUES_BYTES = 128 << 10 /* of leaf values that are found before they are added */ };

/* --- building --------------------------------------------------------------------------------- */

/* Weights of dart make doubles of leaves. XGBoost rounds the products. */
static void round_values(struct ensemble *ensemble) {
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = (double)(float)ensemble->value[i];
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        ensemble->base[k] = (double)(float)ensemble->base[k];
}

/* Builds `spec`, if it gives the values of leaves. */
static enum status choose(struct xgboost_scorer *made, const struct ensemble *ensemble,
                          const char *spec, struct call_cost *cost, struct error *error) {
    enum status status = scorer_build(spec, ensemble, &made->built, error);
    if (status)
        return status;
    const struct impl *impl = made->built->impl;
    const struct scorer *chosen = impl->choose ? impl->choose(made->built, 1, cost) : made->built;
    if (chosen && chosen->impl->spread)
        return chosen->impl->spread(chosen, &made->spread, error);
    scorer_destroy(made->built);
    made->built = NULL;
    return STATUS_OK;
}

/* The implementation that is fastest for single documents, or else one that supports all models. */
static enum status build_leaves(struct xgboost_scorer *made, const struct ensemble *ensemble,
                                struct call_cost *cost, struct error *error) {
    enum status status = choose(made, ensemble, "auto", cost, error);
    if (!status && !made->spread.scorer)
        status = choose(made, ensemble, "interleaved", cost, error);
    if (!status && !made->spread.scorer)
        status = error_set(error, STATUS_UNSUPPORTED, "no implementation gives single leaves");
    if (status)
        return status;
    size_t block = VALUES_BYTES / sizeof(double) / ensemble->n_trees;
    made->leaves = (struct scoring){
        .scorer = made->spread.scorer, .base = made->zeros, .block = block ? block : 1};
    return STATUS_OK;
}

/* The most documents for which single ones, at this price, cost less than a chain. */
static size_t find_few(const struct scorer *chain, double single_ns) {
    enum { MOST = 1024 };
    for (size_t docs = 1; docs < MOST; docs++) {
        struct call_cost cost;
        if (chain->impl->choose(chain, docs, &cost) && cost.ns < (double)docs * single_ns)
            return docs - 1;
    }
    return SIZE_MAX;
}

static enum status build_chain(struct xgboost_scorer *made, const struct ensemble *ensemble,
                               double single_ns, struct error *error) {
    struct error missing;
    enum status status = scoring_create(ensemble, NULL, "auto,sums=chain", &made->chain, &missing);
    made->few = SIZE_MAX;
    if (status == STATUS_MEMORY)
        return error_set(error, status, "%s", missing.text);
    if (!status)
        made->few = find_few(made->chain->scorer, single_ns);
    return STATUS_OK;
}

static void find_facts(struct xgboost_scorer *made, const struct ensemble *ensemble) {
    static _Atomic uint64_t last_id;
    made->facts = (struct xgboost_scorer_facts){.id = ++last_id,
                                                .n_features = ensemble->n_features,
                                                .n_outputs = ensemble->n_outputs,
                                                .n_trees = ensemble->n_trees,
                                                .objective = objective_find(ensemble->objective)};
}

static enum status build(struct xgboost_scorer *made, struct ensemble *ensemble,
                         struct error *error) {
    if (ensemble->votes || ensemble->ctrs || ensemble->threshold_double || ensemble->open_width ||
        ensemble->n_trees == 0)
        return error_set(error, STATUS_UNSUPPORTED, "treebench does not serve such models");
    round_values(ensemble);
    find_facts(made, ensemble);
    made->zeros = calloc(ensemble->n_trees, sizeof *made->zeros);
    made->base = calloc(ensemble->n_outputs, sizeof *made->base);
    if (!made->zeros || !made->base)
        return error_memory(error, "a model");
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        made->base[k] = (float)ensemble->base[k];
    struct call_cost cost = {.ns = 0};
    enum status status = build_leaves(made, ensemble, &cost, error);
    if (!status)
        status = build_chain(made, ensemble, cost.ns + AUTO_ADD_NS * ensemble->n_trees, error);
    return status;
}

static enum status make(struct ensemble *ensemble, bool is_dart, struct xgboost_scorer **scorer,
                        struct error *error) {
    struct xgboost_scorer *made = calloc(1, sizeof *made);
    enum status status = made ? build(made, ensemble, error) : error_memory(error, "a model");
    if (status) {
        xgboost_scorer_free(made);
        return status;
    }
    made->facts.is_dart = is_dart;
    *scorer = made;
    return STATUS_OK;
}

enum status xgboost_scorer_read(const char *name, const char *text, size_t size,
                                struct xgboost_scorer **scorer, struct error *error) {
    static const char dart[] = "dart"; /* the booster's name in all formats */
    const struct model_format *format = model_recognise(text, size);
    if (!format || strncmp(format->name, "xgboost", 7) != 0 || !format->read)
        return error_set(error, STATUS_UNSUPPORTED, "%s: not a model of XGBoost", name);
    struct ensemble *ensemble;
    uint64_t mode = float_mode_begin();
    enum status status = format->read(name, text, size, &ensemble, error);
    float_mode_end(mode);
    if (status)
        return status;
    status = make(ensemble, memmem(text, size, dart, sizeof dart - 1) != NULL, scorer, error);
    ensemble_free(ensemble);
    return status;
}

void xgboost_scorer_free(struct xgboost_scorer *scorer) {
    if (!scorer)
        return;
    scoring_free(scorer->chain);
    free(scorer->spread.scorer);
    scorer_destroy(scorer->built);
    free(scorer->zeros);
    free(scorer->base);
    free(scorer);
}

struct xgboost_scorer_facts xgboost_scorer_facts(const struct xgboost_scorer *scorer) {
    return scorer->facts;
}

/* --- scoring ---------------------------------------------------------------------------------- */

struct margins {
    struct scores scores; /* first: scoring passes it to `take` */
    const struct xgboost_scorer *scorer;
    transform *transform; /* NULL: margins */
    size_t per_document;
    float *values;
};

/* Sums in float32, in the order of the trees. */
static void add_leaves(const struct xgboost_scorer *scorer, const double *leaves, float *margins) {
    const size_t n_trees = scorer->facts.n_trees, n_outputs = scorer->facts.n_outputs;
    memcpy(margins, scorer->base, n_outputs * sizeof *margins);
    float sum = margins[0]; /* a register: an addition waits for the one before */
    for (size_t t = 0; n_outputs == 1 && t < n_trees; t++)
        sum += (float)leaves[t];
    margins[0] = sum;
    for (size_t t = 0; n_outputs > 1 && t < n_trees; t++)
        margins[scorer->spread.output[t]] += (float)leaves[t];
}

static void round_sums(const struct xgboost_scorer *scorer, const double *sums, float *margins) {
    for (size_t k = 0; k < scorer->facts.n_outputs; k++)
        margins[k] = (float)sums[k];
}

/* Writes the values of a block. Each document has `stride` numbers, of which `make_margins` makes
 * its margins. */
static inline void take(const struct margins *to, struct span docs, const double *numbers,
                        size_t stride,
                        void (*make_margins)(const struct xgboost_scorer *scorer,
                                             const double *numbers, float *margins)) {
    const size_t n_outputs = to->scorer->facts.n_outputs;
    float margins[n_outputs];
    for (size_t doc = docs.begin; doc < docs.end; doc++, numbers += stride) {
        make_margins(to->scorer, numbers, margins);
        if (to->transform)
            to->transform(margins, n_outputs);
        memcpy(to->values + doc * to->per_document, margins, to->per_document * sizeof *margins);
    }
}

static void take_leaves(const struct scores *scores, struct span docs, double *leaves) {
    const struct margins *to = (const struct margins *)scores;
    take(to, docs, leaves, to->scorer->facts.n_trees, add_leaves);
}

static void take_sums(const struct scores *scores, struct span docs, double *sums) {
    const struct margins *to = (const struct margins *)scores;
    take(to, docs, sums, to->scorer->facts.n_outputs, round_sums);
}

enum status xgboost_scorer_run(const struct xgboost_scorer *scorer, const struct rows *rows,
                               size_t n_docs, unsigned threads, bool transforms, float *values,
                               struct error *error) {
    const struct objective *objective = scorer->facts.objective;
    bool is_few = (n_docs + threads - 1) / threads <= scorer->few;
    const struct margins to = {.scores.take = is_few ? take_leaves : take_sums,
                               .scorer = scorer,
                               .transform = transforms ? objective->transform : NULL,
                               .per_document =
                                   transforms && objective->one_value ? 1 : scorer->facts.n_outputs,
                               .values = values};
    return scoring_answer(is_few ? &scorer->leaves : scorer->chain, rows, n_docs, threads,
                          &to.scores, error);
}
