#include "harness/quality/code_size.h"

#include "base/files/json.h"
#include "harness/measure/workload.h"
#include "harness/rows/json_lines.h"
#include "harness/rows/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------------- */

static cJSON *to_json(const void *item) {
    const struct code_size *size = item;
    const struct code_subject *subject = &size->subject;
    const struct workload *w = &subject->workload;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, w->seed);
    errno = 0;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "schema", CODE_SIZE_SCHEMA);
    cJSON_AddStringToObject(json, "kind", w->kind);
    cJSON_AddStringToObject(json, "data", w->data);
    cJSON_AddStringToObject(json, "note", size->note);
    cJSON_AddNumberToObject(json, "max_depth", w->depth);
    cJSON_AddNumberToObject(json, "features", w->features);
    cJSON_AddNumberToObject(json, "trees", w->trees);
    cJSON_AddStringToObject(json, "seed", seed);
    cJSON_AddNumberToObject(json, "splits", subject->splits);
    cJSON_AddNumberToObject(json, "leaves", subject->leaves);
    cJSON_AddStringToObject(json, "feature", subject->feature);
    cJSON_AddStringToObject(json, "level", subject->level);
    cJSON_AddStringToObject(json, "compiler", size->compiler);
    cJSON_AddStringToObject(json, "machine", size->machine);
    cJSON_AddStringToObject(json, "version", size->version);
    cJSON_AddNumberToObject(json, "code", size->code);
    cJSON_AddNumberToObject(json, "constants", size->constants);
    return json_if_whole(json);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status get_text(const char *name, const cJSON *json, const char *key, char *text,
                            size_t size, struct error *error) {
    const char *value = "";
    enum status status = json_get_string(name, json, key, &value, error);
    if (!status && strlen(value) >= size)
        return error_set(error, STATUS_INPUT, "%s: %s: longer than %zu characters", name, key,
                         size - 1);
    if (!status)
        strcpy(text, value);
    return status;
}

/* Rows store seeds as text, because many JSON readers store numbers as doubles. */
static enum status get_seed(const char *name, const cJSON *json, uint64_t *seed,
                            struct error *error) {
    char text[24] = "", *end = text;
    enum status status = get_text(name, json, "seed", text, sizeof text, error);
    *seed = strtoull(text, &end, 10);
    if (!status && (*end || end == text))
        status = error_set(error, STATUS_INPUT, "%s: seed: \"%s\" is not an integer", name, text);
    return status;
}

/* The members of a line that are texts or numbers. */
static enum status get_texts(const char *name, const cJSON *json, struct code_size *size,
                             struct error *error) {
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {{"kind", size->subject.workload.kind, sizeof size->subject.workload.kind},
                 {"data", size->subject.workload.data, ROW_NAME_SIZE},
                 {"note", size->note, sizeof size->note},
                 {"feature", size->subject.feature, sizeof size->subject.feature},
                 {"level", size->subject.level, sizeof size->subject.level},
                 {"compiler", size->compiler, sizeof size->compiler},
                 {"machine", size->machine, sizeof size->machine},
                 {"version", size->version, sizeof size->version}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = get_text(name, json, texts[i].key, texts[i].text, texts[i].size, error);
    return status;
}

static enum status get_numbers(const char *name, const cJSON *json, struct code_size *size,
                               struct error *error) {
    struct workload *w = &size->subject.workload;
    const struct {
        const char *key;
        uint32_t *value;
    } numbers[] = {{"max_depth", &w->depth},
                   {"features", &w->features},
                   {"trees", &w->trees},
                   {"splits", &size->subject.splits},
                   {"leaves", &size->subject.leaves}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = json_get_u32(name, json, numbers[i].key, 0, UINT32_MAX, numbers[i].value, error);
    if (!status)
        status = json_get_number(name, json, "code", 0, UINT32_MAX, &size->code, error);
    if (!status)
        status = json_get_number(name, json, "constants", 0, UINT32_MAX, &size->constants, error);
    return status ? status : get_seed(name, json, &w->seed, error);
}

static enum status from_json(const char *name, const cJSON *json, void *item, struct error *error) {
    struct code_size *size = item;
    static const char *const keys[] = {"schema",  "kind",      "data",     "note",    "max_depth",
                                       "trees",   "features",  "seed",     "splits",  "leaves",
                                       "feature", "level",     "compiler", "machine", "version",
                                       "code",    "constants", NULL};
    uint32_t schema;
    *size = (struct code_size){.code = 0};
    enum status status =
        json_get_u32(name, json, "schema", CODE_SIZE_SCHEMA, CODE_SIZE_SCHEMA, &schema, error);
    if (!status)
        status = json_check_keys(name, json, keys, "docs/rows.md", error);
    if (!status)
        status = get_texts(name, json, size, error);
    return status ? status : get_numbers(name, json, size, error);
}

static bool is_of(const struct code_size *size, const struct code_subject *wanted) {
    const struct code_subject *has = &size->subject;
    return workload_same(&has->workload, &wanted->workload) &&
           strcmp(has->feature, wanted->feature) == 0 && strcmp(has->level, wanted->level) == 0 &&
           (wanted->leaves == 0 ||
            (has->splits == wanted->splits && has->leaves == wanted->leaves));
}

const struct code_size *code_sizes_find(const struct json_list *sizes,
                                        const struct code_subject *subject, const char *compiler) {
    const struct code_size *list = sizes->list;
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(list[i].compiler, compiler) == 0 && is_of(&list[i], subject))
            return &list[i];
    return NULL;
}

const struct code_size *code_sizes_of(const struct json_list *sizes, const char *compiler) {
    const struct code_size *list = sizes->list;
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(list[i].compiler, compiler) == 0)
            return &list[i];
    return NULL;
}

static bool is_same(const void *a, const void *b) {
    const struct code_size *first = a, *second = b;
    return strcmp(first->compiler, second->compiler) == 0 && is_of(first, &second->subject);
}

const struct json_lines code_size_lines = {.file = "sizes.jsonl",
                                           .things = "sizes of code",
                                           .thing = "a size of code",
                                           .size = sizeof(struct code_size),
                                           .from_json = from_json,
                                           .to_json = to_json,
                                           .is_same = is_same};
