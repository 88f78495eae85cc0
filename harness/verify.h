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
    double rounding;           /* differences up to this agree; 0: every bit has to be equal */
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

/* How many probes it made. */
size_t verifier_probes(const struct verifier *verifier);

/* Scores documents and probes and compares; NULL for the plan is one thread, all in one block.
 * Scores must be equal to the last bit: scorers add in the order of the trees (all of today's do).
 * Threads that share out trees add in another order: what rounding can make of that is allowed
 * them, and no more; likewise those that add in float32 (scorer.float_trees). Libraries may have
 * leaves and sums in float32: they are allowed what that rounding can make, which is nothing where
 * float32 is exact, and documents with values that they take for zero (scorer.zeros_up_to) are left
 * out. Objects are allowed as much, and less where they add in double. STATUS_MACHINE where the
 * plan's threads are not to be had. */
enum status verifier_check(const struct verifier *verifier, const struct scorer *scorer,
                           const struct plan *plan, struct verification *verification,
                           struct error *error);

/* Rounding in float32, of many trees, can be larger than a leaf. So of scorers that add in it this
 * asks whether what `spec` names reaches the reference's leaves, on a copy of the ensemble with
 * leaves whose sums are exact, where every bit has to be equal. By one thread. The copy and the
 * reference's scores are made once. */
bool verifier_needs_leaves(const struct scorer *scorer);
enum status verifier_check_leaves(struct verifier *verifier, const char *spec,
                                  struct verification *verification, struct error *error);

#endif
