#include "base/files/json_stream.h"

#include "base/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The tokens that may come next. */
enum state {
    VALUE,
    VALUE_OR_END, /* after "[" */
    KEY,
    KEY_OR_END,   /* after "{" */
    COMMA_OR_END, /* after a member or an element */
    NOTHING       /* after the whole value */
};

enum status json_stream_error(const struct json_stream *stream, struct error *error,
                              const char *format, ...) {
    char message[ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (stream->line)
        return error_set(error, STATUS_INPUT, "%s:%zu: %s", stream->name, stream->line, message);
    return error_set(error, STATUS_INPUT, "%s: byte %zu: %s", stream->name,
                     (size_t)(stream->at - stream->begin), message);
}

enum status json_stream_push(struct json_stream *stream, struct json_frame frame,
                             struct error *error) {
    if (stream->depth == JSON_STREAM_MAX_DEPTH)
        return json_stream_error(stream, error, "nested deeper than %d arrays and objects",
                                 JSON_STREAM_MAX_DEPTH);
    stream->frames[stream->depth++] = frame;
    return STATUS_OK;
}

bool json_token_is(const struct json_token *token, const char *text) {
    return (token->kind == JSON_KEY || token->kind == JSON_STRING) && token->size == strlen(text) &&
           memcmp(token->text, text, token->size) == 0;
}

int json_token_compare(const void *a, const void *b) {
    const struct json_token *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return memcmp(x->text, y->text, x->size);
}

enum status json_stream_skip(struct json_stream *stream, struct error *error) {
    unsigned depth = stream->depth;
    struct json_token token;
    do {
        enum status status = json_stream_next(stream, &token, error);
        if (status)
            return status;
    } while (stream->depth > depth);
    return STATUS_OK;
}

struct json_place json_stream_place(const struct json_stream *stream) {
    return (struct json_place){stream->at, stream->line, stream->state, stream->depth};
}

void json_stream_go(struct json_stream *stream, const struct json_place *place) {
    stream->at = place->at;
    stream->line = place->line;
    stream->state = place->state;
    stream->depth = place->depth;
}

bool json_token_double(const struct json_token *token, double *value) {
    const int64_t exact = (int64_t)1 << 53;
    if (token->kind != JSON_NUMBER)
        return false;
    if (token->is_integer && token->integer && token->integer >= -exact &&
        token->integer <= exact) { /* except 0: only the text tells it from -0 */
        *value = (double)token->integer;
        return true;
    }
    const char *end = token->text + token->size;
    return number_parse_double(token->text, end, value) == end && isfinite(*value);
}

/* --- JSON text -------------------------------------------------------------------------------- */

static void skip_space(struct json_stream *s) {
    for (; s->at < s->end; s->at++) {
        if (*s->at == '\n')
            s->line++;
        else if (*s->at != ' ' && *s->at != '\t' && *s->at != '\r')
            return;
    }
}

/* Describes the next character, for errors. */
static const char *describe_next(const struct json_stream *s, char text[static 16]) {
    unsigned char c = (unsigned char)*s->at;
    snprintf(text, 16, c > ' ' && c < 127 ? "'%c'" : "byte 0x%02x", c);
    return text;
}

static enum status wrong_next(const struct json_stream *s, const char *expected,
                              struct error *error) {
    char text[16];
    if (s->at == s->end)
        return json_stream_error(
            s, error,
            "not well-formed JSON: the file ends too early; expected %s. Is it truncated?",
            expected);
    return json_stream_error(s, error, "not well-formed JSON: expected %s, found %s", expected,
                             describe_next(s, text));
}

static int state_behind_value(const struct json_stream *s) {
    return s->depth ? COMMA_OR_END : NOTHING;
}

static bool is_hexadecimal(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of an escape after its backslash, or 0 if it is invalid. */
static size_t escape_length(const char *at, const char *end) {
    if (at == end || !*at || !strchr("\"\\/bfnrtu", *at))
        return 0;
    if (*at != 'u')
        return 1;
    for (int i = 1; i <= 4; i++) {
        if (end - at <= i || !is_hexadecimal(at[i]))
            return 0;
    }
    return 5;
}

static enum status read_string(struct json_stream *s, struct json_token *token,
                               struct error *error) {
    const char *at = s->at + 1;
    token->text = at;
    while (at < s->end && *at != '"') {
        size_t escape = *at == '\\' ? escape_length(at + 1, s->end) : 0;
        if ((unsigned char)*at < ' ' || (*at == '\\' && !escape))
            return json_stream_error(s, error, "not well-formed JSON: %s in a string",
                                     *at == '\\' ? "invalid escape" : "control character");
        at += 1 + escape;
    }
    if (at == s->end)
        return json_stream_error(
            s, error, "not well-formed JSON: the file ends inside a string. Is it truncated?");
    token->size = (size_t)(at - token->text);
    s->at = at + 1;
    return STATUS_OK;
}

static bool read_word(struct json_stream *s, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    s->at += length;
    return true;
}

static const char *scan_digits(const char *at, const char *end) {
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* The end of a number in JSON's grammar, or NULL. *is_integer is set if it consists of digits
 * only. */
static const char *scan_number(const char *at, const char *end, bool *is_integer) {
    *is_integer = true;
    if (at < end && *at == '-')
        at++;
    const char *digits = at;
    at = scan_digits(at, end);
    if (at == digits || (*digits == '0' && at > digits + 1))
        return NULL;
    if (at < end && *at == '.') {
        *is_integer = false;
        digits = ++at;
        at = scan_digits(at, end);
        if (at == digits)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        *is_integer = false;
        at++;
        if (at < end && (*at == '-' || *at == '+'))
            at++;
        digits = at;
        at = scan_digits(at, end);
        if (at == digits)
            return NULL;
    }
    return at;
}

static enum status read_number(struct json_stream *s, struct json_token *token,
                               struct error *error) {
    token->kind = JSON_NUMBER;
    token->is_integer = false;
    if (read_word(s, "NaN")) {
        token->real = NAN;
        return STATUS_OK;
    }
    const char *first = s->at;
    if (read_word(s, "Infinity") || read_word(s, "-Infinity")) {
        token->real = *first == '-' ? -INFINITY : INFINITY;
        return STATUS_OK;
    }
    bool digits_only;
    const char *behind = scan_number(s->at, s->end, &digits_only);
    if (!behind)
        return wrong_next(s, "a value", error);
    token->is_integer = digits_only && number_parse_i64(first, behind, &token->integer) == behind;
    if (token->is_integer && token->integer)
        token->real = (float)token->integer;
    else if (!number_parse_float(first, behind,
                                 &token->real)) /* also for -0; NULL means out of range */
        token->real = *first == '-' ? -INFINITY : INFINITY;
    s->at = behind;
    return STATUS_OK;
}

static enum status open_frame(struct json_stream *s, bool is_object, struct json_token *token,
                              struct error *error) {
    enum status status = json_stream_push(s, (struct json_frame){.is_object = is_object}, error);
    if (status)
        return status;
    s->at++;
    s->state = is_object ? KEY_OR_END : VALUE_OR_END;
    token->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
    return STATUS_OK;
}

static enum status close_frame(struct json_stream *s, struct json_token *token) {
    s->at++;
    token->kind = s->frames[--s->depth].is_object ? JSON_OBJECT_END : JSON_ARRAY_END;
    s->state = state_behind_value(s);
    return STATUS_OK;
}

static enum status read_value(struct json_stream *s, struct json_token *token,
                              struct error *error) {
    char c = s->at < s->end ? *s->at : '\0';
    if (c == '{' || c == '[')
        return open_frame(s, c == '{', token, error);
    s->state = state_behind_value(s);
    if (c == '"') {
        token->kind = JSON_STRING;
        return read_string(s, token, error);
    }
    token->text = s->at;
    enum status status = STATUS_OK;
    if (read_word(s, "true"))
        token->kind = JSON_TRUE;
    else if (read_word(s, "false"))
        token->kind = JSON_FALSE;
    else if (read_word(s, "null"))
        token->kind = JSON_NULL;
    else
        status = read_number(s, token, error);
    token->size = (size_t)(s->at - token->text);
    return status;
}

static enum status read_key(struct json_stream *s, struct json_token *token, struct error *error) {
    if (s->at == s->end || *s->at != '"')
        return wrong_next(s, "a key in quotes", error);
    token->kind = JSON_KEY;
    enum status status = read_string(s, token, error);
    if (status)
        return status;
    skip_space(s);
    if (s->at == s->end || *s->at != ':')
        return wrong_next(s, "':'", error);
    s->at++;
    s->state = VALUE;
    return STATUS_OK;
}

static bool at_frame_end(const struct json_stream *s) {
    return s->at < s->end && s->depth && *s->at == (s->frames[s->depth - 1].is_object ? '}' : ']');
}

static enum status next_of_text(struct json_stream *s, struct json_token *token,
                                struct error *error) {
    skip_space(s);
    bool may_end = s->state == VALUE_OR_END || s->state == KEY_OR_END || s->state == COMMA_OR_END;
    if (may_end && at_frame_end(s))
        return close_frame(s, token);
    if (s->state == NOTHING) {
        token->kind = JSON_END;
        return s->at == s->end ? STATUS_OK : wrong_next(s, "the end of the file", error);
    }
    if (s->state == COMMA_OR_END) {
        bool in_object = s->frames[s->depth - 1].is_object;
        if (s->at == s->end || *s->at != ',')
            return wrong_next(s, in_object ? "',' or '}'" : "',' or ']'", error);
        s->at++;
        skip_space(s);
        s->state = in_object ? KEY : VALUE;
    }
    if (s->state == KEY || s->state == KEY_OR_END)
        return read_key(s, token, error);
    return read_value(s, token, error);
}

void json_stream_open_text(struct json_stream *stream, const char *name, const char *text,
                           size_t size) {
    *stream = (struct json_stream){.name = name,
                                   .begin = text,
                                   .at = text,
                                   .end = text + size,
                                   .line = 1,
                                   .state = VALUE,
                                   .next = next_of_text};
}
