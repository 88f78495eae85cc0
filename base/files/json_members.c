#include "base/files/json_members.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void json_reader_open(struct json_reader *r, const char *name, const char *text, size_t size,
                      struct error *error) {
    r->error = error;
    r->part.what = r->inner.what = NULL;
    json_stream_open_text(&r->stream, name, text, size);
}

/* --- errors ----------------------------------------------------------------------------------- */

enum status json_fail(const struct json_reader *r, const char *format, ...) {
    char message[ERROR_TEXT_SIZE];
    int used = 0;
    if (r->part.what)
        used = snprintf(message, sizeof message, "%s %zu", r->part.what, r->part.number);
    if (r->part.what && r->inner.what)
        used += snprintf(message + used, sizeof message - (size_t)used, ", %s %zu", r->inner.what,
                         r->inner.number);
    if (r->part.what)
        used += snprintf(message + used, sizeof message - (size_t)used, ": ");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + used, sizeof message - (size_t)used, format, arguments);
    va_end(arguments);
    return json_stream_error(&r->stream, r->error, "%s", message);
}

enum status json_wrong(const struct json_reader *r, const char *key, const char *expected) {
    return json_fail(r, "%s: expected %s", key, expected);
}

enum status json_locate(const struct json_reader *r, enum status status, const char *key,
                        const struct error *inner) {
    if (status)
        json_fail(r, "%s%s", key, inner->text);
    return status;
}

/* --- values ----------------------------------------------------------------------------------- */

enum status json_read_token(struct json_reader *r, struct json_token *token) {
    return json_stream_next(&r->stream, token, r->error);
}

enum status json_begin(struct json_reader *r, const char *key, enum json_token_kind kind) {
    struct json_token token;
    enum status status = json_read_token(r, &token);
    if (!status && token.kind != kind && !*key)
        status = json_fail(r, "expected a JSON object");
    else if (!status && token.kind != kind)
        status = json_wrong(r, key, kind == JSON_ARRAY ? "an array" : "an object");
    return status;
}

bool json_read_item(struct json_reader *r, struct json_token *token, enum status *status) {
    return !*status && !(*status = json_read_token(r, token)) && token->kind != JSON_ARRAY_END &&
           token->kind != JSON_OBJECT_END;
}

bool json_to_integer(const struct json_reader *r, const struct json_token *token, int64_t low,
                     int64_t high, int64_t *value) {
    const double exact = 0x1p53;
    double number;
    if (token->kind != JSON_NUMBER)
        return false;
    if (token->is_integer)
        *value = token->integer;
    else if (r->has_fractions && json_token_double(token, &number) && fabs(number) <= exact &&
             number == floor(number))
        *value = (int64_t)number;
    else
        return false;
    return *value >= low && *value <= high;
}

enum status json_check_integer(const struct json_reader *r, const char *key,
                               const struct json_token *token, int64_t low, int64_t high,
                               int64_t *value) {
    if (json_to_integer(r, token, low, high, value))
        return STATUS_OK;
    return json_fail(r, "%s: expected an integer from %" PRId64 " to %" PRId64, key, low, high);
}

enum status json_read_integer(struct json_reader *r, const char *key, int64_t low, int64_t high,
                              int64_t *value) {
    struct json_token token;
    enum status status = json_read_token(r, &token);
    return status ? status : json_check_integer(r, key, &token, low, high, value);
}

/* --- members of one value --------------------------------------------------------------------- */

struct range {
    int64_t low, high;
};

static struct range range_of(const struct json_member *m) {
    if (m->low || m->high)
        return (struct range){m->low, m->high};
    switch (m->type) {
    case MEMBER_I32:
        return (struct range){INT32_MIN, INT32_MAX};
    case MEMBER_U32:
    case MEMBER_U32S:
        return (struct range){0, UINT32_MAX};
    default:
        return (struct range){0, INT64_MAX};
    }
}

static enum status to_integer(const struct json_reader *r, const struct json_member *m,
                              const char *key, const struct json_token *token, int64_t *value) {
    struct range range = range_of(m);
    return json_check_integer(r, key, token, range.low, range.high, value);
}

static enum status set_integer(const struct json_reader *r, const struct json_member *m,
                               const struct json_token *token, void *to) {
    int64_t value;
    enum status status = to_integer(r, m, m->name, token, &value);
    if (status)
        return status;
    if (m->type == MEMBER_U64)
        *(uint64_t *)to = (uint64_t)value;
    else if (m->type == MEMBER_I32)
        *(int32_t *)to = (int32_t)value;
    else
        *(uint32_t *)to = (uint32_t)value;
    return STATUS_OK;
}

/* "None", "Zero" or "NaN" */
/* expected "None", "Zero" or "NaN", found "Nil" */
static enum status wrong_word(const struct json_reader *r, const struct json_member *m,
                              const struct json_token *token) {
    char expected[512];
    int used = 0;
    for (size_t i = 0; m->words[i]; i++)
        used += snprintf(expected + used, sizeof expected - (size_t)used, "%s\"%s\"",
                         !i                ? ""
                         : m->words[i + 1] ? ", "
                                           : " or ",
                         m->words[i]);
    if (token->kind == JSON_STRING)
        snprintf(expected + used, sizeof expected - (size_t)used, ", found \"%.*s\"",
                 (int)(token->size < 40 ? token->size : 40), token->text);
    return json_wrong(r, m->name, expected);
}

static enum status set_word(const struct json_reader *r, const struct json_member *m,
                            const struct json_token *token, uint32_t *to) {
    uint32_t i = 0;
    while (m->words[i] && (token->kind != JSON_STRING || !json_token_is(token, m->words[i])))
        i++;
    *to = i;
    return m->words[i] ? STATUS_OK : wrong_word(r, m, token);
}

/* MEMBER_BIT takes 0 and 1, MEMBER_BOOL true and false, MEMBER_FLAG all four. */
static bool to_bool(const struct json_reader *r, const struct json_member *m,
                    const struct json_token *token, bool *value) {
    bool is_word = token->kind == JSON_TRUE || token->kind == JSON_FALSE;
    int64_t bit = token->kind == JSON_TRUE;
    bool is_right = is_word ? m->type != MEMBER_BIT
                            : m->type != MEMBER_BOOL && json_to_integer(r, token, 0, 1, &bit);
    *value = bit;
    return is_right;
}

enum status json_set_value(const struct json_reader *r, const struct json_member *m,
                           const struct json_token *token, void *data) {
    void *to = (char *)data + m->offset;
    switch (m->type) {
    case MEMBER_BIT:
        return to_bool(r, m, token, to) ? STATUS_OK : json_wrong(r, m->name, "0 or 1");
    case MEMBER_BOOL:
        return to_bool(r, m, token, to) ? STATUS_OK : json_wrong(r, m->name, "true or false");
    case MEMBER_FLAG:
        return to_bool(r, m, token, to) ? STATUS_OK : json_wrong(r, m->name, "0, 1, true or false");
    case MEMBER_REAL:
    case MEMBER_FLOAT:
        *(float *)to = token->real;
        if (token->kind == JSON_NUMBER && (m->type == MEMBER_REAL || isfinite(token->real)))
            return STATUS_OK;
        return json_wrong(r, m->name,
                          m->type == MEMBER_REAL ? "a number" : "a number in the range of float32");
    case MEMBER_DOUBLE:
        return json_token_double(token, to) ? STATUS_OK : json_wrong(r, m->name, "a finite number");
    case MEMBER_TEXT:
        *(struct json_token *)to = *token;
        return token->kind == JSON_STRING ? STATUS_OK : json_wrong(r, m->name, "a string");
    case MEMBER_WORD:
        return set_word(r, m, token, to);
    case MEMBER_TAKEN:
        return m->take(data, m, token);
    case MEMBER_PARSED:
        return token->kind == JSON_STRING ? m->take(data, m, token)
                                          : json_wrong(r, m->name, "a string");
    default:
        return set_integer(r, m, token, to);
    }
}

/* --- lists ------------------------------------------------------------------------------------ */

static enum status begin_list(struct json_reader *r, const struct json_member *m,
                              struct json_token *token) {
    enum status status = json_read_token(r, token);
    bool is_empty = m->or_null && token->kind == JSON_NULL;
    return status || is_empty || token->kind == JSON_ARRAY ? status
                                                           : json_wrong(r, m->name, "an array");
}

enum status json_list_add(const struct json_reader *r, struct memory_list *list, const void *item,
                          size_t size) {
    return memory_list_add(list, item, size) ? STATUS_OK
                                             : error_memory(r->error, "a list of a model");
}

static enum status wrong_item(const struct json_reader *r, const struct json_member *m,
                              const struct json_token *token, const struct memory_list *list) {
    int64_t value;
    char key[100];
    snprintf(key, sizeof key, "%s: entry %zu", m->name, list->count + 1);
    if (m->type == MEMBER_FLOATS || m->type == MEMBER_DOUBLES)
        return json_wrong(r, key, m->type == MEMBER_FLOATS ? "a number" : "a finite number");
    return to_integer(r, m, key, token, &value);
}

static enum status add_item(const struct json_reader *r, const struct json_member *m,
                            const struct json_token *token, struct memory_list *list) {
    struct range range = range_of(m);
    double number;
    int64_t integer;
    uint32_t u32;
    switch (m->type) {
    case MEMBER_FLOATS:
        return token->kind == JSON_NUMBER ? json_list_add(r, list, &token->real, sizeof token->real)
                                          : wrong_item(r, m, token, list);
    case MEMBER_DOUBLES:
        return json_token_double(token, &number) ? json_list_add(r, list, &number, sizeof number)
                                                 : wrong_item(r, m, token, list);
    default:
        if (!json_to_integer(r, token, range.low, range.high, &integer))
            return wrong_item(r, m, token, list);
        u32 = (uint32_t)integer;
        return m->type == MEMBER_U32S ? json_list_add(r, list, &u32, sizeof u32)
                                      : json_list_add(r, list, &integer, sizeof integer);
    }
}

static enum status take_item(const struct json_reader *r, const struct json_member *m,
                             const struct json_token *token, void *data) {
    if (m->type == MEMBER_ITEMS)
        return m->take(data, m, token);
    if (m->type != MEMBER_OBJECTS)
        return add_item(r, m, token, (struct memory_list *)((char *)data + m->offset));
    return token->kind == JSON_OBJECT ? m->each(data)
                                      : json_wrong(r, m->name, "an array of objects");
}

static enum status read_array(struct json_reader *r, const struct json_member *m, void *data) {
    struct json_token token = {.kind = JSON_NULL};
    enum status status = begin_list(r, m, &token);
    bool is_null = token.kind == JSON_NULL;
    while (!is_null && json_read_item(r, &token, &status))
        status = take_item(r, m, &token, data);
    return status;
}

/* --- objects ---------------------------------------------------------------------------------- */

enum status json_read_member(struct json_reader *r, const struct json_member *m, void *data) {
    void *to = (char *)data + m->offset;
    struct json_token token;
    enum status status;
    if (m->has)
        *((bool *)data + m->has) = true;
    switch (m->type) {
    case MEMBER_READ:
        return m->read(data, m);
    case MEMBER_OBJECT:
        return json_read_object(r, m->name, m->members, data);
    case MEMBER_OBJECTS:
    case MEMBER_ITEMS:
    case MEMBER_U32S:
    case MEMBER_INTEGERS:
    case MEMBER_FLOATS:
    case MEMBER_DOUBLES:
        return read_array(r, m, data);
    case MEMBER_LATER:
        *(struct json_place *)to = json_stream_place(&r->stream);
        return json_stream_skip(&r->stream, r->error);
    case MEMBER_SKIPPED:
        return json_stream_skip(&r->stream, r->error);
    default:
        status = json_read_token(r, &token);
        return status ? status : json_set_value(r, m, &token, data);
    }
}

/* Reports an error about a key of an object that is itself named. */
static enum status fail_key(const struct json_reader *r, const char *object, const char *key,
                            size_t size, const char *why) {
    return json_fail(r, "%s%s%.*s: %s", object, *object ? ": " : "", (int)(size < 100 ? size : 100),
                     key, why);
}

static enum status read_known(struct json_reader *r, const char *object,
                              const struct json_token *key, const struct json_member *members,
                              uint64_t *seen, void *data) {
    size_t i = 0;
    while (members[i].name && !json_token_is(key, members[i].name))
        i++;
    if (members[i].type == MEMBER_REFUSED)
        return fail_key(r, object, key->text, key->size,
                        "unknown key, which may change the scores");
    if (members[i].name && *seen >> i & 1)
        return fail_key(r, object, key->text, key->size, "duplicate key in an object");
    *seen |= UINT64_C(1) << i;
    return json_read_member(r, &members[i], data);
}

enum status json_read_members(struct json_reader *r, const char *object,
                              const struct json_member *members, void *data) {
    uint64_t seen = 0;
    struct json_token key;
    enum status status = STATUS_OK;
    while (json_read_item(r, &key, &status))
        status = read_known(r, object, &key, members, &seen, data);
    for (size_t i = 0; members[i].name && !status; i++)
        if (members[i].is_required && !(seen >> i & 1))
            status = fail_key(r, object, members[i].name, strlen(members[i].name), "missing key");
    return status;
}

enum status json_read_object(struct json_reader *r, const char *key,
                             const struct json_member *members, void *data) {
    enum status status = json_begin(r, key, JSON_OBJECT);
    return status ? status : json_read_members(r, key, members, data);
}

enum status json_read_root(struct json_reader *r, const struct json_member *members, void *data) {
    struct json_token end;
    enum status status = json_read_object(r, "", members, data);
    return status ? status : json_read_token(r, &end);
}
