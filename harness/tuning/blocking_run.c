#include "harness/tuning/blocking_run.h"

#include "harness/blocking/choice.h"
#include "harness/instruments/timer.h"
#include "harness/memory/survey.h"
#include "impls/scorer.h"

#include <stdlib.h>

enum { SURVEY_MOST = 256 << 20 };

enum status blocking_run_machine(const struct blocking_request *request,
                                 struct blocking_result *result, struct error *error) {
    struct blocking_machine *machine = &result->problem.machine;
    blocking_machine_read(request->busy_cores, machine);
    if (!request->measures_caches)
        return STATUS_OK;
    struct memory_survey *survey = malloc(sizeof *survey);
    if (!survey)
        return error_memory(error, "latencies");
    const struct survey_request asked = {
        .detail = &latency_least, .most = SURVEY_MOST, .times_last = 4};
    enum status status = memory_survey(&asked, survey, error);
    if (!status) {
        blocking_machine_measured(&survey->pages[PAGES_SMALL].levels, &survey->caches,
                                  request->busy_cores, machine);
        result->caches_measured = true;
    }
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
static enum status choose_standard(const struct blocking_request *request,
                                   const struct blocking_bench *bench, struct blocking *standard,
                                   struct error *error) {
    const struct order_choice dsd = {.is_given = true, .order = ORDER_DSD};
    struct plan plan = {.threads = request->busy_cores};
    enum status status = order_choice_plan(&dsd, bench->scorer, &bench->choosing, &plan, error);
    *standard = (struct blocking){ORDER_DSD, plan.doc_block, 0};
    return status;
}

static enum status search(const struct blocking_request *request, struct blocking_bench *bench,
                          struct blocking_result *result, struct error *error) {
    struct candidate_request candidates = request->candidates;
    uint64_t begin = timer_cpu_ns();
    enum status status = choose_standard(request, bench, &candidates.standard, error);
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
    result->has_reference = true;
    status = blocking_search_exhaustive(&result->problem, &result->search, blocking_bench_measure,
                                        bench, &result->reference, error);
    result->reference_seconds = seconds_since(begin);
    return status;
}

enum status blocking_run(const struct blocking_request *request, struct blocking_bench *bench,
                         struct blocking_result *result, struct error *error) {
    enum status status = blocking_run_machine(request, result, error);
    if (!status)
        status = blocking_bench_open(request->ensemble, request->spec, request->documents,
                                     request->n_docs, request->rounds, bench, error);
    if (status)
        return status;
    const struct blocking_machine machine = result->problem.machine;
    bench->note = request->note;
    bench->progress = request->progress;
    blocking_problem_of_scorer(bench->scorer, request->n_docs,
                               request->documents->stride * sizeof(float), &machine,
                               &result->problem);
    result->spec = request->spec;
    result->n_trees = request->ensemble->n_trees;
    result->documents_note = request->documents->note;
    return search(request, bench, result, error);
}
