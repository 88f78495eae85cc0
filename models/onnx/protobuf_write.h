/* Writes protobuf messages, field by field. It supports only the parts of protobuf that ONNX models
 * need. The size of a message precedes its content. Each message is therefore written twice: first
 * to a counter, then to the stream. No content is stored. */
#ifndef MODELS_ONNX_PROTOBUF_WRITE_H
#define MODELS_ONNX_PROTOBUF_WRITE_H

#include <stdint.h>
#include <stdio.h>

struct protobuf_out {
    FILE *stream;  /* NULL: only count bytes. Failures set the stream's error flag (ferror). */
    uint64_t size; /* bytes written so far */
};

/* Write the next item of a packed list. */
void protobuf_put_varint(struct protobuf_out *out, uint64_t value);
void protobuf_put_bits(struct protobuf_out *out, uint32_t bits); /* the bits of a float */

void protobuf_put_integer(struct protobuf_out *out, uint32_t field, uint64_t value);
void protobuf_put_text(struct protobuf_out *out, uint32_t field, const char *text);

/* Writes a message or a packed list. `put` writes its content; it is called more than once and must
 * write the same bytes each time. */
typedef void protobuf_put(struct protobuf_out *out, const void *data);
void protobuf_put_message(struct protobuf_out *out, uint32_t field, protobuf_put *put,
                          const void *data);

#endif
