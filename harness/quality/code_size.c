#include "harness/quality/code_size.h"

#include "base/files/json.h"
#include "base/memory.h"
#include "harness/measure/workload.h"
#include "harness/rows/json_lines.h"
#include "harness/rows/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------------- */

static cJSON *to_json(const struct code_size *size) {
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

static enum status from_json(const char *name, const cJSON *json, struct code_size *size,
                             struct error *error) {
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

struct reading {
    struct code_sizes *sizes;
    size_t capacity;
};

static enum status read_size(void *context, const char *name, const cJSON *json,
                             struct error *error) {
    struct reading *reading = context;
    struct code_sizes *sizes = reading->sizes;
    if (!memory_grow((void **)&sizes->list, &reading->capacity, sizes->count, sizeof *sizes->list))
        return error_memory(error, name);
    enum status status = from_json(name, json, &sizes->list[sizes->count], error);
    sizes->count += !status;
    return status;
}

static const struct json_lines file = {"sizes.jsonl", "sizes of code", "a size of code", read_size};

enum status code_sizes_load(const char *directory, struct code_sizes *sizes, struct error *error) {
    struct reading reading = {.sizes = sizes};
    *sizes = (struct code_sizes){.count = 0};
    enum status status = json_lines_load(&file, directory, &reading, error);
    if (status)
        code_sizes_free(sizes);
    return status;
}

void code_sizes_free(struct code_sizes *sizes) {
    free(sizes->list);
    *sizes = (struct code_sizes){.count = 0};
}

static bool is_of(const struct code_size *size, const struct code_subject *wanted) {
    const struct code_subject *has = &size->subject;
    return workload_same(&has->workload, &wanted->workload) &&
           strcmp(has->feature, wanted->feature) == 0 && strcmp(has->level, wanted->level) == 0 &&
           (wanted->leaves == 0 ||
            (has->splits == wanted->splits && has->leaves == wanted->leaves));
}

const struct code_size *code_sizes_find(const struct code_sizes *sizes,
                                        const struct code_subject *subject, const char *compiler) {
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(sizes->list[i].compiler, compiler) == 0 && is_of(&sizes->list[i], subject))
            return &sizes->list[i];
    return NULL;
}

const struct code_size *code_sizes_of(const struct code_sizes *sizes, const char *compiler) {
    for (size_t i = 0; i < sizes->count; i++)
        if (strcmp(sizes->list[i].compiler, compiler) == 0)
            return &sizes->list[i];
    return NULL;
}

/* --- appending -------------------------------------------------------------------------------- */

struct code_store {
    struct lines lines;
    struct code_sizes found; /* the lines that the file had when it was opened */
};

enum status code_sizes_vacant(const char *directory, struct error *error) {
    return json_lines_vacant(&file, directory, error);
}

enum status code_store_open(const char *directory, bool resume, struct code_store **store,
                            struct error *error) {
    struct code_store *opened = calloc(1, sizeof *opened);
    if (!opened)
        return error_memory(error, file.file);
    struct reading reading = {.sizes = &opened->found};
    enum status status = json_lines_open(&file, directory, resume, &reading, &opened->lines, error);
    if (!status)
        *store = opened;
    else
        code_store_close(opened);
    return status;
}

const struct code_sizes *code_store_found(const struct code_store *store) {
    return &store->found;
}

enum status code_store_append(struct code_store *store, const struct code_size *size,
                              struct error *error) {
    return json_lines_append(&file, &store->lines, to_json(size), error);
}

void code_store_close(struct code_store *store) {
    if (!store)
        return;
    lines_close(&store->lines);
    code_sizes_free(&store->found);
    free(store);
}
