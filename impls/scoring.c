#include "impls/scoring.h"

#include "impls/runner.h"

#include <math.h>
#include <string.h>

/* Number of partial sums per thread if threads share the trees. It is large so that threads rarely
 * wait for each other. */
enum { PARTIAL_SCORES = 64 * 1024 };

static void start_from_base(const struct ensemble *ensemble, size_t n_rows, double *scores) {
    for (size_t row = 0; row < n_rows; row++)
        memcpy(scores + row * ensemble->n_outputs, ensemble->base,
               ensemble->n_outputs * sizeof *scores);
}

/* Fails if a library or a device has failed. Scorers return no status, so one that fails sets its
 * scores to NaN. */
static enum status check_scores(const struct scorer *scorer, const double *scores, size_t n_rows,
                                struct error *error) {
    const char *failure = scorer->impl->failure ? scorer->impl->failure(scorer) : NULL;
    if (failure)
        return error_set(error, STATUS_MACHINE, "%s", failure);
    for (size_t i = 0; scorer->impl->kind == IMPL_LIBRARY && i < n_rows * scorer->n_outputs; i++)
        if (isnan(scores[i]))
            return error_set(error, STATUS_MEMORY, "%s: the library failed or ran out of memory",
                             scorer->impl->name);
    return STATUS_OK;
}

enum status scoring_run(const struct scorer *scorer, const struct ensemble *ensemble,
                        const struct plan *plan, const struct matrix *documents, double *scores,
                        struct error *error) {
    struct runner *runner;
    size_t n_rows = documents->n_rows;
    if (scorer->impl->kind == IMPL_BASELINE)
        return error_set(error, STATUS_INPUT,
                         "--impl: %s is a baseline for timing and computes no scores",
                         scorer->impl->name);
    enum status status =
        runner_create(scorer, plan, PARTIAL_SCORES / scorer->n_outputs, &runner, error);
    if (status)
        return status;
    status = runner_prepare(runner, documents->values, documents->stride, n_rows, error);
    if (!status) {
        start_from_base(ensemble, n_rows, scores);
        runner_run(runner, documents->values, documents->stride, n_rows, scores);
        status = check_scores(scorer, scores, n_rows, error);
    }
    runner_destroy(runner);
    return status;
}
