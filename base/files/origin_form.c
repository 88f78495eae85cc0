#include "base/files/origin_form.h"

#include "base/origin.h"

#include <string.h>

static cJSON *origin_to_json(const void *member) {
    char words[ORIGIN_TEXT_SIZE];
    origin_write(*(const unsigned *)member, words);
    return cJSON_CreateString(words);
}

static enum status origin_from_json(const char *name, const char *key, const cJSON *json,
                                    void *member, struct error *error) {
    const char *words = cJSON_GetStringValue(json);
    if (words && origin_read(words, strlen(words), member))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, "%s: %s: expected words such as \"stand-in grown\"", name,
                     key);
}

static void origin_csv(const void *member, FILE *stream) {
    char words[ORIGIN_TEXT_SIZE];
    origin_write(*(const unsigned *)member, words);
    fputs(words, stream);
}

const struct record_form origin_form = {
    .type = "string", .to_json = origin_to_json, .from_json = origin_from_json, .csv = origin_csv};
