/* The types of an entry's members. The page of all entries relies on them. */
#include "base/files/json.h"
#include "harness/tuning/atlas_parts.h"

#include <math.h>
#include <stdio.h>

struct member {
    const char *key;
    bool (*is_kind)(const cJSON *value);
    const char *kind; /* as an error names it */
};

static bool is_text(const cJSON *value) {
    return cJSON_IsString(value);
}

static bool is_number(const cJSON *value) {
    return cJSON_IsNumber(value) && isfinite(value->valuedouble);
}

static bool is_number_or_null(const cJSON *value) {
    return is_number(value) || cJSON_IsNull(value);
}

static bool is_object(const cJSON *value) {
    return cJSON_IsObject(value);
}

static bool is_object_or_null(const cJSON *value) {
    return cJSON_IsObject(value) || cJSON_IsNull(value);
}

static bool is_list(const cJSON *value) {
    return cJSON_IsArray(value);
}

#define TEXT is_text, "a string"
#define NUMBER is_number, "a number"
#define NUMBER_OR_NULL is_number_or_null, "a number or null"
#define OBJECT is_object, "an object"
#define OBJECT_OR_NULL is_object_or_null, "an object or null"
#define LIST is_list, "an array"

static const struct member entry_members[] = {{"cpu", OBJECT}, {"build", OBJECT},   {"scale", TEXT},
                                              {"clock", TEXT}, {"workloads", LIST}, {0}};
static const struct member cpu_members[] = {{"model", TEXT}, {"cores", NUMBER}, {0}};
static const struct member build_members[] = {{"commit", TEXT}, {0}};
static const struct member workload_members[] = {{"where", TEXT},
                                                 {"kind", TEXT},
                                                 {"note", TEXT},
                                                 {"documents", NUMBER},
                                                 {"trees", NUMBER},
                                                 {"threads", NUMBER},
                                                 {"variants", NUMBER},
                                                 {"winner", TEXT},
                                                 {"ns_per_document", NUMBER_OR_NULL},
                                                 {"second", TEXT},
                                                 {"second_to_winner", OBJECT},
                                                 {"auto_to_winner", OBJECT_OR_NULL},
                                                 {0}};
static const struct member ratio_members[] = {
    {"value", NUMBER_OR_NULL}, {"low", NUMBER_OR_NULL}, {"high", NUMBER_OR_NULL}, {0}};

static enum status check_members(const char *name, const cJSON *object,
                                 const struct member *members, struct error *error) {
    if (!cJSON_IsObject(object))
        return error_set(error, STATUS_INPUT, "%s: expected an object", name);
    for (; members->key; members++) {
        const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, members->key);
        if (!value || !members->is_kind(value))
            return error_set(error, STATUS_INPUT, "%s: %s: %s; expected %s", name, members->key,
                             value ? "wrong type" : "missing", members->kind);
    }
    return STATUS_OK;
}

static enum status check_within(const char *name, const cJSON *object, const char *key,
                                const struct member *members, struct error *error) {
    char where[512];
    snprintf(where, sizeof where, "%.400s: %s", name, key);
    return check_members(where, cJSON_GetObjectItemCaseSensitive(object, key), members, error);
}

static enum status check_workload(const char *name, const cJSON *workload, struct error *error) {
    enum status status = check_members(name, workload, workload_members, error);
    if (!status)
        status = check_within(name, workload, "second_to_winner", ratio_members, error);
    if (!status && !cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(workload, "auto_to_winner")))
        status = check_within(name, workload, "auto_to_winner", ratio_members, error);
    return status;
}

enum status atlas_check_types(const char *name, const cJSON *entry, struct error *error) {
    enum status status = check_members(name, entry, entry_members, error);
    if (!status)
        status = check_within(name, entry, "cpu", cpu_members, error);
    if (!status)
        status = check_within(name, entry, "build", build_members, error);
    if (status)
        return status;
    const cJSON *workload;
    size_t number = 0;
    cJSON_ArrayForEach(workload, cJSON_GetObjectItemCaseSensitive(entry, "workloads")) {
        char where[512];
        snprintf(where, sizeof where, "%.400s: workload %zu", name, ++number);
        if ((status = check_workload(where, workload, error)) != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}
