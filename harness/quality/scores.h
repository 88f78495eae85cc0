/* The scores of documents. They are computed by a scorer, or read from a file that `treebench
 * score` wrote. */
#ifndef HARNESS_QUALITY_SCORES_H
#define HARNESS_QUALITY_SCORES_H

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
    /* the implementation that computed the scores, and its choices; "" if they were read from a
     * file */
    char by[SCORES_BY_SIZE];
};

/* Scores all documents according to the plan and adds the base scores. `spec` may be a variant with
 * a loop order (impls/variant.h), which then replaces the order and the blocks of the plan. If the
 * plan has no doc_block, chooses one. Fails for baselines, because they compute no scores. Free the
 * result with scores_free. */
enum status scores_make(const struct ensemble *ensemble, const char *spec, const struct plan *plan,
                        const struct matrix *documents, note_function *note, struct scores *scores,
                        struct error *error);

/* Reads scores from a file with one line per document. All lines must have the same number of
 * scores, separated by tabs. */
enum status scores_read(const char *path, size_t n_rows, struct scores *scores,
                        struct error *error);
void scores_free(struct scores *scores);

#endif
