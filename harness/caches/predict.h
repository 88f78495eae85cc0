/* Predicts times from T without measuring, chooses the sizes of blocks that a loop order leaves
 * out, and fits the prediction to measured times.
 *
 * T counts data accesses only: it promises that blocking is up to 22 times as fast where jin2016
 * measures 5.5 times. So a time per document and unit is t0 + t1 * T. */
#ifndef HARNESS_CACHES_PREDICT_H
#define HARNESS_CACHES_PREDICT_H

#include "datasets/matrix.h"
#include "harness/caches/candidates.h"
#include "impls/variant.h"

struct cost_fit {
    double t0, t1; /* ns; not negative */
    struct miss_rates rates;
    double correlation; /* Spearman's, of T and the measured times */
    double error;       /* root of the mean squared relative error of t0 + t1 * T */
};

/* Fits t0 and t1 to the times ns[n] of candidates by least squares of the relative errors, and the
 * miss rates by trying some. Candidates whose T or time is NaN are left out. False if fewer
 * than three remain. */
bool cost_fit(const struct blocking_problem *problem, const struct blocking_candidate *candidates,
              const double *ns, size_t n, struct cost_fit *fit);

/* The same with the problem's miss rates. */
bool cost_fit_times(const struct blocking_problem *problem,
                    const struct blocking_candidate *candidates, const double *ns, size_t n,
                    struct cost_fit *fit);

/* Sets the blocks of an order that it needs and that are 0. Chooses those of the least T; blocks
 * that are not 0 stay. */
void predict_blocks(const struct blocking_problem *problem, struct order_choice *choice);

/* Sets the plan's order and blocks, as order_plan does. A range case gets the blocks that just fit
 * its caches. Otherwise, a size that is not given is the one of the least predicted cost. The
 * caches have the sizes that the system reports, divided among plan->threads. A call has plan->call
 * documents (0: all). `documents` may be NULL if they are not known yet. Reads about 30 files of
 * /sys if a size is chosen. */
enum status order_choice_plan(const struct order_choice *choice, const struct scorer *scorer,
                              const struct matrix *documents, struct plan *plan,
                              struct error *error);

#endif
