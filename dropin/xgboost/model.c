#include "dropin/xgboost/model.h"

#include "base/float_mode.h"
#include "impls/scorer.h"
#include "models/format.h"

#include <stdlib.h>
#include <string.h>

/* Adding doubles would round differently. Therefore kernels only find the values of exit leaves
 * (struct spread), and these are added up here. */
struct xgboost_scorer {
    struct xgboost_scorer_facts facts;
    struct scorer *built;
    const struct scorer *chosen; /* the built scorer, or the one that it chose */
    struct spread spread;
    struct scoring scoring; /* of the spread form */
    double *zeros;          /* [n_trees] what values are added to */
    float *base;            /* [n_outputs] */
};

enum { VALUES_BYTES = 128 << 10 /* of leaf values that are found before they are added */ };

/* --- building --------------------------------------------------------------------------------- */

/* Weights of dart make doubles of leaves. XGBoost rounds the products. */
static void round_leaves(struct ensemble *ensemble) {
    for (size_t i = 0; i < ensemble->n_leaves; i++)
        ensemble->value[i] = (double)(float)ensemble->value[i];
}

static enum status choose(struct xgboost_scorer *made, const struct ensemble *ensemble,
                          const char *spec, struct error *error) {
    enum status status = scorer_build(spec, ensemble, &made->built, error);
    if (status)
        return status;
    struct call_cost cost;
    const struct impl *impl = made->built->impl;
    made->chosen = impl->choose ? impl->choose(made->built, 1, &cost) : made->built;
    if (made->chosen && made->chosen->impl->spread)
        return made->chosen->impl->spread(made->chosen, &made->spread, error);
    scorer_destroy(made->built);
    made->built = NULL;
    return STATUS_OK;
}

/* The implementation that is fastest for single documents, or else one that supports all models. */
static enum status find_leaves(struct xgboost_scorer *made, const struct ensemble *ensemble,
                               struct error *error) {
    enum status status = choose(made, ensemble, "auto", error);
    if (!status && !made->spread.scorer)
        status = choose(made, ensemble, "interleaved", error);
    if (!status && !made->spread.scorer)
        status = error_set(error, STATUS_UNSUPPORTED, "no implementation gives single leaves");
    return status;
}

static enum status build(struct xgboost_scorer *made, struct ensemble *ensemble,
                         struct error *error) {
    if (ensemble->votes || ensemble->ctrs || ensemble->threshold_double || ensemble->open_width ||
        ensemble->n_trees == 0)
        return error_set(error, STATUS_UNSUPPORTED, "treebench does not serve such models");
    round_leaves(ensemble);
    made->facts =
        (struct xgboost_scorer_facts){ensemble->n_features, ensemble->n_outputs, ensemble->n_trees,
                                      objective_find(ensemble->objective)};
    made->zeros = calloc(ensemble->n_trees, sizeof *made->zeros);
    made->base = calloc(ensemble->n_outputs, sizeof *made->base);
    if (!made->zeros || !made->base)
        return error_memory(error, "a model");
    for (uint32_t k = 0; k < ensemble->n_outputs; k++)
        made->base[k] = (float)ensemble->base[k];
    enum status status = find_leaves(made, ensemble, error);
    if (status)
        return status;
    size_t block = VALUES_BYTES / sizeof(double) / ensemble->n_trees;
    made->scoring = (struct scoring){
        .scorer = made->spread.scorer, .base = made->zeros, .block = block ? block : 1};
    return STATUS_OK;
}

/* Frees the ensemble. */
static enum status make(struct ensemble *ensemble, struct xgboost_scorer **scorer,
                        struct error *error) {
    struct xgboost_scorer *made = calloc(1, sizeof *made);
    enum status status = made ? build(made, ensemble, error) : error_memory(error, "a model");
    ensemble_free(ensemble);
    if (status)
        xgboost_scorer_free(made);
    else
        *scorer = made;
    return status;
}

static bool is_xgboost(const struct model_format *format) {
    return format && strncmp(format->name, "xgboost", 7) == 0;
}

static enum status refuse_format(const char *name, struct error *error) {
    return error_set(error, STATUS_UNSUPPORTED, "%s: not a model of XGBoost", name);
}

enum status xgboost_scorer_read(const char *path, struct xgboost_scorer **scorer,
                                struct error *error) {
    struct ensemble *ensemble;
    uint64_t mode = float_mode_begin();
    enum status status = model_read(path, &ensemble, error);
    float_mode_end(mode);
    if (status)
        return status;
    if (is_xgboost(ensemble->format))
        return make(ensemble, scorer, error);
    ensemble_free(ensemble);
    return refuse_format(path, error);
}

enum status xgboost_scorer_read_text(const char *text, size_t size, struct xgboost_scorer **scorer,
                                     struct error *error) {
    static const char name[] = "the buffer";
    const struct model_format *format = model_recognise(text, size);
    if (!is_xgboost(format) || !format->read)
        return refuse_format(name, error);
    struct ensemble *ensemble;
    uint64_t mode = float_mode_begin();
    enum status status = format->read(name, text, size, &ensemble, error);
    float_mode_end(mode);
    return status ? status : make(ensemble, scorer, error);
}

void xgboost_scorer_free(struct xgboost_scorer *scorer) {
    if (!scorer)
        return;
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

static void add_single(const struct xgboost_scorer *scorer, const double *leaves, float *margin) {
    float sum = scorer->base[0];
    for (size_t t = 0; t < scorer->facts.n_trees; t++)
        sum += (float)leaves[t];
    *margin = sum;
}

/* Four documents at once, because an addition waits for the one before. */
static void add_four(const struct xgboost_scorer *scorer, const double *leaves, float *margins) {
    const size_t n = scorer->facts.n_trees;
    float sum[4];
    for (int i = 0; i < 4; i++)
        sum[i] = scorer->base[0];
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < 4; i++)
            sum[i] += (float)leaves[i * n + t];
    for (int i = 0; i < 4; i++)
        margins[i] = sum[i];
}

static void add_several(const struct xgboost_scorer *scorer, const double *leaves, float *margins) {
    memcpy(margins, scorer->base, scorer->facts.n_outputs * sizeof *margins);
    for (size_t t = 0; t < scorer->facts.n_trees; t++)
        margins[scorer->spread.output[t]] += (float)leaves[t];
}

static void take_single(const struct margins *to, struct span docs, const double *leaves) {
    const size_t n = to->scorer->facts.n_trees;
    size_t doc = docs.begin;
    for (; doc + 4 <= docs.end; doc += 4, leaves += 4 * n)
        add_four(to->scorer, leaves, to->values + doc);
    for (; doc < docs.end; doc++, leaves += n)
        add_single(to->scorer, leaves, to->values + doc);
    for (doc = docs.begin; to->transform && doc < docs.end; doc++)
        to->transform(to->values + doc, 1);
}

static void take(const struct scores *scores, struct span docs, double *leaves) {
    const struct margins *to = (const struct margins *)scores;
    const struct xgboost_scorer_facts *facts = &to->scorer->facts;
    if (facts->n_outputs == 1) {
        take_single(to, docs, leaves);
        return;
    }
    float margins[facts->n_outputs];
    for (size_t doc = docs.begin; doc < docs.end; doc++, leaves += facts->n_trees) {
        add_several(to->scorer, leaves, margins);
        if (to->transform)
            to->transform(margins, facts->n_outputs);
        memcpy(to->values + doc * to->per_document, margins, to->per_document * sizeof *margins);
    }
}

enum status xgboost_scorer_run(const struct xgboost_scorer *scorer, const struct rows *rows,
                               size_t n_docs, unsigned threads, bool transforms, float *values,
                               struct error *error) {
    const struct objective *objective = scorer->facts.objective;
    const struct margins to = {.scores.take = take,
                               .scorer = scorer,
                               .transform = transforms ? objective->transform : NULL,
                               .per_document =
                                   transforms && objective->one_value ? 1 : scorer->facts.n_outputs,
                               .values = values};
    return scoring_answer(&scorer->scoring, rows, n_docs, threads, &to.scores, error);
}
