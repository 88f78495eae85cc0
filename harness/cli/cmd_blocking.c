/* treebench blocking: finds the fastest loop order and its blocks. */
#include "harness/blocking/choice.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/instruments/timer.h"
#include "harness/measure/limits.h"
#include "harness/memory/survey.h"
#include "harness/tuning/blocking_bench.h"
#include "harness/tuning/blocking_report.h"
#include "harness/tuning/partition_search.h"
#include "harness/tuning/query_batches.h"
#include "harness/tuning/tune_documents.h"
#include "impls/scorer.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_UP_DOCS = 2000, MADE_UP_SEED = 2016, SURVEY_MOST = 256 << 20, BUSY_CORES_MOST = 4096 };

static const char *const measure_words[] = {"caches", "none", NULL};
enum { MEASURE_CACHES = 1, MEASURE_NONE };

struct blocking_options {
    struct input_files files;
    const char *impl;
    int64_t docs, rounds, busy_cores, query_docs;
    double keep;
    int measure; /* an enum above; 0: not given */
    bool all_cases, mu_product, exhaustive, partition, json;
};

struct blocking_state {
    const struct blocking_options *options;
    struct inputs in;
    struct matrix *made;     /* NULL if enough documents were given */
    struct matrix documents; /* twice n_docs */
    size_t n_docs;
    struct blocking_bench bench;
    struct blocking_result result;
    struct progress progress;
};

/* --- documents -------------------------------------------------------------------------------- */

static size_t made_up_docs(const struct ensemble *ensemble) {
    size_t most =
        LIMIT_MADE_BYTES / 2 / limit_row_bytes(0, ensemble->n_features, ensemble->n_outputs);
    return most == 0 ? 1 : most < MADE_UP_DOCS ? most : MADE_UP_DOCS;
}

/* n documents are for choosing, and n others confirm the choice. */
static enum status choose_documents(struct blocking_state *state, struct error *error) {
    const struct matrix *given = state->in.documents;
    size_t asked = (size_t)state->options->docs;
    state->n_docs = asked   ? asked
                    : given ? (given->n_rows + 1) / 2
                            : made_up_docs(state->in.ensemble);
    enum status status = STATUS_OK;
    if (!given)
        status = synth_threshold_documents(state->in.ensemble, 2 * state->n_docs, MADE_UP_SEED,
                                           &state->made, error);
    else if (given->n_rows < 2 * state->n_docs)
        status = tune_documents_resample(given, 2 * state->n_docs, &state->made, error);
    state->documents = state->made ? *state->made : given ? *given : (struct matrix){0};
    return status;
}

/* --- the machine ------------------------------------------------------------------------------ */

static enum status describe_machine(struct blocking_state *state, struct error *error) {
    unsigned busy = (unsigned)state->options->busy_cores;
    struct blocking_machine *machine = &state->result.problem.machine;
    blocking_machine_read(busy, machine);
    if (state->options->measure == MEASURE_NONE)
        return STATUS_OK;
    struct memory_survey *survey = malloc(sizeof *survey);
    if (!survey)
        return error_memory(error, "latencies");
    const struct survey_request request = {
        .detail = &latency_least, .most = SURVEY_MOST, .times_last = 4};
    enum status status = memory_survey(&request, survey, error);
    if (!status) {
        blocking_machine_measured(&survey->pages[PAGES_SMALL].levels, &survey->caches, busy,
                                  machine);
        state->result.caches_measured = true;
    }
    free(survey);
    return status;
}

/* --- searching -------------------------------------------------------------------------------- */

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
static enum status choose_standard(const struct blocking_state *state, struct blocking *standard,
                                   struct error *error) {
    const struct order_choice dsd = {.is_given = true, .order = ORDER_DSD};
    struct plan plan = {.threads = (unsigned)state->options->busy_cores};
    enum status status =
        order_choice_plan(&dsd, state->bench.scorer, &state->bench.choosing, &plan, error);
    *standard = (struct blocking){ORDER_DSD, plan.doc_block, 0};
    return status;
}

static enum status search(struct blocking_state *state, struct error *error) {
    const struct blocking_options *options = state->options;
    struct blocking_result *result = &state->result;
    struct candidate_request request = {.cases = options->all_cases ? CASES_ALL : CASES_GUIDED,
                                        .keep = options->keep,
                                        .mu_product = options->mu_product};
    uint64_t begin = timer_cpu_ns();
    enum status status = choose_standard(state, &request.standard, error);
    if (!status)
        status = blocking_search_guided(&result->problem, &request, blocking_bench_measure,
                                        &state->bench, &result->search, error);
    result->search_seconds = seconds_since(begin);
    if (status)
        return status;
    fit_costs(result);
    if (!options->exhaustive)
        return STATUS_OK;
    begin = timer_cpu_ns();
    result->has_reference = true;
    status = blocking_search_exhaustive(&result->problem, &result->search, blocking_bench_measure,
                                        &state->bench, &result->reference, error);
    result->reference_seconds = seconds_since(begin);
    return status;
}

static enum status open_bench(struct blocking_state *state, struct error *error) {
    struct blocking_result *result = &state->result;
    const struct blocking_machine machine = result->problem.machine;
    enum status status =
        blocking_bench_open(state->in.ensemble, state->options->impl, &state->documents,
                            state->n_docs, (uint32_t)state->options->rounds, &state->bench, error);
    if (status)
        return status;
    state->bench.note = command_show;
    state->bench.progress = &state->progress;
    blocking_problem_of_scorer(state->bench.scorer, state->n_docs,
                               state->documents.stride * sizeof(float), &machine, &result->problem);
    result->spec = state->options->impl;
    result->n_trees = state->in.ensemble->n_trees;
    result->documents_note = state->documents.note;
    return STATUS_OK;
}

static enum status print(const struct blocking_state *state, struct error *error) {
    if (!state->options->json) {
        blocking_print(stdout, &state->result);
        return STATUS_OK;
    }
    cJSON *json = blocking_to_json(&state->result);
    char *text = json ? cJSON_Print(json) : NULL;
    cJSON_Delete(json);
    if (!text)
        return error_memory(error, "JSON");
    printf("%s\n", text);
    cJSON_free(text);
    return STATUS_OK;
}

/* --- partitions ------------------------------------------------------------------------------- */

static enum status search_partitions(struct blocking_state *state, struct error *error) {
    const struct blocking_options *options = state->options;
    struct partition_point points[PARTITIONS_MOST];
    size_t n = 0;
    const struct partition_request request = {
        .ensemble = state->in.ensemble,
        .impl = options->impl,
        .documents = &state->documents,
        .n_docs = state->n_docs,
        .rounds = (uint32_t)options->rounds,
        .machine = state->result.problem.machine,
        .candidates = {.keep = options->keep, .mu_product = options->mu_product},
        .progress = &state->progress,
        .note = command_show};
    progress_begin(&state->progress, 1);
    enum status status = partition_search(&request, points, &n, error);
    progress_done(&state->progress);
    if (!status && n == 0)
        status = error_set(error, STATUS_INPUT, "--partition: the model has only one tree");
    if (!status)
        partition_print(stdout, options->impl, points, n);
    return status;
}

/* --- batches of queries ----------------------------------------------------------------------- */

static enum status print_batches(struct blocking_state *state, struct error *error) {
    struct query_batches batches;
    size_t query_docs = (size_t)state->options->query_docs;
    if (!query_docs)
        return STATUS_OK;
    if (query_docs > state->n_docs)
        return error_set(error, STATUS_INPUT,
                         "--query-docs: a call has only %zu documents (--docs)", state->n_docs);
    enum status status = query_batches_measure(&state->bench, query_docs,
                                               state->result.search.standard.blocking.docs
                                                   ? state->result.search.standard.blocking.docs
                                                   : state->n_docs,
                                               &batches, error);
    if (!status)
        query_batches_print(stdout, &batches);
    return status;
}

static enum status check_options(const struct blocking_options *options, struct error *error) {
    if (options->query_docs && (options->json || options->partition))
        return error_set(error, STATUS_INPUT,
                         "--query-docs cannot be used with --json or --partition");
    if (!options->partition)
        return STATUS_OK;
    if (options->all_cases || options->exhaustive || options->json)
        return error_set(error, STATUS_INPUT,
                         "--partition cannot be used with --all-cases, --exhaustive or --json");
    if (strstr(options->impl, "tau="))
        return error_set(error, STATUS_INPUT, "--partition chooses tau: leave it out of --impl");
    return STATUS_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

static enum status run_state(struct blocking_state *state, struct error *error) {
    struct variant variant;
    struct options parameters;
    enum status status = variant_parse(state->options->impl, &variant, error);
    if (status)
        return status;
    if (variant.order.is_given)
        return error_set(error, STATUS_INPUT,
                         "--impl: leave out order, d and s, because this command chooses them");
    if (!impl_parse(state->options->impl, &parameters, error))
        return STATUS_INPUT;
    status = check_options(state->options, error);
    if (!status)
        status = inputs_read(&state->options->files, &state->in, error);
    if (!status)
        status = choose_documents(state, error);
    if (!status)
        status = describe_machine(state, error);
    if (!status && state->options->partition)
        return search_partitions(state, error);
    if (!status)
        status = open_bench(state, error);
    if (!status) {
        progress_begin(&state->progress, 1);
        status = search(state, error);
        progress_done(&state->progress);
    }
    if (!status)
        status = print(state, error);
    return status ? status : print_batches(state, error);
}

static const struct flag flags[] = {
    MODEL_FLAG(blocking_options, files, true),
    {"data", "FILE", "documents (default: made from the model's thresholds)",
     SETS_TEXT(blocking_options, files.data)},
    READING_FLAGS(blocking_options, files),
    MISSING_FLAG(blocking_options, files),
    TREES_FLAG(blocking_options, files),
    {"impl", "SPEC", "the implementation (default: struct-plus)",
     SETS_TEXT(blocking_options, impl)},
    {"docs", "N", "documents per call, n (default: half of the documents)",
     SETS_INTEGER(blocking_options, docs, 1, 1000000)},
    {"rounds", "N", "samples of each candidate (default: 7)",
     SETS_INTEGER(blocking_options, rounds, 2, 1000)},
    {"busy-cores", "N", "cores that score at once and share caches (default: 1)",
     SETS_INTEGER(blocking_options, busy_cores, 1, BUSY_CORES_MOST)},
    {"measure", NULL, "measure sizes and latencies of caches first (default: caches)",
     SETS_CHOICE(blocking_options, measure, measure_words)},
    {"all-cases", NULL, "measure all 28 range cases, not only likely ones",
     SETS_SWITCH(blocking_options, all_cases)},
    {"mu-product", NULL, "try all pairs of mu for d and s, not only equal ones",
     SETS_SWITCH(blocking_options, mu_product)},
    {"keep", "X", "keep cases of up to X times the least cost (default: 2)",
     SETS_REAL(blocking_options, keep, 1, 1000)},
    {"exhaustive", NULL, "also search a dense grid, which takes much longer",
     SETS_SWITCH(blocking_options, exhaustive)},
    {"partition", NULL, "find the best trees per unit (tau) of bwqs, too",
     SETS_SWITCH(blocking_options, partition)},
    {"query-docs", "N", "also measure batches of queries with N documents each",
     SETS_INTEGER(blocking_options, query_docs, 1, 1000000)},
    {"json", NULL, "print JSON", SETS_SWITCH(blocking_options, json)},
    {0}};

static int run(int argc, char **argv) {
    struct blocking_options options = {
        .impl = "struct-plus", .rounds = 7, .busy_cores = 1, .keep = CANDIDATES_KEEP};
    struct parsed parsed = command_parse(&command_blocking, argc, argv, &options);
    if (parsed.ends)
        return parsed.exit_status;
    struct error error;
    struct blocking_state *state = calloc(1, sizeof *state);
    if (!state)
        return command_fail(error_memory(&error, "the search"), &error);
    state->options = &options;
    enum status status = run_state(state, &error);
    blocking_bench_free(&state->bench);
    matrix_free(state->made);
    inputs_free(&state->in);
    free(state);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_blocking = {
    .name = "blocking",
    .summary = "find the fastest loop order and its blocks of documents and trees",
    .details =
        "Scoring in blocks keeps documents and trees in the caches. This command finds the "
        "fastest order and blocks for a model, documents and an implementation, as jin2016 "
        "proposes: the sizes of the caches, of documents and of trees give a few candidates, and "
        "these are measured. The fastest one is measured again on other documents.\n"
        "\n"
        "T is the cost of data accesses that jin2016's model predicts, relative to documents "
        "that are in L1. Times are in ns per document and tree, by the CPU clock. DS, which has "
        "no blocks, is the baseline. --exhaustive also searches a dense grid, and reports how "
        "much slower the choice is than the best point of the grid.\n"
        "\n"
        "n documents choose, and n others confirm. If the data has fewer than 2 n documents, "
        "mixtures of them are added. docs/cache-blocking.md explains the model.\n"
        "\n" READS_HELP "\n"
        "Example:\n"
        "  treebench blocking --model m.json --data d.txt --impl struct-plus",
    .flags = flags,
    .run = run,
};
