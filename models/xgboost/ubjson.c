/* Reads Universal Binary JSON as a stream of JSON tokens. */
#include "base/number.h"
#include "models/xgboost/xgboost_json.h"

/* What comes next. */
enum state {
    ITEM,         /* an element of an array, or a key of an object */
    MEMBER_VALUE, /* the value of a key */
    NOTHING       /* the end of the data */
};

static size_t left(const struct json_stream *s) {
    return (size_t)(s->end - s->at);
}

static enum status ends_early(const struct json_stream *s, struct error *error) {
    return json_stream_error(s, error, "the file ends inside a value. Is it truncated?");
}

/* The size in bytes of a number of this type, or 0 if it is not a number type. */
static size_t number_size(char type) {
    switch (type) {
    case 'i':
    case 'U':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

static uint64_t big_endian(const char *at, size_t size) {
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | (unsigned char)at[i];
    return bits;
}

static int64_t to_integer(char type, uint64_t bits) {
    switch (type) {
    case 'i':
        return (int8_t)bits;
    case 'I':
        return (int16_t)bits;
    case 'l':
        return (int32_t)bits;
    default: /* U and L */
        return (int64_t)bits;
    }
}

static float to_real(char type, uint64_t bits) {
    return type == 'd' ? number_float_of((uint32_t)bits) : (float)number_double_of(bits);
}

static enum status read_number(struct json_stream *s, char type, struct json_token *token,
                               struct error *error) {
    size_t size = number_size(type);
    if (left(s) < size)
        return ends_early(s, error);
    uint64_t bits = big_endian(s->at, size);
    s->at += size;
    token->kind = JSON_NUMBER;
    token->is_integer = type != 'd' && type != 'D';
    if (token->is_integer)
        token->integer = to_integer(type, bits);
    token->real = token->is_integer ? (float)token->integer : to_real(type, bits);
    return STATUS_OK;
}

/* Reads a length: an integer that must not be negative. */
static enum status read_length(struct json_stream *s, uint64_t *length, struct error *error) {
    struct json_token token = {0};
    if (s->at == s->end)
        return ends_early(s, error);
    char type = *s->at;
    if (!number_size(type) || type == 'd' || type == 'D')
        return json_stream_error(s, error,
                                 "not well-formed UBJSON: found byte 0x%02x, expected the type of "
                                 "a length (i, U, I, l or L)",
                                 (unsigned char)type);
    s->at++;
    enum status status = read_number(s, type, &token, error);
    if (!status && token.integer < 0)
        return json_stream_error(s, error, "not well-formed UBJSON: negative length");
    *length = (uint64_t)token.integer;
    return status;
}

static enum status read_text(struct json_stream *s, enum json_token_kind kind,
                             struct json_token *token, struct error *error) {
    uint64_t length = 0;
    enum status status = read_length(s, &length, error);
    if (status)
        return status;
    if (length > left(s))
        return json_stream_error(s, error,
                                 "a string exceeds the rest of the file (length: %llu, bytes left: "
                                 "%zu). Is the file truncated?",
                                 (unsigned long long)length, left(s));
    token->kind = kind;
    token->text = s->at;
    token->size = (size_t)length;
    s->at += length;
    return STATUS_OK;
}

/* Reads the optional type and count after "[". */
static enum status open_array(struct json_stream *s, struct json_token *token,
                              struct error *error) {
    struct json_frame frame = {0};
    if (s->at < s->end && *s->at == '$') {
        if (left(s) < 3)
            return ends_early(s, error);
        frame.type = s->at[1];
        if (!number_size(frame.type) || s->at[2] != '#')
            return json_stream_error(
                s, error, "not well-formed UBJSON: a typed array must have numbers and a count");
        s->at += 2;
    }
    if (s->at < s->end && *s->at == '#') {
        s->at++;
        frame.is_counted = true;
        enum status status = read_length(s, &frame.left, error);
        if (status)
            return status;
        if (frame.left > left(s) / (frame.type ? number_size(frame.type) : 1))
            return json_stream_error(s, error,
                                     "an array exceeds the rest of the file (length: %llu, bytes "
                                     "left: %zu). Is the file truncated?",
                                     (unsigned long long)frame.left, left(s));
    }
    token->kind = JSON_ARRAY;
    s->state = ITEM;
    return json_stream_push(s, frame, error);
}

static enum status open_object(struct json_stream *s, struct json_token *token,
                               struct error *error) {
    if (s->at < s->end && (*s->at == '$' || *s->at == '#'))
        return json_stream_error(s, error, "objects with a count are not supported");
    token->kind = JSON_OBJECT;
    s->state = ITEM;
    return json_stream_push(s, (struct json_frame){.is_object = true}, error);
}

static enum status read_value(struct json_stream *s, char type, struct json_token *token,
                              struct error *error) {
    s->state = s->depth ? ITEM : NOTHING;
    if (number_size(type))
        return read_number(s, type, token, error);
    switch (type) {
    case '[':
        return open_array(s, token, error);
    case '{':
        return open_object(s, token, error);
    case 'S':
        return read_text(s, JSON_STRING, token, error);
    case 'T':
        token->kind = JSON_TRUE;
        return STATUS_OK;
    case 'F':
        token->kind = JSON_FALSE;
        return STATUS_OK;
    case 'Z':
        token->kind = JSON_NULL;
        return STATUS_OK;
    default:
        return json_stream_error(
            s, error, "not well-formed UBJSON: found byte 0x%02x, expected the type of a value",
            (unsigned char)type);
    }
}

static enum status read_typed_value(struct json_stream *s, struct json_token *token,
                                    struct error *error) {
    return s->at == s->end ? ends_early(s, error) : read_value(s, *s->at++, token, error);
}

static enum status close_frame(struct json_stream *s, struct json_token *token) {
    token->kind = s->frames[--s->depth].is_object ? JSON_OBJECT_END : JSON_ARRAY_END;
    s->state = s->depth ? ITEM : NOTHING;
    return STATUS_OK;
}

static enum status next_element(struct json_stream *s, struct json_frame *frame,
                                struct json_token *token, struct error *error) {
    if (!frame->is_counted && s->at < s->end && *s->at == ']') {
        s->at++;
        return close_frame(s, token);
    }
    if (frame->is_counted && frame->left-- == 0)
        return close_frame(s, token);
    return frame->type ? read_value(s, frame->type, token, error)
                       : read_typed_value(s, token, error);
}

static enum status next_of_ubjson(struct json_stream *s, struct json_token *token,
                                  struct error *error) {
    if (s->state == NOTHING) {
        token->kind = JSON_END;
        return s->at == s->end
                   ? STATUS_OK
                   : json_stream_error(s, error, "unexpected data after the model (length: %zu)",
                                       left(s));
    }
    if (s->depth == 0 || s->state == MEMBER_VALUE)
        return read_typed_value(s, token, error);
    struct json_frame *frame = &s->frames[s->depth - 1];
    if (!frame->is_object)
        return next_element(s, frame, token, error);
    if (s->at < s->end && *s->at == '}') {
        s->at++;
        return close_frame(s, token);
    }
    s->state = MEMBER_VALUE;
    return read_text(s, JSON_KEY, token, error);
}

void ubjson_open(struct json_stream *stream, const char *name, const char *data, size_t size) {
    *stream = (struct json_stream){.name = name,
                                   .begin = data,
                                   .at = data,
                                   .end = data + size,
                                   .state = ITEM,
                                   .next = next_of_ubjson};
}
