/* The scores of documents, computed by a scorer or read from a file of `treebench score`. */
#ifndef HARNESS_MEASURE_SCORES_H
#define HARNESS_MEASURE_SCORES_H

#include "base/note.h"
#include "base/status.h"
#include "datasets/matrix.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

#include <stddef.h>
#include <stdint.h>

enum { SCORES_BY_SIZE = 512 };

struct scores {
    double *values; /* [n_rows * n_outputs]; owned */
    uint32_t n_outputs;
    /* the implementation that scored, and its choices; "" if the scores were read from a file */
    char by[SCORES_BY_SIZE];
};

/* Scores all documents by the plan and adds the base scores. If the plan has no block of documents,
 * a block size is chosen. Fails for baselines, because they compute no scores. Freed by
 * scores_free. */
enum status scores_make(const struct ensemble *ensemble, const char *spec, const struct plan *plan,
                        const struct matrix *documents, note_function *note, struct scores *scores,
                        struct error *error);

/* Reads one line per document. Every line has the same number of outputs, separated by tabs. */
enum status scores_read(const char *path, size_t n_rows, struct scores *scores,
                        struct error *error);
void scores_free(struct scores *scores);

#endif
