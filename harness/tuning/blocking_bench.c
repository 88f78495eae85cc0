#include "harness/tuning/blocking_bench.h"

#include "harness/measure/measure.h"
#include "harness/measure/verify.h"
#include "impls/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Many points are screened, so that one sample must do: the finalists are measured again. */
enum { SCREEN_ROUNDS = 1, CONFIRM_TIMES = 2 };

/* --- opening ---------------------------------------------------------------------------------- */

static struct matrix rows_from(const struct matrix *documents, size_t begin, size_t n) {
    struct matrix view = *documents;
    view.values = matrix_row(documents, begin);
    view.n_rows = n;
    view.labels = NULL;
    view.query_row = NULL;
    view.query_id = NULL;
    view.n_queries = 0;
    return view;
}

static enum status check_found(const struct blocking_bench *bench, const struct verification *found,
                               struct error *error) {
    if (found->agrees)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "%s: %s %zu scores %.17g, but the reference scores %.17g", bench->spec,
                     found->probe ? "probe" : "document", found->document, found->found,
                     found->expected);
}

static enum status check_with(const struct blocking_bench *bench, struct verifier *verifier,
                              struct error *error) {
    struct verification found;
    enum status status = verifier_check(verifier, bench->scorer, NULL, &found, error);
    if (!status)
        status = check_found(bench, &found, error);
    if (!status && verifier_needs_leaves(bench->scorer)) {
        status = verifier_check_leaves(verifier, bench->spec, &found, error);
        if (!status)
            status = check_found(bench, &found, error);
    }
    return status;
}

static enum status check_scores(const struct blocking_bench *bench, struct error *error) {
    struct verifier *verifier;
    enum status status = verifier_create(bench->ensemble, &bench->choosing, &verifier, error);
    if (status)
        return status;
    status = check_with(bench, verifier, error);
    verifier_free(verifier);
    return status;
}

/* Refuses what has no orders to compare. */
static enum status check_units(const struct blocking_bench *bench, struct error *error) {
    if (bench->scorer->impl->kind == IMPL_BASELINE)
        return error_set(error, STATUS_UNSUPPORTED,
                         "--impl: %s is a baseline for timing and computes no scores", bench->spec);
    if (bench->ensemble->n_trees < 2)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the model has only one tree, so all orders are the same");
    if (bench->scorer->n_units < 2)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s has only one unit, so all orders are the same. Use an implementation "
                         "that scores tree by tree, such as struct-plus",
                         bench->spec);
    return STATUS_OK;
}

enum status blocking_bench_open(const struct ensemble *ensemble, const char *spec,
                                const struct matrix *documents, size_t n_docs, uint32_t rounds,
                                struct blocking_bench *bench, struct error *error) {
    *bench = (struct blocking_bench){.ensemble = ensemble,
                                     .spec = spec,
                                     .choosing = rows_from(documents, 0, n_docs),
                                     .confirming = rows_from(documents, n_docs, n_docs),
                                     .rounds = {SCREEN_ROUNDS, rounds, CONFIRM_TIMES * rounds}};
    enum status status = scorer_build(spec, ensemble, &bench->scorer, error);
    if (status)
        return status;
    status = check_units(bench, error);
    return status ? status : check_scores(bench, error);
}

void blocking_bench_free(struct blocking_bench *bench) {
    scorer_destroy(bench->scorer);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* One list of orders, as the variants of a cell. */
struct contest {
    size_t n;
    char (*texts)[VARIANT_SPEC_SIZE];
    const char **variants;
    struct scorer **scorers;
    struct row *rows;
};

static void contest_free(struct contest *contest) {
    for (size_t i = 0; contest->rows && i < contest->n; i++)
        row_free(&contest->rows[i]);
    free(contest->rows);
    free(contest->scorers);
    free(contest->variants);
    free(contest->texts);
}

/* DS without blocks is what a variant without an order does: a step of the lanes at a time. */
static void set_variant(const struct blocking_bench *bench, struct blocking blocking,
                        char text[static VARIANT_SPEC_SIZE]) {
    const struct order_choice choice = {
        .is_given = true, .order = blocking.order, .d = blocking.docs, .s = blocking.units};
    if (blocking.order == ORDER_DS)
        snprintf(text, VARIANT_SPEC_SIZE, "%s", bench->spec);
    else
        variant_add_order(bench->spec, &choice, text);
}

static enum status contest_create(const struct blocking_bench *bench,
                                  const struct blocking *blockings, size_t n,
                                  struct contest *contest, struct error *error) {
    *contest = (struct contest){.n = n,
                                .texts = calloc(n, sizeof *contest->texts),
                                .variants = calloc(n, sizeof *contest->variants),
                                .scorers = calloc(n, sizeof(struct scorer *)),
                                .rows = calloc(n, sizeof *contest->rows)};
    if (!contest->texts || !contest->variants || !contest->scorers || !contest->rows)
        return error_memory(error, "orders and blocks");
    for (size_t i = 0; i < n; i++) {
        set_variant(bench, blockings[i], contest->texts[i]);
        contest->variants[i] = contest->texts[i];
        contest->scorers[i] = bench->scorer;
        row_init(&contest->rows[i]);
        row_set_variant(&contest->rows[i], contest->texts[i]);
        snprintf(contest->rows[i].workload.kind, sizeof contest->rows[i].workload.kind, "files");
    }
    return STATUS_OK;
}

static void set_time(const struct row *row, const struct row *first, double per_tree,
                     struct blocking_time *time) {
    *time = (struct blocking_time){.ns = (double)NAN};
    if (row->status != ROW_OK)
        return;
    time->ns = row->median * per_tree;
    time->interval = (struct interval){row->median_interval.low * per_tree,
                                       row->median_interval.high * per_tree};
    if (first->status == ROW_OK)
        time->to_first = row_paired_ratio(row, first);
}

static enum status run_contest(const struct blocking_bench *bench, enum blocking_step step,
                               struct contest *contest, struct error *error) {
    const struct measure_request how = {.note = bench->note,
                                        .progress = bench->progress,
                                        .rounds = bench->rounds[step],
                                        .clock = "cpu",
                                        .counters = COUNTERS_NONE,
                                        .single_documents = true,
                                        .scorers = contest->scorers,
                                        .drops_scorer_notes = true};
    const struct matrix *documents = step == STEP_CONFIRM ? &bench->confirming : &bench->choosing;
    return measure_cell(bench->ensemble, documents, contest->variants, contest->n, &how,
                        contest->rows, error);
}

enum status blocking_bench_measure(void *context, enum blocking_step step,
                                   const struct blocking *blockings, size_t n,
                                   struct blocking_time *times, struct error *error) {
    const struct blocking_bench *bench = context;
    struct contest contest;
    enum status status = contest_create(bench, blockings, n, &contest, error);
    if (!status)
        status = run_contest(bench, step, &contest, error);
    for (size_t i = 0; i < n && !status; i++) {
        if (contest.rows[i].status == ROW_FAILED)
            status = error_set(error, STATUS_UNSUPPORTED, "%s: %s", contest.variants[i],
                               contest.rows[i].reason);
        set_time(&contest.rows[i], &contest.rows[0], 1 / (double)bench->ensemble->n_trees,
                 &times[i]);
    }
    contest_free(&contest);
    return status;
}
