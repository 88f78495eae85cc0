#include "harness/tuning/blocking.h"

#include "harness/caches/predict.h"
#include "harness/caches/survey.h"
#include "harness/instruments/timer.h"
#include "harness/measure/measure.h"
#include "harness/measure/verify.h"
#include "impls/scorer.h"
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

static enum status check_scores(const struct blocking_bench *bench, struct error *error) {
    const char *spec = bench->request->spec;
    struct verification found;
    struct verifier *verifier;
    enum status status =
        verifier_create(bench->request->ensemble, &bench->choosing, &verifier, error);
    if (status)
        return status;
    status = verifier_check(verifier, bench->scorer, NULL, &found, error);
    if (!status && found.agrees && verifier_needs_leaves(bench->scorer))
        status = verifier_check_leaves(verifier, spec, &found, error);
    verifier_free(verifier);
    if (status || found.agrees)
        return status;
    return error_set(
        error, STATUS_UNSUPPORTED, "%s: %s %zu scores %.17g, but the reference scores %.17g", spec,
        found.probe ? "probe" : "document", found.document, found.found, found.expected);
}

/* Refuses what has no orders to compare. */
static enum status check_units(const struct blocking_bench *bench, struct error *error) {
    if (bench->scorer->impl->kind == IMPL_BASELINE)
        return error_set(error, STATUS_UNSUPPORTED,
                         "--impl: %s is a baseline for timing and computes no scores",
                         bench->request->spec);
    if (bench->request->ensemble->n_trees < 2)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the model has only one tree, so all orders are the same");
    if (bench->scorer->n_units < 2)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s has only one unit, so all orders are the same. Use an implementation "
                         "that scores tree by tree, such as struct-plus",
                         bench->request->spec);
    return STATUS_OK;
}

enum status blocking_bench_open(const struct blocking_request *request,
                                struct blocking_bench *bench, struct error *error) {
    const size_t n = request->n_docs;
    *bench = (struct blocking_bench){.request = request,
                                     .choosing = rows_from(request->documents, 0, n),
                                     .confirming = rows_from(request->documents, n, n)};
    enum status status = scorer_build(request->spec, request->ensemble, &bench->scorer, error);
    if (!status)
        status = check_units(bench, error);
    return status ? status : check_scores(bench, error);
}

void blocking_bench_free(struct blocking_bench *bench) {
    scorer_destroy(bench->scorer);
}

void blocking_bench_problem(const struct blocking_bench *bench,
                            const struct blocking_machine *machine,
                            struct blocking_problem *problem) {
    const struct blocking_request *request = bench->request;
    blocking_problem_of_scorer(bench->scorer, request->n_docs,
                               request->documents->stride * sizeof(float), machine, problem);
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
        snprintf(text, VARIANT_SPEC_SIZE, "%s", bench->request->spec);
    else
        variant_add_order(bench->request->spec, &choice, text);
}

static enum status contest_create(const struct blocking_bench *bench,
                                  const struct blocking_candidate *candidates, size_t n,
                                  struct contest *contest, struct error *error) {
    *contest = (struct contest){.n = n,
                                .texts = calloc(n, sizeof *contest->texts),
                                .variants = calloc(n, sizeof *contest->variants),
                                .scorers = calloc(n, sizeof(struct scorer *)),
                                .rows = calloc(n, sizeof *contest->rows)};
    if (!contest->texts || !contest->variants || !contest->scorers || !contest->rows)
        return error_memory(error, "orders and blocks");
    for (size_t i = 0; i < n; i++) {
        set_variant(bench, candidates[i].blocking, contest->texts[i]);
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
    const uint32_t rounds = bench->request->rounds;
    const uint32_t of_step[BLOCKING_STEPS] = {SCREEN_ROUNDS, rounds, CONFIRM_TIMES * rounds};
    const struct measure_request how = {.note = bench->request->note,
                                        .progress = bench->request->progress,
                                        .rounds = of_step[step],
                                        .clock = "cpu",
                                        .counters = COUNTERS_NONE,
                                        .single_documents = true,
                                        .scorers = contest->scorers,
                                        .drops_scorer_notes = true};
    const struct matrix *documents = step == STEP_CONFIRM ? &bench->confirming : &bench->choosing;
    return measure_cell(bench->request->ensemble, documents, contest->variants, contest->n, &how,
                        contest->rows, error);
}

enum status blocking_bench_measure(void *context, enum blocking_step step,
                                   const struct blocking_candidate *candidates, size_t n,
                                   struct blocking_time *times, struct error *error) {
    const struct blocking_bench *bench = context;
    struct contest contest;
    enum status status = contest_create(bench, candidates, n, &contest, error);
    if (!status)
        status = run_contest(bench, step, &contest, error);
    for (size_t i = 0; i < n && !status; i++) {
        if (contest.rows[i].status == ROW_FAILED)
            status = error_set(error, STATUS_UNSUPPORTED, "%s: %s", contest.variants[i],
                               contest.rows[i].reason);
        set_time(&contest.rows[i], &contest.rows[0], 1 / (double)bench->request->ensemble->n_trees,
                 &times[i]);
    }
    contest_free(&contest);
    return status;
}

/* --- searches --------------------------------------------------------------------------------- */

enum { SURVEY_MOST = 256 << 20 };

enum status blocking_run_machine(const struct blocking_request *request,
                                 struct blocking_result *result, struct error *error) {
    struct blocking_machine *machine = &result->problem.machine;
    blocking_machine_read(1, machine);
    if (!request->measures_caches)
        return STATUS_OK;
    struct memory_survey *survey = malloc(sizeof *survey);
    if (!survey)
        return error_memory(error, "latencies");
    const struct survey_request asked = {
        .detail = &latency_least, .most = SURVEY_MOST, .times_last = 4};
    enum status status = memory_survey(&asked, survey, error);
    if (!status)
        blocking_machine_measured(&survey->pages[PAGES_SMALL].levels, machine);
    free(survey);
    return status;
}

static double seconds_since(uint64_t begin_ns) {
    return (double)(timer_cpu_ns() - begin_ns) * 1e-9;
}

static void fit_costs(struct blocking_result *result) {
    double ns[CANDIDATES_MOST];
    for (size_t i = 0; i < result->search.n; i++)
        ns[i] = result->search.times[i].ns;
    const struct blocking_search *search = &result->search;
    result->has_fit =
        cost_fit(&result->problem, search->candidates, ns, search->n, &result->fit) &&
        cost_fit_times(&result->problem, search->candidates, ns, search->n, &result->standard_fit);
}

/* What --order DSD chooses without measuring. */
static enum status choose_standard(const struct blocking_bench *bench, struct blocking *standard,
                                   struct error *error) {
    const struct order_choice dsd = {.is_given = true, .order = ORDER_DSD};
    struct plan plan = {.threads = 1};
    enum status status = order_choice_plan(&dsd, bench->scorer, &bench->choosing, &plan, error);
    *standard = (struct blocking){ORDER_DSD, plan.doc_block, 0};
    return status;
}

static enum status search(struct blocking_bench *bench, struct blocking_result *result,
                          struct error *error) {
    const struct blocking_request *request = bench->request;
    struct candidate_request candidates = request->candidates;
    uint64_t begin = timer_cpu_ns();
    enum status status = choose_standard(bench, &candidates.standard, error);
    if (!status)
        status = blocking_search_guided(&result->problem, &candidates, blocking_bench_measure,
                                        bench, &result->search, error);
    result->search_seconds = seconds_since(begin);
    if (status)
        return status;
    fit_costs(result);
    if (!request->is_exhaustive)
        return STATUS_OK;
    begin = timer_cpu_ns();
    status = blocking_search_exhaustive(&result->problem, &result->search, blocking_bench_measure,
                                        bench, &result->reference, error);
    result->reference_seconds = seconds_since(begin);
    return status;
}

enum status blocking_run(const struct blocking_request *request, struct blocking_bench *bench,
                         struct blocking_result *result, struct error *error) {
    enum status status = blocking_run_machine(request, result, error);
    if (!status)
        status = blocking_bench_open(request, bench, error);
    if (status)
        return status;
    const struct blocking_machine machine = result->problem.machine;
    blocking_bench_problem(bench, &machine, &result->problem);
    result->request = request;
    return search(bench, result, error);
}

/* --- batches of queries ----------------------------------------------------------------------- */

static double query_ns(const struct query_batch *batch) {
    return batch->ns * (double)batch->docs * (double)batch->trees;
}

double batch_queries_per_second(const struct query_batch *batch) {
    return 1e9 / query_ns(batch);
}

double batch_service_ms(const struct query_batch *batch) {
    return (double)batch->queries * query_ns(batch) * 1e-6;
}

/* The first query of a batch waits for B - 1 others, and the last one for none. */
double batch_mean_wait_ms(const struct query_batch *batch, double arrivals_per_second) {
    if (arrivals_per_second > batch_queries_per_second(batch))
        return INFINITY;
    return (double)(batch->queries - 1) / 2 / arrivals_per_second * 1e3;
}

static void list_batches(const struct blocking_bench *bench, size_t query_docs, size_t most,
                         struct query_batches *result) {
    size_t queries = 1;
    *result = (struct query_batches){.candidates = {{.blocking = {ORDER_DS, 0, 0}}}};
    while (result->n < QUERY_BATCHES_MOST && queries <= bench->confirming.n_rows / query_docs) {
        size_t docs = queries * query_docs;
        result->batches[result->n] = (struct query_batch){
            .queries = queries, .docs = query_docs, .trees = bench->request->ensemble->n_trees};
        result->candidates[++result->n].blocking =
            (struct blocking){ORDER_DSD, docs < most ? docs : most, 0};
        queries *= 10;
    }
}

enum status query_batches_measure(struct blocking_bench *bench, size_t query_docs, size_t most,
                                  struct query_batches *result, struct error *error) {
    struct blocking_time times[1 + QUERY_BATCHES_MOST];
    list_batches(bench, query_docs, most, result);
    enum status status = blocking_bench_measure(bench, STEP_CONFIRM, result->candidates,
                                                1 + result->n, times, error);
    if (status)
        return status;
    result->ds_ns = times[0].ns;
    for (size_t i = 0; i < result->n; i++)
        result->batches[i].ns = times[1 + i].ns;
    return STATUS_OK;
}

void query_batches_print(FILE *stream, const struct query_batches *result) {
    if (result->n == 0)
        return;
    const struct query_batch *single = &result->batches[0];
    struct query_batch ds = *single;
    ds.ns = result->ds_ns;
    double rate = batch_queries_per_second(single) / 2;
    fprintf(stream,
            "\nbatches of queries with %zu documents; times: ns per document and tree; wait: at "
            "%.0f queries per second\n",
            single->docs, rate);
    fprintf(stream, "  %7s  %-16s %9s %12s %12s %12s\n", "queries", "order", "ns", "queries/s",
            "service ms", "mean wait ms");
    fprintf(stream, "  %7s  %-16s %9.3f %12.1f %12.3f %12s\n", "1", "DS", ds.ns,
            batch_queries_per_second(&ds), batch_service_ms(&ds), "-");
    for (size_t i = 0; i < result->n; i++) {
        const struct query_batch *batch = &result->batches[i];
        char text[BLOCKING_TEXT];
        blocking_text(result->candidates[1 + i].blocking, text);
        fprintf(stream, "  %7zu  %-16s %9.3f %12.1f %12.3f %12.3f\n", batch->queries, text,
                batch->ns, batch_queries_per_second(batch), batch_service_ms(batch),
                batch_mean_wait_ms(batch, rate));
    }
}
