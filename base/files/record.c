#include "base/files/record.h"

#include "base/files/json.h"
#include "base/number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const void *member_of(const struct record_field *field, const void *data) {
    return (const char *)data + field->offset;
}

static bool applies(const struct record_field *field, const void *data) {
    return !field->applies || field->applies(data);
}

/* A count is a size_t or a uint64_t, which are the same size where treebench runs. */
static uint64_t count_of(const void *member, size_t size) {
    uint64_t wide;
    size_t narrow;
    if (size == sizeof wide)
        return memcpy(&wide, member, sizeof wide), wide;
    return memcpy(&narrow, member, sizeof narrow), (uint64_t)narrow;
}

/* True if all bytes are 0, or for texts the first, or if there is no text. */
static bool is_zero(const struct record_field *field, const void *member) {
    const unsigned char *bytes =
        field->type == RECORD_STRING ? *(const void *const *)member : member;
    bool is_text = field->type == RECORD_TEXT || field->type == RECORD_STRING;
    size_t used = !bytes ? 0 : is_text ? 1 : field->size;
    for (size_t i = 0; i < used; i++)
        if (bytes[i])
            return false;
    return true;
}

static const char *choice_of(const struct record_field *field, const void *member) {
    unsigned value;
    memcpy(&value, member, sizeof value);
    return field->names[value];
}

/* --- writing JSON ----------------------------------------------------------------------------- */

/* Formats the number without cJSON, which would drop digits after the 15th if the loss is small. */
cJSON *record_real(double value) {
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(value))
        return cJSON_CreateNull();
    number_format_double(value, text);
    return cJSON_CreateRaw(text);
}

static cJSON *reals_to_json(const double *values, size_t count) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, record_real(values[i]));
    return array;
}

static cJSON *u64_to_json(uint64_t value) {
    char text[NUMBER_TEXT_SIZE];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return cJSON_CreateString(text);
}

static cJSON *number_to_json(double value, unsigned decimals) {
    double scale = pow(10, decimals);
    if (!isfinite(value))
        return cJSON_CreateNull();
    return cJSON_CreateNumber(decimals ? round(value * scale) / scale : value);
}

cJSON *record_object(const struct record *record, const void *data) {
    cJSON *object = cJSON_CreateObject();
    record_add(object, record, data);
    return object;
}

/* True for a field whose zero, or empty text, means that the value is unknown. */
static bool is_unknown(const struct record_field *field, const void *member) {
    return field->zero_is_unknown && is_zero(field, member);
}

static cJSON *field_to_json(const struct record_field *field, const void *member) {
    switch (field->type) {
    case RECORD_TEXT:
        return cJSON_CreateString(member);
    case RECORD_STRING: {
        const char *text = *(const char *const *)member;
        return text ? cJSON_CreateString(text) : cJSON_CreateNull();
    }
    case RECORD_U32:
        return cJSON_CreateNumber(*(const uint32_t *)member);
    case RECORD_INT: {
        int value = *(const int *)member;
        return value < field->low ? cJSON_CreateNull() : cJSON_CreateNumber(value);
    }
    case RECORD_U64:
        return u64_to_json(*(const uint64_t *)member);
    case RECORD_COUNT:
        return cJSON_CreateNumber((double)count_of(member, field->size));
    case RECORD_REAL:
        return record_real(*(const double *)member);
    case RECORD_NUMBER:
        return number_to_json(*(const double *)member, field->decimals);
    case RECORD_REALS:
        return reals_to_json(member, field->size / sizeof(double));
    case RECORD_BOOL:
        return cJSON_CreateBool(*(const bool *)member);
    case RECORD_CHOICE:
        return cJSON_CreateString(choice_of(field, member));
    case RECORD_OBJECT:
        return record_object(field->record, member);
    case RECORD_FORM:
        return field->form->to_json(member);
    case RECORD_KEY:
        break;
    }
    return NULL;
}

/* True for an optional field that the struct lacks. */
static bool is_left_out(const struct record_field *field, const void *data) {
    return field->is_optional && is_zero(field, member_of(field, data));
}

void record_add(cJSON *object, const struct record *record, const void *data) {
    for (size_t i = 0; i < record->n_fields; i++) {
        const struct record_field *field = &record->fields[i];
        if (!applies(field, data) || is_left_out(field, data))
            continue;
        const void *member = member_of(field, data);
        cJSON *item = is_unknown(field, member) ? cJSON_CreateNull() : field_to_json(field, member);
        if (!cJSON_AddItemToObject(object, field->name, item)) {
            errno = ENOMEM; /* the functions of forms may have lost it */
            cJSON_Delete(item);
        }
    }
}

cJSON *record_to_json(const struct record *record, const void *data) {
    errno = 0;
    cJSON *object = cJSON_CreateObject();
    if (record->schema)
        cJSON_AddNumberToObject(object, "schema", record->schema);
    record_add(object, record, data);
    return json_if_whole(object);
}

cJSON *record_list(const struct record *record, const void *items, size_t count, size_t size) {
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, record_object(record, (const char *)items + i * size));
    return array;
}

/* --- reading JSON ----------------------------------------------------------------------------- */

/* Writes the names of a choice: "a, b or c". */
static void list_names(const char *const *names, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; names[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0         ? ""
                                 : names[i + 1] ? ", "
                                                : " or ",
                                 names[i]);
}

static enum status find_choice(const char *name, const struct record_field *field, const char *text,
                               unsigned *choice, struct error *error) {
    char names[256] = "";
    for (*choice = 0; field->names[*choice]; ++*choice)
        if (strcmp(text, field->names[*choice]) == 0)
            return STATUS_OK;
    list_names(field->names, names, sizeof names);
    return error_set(error, STATUS_INPUT, "%s: %s: \"%.40s\" is not %s", name, field->name, text,
                     names);
}

static enum status get_text(const char *name, const cJSON *object, const struct record_field *field,
                            char *text, struct error *error) {
    const char *value;
    unsigned choice;
    enum status status = json_get_string(name, object, field->name, &value, error);
    if (!status && field->names)
        status = find_choice(name, field, value, &choice, error);
    if (status)
        return status;
    size_t most = field->high > 0 ? (size_t)field->high : field->size - 1;
    if (strlen(value) > most)
        return error_set(error, STATUS_INPUT, "%s: %s: longer than %zu bytes", name, field->name,
                         most);
    memset(text, 0, field->size);
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
    /* strtoull would accept leading blanks and signs, which records never contain */
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return error_set(error, STATUS_INPUT,
                         "%s: %s: \"%.40s\" is not an integer in 0 .. 2^64 - 1", name, key, text);
    *value = parsed;
    return STATUS_OK;
}

static enum status get_count(const char *name, const cJSON *object,
                             const struct record_field *field, void *member, struct error *error) {
    double high = field->high > 0 ? field->high : 9007199254740992.0, value = 0;
    enum status status =
        json_get_number(name, object, field->name, field->low, high, &value, error);
    if (!status && value != floor(value))
        status = error_set(error, STATUS_INPUT, "%s: %s: %.10g is not an integer", name,
                           field->name, value);
    if (!status && field->size == sizeof(uint64_t))
        *(uint64_t *)member = (uint64_t)value;
    else if (!status)
        *(size_t *)member = (size_t)value;
    return status;
}

static enum status get_real(const char *name, const cJSON *object, const struct record_field *field,
                            double *value, struct error *error) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, field->name);
    if (field->low < field->high)
        return json_get_number(name, object, field->name, field->low, field->high, value, error);
    if (!cJSON_IsNull(item) && !cJSON_IsNumber(item))
        return error_set(error, STATUS_INPUT, "%s: %s: expected a number or null", name,
                         field->name);
    *value = cJSON_IsNull(item) ? NAN : item->valuedouble;
    return STATUS_OK;
}

static enum status get_choice(const char *name, const cJSON *object,
                              const struct record_field *field, void *member, struct error *error) {
    const char *text = "";
    unsigned choice = 0;
    enum status status = json_get_string(name, object, field->name, &text, error);
    if (!status)
        status = find_choice(name, field, text, &choice, error);
    if (!status)
        memcpy(member, &choice, sizeof choice);
    return status;
}

static enum status get_bool(const char *name, const cJSON *object, const char *key, bool *value,
                            struct error *error) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!cJSON_IsBool(item))
        return error_set(error, STATUS_INPUT, "%s: %s: expected true or false", name, key);
    *value = cJSON_IsTrue(item);
    return STATUS_OK;
}

static enum status get_object(const char *name, const cJSON *object,
                              const struct record_field *field, void *member, struct error *error) {
    const cJSON *inner = NULL;
    char where[256];
    enum status status = json_get_object(name, object, field->name, &inner, error);
    snprintf(where, sizeof where, "%s: %s", name, field->name);
    if (status)
        return status;
    return field->record->docs ? record_from_json(where, field->record, inner, member, error)
                               : record_get(where, field->record, inner, member, error);
}

static enum status get_form(const char *name, const cJSON *object, const struct record_field *field,
                            void *member, struct error *error) {
    const cJSON *json = cJSON_GetObjectItemCaseSensitive(object, field->name);
    enum status status = strcmp(field->form->type, "object") == 0
                             ? json_get_object(name, object, field->name, &json, error)
                             : STATUS_OK;
    return status ? status : field->form->from_json(name, field->name, json, member, error);
}

static enum status get_field(const char *name, const cJSON *object,
                             const struct record_field *field, void *member, struct error *error) {
    const double most = field->high > 0 ? field->high : UINT32_MAX;
    if (field->is_optional && !cJSON_HasObjectItem(object, field->name))
        return STATUS_OK;
    switch (field->type) {
    case RECORD_TEXT:
        return get_text(name, object, field, member, error);
    case RECORD_U32:
        return json_get_u32(name, object, field->name, (uint32_t)field->low, (uint32_t)most, member,
                            error);
    case RECORD_U64:
        return get_u64(name, object, field->name, member, error);
    case RECORD_COUNT:
        return get_count(name, object, field, member, error);
    case RECORD_REAL:
    case RECORD_NUMBER:
        return get_real(name, object, field, member, error);
    case RECORD_BOOL:
        return get_bool(name, object, field->name, member, error);
    case RECORD_CHOICE:
        return get_choice(name, object, field, member, error);
    case RECORD_OBJECT:
        return get_object(name, object, field, member, error);
    case RECORD_FORM:
        return get_form(name, object, field, member, error);
    case RECORD_STRING:
        return json_get_string(name, object, field->name, member, error);
    case RECORD_KEY:
        return STATUS_OK;
    case RECORD_INT:
    case RECORD_REALS:
        break;
    }
    return error_set(error, STATUS_UNSUPPORTED, "%s: %s: cannot be read", name, field->name);
}

static enum status get_fields(const char *name, const struct record *record, int schema,
                              const cJSON *json, void *data, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < record->n_fields && !status; i++) {
        const struct record_field *field = &record->fields[i];
        if (field->since <= schema && applies(field, data))
            status = get_field(name, json, field, (char *)data + field->offset, error);
    }
    return status;
}

enum status record_get(const char *name, const struct record *record, const cJSON *json, void *data,
                       struct error *error) {
    return get_fields(name, record, record->schema, json, data, error);
}

static enum status get_schema(const char *name, const struct record *record, const cJSON *object,
                              int *version, struct error *error) {
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(object, "schema");
    *version = record->schema;
    if (!record->schema)
        return STATUS_OK;
    if (!cJSON_IsNumber(schema))
        return error_set(error, STATUS_INPUT, "%s: not %s, which is an object with \"schema\": %d",
                         name, record->what, record->schema);
    if (schema->valuedouble != schema->valueint || schema->valuedouble < record->oldest ||
        schema->valuedouble > record->schema)
        return error_set(
            error, STATUS_INPUT,
            "%s: schema %.17g is not supported. This treebench reads schemas %d to %d. "
            "Measure again, or use the treebench that wrote the file",
            name, schema->valuedouble, record->oldest, record->schema);
    *version = schema->valueint;
    return STATUS_OK;
}

/* Rejects unknown keys, so that a misspelt key is not ignored. */
static enum status check_keys(const char *name, const struct record *record, const cJSON *object,
                              struct error *error) {
    const char **keys = malloc((record->n_fields + 2) * sizeof *keys);
    size_t n = 0;
    if (!keys)
        return error_memory(error, name);
    if (record->schema)
        keys[n++] = "schema";
    for (size_t i = 0; i < record->n_fields; i++)
        keys[n++] = record->fields[i].name;
    keys[n] = NULL;
    enum status status = json_check_keys(name, object, keys, record->docs, error);
    free(keys);
    return status;
}

/* Rejects fields that are known, but do not apply to this record. */
static enum status check_applies(const char *name, const struct record *record, const cJSON *object,
                                 const void *data, struct error *error) {
    for (size_t i = 0; i < record->n_fields; i++)
        if (!applies(&record->fields[i], data) &&
            cJSON_HasObjectItem(object, record->fields[i].name))
            return record->fields[i].refusal
                       ? error_set(error, STATUS_INPUT, "%s: %s: %s", name, record->fields[i].name,
                                   record->fields[i].refusal)
                       : error_set(error, STATUS_INPUT, "%s: %s: does not apply here; see %s", name,
                                   record->fields[i].name, record->docs);
    return STATUS_OK;
}

enum status record_from_json(const char *name, const struct record *record, const cJSON *json,
                             void *data, struct error *error) {
    int schema = 0;
    enum status status = get_schema(name, record, json, &schema, error);
    if (!status)
        status = check_keys(name, record, json, error);
    if (!status)
        status = get_fields(name, record, schema, json, data, error);
    if (!status && schema < record->schema && record->complete)
        record->complete(data, schema);
    return status ? status : check_applies(name, record, json, data, error);
}

/* --- CSV and documentation -------------------------------------------------------------------- */

void record_csv_text(FILE *stream, const char *text) {
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void record_csv_real(FILE *stream, double value) {
    char text[NUMBER_TEXT_SIZE];
    if (!isfinite(value))
        return;
    number_format_double(value, text);
    fputs(text, stream);
}

void record_csv_append_real(FILE *stream, double value) {
    fputc(',', stream);
    record_csv_real(stream, value);
}

static bool is_in_csv(const struct record_field *field) {
    return field->type != RECORD_REALS && field->type != RECORD_KEY &&
           (field->type != RECORD_FORM || field->form->csv);
}

void record_csv_header(const struct record *record, FILE *stream) {
    const char *comma = "";
    for (size_t i = 0; i < record->n_fields; i++) {
        const struct record_field *field = &record->fields[i];
        if (!is_in_csv(field))
            continue;
        fputs(comma, stream);
        comma = ",";
        if (field->type == RECORD_OBJECT)
            record_csv_header(field->record, stream);
        else if (field->type == RECORD_FORM && field->form->csv_header)
            field->form->csv_header(field->name, stream);
        else
            fputs(field->column ? field->column : field->name, stream);
    }
}

static void write_csv(const struct record_field *field, const void *member, FILE *stream) {
    switch (field->type) {
    case RECORD_TEXT:
        record_csv_text(stream, member);
        break;
    case RECORD_STRING:
        if (*(const char *const *)member)
            record_csv_text(stream, *(const char *const *)member);
        break;
    case RECORD_U32:
        fprintf(stream, "%" PRIu32, *(const uint32_t *)member);
        break;
    case RECORD_INT:
        fprintf(stream, "%d", *(const int *)member);
        break;
    case RECORD_U64:
        fprintf(stream, "%" PRIu64, *(const uint64_t *)member);
        break;
    case RECORD_COUNT:
        fprintf(stream, "%" PRIu64, count_of(member, field->size));
        break;
    case RECORD_REAL:
    case RECORD_NUMBER:
        record_csv_real(stream, *(const double *)member);
        break;
    case RECORD_REALS:
    case RECORD_KEY:
        break;
    case RECORD_BOOL:
        fputs(*(const bool *)member ? "true" : "false", stream);
        break;
    case RECORD_CHOICE:
        fputs(choice_of(field, member), stream);
        break;
    case RECORD_OBJECT:
        record_csv(field->record, member, stream);
        break;
    case RECORD_FORM:
        field->form->csv(member, stream);
        break;
    }
}

void record_csv(const struct record *record, const void *data, FILE *stream) {
    const char *comma = "";
    for (size_t i = 0; i < record->n_fields; i++) {
        const struct record_field *field = &record->fields[i];
        if (!is_in_csv(field))
            continue;
        fputs(comma, stream);
        comma = ",";
        if (applies(field, data) && !is_unknown(field, member_of(field, data)))
            write_csv(field, member_of(field, data), stream);
    }
}

static const char *type_in_docs(const struct record_field *field) {
    static const char *const names[] = {
        [RECORD_TEXT] = "string",  [RECORD_STRING] = "string", [RECORD_U32] = "number",
        [RECORD_INT] = "number",   [RECORD_U64] = "string",    [RECORD_COUNT] = "number",
        [RECORD_REAL] = "number",  [RECORD_NUMBER] = "number", [RECORD_REALS] = "array",
        [RECORD_BOOL] = "boolean", [RECORD_CHOICE] = "string", [RECORD_OBJECT] = "object",
        [RECORD_FORM] = NULL,      [RECORD_KEY] = "any"};
    return field->form ? field->form->type : names[field->type];
}

void record_write_docs(const struct record *record, FILE *stream) {
    fprintf(stream, "| key | type | meaning |\n|---|---|---|\n");
    if (record->schema)
        fprintf(stream, "| `schema` | number | %d |\n", record->schema);
    for (size_t i = 0; i < record->n_fields; i++) {
        const struct record_field *field = &record->fields[i];
        fprintf(stream, "| `%s` | %s | %s%s%s%s%s |\n", field->name, type_in_docs(field),
                field->help, field->unit ? ", in " : "", field->unit ? field->unit : "",
                field->refusal ? "; " : "", field->refusal ? field->refusal : "");
    }
}
