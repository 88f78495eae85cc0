#include "harness/latency/target.h"

#include "base/memory.h"
#include "base/random.h"
#include "harness/instruments/resident.h"

#include <stdio.h>
#include <time.h>

enum { CHECKED_ONE_IN = 64, IDLE_NS = 1000000 };

/* --- building --------------------------------------------------------------------------------- */

static void free_call(struct tb_scorer *wrapped, struct tb_context *context) {
    tb_context_free(context);
    library_unwrap(wrapped);
}

/* Makes what a call of libtreebench needs. */
static enum status make_call(const struct ensemble *ensemble, struct scorer *scorer,
                             struct tb_scorer **wrapped, struct tb_context **context,
                             struct error *error) {
    struct tb_error refused;
    *wrapped = NULL;
    *context = NULL;
    enum status status = library_wrap(ensemble, scorer, wrapped, error);
    if (!status && tb_context_create(*wrapped, context, &refused) != TB_OK) {
        status = error_set(error, STATUS_MEMORY, "%s", refused.text);
        library_unwrap(*wrapped);
        *wrapped = NULL;
    }
    return status;
}

void target_open(const struct target_common *common, const char *variant, struct target *target) {
    struct error error;
    struct contender *c = &target->contender;
    *target = (struct target){.wrapped = NULL};
    row_init(&target->row);
    row_set_variant(&target->row, variant);
    *c = (struct contender){.variant = variant,
                            .documents = common->documents,
                            .bytes_most = SIZE_MAX,
                            .row = &target->row};
    contender_prepare(common->ensemble, common->verifier, &common->how, c);
    runner_destroy(c->runner); /* calls of libtreebench have no threads of their own */
    c->runner = NULL;
    if (target_is_ok(target) && c->parsed.order.is_given)
        row_fail(&target->row, ROW_UNSUPPORTED, "calls of libtreebench have no loop order");
    if (target_is_ok(target) && c->scorer->values != VALUES_FLOAT)
        row_fail(&target->row, ROW_UNSUPPORTED,
                 "it reads integers, but calls of libtreebench have floats");
    if (target_is_ok(target) &&
        make_call(common->ensemble, c->scorer, &target->wrapped, &target->context, &error))
        row_fail(&target->row, ROW_FAILED, error.text);
}

void target_close(struct target *target) {
    free_call(target->wrapped, target->context);
    contender_free(&target->contender);
    row_free(&target->row);
}

/* Replaces the call and, if `builds`, the scorer. The previous ones are freed last, so that the new
 * ones get other addresses, and are kept if there is an error. */
static void replace(const struct target_common *common, bool builds, struct target *target) {
    struct contender *c = &target->contender;
    struct scorer *made = NULL;
    struct tb_scorer *wrapped;
    struct tb_context *context;
    struct error error;
    enum status status =
        builds ? scorer_build(c->parsed.spec, common->ensemble, &made, &error) : STATUS_OK;
    if (!status)
        status = make_call(common->ensemble, made ? made : c->scorer, &wrapped, &context, &error);
    if (status) {
        scorer_destroy(made);
        row_fail(&target->row, ROW_FAILED, error.text);
        return;
    }
    free_call(target->wrapped, target->context);
    target->wrapped = wrapped;
    target->context = context;
    if (made) {
        scorer_destroy(c->scorer);
        c->scorer = made;
        target->row.builds++;
    }
}

void target_open_again(const struct target_common *common, double samples_ns,
                       struct target *target) {
    replace(common, contender_builds_fast(&target->contender, samples_ns), target);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Builds in fresh pages, and on all processors that the process may use. */
static void build_first(const struct target_calls *calls) {
    cpu_unpin(calls->common->unpinned);
    resident_trim();
    replace(calls->common, true, calls->target);
    cpu_pin_here(calls->common->unpinned);
}

static void enter_state(const struct target_calls *calls) {
    const struct timespec pause = {0, IDLE_NS};
    if (calls->common->state == CALL_IDLE)
        nanosleep(&pause, NULL);
    if (calls->common->state == CALL_FIRST)
        build_first(calls);
    sweep_run(&calls->common->sweep);
}

static void prepare(void *context, uint64_t number) {
    struct target_calls *calls = context;
    enter_state(calls);
    calls->number = number;
    calls->call = schedule_call(calls->size, calls->documents, calls->stage->documents.n_rows,
                                calls->common->seed, number);
}

static void score(void *context) {
    const struct target_calls *calls = context;
    const struct matrix *documents = &calls->stage->documents;
    tb_score(calls->target->context, matrix_row(documents, calls->call.row), calls->call.n_rows,
             documents->n_features, documents->stride, calls->stage->scores, NULL);
}

/* Names the first score that differs. */
static void report_wrong(const struct target_calls *calls, size_t row, const double *expected,
                         const double *found) {
    char reason[ROW_REASON_SIZE];
    size_t k = 0;
    while (expected[k] == found[k])
        k++;
    snprintf(reason, sizeof reason,
             "a timed reply for document %zu of the shuffled ones is %.17g, but the reference's is "
             "%.17g",
             row, found[k], expected[k]);
    row_fail(&calls->target->row, ROW_WRONG, reason);
}

static bool is_checked(const struct target_calls *calls) {
    return calls->target->contender.scorer->impl->kind != IMPL_BASELINE &&
           (calls->number == 0 ||
            random_derive(calls->common->seed, calls->number) % CHECKED_ONE_IN == 0);
}

static void check(void *context) {
    struct target_calls *calls = context;
    const struct target_common *common = calls->common;
    const struct scorer *scorer = calls->target->contender.scorer;
    if (!is_checked(calls))
        return;
    for (size_t i = 0; i < calls->call.n_rows; i++) {
        size_t row = calls->call.row + i;
        const double *expected = common->expected + row * scorer->n_outputs;
        const double *found = calls->stage->scores + i * scorer->n_outputs;
        if (!verifier_reply_agrees(common->verifier, scorer, matrix_row(common->documents, row),
                                   expected, found))
            report_wrong(calls, row, expected, found);
    }
    calls->checked++;
}

static void notice(void *context) {
    struct target_calls *calls = context;
    causes_add_slow(&calls->last, calls->causes);
}

struct service target_service(struct target_calls *calls) {
    return (struct service){calls, loop_clock_now, loop_clock_wait, prepare,
                            score, check,          UINT64_MAX,      notice};
}

/* --- the reference's replies ------------------------------------------------------------------ */

enum status target_expect(const struct ensemble *ensemble, const struct matrix *documents,
                          double **replies, struct error *error) {
    struct scorer *reference;
    struct tb_scorer *wrapped;
    struct tb_context *context;
    struct tb_error refused;
    size_t count = documents->n_rows * ensemble->n_outputs;
    *replies = memory_aligned_calloc(count, sizeof **replies);
    if (!*replies)
        return error_memory(error, "the reference's replies");
    enum status status =
        scorer_build(impl_with_role(IMPL_REFERENCE)->name, ensemble, &reference, error);
    if (status)
        return status;
    status = make_call(ensemble, reference, &wrapped, &context, error);
    if (!status && tb_score(context, documents->values, documents->n_rows, documents->n_features,
                            documents->stride, *replies, &refused) != TB_OK)
        status = error_set(error, STATUS_INPUT, "%s", refused.text);
    free_call(wrapped, context);
    scorer_destroy(reference);
    return status;
}
