/* treebench blocking: finds the fastest loop order and its blocks. */
#include "base/files/json.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/measure/limits.h"
#include "harness/tuning/blocking.h"
#include "harness/tuning/tune.h"
#include "impls/scorer.h"
#include "impls/variant.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MADE_UP_DOCS = 2000, MADE_UP_SEED = 2016 };

static const char *const measure_words[] = {"caches", "none", NULL};
enum { MEASURE_CACHES = 1, MEASURE_NONE };

struct blocking_options {
    struct input_files files;
    const char *impl;
    int64_t docs, rounds, query_docs;
    int measure; /* an enum above; 0: not given */
    bool all_cases, exhaustive, partition, json;
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

/* --- searching -------------------------------------------------------------------------------- */

static struct blocking_request request_of(struct blocking_state *state) {
    const struct blocking_options *options = state->options;
    return (struct blocking_request){
        .ensemble = state->in.ensemble,
        .spec = options->impl,
        .documents = &state->documents,
        .n_docs = state->n_docs,
        .rounds = (uint32_t)options->rounds,
        .measures_caches = options->measure != MEASURE_NONE,
        .is_exhaustive = options->exhaustive,
        .candidates = {.cases = options->all_cases ? CASES_ALL : CASES_GUIDED},
        .progress = &state->progress,
        .note = command_show};
}

static enum status print(const struct blocking_state *state, struct error *error) {
    if (!state->options->json) {
        blocking_print(stdout, &state->result);
        return STATUS_OK;
    }
    return json_print(blocking_to_json(&state->result), stdout, error);
}

/* --- partitions ------------------------------------------------------------------------------- */

static enum status search_partitions(struct blocking_state *state,
                                     const struct blocking_request *request, struct error *error) {
    struct partition_point points[PARTITIONS_MOST];
    size_t n = 0;
    progress_begin(&state->progress, 1);
    enum status status =
        partition_search(request, &state->result.problem.machine, points, &n, error);
    progress_done(&state->progress);
    if (!status && n == 0)
        status = error_set(error, STATUS_INPUT, "--partition: the model has only one tree");
    if (!status)
        partition_print(stdout, request->spec, points, n);
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
    const struct blocking_request request = request_of(state);
    if (!status && state->options->partition) {
        status = blocking_run_machine(&request, &state->result, error);
        return status ? status : search_partitions(state, &request, error);
    }
    if (!status) {
        progress_begin(&state->progress, 1);
        status = blocking_run(&request, &state->bench, &state->result, error);
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
    {"measure", NULL, "measure sizes and latencies of caches first (default: caches)",
     SETS_CHOICE(blocking_options, measure, measure_words)},
    {"all-cases", NULL, "measure all 28 range cases, not only likely ones",
     SETS_SWITCH(blocking_options, all_cases)},
    {"exhaustive", NULL, "also search a dense grid, which takes much longer",
     SETS_SWITCH(blocking_options, exhaustive)},
    {"partition", NULL, "find the best trees per unit (tau) of bwqs, too",
     SETS_SWITCH(blocking_options, partition)},
    {"query-docs", "N", "also measure batches of queries with N documents each",
     SETS_INTEGER(blocking_options, query_docs, 1, 1000000)},
    {"json", NULL, "print JSON", SETS_SWITCH(blocking_options, json)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    struct blocking_options *options = parsed->request;
    if (!options->impl)
        options->impl = impl_with_role(IMPL_PLAIN_WALK)->name;
    struct blocking_state *state = calloc(1, sizeof *state);
    if (!state)
        return error_memory(error, "the search");
    state->options = options;
    enum status status = run_state(state, error);
    blocking_bench_free(&state->bench);
    matrix_free(state->made);
    inputs_free(&state->in);
    free(state);
    return status;
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
        "mixtures of them are added. docs/blocking.md explains the model.\n"
        "\n" READS_HELP "\n"
        "Examples:\n"
        "  treebench blocking --model m.json --data d.txt --impl struct-plus\n"
        "  treebench blocking --model m.json --impl bwqs --all-cases",
    .flags = flags,
    .request = &(struct blocking_options){.rounds = 7},
    .run = run,
};
