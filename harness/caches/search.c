#include "harness/caches/search.h"

#include <math.h>
#include <stdlib.h>

/* Returns the index of the least time. n if no time is known. */
static size_t fastest(const struct blocking_time *times, size_t n) {
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(times[i].ns) && (best == n || times[i].ns < times[best].ns))
            best = i;
    return best;
}

/* --- guided ----------------------------------------------------------------------------------- */

/* Returns the time of the blocking, which is in the list. */
static struct blocking_time time_of(const struct blocking_candidate *list,
                                    const struct blocking_time *times, size_t n,
                                    struct blocking blocking) {
    size_t i = 0;
    while (i + 1 < n && !blocking_is_same(list[i].blocking, blocking))
        i++;
    return times[i];
}

/* Measures the choice, DS and what `score` does. They may be the same. */
static enum status confirm(const struct blocking_problem *problem, blocking_measure *measure,
                           void *context, struct blocking_search *search, struct error *error) {
    struct blocking_candidate last[3];
    struct blocking_time times[3];
    size_t n = 0;
    const struct blocking *choice = &search->candidates[search->best].blocking;
    candidates_add(problem, *choice, last, &n);
    candidates_add(problem, search->candidates[0].blocking, last, &n);
    candidates_add(problem, search->standard.blocking, last, &n);
    enum status status = measure(context, STEP_CONFIRM, last, n, times, error);
    if (status)
        return status;
    search->choice_time = times[0];
    search->ds_time = time_of(last, times, n, search->candidates[0].blocking);
    search->standard_time = time_of(last, times, n, search->standard.blocking);
    return STATUS_OK;
}

enum status blocking_search_guided(const struct blocking_problem *problem,
                                   const struct candidate_request *request,
                                   blocking_measure *measure, void *context,
                                   struct blocking_search *search, struct error *error) {
    search->n = candidates_list(problem, request, search->candidates, &search->by_proposition);
    enum status status =
        measure(context, STEP_CHOOSE, search->candidates, search->n, search->times, error);
    if (status)
        return status;
    search->best = fastest(search->times, search->n);
    if (search->best == search->n)
        return error_set(error, STATUS_MACHINE, "no order could be measured");
    size_t one = 0;
    candidates_add(problem, request->standard, &search->standard, &one);
    return confirm(problem, measure, context, search, error);
}

/* --- the grid --------------------------------------------------------------------------------- */

/* Returns the value at step i of n from 1 to most, in a geometric sequence. */
static size_t geometric(size_t i, size_t n, size_t most) {
    return (size_t)llround(pow((double)most, (double)i / (double)(n - 1)));
}

static void add_point(const struct blocking_problem *problem, struct blocking blocking,
                      struct blocking_candidate *list, size_t *n) {
    if (blocking.docs)
        blocking.docs = block_round_up(blocking.docs, problem->lanes, problem->workload.n_docs);
    candidates_add(problem, blocking, list, n);
}

size_t blocking_grid(const struct blocking_problem *problem,
                     struct blocking_candidate list[static GRID_MOST]) {
    size_t n = 0, docs = problem->workload.n_docs, units = problem->workload.n_units;
    for (size_t i = 0; i < GRID_LINE; i++) {
        add_point(problem, (struct blocking){ORDER_DSD, geometric(i, GRID_LINE, docs), 0}, list,
                  &n);
        add_point(problem, (struct blocking){ORDER_SDS, 0, geometric(i, GRID_LINE, units)}, list,
                  &n);
    }
    for (size_t i = 0; i < GRID_SIDE; i++)
        for (size_t k = 0; k < GRID_SIDE; k++) {
            size_t d = geometric(i, GRID_SIDE, docs), s = geometric(k, GRID_SIDE, units);
            add_point(problem, (struct blocking){ORDER_DSDS, d, s}, list, &n);
            add_point(problem, (struct blocking){ORDER_SDSD, d, s}, list, &n);
        }
    return n;
}

/* --- exhaustive ------------------------------------------------------------------------------- */

struct exhaustive {
    struct blocking_candidate points[GRID_MOST + CANDIDATES_MOST];
    struct blocking_time times[GRID_MOST + CANDIDATES_MOST];
    size_t n;
    /* the guided choice, then the fastest points */
    struct blocking_candidate finalists[1 + FINALISTS];
    struct blocking_time final_times[1 + FINALISTS];
    size_t n_finalists;
};

static void add_finalists(const struct blocking_problem *problem, struct blocking choice,
                          struct exhaustive *e) {
    candidates_add(problem, choice, e->finalists, &e->n_finalists);
    for (size_t tried = 0; tried < e->n && e->n_finalists <= FINALISTS; tried++) {
        size_t best = fastest(e->times, e->n);
        if (best == e->n)
            return;
        e->times[best].ns = NAN;
        candidates_add(problem, e->points[best].blocking, e->finalists, &e->n_finalists);
    }
}

/* Returns 1 / ratio - 1: how much slower the first one is. */
static struct ratio error_of(const struct ratio *to_first) {
    return (struct ratio){1 / to_first->value - 1,
                          {1 / to_first->interval.high - 1, 1 / to_first->interval.low - 1}};
}

static void conclude(const struct exhaustive *e, struct blocking_reference *reference) {
    size_t best = fastest(e->final_times, e->n_finalists);
    reference->n_points = e->n;
    reference->best = e->finalists[best];
    reference->guided_time = e->final_times[0];
    reference->best_time = e->final_times[best];
    reference->error =
        best == 0 ? (struct ratio){0, {0, 0}} : error_of(&reference->best_time.to_first);
}

static enum status search_points(const struct blocking_problem *problem,
                                 const struct blocking_search *guided, blocking_measure *measure,
                                 void *context, struct exhaustive *e, struct error *error) {
    e->n = blocking_grid(problem, e->points);
    for (size_t i = 0; i < guided->n; i++)
        candidates_add(problem, guided->candidates[i].blocking, e->points, &e->n);
    enum status status = measure(context, STEP_SCREEN, e->points, e->n, e->times, error);
    if (status)
        return status;
    add_finalists(problem, guided->candidates[guided->best].blocking, e);
    return measure(context, STEP_CONFIRM, e->finalists, e->n_finalists, e->final_times, error);
}

enum status blocking_search_exhaustive(const struct blocking_problem *problem,
                                       const struct blocking_search *guided,
                                       blocking_measure *measure, void *context,
                                       struct blocking_reference *reference, struct error *error) {
    struct exhaustive *e = calloc(1, sizeof *e);
    if (!e)
        return error_memory(error, "the grid of orders and blocks");
    enum status status = search_points(problem, guided, measure, context, e, error);
    if (!status && fastest(e->final_times, e->n_finalists) == e->n_finalists)
        status = error_set(error, STATUS_MACHINE, "no order could be measured");
    if (!status)
        conclude(e, reference);
    free(e);
    return status;
}
