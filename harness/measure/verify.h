/* Checks that an implementation reaches the reference's exit leaves. */
#ifndef HARNESS_MEASURE_VERIFY_H
#define HARNESS_MEASURE_VERIFY_H

#include "base/status.h"
#include "datasets/matrix.h"
#include "impls/scorer.h"
#include "models/ensemble.h"

#include <stdbool.h>

struct verification {
    bool agrees;
    double largest_difference; /* the largest difference between a score and the reference's */
    /* a score agrees if its difference is at most this; 0: all bits must be equal */
    double rounding;
    size_t document; /* the first document with a score that does not agree */
    /* true: that document is a probe; false: it is one of the given documents */
    bool probe;
    /* the reference's score and the implementation's score of that document */
    double expected, found;
};

/* Holds the reference's scores, so that they are computed once for all checked implementations. */
struct verifier;

/* Makes probes for the ensemble (synth_probes), and computes the reference's scores of the probes
 * and of the documents. Keeps pointers to the ensemble and to the documents. `documents` may be
 * NULL. */
enum status verifier_create(const struct ensemble *ensemble, const struct matrix *documents,
                            struct verifier **verifier, struct error *error);
void verifier_free(struct verifier *verifier);

/* Returns the number of probes. */
size_t verifier_probes(const struct verifier *verifier);

/* Scores the documents and the probes, and compares the scores with the reference's. A NULL plan
 * means one thread and one block.
 *
 * Scores must be bit for bit equal, because scorers add in the order of the trees. Exceptions:
 * - Threads that share trees add in another order, and some scorers add in float32
 *   (scorer.float_trees). Scores may differ by the rounding of such sums.
 * - Libraries may keep leaves and sums in float32, unless they say otherwise (impl.double_sums).
 * Scores may differ by the rounding to float32, which is 0 if float32 is exact. Documents are left
 * out if they have small values that the library treats as zero (scorer.zeros_up_to).
 * - Compiled objects may differ as much as libraries, or less if they add in double.
 *
 * Returns STATUS_MACHINE if the machine lacks the plan's threads. */
enum status verifier_check(const struct verifier *verifier, const struct scorer *scorer,
                           const struct plan *plan, struct verification *verification,
                           struct error *error);

/* The same, for a scorer that verifier_check found right with another plan: only the documents and
 * a block of probes. Plans choose documents and trees, and what happens at thresholds is known. */
enum status verifier_check_plan(const struct verifier *verifier, const struct scorer *scorer,
                                const struct plan *plan, struct verification *verification,
                                struct error *error);

/* Returns true if scores that agree do not prove equal exit leaves: the allowed float32 rounding
 * can exceed a leaf's value if there are many trees. Then call verifier_check_leaves. */
bool verifier_needs_leaves(const struct scorer *scorer);

/* Proves equal exit leaves. Builds `spec` from a copy of the ensemble whose leaf sums are exact,
 * and requires scores that are equal bit for bit, with one thread. The copy is made only once. */
enum status verifier_check_leaves(struct verifier *verifier, const char *spec,
                                  struct verification *verification, struct error *error);

/* Do a document's scores from a call of libtreebench agree with those of the reference? `expected`
 * is from such a call too: it begins each sum with the base score. The rules are those of
 * verifier_check with one thread. */
bool verifier_reply_agrees(const struct verifier *verifier, const struct scorer *scorer,
                           const float *document, const double *expected, const double *found);

#endif
