/* Does an implementation reach the reference's exit leaves? */
#ifndef HARNESS_VERIFY_H
#define HARNESS_VERIFY_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct verification {
    bool agrees;
    double largest_difference; /* of any score */
    size_t document;           /* the first that differs */
    bool probe;                /* the document is one of the probes, not of the data */
    double expected, found;    /* the scores there */
};

/* Reference scores, once for all implementations that are checked against them. */
struct verifier;

/* Keeps pointers to both; also makes probes (synth_probes) of the ensemble. */
enum status verifier_create(const struct ensemble *ensemble, const struct matrix *documents,
                            struct verifier **verifier, struct error *error);
void verifier_free(struct verifier *verifier);

/* Scores documents and probes and compares. Scores must be equal to the last bit when the
 * scorer adds in the order of the trees (all of today's do), NaN never occurs. */
enum status verifier_check(const struct verifier *verifier, const struct scorer *scorer,
                           struct verification *verification, struct error *error);

#endif
