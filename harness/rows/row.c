#include "harness/rows/row.h"

#include "base/files/json.h"
#include "base/files/origin_form.h"
#include "base/origin.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const row_status_names[5] = {"ok", "wrong", "unsupported", "failed", NULL};

/* --- samples ---------------------------------------------------------------------------------- */

static cJSON *samples_to_json(const void *member) {
    const struct sample_set *samples = member;
    cJSON *both = cJSON_CreateObject();
    cJSON *wall = cJSON_AddArrayToObject(both, "wall"), *cpu = cJSON_AddArrayToObject(both, "cpu");
    for (size_t i = 0; i < samples->count; i++) {
        cJSON_AddItemToArray(wall, record_real(samples->wall[i]));
        cJSON_AddItemToArray(cpu, record_real(samples->cpu[i]));
    }
    return both;
}

static enum status get_reals(const char *name, const cJSON *object, const char *key,
                             double **values, size_t *count, struct error *error) {
    const cJSON *array, *item;
    enum status status = json_get_array(name, object, key, &array, error);
    if (status)
        return status;
    size_t size = (size_t)cJSON_GetArraySize(array);
    *values = size > 0 ? malloc(size * sizeof **values) : NULL;
    if (size > 0 && *values == NULL)
        return error_memory(error, "samples");
    *count = 0;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsNull(item) && !cJSON_IsNumber(item))
            return error_set(error, STATUS_INPUT, "%s: %s: expected a number or null", name, key);
        (*values)[(*count)++] = cJSON_IsNull(item) ? NAN : item->valuedouble;
    }
    return STATUS_OK;
}

static enum status samples_from_json(const char *name, const char *key, const cJSON *json,
                                     void *member, struct error *error) {
    struct sample_set *samples = member;
    size_t cpu_count;
    enum status status = get_reals(name, json, "wall", &samples->wall, &samples->count, error);
    if (!status)
        status = get_reals(name, json, "cpu", &samples->cpu, &cpu_count, error);
    if (!status && samples->count != cpu_count)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: wall has %zu samples, but cpu has %zu. They must be equal", name,
                         key, samples->count, cpu_count);
    return status;
}

static void samples_csv(const void *member, FILE *stream) {
    fprintf(stream, "%zu", ((const struct sample_set *)member)->count);
}

static const struct record_form samples_form = {.type = "object",
                                                .to_json = samples_to_json,
                                                .from_json = samples_from_json,
                                                .csv = samples_csv};

/* --- counters --------------------------------------------------------------------------------- */

#define TIMES(NAME, MEMBER, HELP) FIELD(struct counter_value, U64, NAME, MEMBER, .help = HELP)
static const struct record_field value_field[] = {TIMES("value", value, "events")};
static const struct record_field times_fields[] = {
    TIMES("enabled_ns", enabled_ns, "how long it was wanted"),
    TIMES("running_ns", running_ns, "how long it counted")};
static const struct record value_record = RECORD_OF(value_field),
                           times_record = RECORD_OF(times_fields);

/* Returns null if the counter never ran. If the kernel multiplexed the counter, its value is null
 * but both times are there. */
static cJSON *counter_to_json(const void *member) {
    const struct counter_value *counter = member;
    if (!counter->valid && counter->enabled_ns == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    if (counter->valid)
        record_add(object, &value_record, counter);
    else
        cJSON_AddNullToObject(object, "value");
    record_add(object, &times_record, counter);
    return object;
}

static enum status counter_from_json(const char *name, const char *key, const cJSON *json,
                                     void *member, struct error *error) {
    struct counter_value *counter = member;
    if (cJSON_IsNull(json))
        return STATUS_OK;
    if (!cJSON_IsObject(json))
        return error_set(error, STATUS_INPUT, "%s: %s: %sexpected an object or null", name, key,
                         json ? "" : "missing; ");
    counter->valid = !cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(json, "value"));
    enum status status =
        counter->valid ? record_get(name, &value_record, json, counter, error) : STATUS_OK;
    return status ? status : record_get(name, &times_record, json, counter, error);
}

static void counter_csv(const void *member, FILE *stream) {
    const struct counter_value *counter = member;
    if (counter->valid)
        fprintf(stream, "%" PRIu64, counter->value);
}

static const struct record_form counter_form = {.type = "object or null",
                                                .to_json = counter_to_json,
                                                .from_json = counter_from_json,
                                                .csv = counter_csv};

#define COUNTS(KIND, NAME, HELP)                                                                   \
    FIELD(struct counts, KIND, #NAME, NAME, .help = HELP, .column = "counter_" #NAME)
#define COUNTER(NAME, name)                                                                        \
    FIELD(struct counts, FORM, #name, values[COUNTER_##NAME], .form = &counter_form,               \
          .help = "events"),
static const struct record_field counts_fields[] = {
    COUNTS(TEXT, source, "what counted"), COUNTS(TEXT, simulated, "what was simulated"),
    COUNTS(U64, documents, "documents of the counted pass"),
    COUNTS(TEXT, reason, "why counters are missing"), COUNTERS(COUNTER)};
static const struct record counts_record = RECORD_OF(counts_fields);

/* --- the origin ------------------------------------------------------------------------------- */

/* Rows before schema 6 have a kind and a note alone. */
static void complete_row(void *data, int schema) {
    struct row *row = data;
    const struct workload *w = &row->workload;
    unsigned made = strcmp(w->kind, "synthetic") == 0 ? ORIGIN_SYNTHETIC
                    : strcmp(w->kind, "grown") == 0   ? ORIGIN_GROWN
                                                      : 0,
             noted = origin_of_documents_note(row->note) & ~(unsigned)ORIGIN_UNKNOWN;
    noted |= origin_of_model_note(row->note);
    if (noted & ORIGIN_COPIED)
        made &= ~(unsigned)ORIGIN_GROWN;
    if (schema < 6)
        row->origin = origin_join(made | noted, w->resample > 0 ? ORIGIN_RESAMPLED : 0);
}

/* --- the fields ------------------------------------------------------------------------------- */

/* Seeds and sizes are stored as text (RECORD_U64). docs/rows.md has a table made from this one. */
#define ROW(KIND, NAME, MEMBER, ...) FIELD(struct row, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field fields[] = {
    ROW(TEXT, "cell", cell, .help = "key of the cell: a hash; in a [map](map.md) the point"),
    ROW(U32, "cell_rows", cell_rows, .help = "rows that make this cell complete"),
    ROW(TEXT, "artefacts", artefacts,
        .help = "artefacts that asked for the cell, with spaces between"),
    ROW(TEXT, "kind", workload.kind,
        .help = "`synthetic`, `trained`, `grown`, `files`, a learner: below"),
    ROW(TEXT, "model", workload.model, .help = "name of the file; empty except for `files`"),
    ROW(TEXT, "data", workload.data, .help = "file or data set; empty if documents are made"),
    ROW(U32, "depth", workload.depth,
        .help = "longest path of the deepest tree; forests: the limit"),
    ROW(U32, "features", workload.features, .help = "of the model"),
    ROW(U32, "trees", model_trees, .help = "of the model; 0 if it could not be made"),
    ROW(U32, "trees_asked", workload.trees, .help = "see below"),
    ROW(U32, "max_leaves", workload.max_leaves,
        .help = "asked for: no tree has more; 0: not limited"),
    ROW(U32, "patience", workload.patience,
        .help = "trees without a better NDCG that stop training"),
    ROW(REAL, "mean_tree_depth", mean_tree_depth,
        .help = "mean of the trees' longest paths; null: no trees"),
    ROW(U32, "resample", workload.resample,
        .help = "documents drawn for scoring; 0: none drawn, see below"),
    ROW(U64, "documents", workload.documents, .help = "scored in one pass"),
    ROW(U32, "trial", workload.trial, .help = "from 0; each trial has new trees and documents"),
    ROW(U64, "seed", workload.seed,
        .help = "seed of the artefact; other seeds are derived from it"),
    ROW(TEXT, "note", note, .help = "what model and documents are, if not real: see below"),
    ROW(FORM, "origin", origin, .help = "in how far they are not real, as words: see below",
        .form = &origin_form, .since = 6),
    ROW(TEXT, "impl", impl, .help = "the implementation: `vpred` for `vpred,v=8`"),
    ROW(TEXT, "params", params, .help = "its parameters: `v=8`; keys sorted"),
    ROW(TEXT, "order", order, .help = "[loop order](blocking.md): see below"),
    ROW(U64, "doc_block", doc_block, .help = "documents in a block; `0`: all"),
    ROW(U64, "unit_block", unit_block, .help = "units in a block; `0`: all"),
    ROW(U32, "threads", threads, .help = "number of threads that scored"),
    ROW(TEXT, "parallel", parallel, .help = "what is divided among the threads: see below"),
    ROW(TEXT, "barrier", barrier, .help = "when threads over trees add up their sums: see below"),
    ROW(TEXT, "passes", passes, .help = "`cold`: each in emptied caches; empty: warm", .since = 7),
    ROW(U32, "lanes", lanes, .help = "documents per step; 0: a library, or not built"),
    ROW(CHOICE, "status", status, .help = "`ok`, `wrong`, `unsupported` or `failed`: see below",
        .names = row_status_names),
    ROW(TEXT, "reason", reason, .help = "one line; empty if `ok`"),
    ROW(TEXT, "clock", clock, .help = "clock of the statistics: `cpu` or `wall`"),
    ROW(U64, "repetitions", repetitions, .help = "passes over the documents in the last sample"),
    ROW(FORM, "samples", samples, .help = "arrays `wall` and `cpu`, one number per round",
        .form = &samples_form),
    ROW(U32, "placement_rounds", samples.rounds,
        .help = "samples of each placement; 0: one placement", .since = 4),
    ROW(REAL, "median", median, .help = "of the samples of `clock`; null unless `ok`",
        .unit = "ns"),
    ROW(REAL, "median_low", median_interval.low,
        .help = "lower end of the median's 95 % bootstrap interval", .unit = "ns"),
    ROW(REAL, "median_high", median_interval.high, .help = "upper end of this interval",
        .unit = "ns"),
    ROW(REAL, "mean", mean, .help = "of the samples of `clock`; null unless `ok`", .unit = "ns"),
    ROW(U32, "outliers", outliers, .help = "samples outside Tukey's fences; they are kept"),
    ROW(U32, "builds", builds, .help = "builds for these samples; 0: built for another row",
        .since = 4),
    ROW(REAL, "build_ns", build_ns, .help = "wall time of the first build; null: not built",
        .since = 4),
    ROW(U64, "built_bytes", built_bytes, .help = "size of the built model", .unit = "bytes",
        .title = "model"),
    ROW(TEXT, "device", device, .help = "the [GPU](gpu.md); empty: none", .since = 5,
        .title = "device"),
    ROW(TEXT, "device_driver", device_driver, .help = "its driver", .since = 5),
    ROW(U32, "device_units", device_units, .help = "its multiprocessors or cores", .since = 5),
    ROW(U64, "device_l2_bytes", device_l2_bytes, .help = "its L2 cache", .since = 5),
    ROW(REAL, "device_scoring_ns", device_scoring_ns,
        .help = "mean time of kernels that score; null: no GPU", .since = 5),
    ROW(REAL, "device_preparing_ns", device_preparing_ns,
        .help = "of kernels that transpose or rank documents", .since = 5),
    ROW(REAL, "device_copying_ns", device_copying_ns, .help = "of copies between host and GPU",
        .since = 5),
    ROW(REAL, "mean_path", mean_path, .help = "decisions per document and tree; null: unknown"),
    ROW(REAL, "left_share", left_share, .help = "share of the decisions that went left, in 0 .. 1"),
    ROW(REAL, "false_nodes", false_nodes,
        .help = "false nodes per document and tree; null: unknown"),
    ROW(OBJECT, "counters", counts, .help = "counters of one pass: see [below](#counters)",
        .record = &counts_record),
};
const struct record row_record = {.what = "a row",
                                  .fields = fields,
                                  .n_fields = FIELDS(fields),
                                  .schema = ROW_SCHEMA,
                                  .oldest = ROW_SCHEMA_OLDEST,
                                  .docs = "docs/rows.md",
                                  .complete = complete_row};

void row_init(struct row *row) {
    memset(row, 0, sizeof *row);
    row->resident = resident_unknown;
    for (size_t i = 0; i < FIELDS(fields); i++) {
        void *member = (char *)row + fields[i].offset;
        if (fields[i].type == RECORD_REAL) /* unknown until measured */
            *(double *)member = NAN;
    }
}

void row_fail(struct row *row, enum row_status status, const char *reason) {
    row->status = status;
    snprintf(row->reason, sizeof row->reason, "%.*s", (int)sizeof row->reason - 1, reason);
}

void row_free(struct row *row) {
    free(row->samples.wall);
    free(row->samples.cpu);
    row->samples = (struct sample_set){.count = 0};
}

struct row_variant row_variant(const struct row *row) {
    struct row_variant variant;
    snprintf(variant.text, sizeof variant.text, "%s%s%s", row->impl,
             row->params[0] != '\0' ? "," : "", row->params);
    return variant;
}

void row_set_variant(struct row *row, const char *variant) {
    size_t name = strcspn(variant, ",");
    snprintf(row->impl, sizeof row->impl, "%.*s", (int)name, variant);
    snprintf(row->params, sizeof row->params, "%s", variant[name] ? variant + name + 1 : "");
}

const double *row_reported_samples(const struct row *row) {
    return strcmp(row->clock, "wall") == 0 ? row->samples.wall : row->samples.cpu;
}

struct placed_samples row_placed_samples(const struct row *row) {
    return (struct placed_samples){row_reported_samples(row), row->samples.count,
                                   row->samples.rounds};
}

struct ratio row_paired_ratio(const struct row *numerator, const struct row *denominator) {
    return placements_ratio(row_placed_samples(numerator), row_placed_samples(denominator), 0.95,
                            numerator->workload.seed);
}

cJSON *row_to_json(const struct row *row) {
    return record_to_json(&row_record, row);
}

enum status row_from_json(const char *name, const cJSON *json, struct row *row,
                          struct error *error) {
    struct row read;
    row_init(&read);
    enum status status = record_from_json(name, &row_record, json, &read, error);
    if (!status && (read.cell[0] == '\0' || read.cell_rows == 0))
        status = error_set(error, STATUS_INPUT, "%s: cell is empty or cell_rows is 0", name);
    if (!status)
        *row = read;
    else
        row_free(&read);
    return status;
}

void row_csv_write_header(FILE *stream) {
    fputs("schema,", stream);
    record_csv_header(&row_record, stream);
    fputc('\n', stream);
}

void row_csv_write(const struct row *row, FILE *stream) {
    fprintf(stream, "%d,", ROW_SCHEMA);
    record_csv(&row_record, row, stream);
    fputc('\n', stream);
}
