/* Reads the fields of protobuf messages, one after the other. It supports only the parts of
 * protobuf that ONNX models need. Nothing is copied: strings, messages and packed lists are spans
 * of the file's text. */
#ifndef MODELS_ONNX_PROTOBUF_H
#define MODELS_ONNX_PROTOBUF_H

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
    uint64_t integer;           /* value of a varint, or the bits of a 4-byte or 8-byte field */
    struct protobuf_span bytes; /* a string, message or packed list; otherwise `at` is NULL */
};

/* Read the next field of a message, or the next number of a packed list. False at the end, or if
 * *status is or becomes an error. */
bool protobuf_more(const struct protobuf *file, struct protobuf_span *message,
                   struct protobuf_field *field, enum status *status);
bool protobuf_more_packed(const struct protobuf *file, struct protobuf_span *packed,
                          uint64_t *value, enum status *status);

/* Finds the last string, message or packed list with the field number `number`. bytes->at is NULL
 * if there is none. */
enum status protobuf_find(const struct protobuf *file, struct protobuf_span message,
                          uint32_t number, struct protobuf_span *bytes);

/* Finds the last number with this field number. *value is unchanged if there is none. */
enum status protobuf_integer(const struct protobuf *file, struct protobuf_span message,
                             uint32_t number, uint64_t *value);

bool protobuf_is(struct protobuf_span span, const char *text);

#endif
