#include "harness/rows/row.h"

#include "base/files/json.h"
#include "base/number.h"
#include "harness/rows/row_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const row_status_names[4] = {"ok", "wrong", "unsupported", "failed"};
enum { ROW_STATUSES = sizeof row_status_names / sizeof *row_status_names };

/* The fields of a row. docs/rows.md explains each of them. */
#define TEXT(member)                                                                               \
    { #member, FIELD_TEXT, offsetof(struct row, member), SIZE_OF(member), 0 }
#define FIELD(name, type, member)                                                                  \
    { name, type, offsetof(struct row, member), SIZE_OF(member), 0 }
/* A field that the schema did not have before this version. */
#define FIELD_SINCE(schema, name, type, member)                                                    \
    { name, type, offsetof(struct row, member), SIZE_OF(member), schema }
#define SIZE_OF(member) sizeof(((struct row *)NULL)->member)
const struct row_field row_fields[] = {
    TEXT(cell),
    FIELD("cell_rows", FIELD_U32, cell_rows),
    TEXT(artefacts),
    FIELD("kind", FIELD_TEXT, workload.kind),
    FIELD("model", FIELD_TEXT, workload.model),
    FIELD("data", FIELD_TEXT, workload.data),
    FIELD("depth", FIELD_U32, workload.depth),
    FIELD("features", FIELD_U32, workload.features),
    FIELD("trees", FIELD_U32, model_trees),
    FIELD("trees_asked", FIELD_U32, workload.trees),
    FIELD("max_leaves", FIELD_U32, workload.max_leaves),
    FIELD("patience", FIELD_U32, workload.patience),
    FIELD("mean_tree_depth", FIELD_REAL, mean_tree_depth),
    FIELD("resample", FIELD_U32, workload.resample),
    FIELD("documents", FIELD_U64, workload.documents),
    FIELD("trial", FIELD_U32, workload.trial),
    FIELD("seed", FIELD_U64, workload.seed),
    TEXT(note),
    TEXT(impl),
    TEXT(params),
    TEXT(order),
    FIELD("doc_block", FIELD_U64, doc_block),
    FIELD("unit_block", FIELD_U64, unit_block),
    FIELD("threads", FIELD_U32, threads),
    TEXT(parallel),
    TEXT(barrier),
    FIELD("lanes", FIELD_U32, lanes),
    FIELD("status", FIELD_STATUS, status),
    TEXT(reason),
    TEXT(clock),
    FIELD("repetitions", FIELD_U64, repetitions),
    FIELD("samples", FIELD_SAMPLES, samples),
    FIELD_SINCE(4, "placement_rounds", FIELD_U32, samples.rounds),
    FIELD("median", FIELD_REAL, median),
    FIELD("median_low", FIELD_REAL, median_interval.low),
    FIELD("median_high", FIELD_REAL, median_interval.high),
    FIELD("mean", FIELD_REAL, mean),
    FIELD("outliers", FIELD_U32, outliers),
    FIELD_SINCE(4, "builds", FIELD_U32, builds),
    FIELD_SINCE(4, "build_ns", FIELD_REAL, build_ns),
    FIELD("built_bytes", FIELD_U64, built_bytes),
    FIELD_SINCE(5, "device", FIELD_TEXT, device),
    FIELD_SINCE(5, "device_driver", FIELD_TEXT, device_driver),
    FIELD_SINCE(5, "device_units", FIELD_U32, device_units),
    FIELD_SINCE(5, "device_l2_bytes", FIELD_U64, device_l2_bytes),
    FIELD_SINCE(5, "device_scoring_ns", FIELD_REAL, device_scoring_ns),
    FIELD_SINCE(5, "device_preparing_ns", FIELD_REAL, device_preparing_ns),
    FIELD_SINCE(5, "device_copying_ns", FIELD_REAL, device_copying_ns),
    FIELD("mean_path", FIELD_REAL, mean_path),
    FIELD("left_share", FIELD_REAL, left_share),
    FIELD("false_nodes", FIELD_REAL, false_nodes),
    FIELD("counters", FIELD_COUNTS, counts),
};
const size_t row_field_count = sizeof row_fields / sizeof *row_fields;

void row_init(struct row *row) {
    memset(row, 0, sizeof *row);
    row->median = row->mean = row->build_ns = NAN;
    row->median_interval = (struct interval){NAN, NAN};
    row->mean_tree_depth = row->mean_path = row->left_share = row->false_nodes = NAN;
    row->device_scoring_ns = row->device_preparing_ns = row->device_copying_ns = NAN;
}

void row_free(struct row *row) {
    free(row->samples.wall);
    free(row->samples.cpu);
    row->samples = (struct sample_set){.count = 0};
}

void row_variant(const struct row *row, char *text, size_t size) {
    snprintf(text, size, "%s%s%s", row->impl, row->params[0] != '\0' ? "," : "", row->params);
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

struct ratio row_paired_ratio_at(const struct row *numerator, const struct row *denominator,
                                 double confidence) {
    return placements_ratio(row_placed_samples(numerator), row_placed_samples(denominator),
                            confidence, numerator->workload.seed);
}

struct ratio row_paired_ratio(const struct row *numerator, const struct row *denominator) {
    return row_paired_ratio_at(numerator, denominator, 0.95);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Formats the number without cJSON, which would drop digits after the 15th if the loss is small. */
static cJSON *create_real(double value) {
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(value))
        return cJSON_CreateNull();
    number_format_double(value, text);
    return cJSON_CreateRaw(text);
}

static bool add_real(cJSON *object, const char *key, double value) {
    cJSON *item = create_real(value);
    if (item != NULL && cJSON_AddItemToObject(object, key, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool add_u64(cJSON *object, const char *key, uint64_t value) {
    char text[NUMBER_TEXT_SIZE];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return cJSON_AddStringToObject(object, key, text) != NULL;
}

static bool add_reals(cJSON *object, const char *key, const double *values, size_t count) {
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (size_t i = 0; array != NULL && i < count; i++) {
        cJSON *item = create_real(values[i]);
        if (item == NULL || !cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            return false;
        }
    }
    return array != NULL;
}

static bool add_samples(cJSON *object, const char *key, const struct sample_set *samples) {
    cJSON *both = cJSON_AddObjectToObject(object, key);
    return both != NULL && add_reals(both, "wall", samples->wall, samples->count) &&
           add_reals(both, "cpu", samples->cpu, samples->count);
}

/* Adds a counter, or null if it never ran. If the kernel multiplexed the counter, its value is null
 * but both times are added. */
static bool add_counter(cJSON *object, const char *key, const struct counter_value *counter) {
    if (!counter->valid && counter->enabled_ns == 0)
        return cJSON_AddNullToObject(object, key) != NULL;
    cJSON *members = cJSON_AddObjectToObject(object, key);
    return members != NULL &&
           (counter->valid ? add_u64(members, "value", counter->value)
                           : cJSON_AddNullToObject(members, "value") != NULL) &&
           add_u64(members, "enabled_ns", counter->enabled_ns) &&
           add_u64(members, "running_ns", counter->running_ns);
}

static bool add_counts(cJSON *object, const char *key, const struct counts *counts) {
    cJSON *members = cJSON_AddObjectToObject(object, key);
    bool added = members != NULL &&
                 cJSON_AddStringToObject(members, "source", counts->source) != NULL &&
                 cJSON_AddStringToObject(members, "simulated", counts->simulated) != NULL &&
                 add_u64(members, "documents", counts->documents) &&
                 cJSON_AddStringToObject(members, "reason", counts->reason) != NULL;
    for (size_t i = 0; added && i < COUNTER_COUNT; i++)
        added = add_counter(members, counter_names[i], &counts->values[i]);
    return added;
}

static bool add_field(cJSON *object, const struct row_field *field, const struct row *row) {
    const void *member = (const char *)row + field->offset;
    switch (field->type) {
    case FIELD_TEXT:
        return cJSON_AddStringToObject(object, field->name, member) != NULL;
    case FIELD_U32:
        return cJSON_AddNumberToObject(object, field->name, *(const uint32_t *)member) != NULL;
    case FIELD_U64:
        return add_u64(object, field->name, *(const uint64_t *)member);
    case FIELD_REAL:
        return add_real(object, field->name, *(const double *)member);
    case FIELD_STATUS:
        return cJSON_AddStringToObject(object, field->name, row_status_names[row->status]) != NULL;
    case FIELD_SAMPLES:
        return add_samples(object, field->name, member);
    case FIELD_COUNTS:
        return add_counts(object, field->name, member);
    }
    return false;
}

cJSON *row_to_json(const struct row *row) {
    cJSON *object = cJSON_CreateObject();
    bool added = object != NULL && cJSON_AddNumberToObject(object, "schema", ROW_SCHEMA) != NULL;
    for (size_t i = 0; added && i < row_field_count; i++)
        added = add_field(object, &row_fields[i], row);
    if (added)
        return object;
    cJSON_Delete(object);
    return NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status get_text(const char *name, const cJSON *object, const struct row_field *field,
                            char *text, struct error *error) {
    const char *value;
    enum status status = json_get_string(name, object, field->name, &value, error);
    if (status)
        return status;
    if (strlen(value) >= field->size)
        return error_set(error, STATUS_INPUT, "%s: %s: longer than %zu bytes", name, field->name,
                         field->size - 1);
    strcpy(text, value);
    return STATUS_OK;
}

static enum status get_u64(const char *name, const cJSON *object, const char *key, uint64_t *value,
                           struct error *error) {
    const char *text;
    enum status status = json_get_string(name, object, key, &text, error);
    if (status)
        return status;
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    /* strtoull would accept leading blanks and signs, which rows never contain */
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: \"%.40s\" is not an integer in 0 .. 2^64 - 1", name, key, text);
    *value = parsed;
    return STATUS_OK;
}

static enum status real_of(const char *name, const char *key, const cJSON *item, double *value,
                           struct error *error) {
    if (!cJSON_IsNull(item) && !cJSON_IsNumber(item))
        return error_set(error, STATUS_INPUT, "%s: %s: expected a number or null", name, key);
    *value = cJSON_IsNull(item) ? NAN : item->valuedouble;
    return STATUS_OK;
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
        status = real_of(name, key, item, &(*values)[*count], error);
        if (status)
            return status;
        (*count)++;
    }
    return STATUS_OK;
}

static enum status get_samples(const char *name, const cJSON *object, const char *key,
                               struct sample_set *samples, struct error *error) {
    const cJSON *both;
    size_t cpu_count;
    enum status status = json_get_object(name, object, key, &both, error);
    if (!status)
        status = get_reals(name, both, "wall", &samples->wall, &samples->count, error);
    if (!status)
        status = get_reals(name, both, "cpu", &samples->cpu, &cpu_count, error);
    if (!status && samples->count != cpu_count)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: wall has %zu samples, but cpu has %zu. They must be equal", name,
                         key, samples->count, cpu_count);
    return status;
}

static enum status get_status(const char *name, const cJSON *object, const char *key,
                              enum row_status *value, struct error *error) {
    const char *text;
    enum status status = json_get_string(name, object, key, &text, error);
    if (status)
        return status;
    for (size_t i = 0; i < ROW_STATUSES; i++) {
        if (strcmp(text, row_status_names[i]) == 0) {
            *value = (enum row_status)i;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_INPUT,
                     "%s: %s: \"%.40s\" is not ok, wrong, unsupported or failed", name, key, text);
}

static enum status get_counter(const char *name, const cJSON *object, const char *key,
                               struct counter_value *counter, struct error *error) {
    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(object, key)))
        return STATUS_OK;
    const cJSON *members;
    enum status status = json_get_object(name, object, key, &members, error);
    if (status)
        return status;
    counter->valid = !cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(members, "value"));
    if (counter->valid)
        status = get_u64(name, members, "value", &counter->value, error);
    if (!status)
        status = get_u64(name, members, "enabled_ns", &counter->enabled_ns, error);
    if (!status)
        status = get_u64(name, members, "running_ns", &counter->running_ns, error);
    return status;
}

static enum status get_counts(const char *name, const cJSON *object, const char *key,
                              struct counts *counts, struct error *error) {
    static const struct row_field source = {"source", FIELD_TEXT, 0, sizeof counts->source, 0};
    static const struct row_field simulated = {"simulated", FIELD_TEXT, 0, sizeof counts->simulated,
                                               0};
    static const struct row_field reason = {"reason", FIELD_TEXT, 0, sizeof counts->reason, 0};
    const cJSON *members;
    enum status status = json_get_object(name, object, key, &members, error);
    if (!status)
        status = get_text(name, members, &source, counts->source, error);
    if (!status)
        status = get_text(name, members, &simulated, counts->simulated, error);
    if (!status)
        status = get_u64(name, members, "documents", &counts->documents, error);
    if (!status)
        status = get_text(name, members, &reason, counts->reason, error);
    for (size_t i = 0; !status && i < COUNTER_COUNT; i++)
        status = get_counter(name, members, counter_names[i], &counts->values[i], error);
    return status;
}

static enum status get_field(const char *name, const cJSON *object, const struct row_field *field,
                             struct row *row, struct error *error) {
    void *member = (char *)row + field->offset;
    switch (field->type) {
    case FIELD_TEXT:
        return get_text(name, object, field, member, error);
    case FIELD_U32:
        return json_get_u32(name, object, field->name, 0, UINT32_MAX, member, error);
    case FIELD_U64:
        return get_u64(name, object, field->name, member, error);
    case FIELD_REAL:
        return real_of(name, field->name, cJSON_GetObjectItemCaseSensitive(object, field->name),
                       member, error);
    case FIELD_STATUS:
        return get_status(name, object, field->name, member, error);
    case FIELD_SAMPLES:
        return get_samples(name, object, field->name, member, error);
    case FIELD_COUNTS:
        return get_counts(name, object, field->name, member, error);
    }
    return STATUS_INPUT;
}

static enum status check_schema(const char *name, const cJSON *object, int *version,
                                struct error *error) {
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(object, "schema");
    if (!cJSON_IsNumber(schema))
        return error_set(error, STATUS_INPUT,
                         "%s: not a row. A row is an object with \"schema\": %d", name, ROW_SCHEMA);
    if (schema->valuedouble != schema->valueint || schema->valuedouble < ROW_SCHEMA_OLDEST ||
        schema->valuedouble > ROW_SCHEMA)
        return error_set(
            error, STATUS_INPUT,
            "%s: schema %.17g is not supported. This treebench reads schemas %d to %d. "
            "Measure again, or use the treebench that wrote the row",
            name, schema->valuedouble, ROW_SCHEMA_OLDEST, ROW_SCHEMA);
    *version = schema->valueint;
    return STATUS_OK;
}

/* Rejects unknown keys, so that a misspelt key is not ignored. */
static enum status check_keys(const char *name, const cJSON *object, struct error *error) {
    const char *keys[sizeof row_fields / sizeof *row_fields + 2] = {"schema"};
    for (size_t i = 0; i < row_field_count; i++)
        keys[i + 1] = row_fields[i].name;
    return json_check_keys(name, object, keys, "docs/rows.md", error);
}

enum status row_from_json(const char *name, const cJSON *json, struct row *row,
                          struct error *error) {
    struct row read;
    row_init(&read);
    int schema = 0;
    enum status status = check_schema(name, json, &schema, error);
    if (!status)
        status = check_keys(name, json, error);
    for (size_t i = 0; !status && i < row_field_count; i++)
        if (row_fields[i].since <= schema)
            status = get_field(name, json, &row_fields[i], &read, error);
    if (!status && (read.cell[0] == '\0' || read.cell_rows == 0))
        status = error_set(error, STATUS_INPUT, "%s: cell is empty or cell_rows is 0", name);
    if (!status)
        *row = read;
    else
        row_free(&read);
    return status;
}
