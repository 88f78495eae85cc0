/* Finds the fastest order and blocks by measuring (jin2016, sections 4.2 and 5.2).
 *
 * The guided search measures the candidates, which are few. The exhaustive search measures a dense
 * grid of all orders and tells how much slower the guided choice is. Both measure their choice
 * again on other documents, because the fastest of many is a little too good by chance. */
#ifndef HARNESS_CACHES_SEARCH_H
#define HARNESS_CACHES_SEARCH_H

#include "harness/caches/candidates.h"
#include "harness/instruments/stats.h"

struct blocking_time {
    double ns; /* per document and tree; NaN if it could not be measured */
    struct interval interval;
    struct ratio to_first; /* its time divided by that of the first of the list */
};

/* What a measurement is for: how long it may take, and which documents it scores. */
enum blocking_step {
    STEP_SCREEN,  /* of many */
    STEP_CHOOSE,  /* of the candidates; the same documents */
    STEP_CONFIRM, /* of the last ones, on other documents */
    BLOCKING_STEPS
};

/* Measures the orders and blocks of all n candidates in the same interleaved rounds. */
typedef enum status blocking_measure(void *context, enum blocking_step step,
                                     const struct blocking_candidate *candidates, size_t n,
                                     struct blocking_time *times, struct error *error);

struct blocking_search {
    /* The baseline DS is the first candidate. */
    struct blocking_candidate candidates[CANDIDATES_MOST];
    struct blocking_time times[CANDIDATES_MOST]; /* of STEP_CHOOSE */
    size_t n;
    bool by_proposition; /* Proposition 1 chose the cases */
    size_t best;         /* index of the choice; 0 if nothing is faster than DS */
    /* the standard of the request */
    struct blocking_candidate standard;
    /* of STEP_CONFIRM; `to_first` is the ratio to the choice */
    struct blocking_time choice_time, ds_time, standard_time;
};

/* STATUS_MACHINE if no candidate could be measured. */
enum status blocking_search_guided(const struct blocking_problem *problem,
                                   const struct candidate_request *request,
                                   blocking_measure *measure, void *context,
                                   struct blocking_search *search, struct error *error);

enum { GRID_LINE = 40, GRID_SIDE = 20, FINALISTS = 10 };

/* The paper searches "greatly-increased sampling points", without naming them. Ours: 40 geometric
 * values of d for DSD and of s for SDS, a grid of 20 x 20 for DSDS and for SDSD. */
enum { GRID_MOST = 1 + 2 * GRID_LINE + 2 * GRID_SIDE * GRID_SIDE };

/* Lists the grid, without the baseline. Returns the number of points. */
size_t blocking_grid(const struct blocking_problem *problem,
                     struct blocking_candidate list[static GRID_MOST]);

struct blocking_reference {
    size_t n_points; /* of the grid and of the guided search */
    struct blocking_candidate best;
    struct blocking_time best_time, guided_time; /* of STEP_CONFIRM, in the same rounds */
    struct ratio error; /* time of the guided choice, divided by the best one's, minus 1 */
};

/* Measures the grid, and then the ten fastest points and the guided choice on other documents. */
enum status blocking_search_exhaustive(const struct blocking_problem *problem,
                                       const struct blocking_search *guided,
                                       blocking_measure *measure, void *context,
                                       struct blocking_reference *reference, struct error *error);

#endif
