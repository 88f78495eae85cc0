/* Scores a matrix of documents, for commands that need scores but measure nothing. The library does
 * the same for the documents of a call (library/treebench.c), by blocks of the same size. */
#ifndef IMPLS_SCORING_H
#define IMPLS_SCORING_H

#include "datasets/matrix.h"
#include "impls/scorer.h"

/* Scores all documents according to the plan. scores[n_rows * n_outputs] starts at the ensemble's
 * base scores. Fails for baselines, because they compute no scores, and if a library or a device
 * failed. */
enum status scoring_run(const struct scorer *scorer, const struct ensemble *ensemble,
                        const struct plan *plan, const struct matrix *documents, double *scores,
                        struct error *error);

#endif
