/* The scores of documents: made by a scorer, or read from a file as `treebench score` writes it. */
#ifndef HARNESS_SCORES_H
#define HARNESS_SCORES_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

enum { SCORES_BY_SIZE = 512 };

struct scores {
    double *values; /* [n_rows * n_outputs] */
    uint32_t n_outputs;
    char by[SCORES_BY_SIZE]; /* which implementation, and what that chose; "" if from a file */
};

/* The scores of all documents, base scores included, as the plan says (its block
 * of documents, where it has none, is chosen here). Baselines, which score nothing, are refused.
 * What should be known of the scorer is said on stderr. */
enum status scores_make(const struct ensemble *ensemble, const char *spec, const struct plan *plan,
                        const struct matrix *documents, struct scores *scores, struct error *error);

/* One line per document, its outputs separated by tabs, the same number on every line. */
enum status scores_read(const char *path, size_t n_rows, struct scores *scores,
                        struct error *error);
void scores_free(struct scores *scores);

#endif
