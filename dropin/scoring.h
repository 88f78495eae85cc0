/* Scoring for drop-in libraries: rows in any layout, several threads, and what is done with scores.
 */
#ifndef DROPIN_SCORING_H
#define DROPIN_SCORING_H

#include "impls/impl.h"
#include "models/placing.h"

#include <stdbool.h>

/* A model built for scoring. Read-only, so any number of threads may use it at once. */
struct scoring {
    struct scorer *scorer;
    const struct placing *placing; /* the caller's; NULL if the model compares float32 */
    double *base;                  /* [n_outputs] */
    size_t block;                  /* the most documents that are scored together */
};

/* Builds a scorer from a spec such as "auto". The ensemble may be freed afterwards. `placing` is
 * the one of the ensemble, or of one that this is a part of; it must outlive the scoring. */
enum status scoring_create(const struct ensemble *ensemble, const struct placing *placing,
                           const char *spec, struct scoring **scoring, struct error *error);
void scoring_free(struct scoring *scoring); /* NULL is allowed */

/* The rows of a call. A layout has a struct of its own that begins with this one. */
struct rows {
    /* Writes the documents [docs.begin, docs.end) to x, n_features floats each. Values of doubles
     * are placed (models/placing.h). Must be reentrant. */
    void (*fill)(const struct rows *rows, struct span docs, const struct placing *placing,
                 uint32_t n_features, float *x);
    /* If not NULL, document i is at floats + i * stride, and has at least n_features values.
     * `fill` is then only called for models with coded features. */
    const float *floats;
    size_t stride;
};

/* Where the scores of a call go. A user may have a struct of its own that begins with this one. */
struct scores {
    double *scores; /* [document * n_outputs + output]; NULL if only `take` wants them */
    /* Gets each block of documents when it is scored, with its scores. May change the scores. Must
     * be reentrant. NULL if nothing is to be done. */
    void (*take)(const struct scores *to, struct span docs, double *scores);
};

/* Scores n_docs documents in up to `threads` threads. Calls of few documents use one. Documents are
 * divided over OpenMP's threads; scores do not depend on their number. STATUS_MEMORY if out of
 * memory; some scores are then missing. */
enum status scoring_answer(const struct scoring *scoring, const struct rows *rows, size_t n_docs,
                           unsigned threads, const struct scores *to, struct error *error);

#endif
