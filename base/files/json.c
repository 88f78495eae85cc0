#include "base/files/json.h"

#include "base/files/file.h"
#include "base/nearest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- duplicate keys --------------------------------------------------------------------------- */
static int compare_keys(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum status check_unique(const char *name, const cJSON *object, struct error *error) {
    size_t count = (size_t)cJSON_GetArraySize(object);
    if (count < 2)
        return STATUS_OK;
    const char **keys = malloc(count * sizeof *keys);
    if (!keys)
        return error_memory(error, "the keys of a JSON object");
    size_t used = 0;
    for (const cJSON *member = object->child; member; member = member->next)
        keys[used++] = member->string;
    qsort(keys, count, sizeof *keys, compare_keys);
    enum status status = STATUS_OK;
    for (size_t i = 1; i < count && !status; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            status =
                error_set(error, STATUS_INPUT, "%s: %s: duplicate key in an object", name, keys[i]);
    free(keys);
    return status;
}

/* The recursion is at most as deep as cJSON's own recursion while parsing. */
static enum status check_all_unique(const char *name, const cJSON *value, struct error *error) {
    enum status status = cJSON_IsObject(value) ? check_unique(name, value, error) : STATUS_OK;
    for (const cJSON *child = value->child; child && !status; child = child->next)
        status = check_all_unique(name, child, error);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */
static size_t line_of(const char *text, const char *at) {
    size_t line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static const char *skip_space(const char *text, const char *end) {
    while (text < end && (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r'))
        text++;
    return text;
}

/* Does the text end inside a string, an array or an object? */
static bool ends_open(const char *text, const char *end) {
    size_t depth = 0;
    bool in_string = false;
    for (; text < end; text++) {
        if (*text == '"')
            in_string = !in_string;
        else if (in_string && *text == '\\')
            text++;
        else if (!in_string && (*text == '[' || *text == '{'))
            depth++;
        else if (!in_string && (*text == ']' || *text == '}'))
            depth -= depth > 0;
    }
    return in_string || depth > 0;
}

/* `at` is the position at which the parser stopped. In a truncated text, it is in the last line. */
static enum status refuse_text(const char *name, const char *text, const char *at, const char *end,
                               struct error *error) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    bool in_last_line = !newline || skip_space(newline, end) == end;
    if (in_last_line && ends_open(text, end))
        return error_set(error, STATUS_INPUT,
                         "%s:%zu: not valid JSON: the file ends too early. Is it truncated?", name,
                         line_of(text, at));
    return error_set(error, STATUS_INPUT,
                     "%s:%zu: not valid JSON, or nested deeper than 1000 levels. Check commas, "
                     "quotes and brackets here and just before",
                     name, line_of(text, at));
}

enum status json_parse(const char *name, const char *text, size_t size, cJSON **value,
                       struct error *error) {
    *value = NULL;
    const char *end = text + size;
    if (skip_space(text, end) == end)
        return error_set(error, STATUS_INPUT, "%s:1: the file is empty; expected JSON", name);
    const char *nul = memchr(text, '\0', size); /* cJSON treats NUL as white space */
    if (nul)
        return error_set(error, STATUS_INPUT, "%s:%zu: unexpected NUL byte; expected JSON text",
                         name, line_of(text, nul));
    const char *behind = text;
    errno = 0; /* cJSON does not report why it failed */
    cJSON *parsed = cJSON_ParseWithLengthOpts(text, size, &behind, false);
    if (!parsed && errno == ENOMEM)
        return error_memory(error, name);
    if (!parsed)
        return refuse_text(name, text, behind, end, error);
    const char *rest = skip_space(behind, end);
    enum status status = STATUS_OK;
    if (rest < end)
        status = error_set(error, STATUS_INPUT, "%s:%zu: unexpected text after the JSON value",
                           name, line_of(text, rest));
    if (!status)
        status = check_all_unique(name, parsed, error);
    if (!status)
        *value = parsed;
    else
        cJSON_Delete(parsed);
    return status;
}

enum status json_read(const char *path, cJSON **value, struct error *error) {
    *value = NULL;
    struct file_text text;
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = json_parse(path, text.data, text.size, value, error);
    file_text_free(&text);
    return status;
}

cJSON *json_if_whole(cJSON *json) {
    if (errno != ENOMEM)
        return json;
    cJSON_Delete(json);
    return NULL;
}

enum status json_print(cJSON *json, FILE *stream, struct error *error) {
    char *text = json ? cJSON_Print(json) : NULL;
    cJSON_Delete(json);
    if (!text)
        return error_memory(error, "JSON");
    fprintf(stream, "%s\n", text);
    cJSON_free(text);
    return STATUS_OK;
}

enum status json_write(const char *path, const cJSON *json, struct error *error) {
    struct file_writer writer;
    char *text = cJSON_Print(json);
    if (!text)
        return error_memory(error, path);
    enum status status = file_write_begin(&writer, path, error);
    if (!status) {
        fprintf(writer.stream, "%s\n", text);
        status = file_write_commit(&writer, error);
    }
    cJSON_free(text);
    return status;
}

/* --- members ---------------------------------------------------------------------------------- */
/* Gets the member and checks its kind. `what` names the kind in errors. */
static enum status get_member(const char *name, const cJSON *object, const char *key,
                              cJSON_bool (*is_kind)(const cJSON *), const char *what,
                              const cJSON **member, struct error *error) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!found)
        return error_set(error, STATUS_INPUT, "%s: %s: missing; expected %s", name, key, what);
    if (!is_kind(found))
        return error_set(error, STATUS_INPUT, "%s: %s: expected %s", name, key, what);
    *member = found;
    return STATUS_OK;
}

enum status json_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                            const char *docs, struct error *error) {
    if (!cJSON_IsObject(object))
        return error_set(error, STATUS_INPUT, "%s: expected an object; see %s", name, docs);
    size_t count = 0;
    while (allowed[count])
        count++;
    for (const cJSON *member = object->child; member; member = member->next) {
        size_t i = 0;
        while (i < count && strcmp(allowed[i], member->string) != 0)
            i++;
        if (i < count)
            continue;
        const char *nearest = nearest_name(member->string, allowed, count);
        if (nearest)
            return error_set(error, STATUS_INPUT, "%s: %.40s: unknown key. Did you mean %s?", name,
                             member->string, nearest);
        return error_set(error, STATUS_INPUT, "%s: %.40s: unknown key; see %s", name,
                         member->string, docs);
    }
    return STATUS_OK;
}

enum status json_get_string(const char *name, const cJSON *object, const char *key,
                            const char **value, struct error *error) {
    const cJSON *member = NULL;
    enum status status = get_member(name, object, key, cJSON_IsString, "a string", &member, error);
    if (!status)
        *value = member->valuestring;
    return status;
}

enum status json_get_number(const char *name, const cJSON *object, const char *key, double low,
                            double high, double *value, struct error *error) {
    const cJSON *member = NULL;
    enum status status = get_member(name, object, key, cJSON_IsNumber, "a number", &member, error);
    if (status)
        return status;
    double number = member->valuedouble;
    if (!(number >= low && number <= high))
        return error_set(error, STATUS_INPUT, "%s: %s: %.10g is out of range (%.10g to %.10g)",
                         name, key, number, low, high);
    *value = number;
    return STATUS_OK;
}

enum status json_get_u32(const char *name, const cJSON *object, const char *key, uint32_t low,
                         uint32_t high, uint32_t *value, struct error *error) {
    double number;
    enum status status = json_get_number(name, object, key, low, high, &number, error);
    if (status)
        return status;
    if (number != floor(number))
        return error_set(error, STATUS_INPUT, "%s: %s: %.10g is not an integer", name, key, number);
    *value = (uint32_t)number;
    return STATUS_OK;
}

enum status json_get_array(const char *name, const cJSON *object, const char *key,
                           const cJSON **value, struct error *error) {
    return get_member(name, object, key, cJSON_IsArray, "an array", value, error);
}

enum status json_get_object(const char *name, const cJSON *object, const char *key,
                            const cJSON **value, struct error *error) {
    return get_member(name, object, key, cJSON_IsObject, "an object", value, error);
}
