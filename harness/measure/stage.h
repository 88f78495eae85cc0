/* The memory of a placement (harness/instruments/stats.h): documents and scores at new
 * addresses. */
#ifndef HARNESS_MEASURE_STAGE_H
#define HARNESS_MEASURE_STAGE_H

#include "base/random.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stddef.h>

struct stage {
    struct matrix documents; /* shows the values of this stage; do not free it */
    double *scores;          /* [documents.n_rows * n_outputs], zeros */
    void *values_memory, *scores_memory;
    /* blocks of random sizes; what is allocated after them lies elsewhere than without them */
    void *spacers[8];
};

/* Makes the first stage, which has the documents themselves and new scores. */
bool stage_open(const struct matrix *documents, size_t n_outputs, struct stage *stage);

/* Makes another stage, with a copy of the documents. Documents that take more than
 * STAGE_COPY_BYTES are not copied. Copies and scores begin at a random cache line of a page.
 * Returns false if memory runs out. */
bool stage_open_elsewhere(const struct matrix *documents, size_t n_outputs, struct random *random,
                          struct stage *stage);

/* The same for cold passes. Only the scores are elsewhere: whatever their addresses, the documents
 * come from memory, and a copy of many would take as long as some samples. */
bool stage_open_scores(const struct matrix *documents, size_t n_outputs, struct random *random,
                       struct stage *stage);
void stage_close(struct stage *stage);

enum { STAGE_COPY_BYTES = 1 << 28 };

#endif
