/* The fields of protobuf messages, one after the other: as little as a reader of a few fields
 * needs. Nothing is copied; strings, messages and packed lists are spans of the file's text. */
#ifndef MODELS_PROTOBUF_H
#define MODELS_PROTOBUF_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* For errors: "FILE: byte N: ...". */
struct protobuf {
    const char *name, *begin;
    struct error *error;
};

struct protobuf_span {
    const char *at, *end;
};

struct protobuf_field {
    uint32_t number;
    uint64_t integer;           /* of a varint; of 4 or 8 bytes their bits */
    struct protobuf_span bytes; /* of a string, a message or a packed list; else at is NULL */
};

/* Takes the next field off a message that is not at its end. */
enum status protobuf_next(const struct protobuf *file, struct protobuf_span *message,
                          struct protobuf_field *field);

/* The last string or message of that number; bytes->at is NULL where there is none. */
enum status protobuf_find(const struct protobuf *file, struct protobuf_span message,
                          uint32_t number, struct protobuf_span *bytes);

/* Takes a number off a packed list; false where it has no end. */
bool protobuf_varint(struct protobuf_span *span, uint64_t *value);
uint64_t protobuf_little_endian(const char *at, unsigned bytes);

bool protobuf_is(struct protobuf_span span, const char *text);
enum status protobuf_error(const struct protobuf *file, const char *at, const char *what);

#endif
