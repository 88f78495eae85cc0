/* A model of XGBoost, built for scoring as XGBoost scores: in float32, tree after tree in the
 * model's order, beginning with the base margin. Margins are XGBoost's bit for bit. */
#ifndef DROPIN_XGBOOST_MODEL_H
#define DROPIN_XGBOOST_MODEL_H

#include "dropin/scoring.h"
#include "dropin/xgboost/transform.h"

struct xgboost_scorer;

struct xgboost_scorer_facts {
    uint64_t id; /* no other scorer of the process has it */
    size_t n_features, n_outputs, n_trees;
    const struct objective *objective; /* NULL if its transform is unknown */
    bool is_dart;                      /* it may be: the model has the word */
};

/* Reads a model in one of XGBoost's formats. `name` is for errors. */
enum status xgboost_scorer_read(const char *name, const char *text, size_t size,
                                struct xgboost_scorer **scorer, struct error *error);
void xgboost_scorer_free(struct xgboost_scorer *scorer); /* NULL is allowed */

struct xgboost_scorer_facts xgboost_scorer_facts(const struct xgboost_scorer *scorer);

/* Writes the margins of all documents or, if `transforms`, what the objective makes of them:
 * values[document * per_document + output]. */
enum status xgboost_scorer_run(const struct xgboost_scorer *scorer, const struct rows *rows,
                               size_t n_docs, unsigned threads, bool transforms, float *values,
                               struct error *error);

#endif
