#include "harness/papers/not_reproduced.h"

#include "base/files/json.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY(MEMBER, HELP) FIELD(struct not_reproduced, STRING, #MEMBER, MEMBER, .help = HELP)
static const struct record_field fields[] = {
    ENTRY(paper, "its key, or NOT_REPRODUCED_ALL"), ENTRY(where, "figures and tables"),
    ENTRY(what, "what is missing"), ENTRY(why, "the reason"), ENTRY(needs, "what it would take")};
const struct record not_reproduced_record = {.what = "an entry",
                                             .fields = fields,
                                             .n_fields = FIELDS(fields),
                                             .docs = "docs/not-reproduced.md"};

/* An artefact's name begins with its paper and "-". */
static bool is_of(const struct not_reproduced *entry, const cJSON *configs) {
    size_t length = strlen(entry->paper);
    const cJSON *config;
    if (!configs || strcmp(entry->paper, NOT_REPRODUCED_ALL) == 0)
        return true;
    cJSON_ArrayForEach(config, configs) if (strncmp(config->string, entry->paper, length) == 0 &&
                                            config->string[length] == '-') return true;
    return false;
}

static enum status read_entries(const char *path, const cJSON *configs,
                                struct not_reproduced_list *list, struct error *error) {
    const cJSON *item;
    size_t number = 0;
    cJSON_ArrayForEach(item, list->json) {
        struct not_reproduced *entry = &list->entries[list->count];
        char where[512];
        snprintf(where, sizeof where, "%.400s: entry %zu", path, ++number);
        enum status status = record_from_json(where, &not_reproduced_record, item, entry, error);
        if (status)
            return status;
        list->count += is_of(entry, configs);
    }
    return STATUS_OK;
}

enum status not_reproduced_read(const char *path, const cJSON *configs,
                                struct not_reproduced_list *list, struct error *error) {
    enum status status = json_read(path, &list->json, error);
    if (status)
        return status;
    if (!cJSON_IsArray(list->json))
        return error_set(error, STATUS_INPUT, "%s: expected an array of entries", path);
    size_t count = (size_t)cJSON_GetArraySize(list->json);
    list->entries = calloc(count + 1, sizeof *list->entries);
    return list->entries ? read_entries(path, configs, list, error) : error_memory(error, path);
}

void not_reproduced_free(struct not_reproduced_list *list) {
    free(list->entries);
    cJSON_Delete(list->json);
}

void not_reproduced_write(FILE *stream, const struct not_reproduced_list *list) {
    if (list->count == 0)
        return;
    fputs("\n> **Not reproduced.** docs/not-reproduced.md describes what each would take.\n>\n",
          stream);
    for (size_t i = 0; i < list->count; i++) {
        const struct not_reproduced *entry = &list->entries[i];
        fprintf(stream, "> - %s, %s: %s (%s)\n", entry->paper, entry->where, entry->what,
                entry->why);
    }
}
