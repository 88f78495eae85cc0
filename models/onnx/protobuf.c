#include "models/onnx/protobuf.h"

#include <string.h>

enum status protobuf_error(const struct protobuf *file, const char *at, const char *what) {
    return error_set(file->error, STATUS_INPUT, "%s: byte %zu: %s", file->name,
                     (size_t)(at - file->begin), what);
}

bool protobuf_varint(struct protobuf_span *span, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && span->at < span->end; shift += 7) {
        unsigned char byte = (unsigned char)*span->at++;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

uint64_t protobuf_little_endian(const char *at, unsigned bytes) {
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

enum status protobuf_next(const struct protobuf *file, struct protobuf_span *message,
                          struct protobuf_field *field) {
    const char *start = message->at;
    uint64_t key, length = 0;
    *field = (struct protobuf_field){0};
    if (!protobuf_varint(message, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return protobuf_error(file, start,
                              "expected the number of a protobuf field. Is the file corrupt?");
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case 0:
        return protobuf_varint(message, &field->integer)
                   ? STATUS_OK
                   : protobuf_error(file, start, "a number does not end. Is the file corrupt?");
    case 1:
    case 5:
        length = (key & 7) == 1 ? 8 : 4;
        break;
    case 2:
        if (!protobuf_varint(message, &length))
            return protobuf_error(file, start, "a length does not end. Is the file corrupt?");
        break;
    default:
        return protobuf_error(file, start,
                              "a protobuf field has an unknown type. Is the file corrupt?");
    }
    if (length > (size_t)(message->end - message->at))
        return protobuf_error(
            file, start, "a field exceeds the message that contains it. Is the file truncated?");
    if ((key & 7) == 2)
        field->bytes = (struct protobuf_span){message->at, message->at + length};
    else
        field->integer = protobuf_little_endian(message->at, (unsigned)length);
    message->at += length;
    return STATUS_OK;
}

bool protobuf_is(struct protobuf_span span, const char *text) {
    return span.at && (size_t)(span.end - span.at) == strlen(text) &&
           memcmp(span.at, text, strlen(text)) == 0;
}

enum status protobuf_find(const struct protobuf *file, struct protobuf_span message,
                          uint32_t number, struct protobuf_span *bytes) {
    struct protobuf_field field;
    *bytes = (struct protobuf_span){NULL, NULL};
    while (message.at < message.end) {
        enum status status = protobuf_next(file, &message, &field);
        if (status)
            return status;
        if (field.number == number && field.bytes.at)
            *bytes = field.bytes;
    }
    return STATUS_OK;
}
