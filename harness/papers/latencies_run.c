#include "harness/papers/latencies_parts.h"

#include "base/cpu.h"
#include "harness/artefacts/grid.h"
#include "harness/latency/timing.h"
#include "harness/measure/workload.h"
#include "impls/scorer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    /* Of each variant in a round: 8 rounds prove p99.9, 24 prove it by the 10th longest latency,
     * and 80 prove p99.99. */
    ROUND_CALLS = 840,
    PLACEMENTS = 4
};
/* A round of a server lasts at least this long, to outlast short stalls of the machine. */
#define SERVER_ROUND_SECONDS 0.02

/* Calls per second of servers. */
static const double rates[] = {5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6};

/* --- the store -------------------------------------------------------------------------------- */

#define RESULT(KIND, NAME, MEMBER, ...)                                                            \
    FIELD(struct latency_result, KIND, NAME, MEMBER, __VA_ARGS__)
#define PROVEN(NAME, INDEX) RESULT(REAL, NAME, proven_ns[INDEX], .help = "proven", .unit = "ns")
static const struct record_field result_fields[] = {
    RESULT(TEXT, "variant", variant, .help = "`vpred,v=8`"),
    RESULT(TEXT, "version", version, .help = "of another project's library"),
    RESULT(CHOICE, "status", status, .names = row_status_names, .help = "as in rows"),
    RESULT(TEXT, "reason", reason, .help = "why there are no latencies"),
    RESULT(COUNT, "calls", calls, .help = "number of latencies"),
    PROVEN("p50_ns", 0),
    PROVEN("p90_ns", 1),
    PROVEN("p99_ns", 2),
    PROVEN("p99_9_ns", 3),
    PROVEN("p99_99_ns", 4),
    RESULT(REAL, "completed_rate", completed_rate, .help = "calls that ended per second")};
static const struct record result_record = {.what = "a result",
                                            .fields = result_fields,
                                            .n_fields = FIELDS(result_fields),
                                            .docs = "docs/latency.md"};

static cJSON *results_to_json(const void *data) {
    const struct latency_item *item = data;
    return record_list(&result_record, item->results, item->n_results, sizeof *item->results);
}

static enum status results_from_json(const char *name, const char *key, const cJSON *json,
                                     void *data, struct error *error) {
    struct latency_item *item = data;
    const cJSON *result;
    enum status status = STATUS_OK;
    if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) > LATENCY_RESULTS_MAX)
        return error_set(error, STATUS_INPUT, "%s: %s: must be an array of at most %d results",
                         name, key, LATENCY_RESULTS_MAX);
    cJSON_ArrayForEach(result, json) {
        if (!status)
            status = record_from_json(name, &result_record, result,
                                      &item->results[item->n_results++], error);
    }
    return status;
}

static const struct record_form results_form = {"array", results_to_json, results_from_json, NULL,
                                                NULL};

#define ITEM(KIND, NAME, MEMBER, ...) FIELD(struct latency_item, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field fields[] = {
    ITEM(TEXT, "kind", workload.kind, .help = "kind of model"),
    ITEM(TEXT, "data", workload.data, .help = "data set; empty: made"),
    ITEM(U32, "depth", workload.depth, .help = "of balanced trees"),
    ITEM(U32, "max_leaves", workload.max_leaves, .help = "limit of leaves"),
    ITEM(U32, "trees", workload.trees, .help = "number of trees"),
    ITEM(U32, "features", workload.features, .help = "number of features"),
    ITEM(U64, "documents", workload.documents, .help = "number of documents"),
    ITEM(U64, "seed", workload.seed, .help = "of the model"),
    ITEM(REAL, "rate", rate, .help = "scheduled calls per second; 0: a stream"),
    ITEM(TEXT, "processor", processor, .help = "that measured"),
    ITEM(REAL, "steal", steal, .help = "share of time that the hypervisor took"),
    WHOLE(FORM, "results", .form = &results_form, .help = "of the variants and the empty call")};
static const struct record record = {.what = "latencies",
                                     .fields = fields,
                                     .n_fields = FIELDS(fields),
                                     .schema = 1,
                                     .oldest = 1,
                                     .docs = "docs/latency.md"};

static bool is_same(const void *a, const void *b) {
    const struct latency_item *first = a, *second = b;
    bool same = workload_same(&first->workload, &second->workload) && first->rate == second->rate &&
                first->n_results == second->n_results;
    for (size_t i = 0; same && i < first->n_results; i++)
        same = strcmp(first->results[i].variant, second->results[i].variant) == 0;
    return same;
}

const struct json_lines latency_lines = {.file = "latency.jsonl",
                                         .things = "latencies",
                                         .thing = "latencies",
                                         .size = sizeof(struct latency_item),
                                         .record = &record,
                                         .is_same = is_same};

/* --- what is asked for ------------------------------------------------------------------------ */

bool latencies_is_server(const struct artefact *artefact) {
    const cJSON *table = cJSON_GetObjectItemCaseSensitive(artefact->json, "table");
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(table, "kind"));
    return kind && strcmp(kind, "rates") == 0;
}

bool latencies_ask(const struct artefact *artefact, const struct panel *panel,
                   const struct point *point, size_t k, void *data) {
    struct latency_item *item = data;
    bool is_server = latencies_is_server(artefact);
    item->workload = grid_workload(artefact, panel, point, 0);
    item->rate = is_server && k < FIELDS(rates) ? rates[k] : 0;
    item->n_results = artefact->n_variants + 1;
    for (size_t i = 0; i < artefact->n_variants; i++)
        snprintf(item->results[i].variant, ROW_NAME_SIZE, "%s", artefact->variants[i]);
    snprintf(item->results[artefact->n_variants].variant, ROW_NAME_SIZE, "%s",
             impl_with_role(IMPL_EMPTY)->name);
    return k < (is_server ? FIELDS(rates) : 1);
}

const struct latency_item *latencies_at(const struct artefact_report *report,
                                        const struct panel *panel, const struct point *point,
                                        size_t k, bool *is_past) {
    struct latency_item asked = {.rate = 0};
    *is_past = !latencies_ask(report->artefact, panel, point, k, &asked);
    return *is_past ? NULL : json_list_find(&latency_lines, report->results, &asked);
}

/* --- measuring -------------------------------------------------------------------------------- */

static void take_line(const struct timing *timing, const struct timing_line *line,
                      struct latency_result *result) {
    const struct target *target = &timing->targets[line->target];
    const struct impl *impl = impl_find(target->row.impl, NULL);
    const struct histogram *h = line->histogram;
    result->status = target->row.status;
    snprintf(result->reason, sizeof result->reason, "%s", target->row.reason);
    if (impl && result->status == ROW_OK)
        impl_version(impl, result->version, sizeof result->version);
    result->calls = h->total;
    result->completed_rate = timing_completed_rate(line);
    for (size_t i = 0; i < PERCENTILES; i++) {
        uint64_t rank = proof_rank(h->total, percentiles[i].over);
        result->proven_ns[i] = rank ? (double)histogram_at(h, h->total - rank) : (double)NAN;
    }
}

/* Takes the calls with different documents. The first variant's second measurement is left out. */
static void take(const struct timing *timing, struct latency_item *item) {
    for (size_t i = 0; i < timing->n_targets; i++) {
        bool is_empty = i == timing->empty;
        if (is_empty || i < timing->again)
            take_line(timing, &timing->lines[i],
                      &item->results[is_empty ? item->n_results - 1 : i]);
    }
    item->steal = timing->steal;
}

static enum status time_calls(const struct artefact *artefact, const struct workload_inputs *inputs,
                              struct latency_item *item, struct error *error) {
    const char *variants[LATENCY_RESULTS_MAX];
    const uint32_t rounds = artefact->scale.rounds;
    const struct call_size single = {1, 1};
    struct timing timing;
    for (size_t i = 0; i < artefact->n_variants; i++)
        variants[i] = artefact->variants[i];
    const struct timing_request request = {.variants = variants,
                                           .n_variants = artefact->n_variants,
                                           .sizes = &single,
                                           .n_sizes = 1,
                                           .mode = item->rate > 0 ? TIMING_SERVER : TIMING_STREAM,
                                           .rate = item->rate,
                                           .calls = (uint64_t)rounds * ROUND_CALLS,
                                           .seconds =
                                               item->rate > 0 ? rounds * SERVER_ROUND_SECONDS : 0,
                                           .rounds = rounds,
                                           .placements = rounds < PLACEMENTS ? rounds : PLACEMENTS,
                                           .document_seed = artefact->seed,
                                           .size_seed = artefact->seed + 1,
                                           .arrival_seed = artefact->seed + 2};
    enum status status =
        timing_measure(inputs->ensemble, inputs->documents, &request, &timing, error);
    if (!status && timing.is_interrupted)
        status = error_set(error, STATUS_MACHINE, "interrupted. Continue with --resume");
    if (!status)
        take(&timing, item);
    timing_free(&timing);
    return status;
}

enum status latencies_measure(struct artefact_run *run, const struct artefact *artefact, void *data,
                              bool *is_missing, struct error *error) {
    struct latency_item *item = data;
    struct workload_inputs inputs = {.ensemble = NULL};
    struct cpu_info cpu;
    (void)is_missing;
    cpu_read_info(&cpu);
    snprintf(item->processor, sizeof item->processor, "%s", cpu.model);
    enum status status = workload_make_inputs(run->directory, &item->workload, &inputs, error);
    if (!status)
        status = time_calls(artefact, &inputs, item, error);
    workload_free_inputs(&inputs);
    return status;
}
