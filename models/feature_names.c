#include "models/feature_names.h"

#include "base/files/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum status feature_names_add(struct feature_names *names, const char *name, size_t size,
                              struct error *error) {
    void **text = (void **)&names->text;
    if (!memory_append(text, &names->capacity, &names->size, name, size, 1) ||
        !memory_append(text, &names->capacity, &names->size, "", 1, 1))
        return error_memory(error, "the names of features");
    names->count++;
    return STATUS_OK;
}

enum status feature_names_give(struct feature_names *names, enum status status,
                               struct ensemble *ensemble, const char *where, struct error *error) {
    if (!status && names->count > 0 && names->count != ensemble->n_features)
        status = error_set(error, STATUS_INPUT,
                           "%s: feature_names: found %" PRIu32 ", expected %" PRIu32
                           " (one per feature)",
                           where, names->count, ensemble->n_features);
    if (!status && names->count > 0) {
        free(ensemble->feature_names);
        ensemble->feature_names = names->text;
        names->text = NULL;
    }
    free(names->text);
    *names = (struct feature_names){0};
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Does the string contain a NUL, or the escape \u0000 if it has escapes? A backslash that is itself
 * escaped does not begin an escape. */
static bool has_nul(const struct json_token *token, bool has_escapes) {
    const char *end = token->text + token->size;
    for (const char *at = token->text; at < end; at++) {
        if (!*at)
            return true;
        if (has_escapes && *at == '\\' && end - ++at >= 5 && memcmp(at, "u0000", 5) == 0)
            return true;
    }
    return false;
}

/* In JSON text, the token still has its escapes. Strings of UBJSON have no escapes. */
enum status feature_names_take(void *data, const struct json_member *member,
                               const struct json_token *token) {
    struct feature_names *names = (struct feature_names *)((char *)data + member->offset);
    const struct json_reader *r = data;
    bool is_text = r->stream.line > 0;
    if (token->kind != JSON_STRING)
        return json_wrong(r, "feature_names", "an array of names");
    if (has_nul(token, is_text))
        return json_fail(r, "feature_names: name %" PRIu32 " contains a NUL", names->count);
    if (!is_text || !memchr(token->text, '\\', token->size))
        return feature_names_add(names, token->text, token->size, r->error);
    /* cJSON decodes the escapes; it needs the quotes around the token. */
    cJSON *string;
    enum status status =
        json_parse("the names of features", token->text - 1, token->size + 2, &string, NULL);
    if (status == STATUS_MEMORY)
        return error_memory(r->error, "the names of features");
    if (status)
        return json_fail(r, "feature_names: name %" PRIu32 " is not valid text", names->count);
    status = feature_names_add(names, string->valuestring, strlen(string->valuestring), r->error);
    cJSON_Delete(string);
    return status;
}

void feature_names_write_string(const char *text, size_t length, FILE *stream) {
    fputc('"', stream);
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ')
            fprintf(stream, "\\u%04x", (unsigned)(unsigned char)text[i]);
        else
            fprintf(stream, "%s%c", text[i] == '"' || text[i] == '\\' ? "\\" : "", text[i]);
    }
    fputc('"', stream);
}

void feature_names_write_json(const struct ensemble *ensemble, FILE *stream) {
    const char *name = ensemble->feature_names;
    fputc('[', stream);
    for (uint32_t f = 0; name && f < ensemble->n_features; f++, name += strlen(name) + 1) {
        fputs(f ? "," : "", stream);
        feature_names_write_string(name, strlen(name), stream);
    }
    fputc(']', stream);
}
