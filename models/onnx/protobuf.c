#include "models/onnx/protobuf.h"

#include "base/number.h"

#include <string.h>

#define NO_END "a number does not end. Is the file corrupt?"

static enum status fail(const struct protobuf *file, const char *at, const char *what) {
    return error_set(file->error, STATUS_INPUT, "%s: byte %zu: %s", file->name,
                     (size_t)(at - file->begin), what);
}

static bool read_varint(struct protobuf_span *span, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && span->at < span->end; shift += 7) {
        unsigned char byte = (unsigned char)*span->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static enum status next_field(const struct protobuf *file, struct protobuf_span *message,
                              struct protobuf_field *field) {
    const char *start = message->at;
    uint64_t key, length = 0;
    *field = (struct protobuf_field){0};
    if (!read_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return fail(file, start, "expected the number of a protobuf field. Is the file corrupt?");
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case 0:
        return read_varint(message, &field->integer) ? STATUS_OK : fail(file, start, NO_END);
    case 1:
    case 5:
        length = (key & 7) == 1 ? 8 : 4;
        break;
    case 2:
        if (!read_varint(message, &length))
            return fail(file, start, "a length does not end. Is the file corrupt?");
        break;
    default:
        return fail(file, start, "a protobuf field has an unknown type. Is the file corrupt?");
    }
    if (length > (size_t)(message->end - message->at))
        return fail(file, start,
                    "a field exceeds the message that contains it. Is the file truncated?");
    if ((key & 7) == 2)
        field->bytes = (struct protobuf_span){message->at, message->at + length};
    else
        field->integer = number_little_endian(message->at, (size_t)length);
    message->at += length;
    return STATUS_OK;
}

bool protobuf_more(const struct protobuf *file, struct protobuf_span *message,
                   struct protobuf_field *field, enum status *status) {
    return !*status && message->at < message->end && !(*status = next_field(file, message, field));
}

bool protobuf_more_packed(const struct protobuf *file, struct protobuf_span *packed,
                          uint64_t *value, enum status *status) {
    const char *start = packed->at;
    if (*status || packed->at >= packed->end)
        return false;
    if (!read_varint(packed, value))
        *status = fail(file, start, NO_END);
    return !*status;
}

bool protobuf_is(struct protobuf_span span, const char *text) {
    return span.at && (size_t)(span.end - span.at) == strlen(text) &&
           memcmp(span.at, text, strlen(text)) == 0;
}

enum status protobuf_find(const struct protobuf *file, struct protobuf_span message,
                          uint32_t number, struct protobuf_span *bytes) {
    struct protobuf_field field;
    enum status status = STATUS_OK;
    *bytes = (struct protobuf_span){NULL, NULL};
    while (protobuf_more(file, &message, &field, &status))
        if (field.number == number && field.bytes.at)
            *bytes = field.bytes;
    return status;
}

enum status protobuf_integer(const struct protobuf *file, struct protobuf_span message,
                             uint32_t number, uint64_t *value) {
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(file, &message, &field, &status))
        if (field.number == number && !field.bytes.at)
            *value = field.integer;
    return status;
}
