/* Protobuf messages, field by field: as little as a writer of a few fields needs. A message stands
 * behind its size, so each is written twice, the first time to be measured; nothing is kept. */
#ifndef MODELS_PROTOBUF_WRITE_H
#define MODELS_PROTOBUF_WRITE_H

#include <stdint.h>
#include <stdio.h>

struct protobuf_out {
    FILE *stream;  /* NULL: bytes are counted only. Failures are the stream's to tell (ferror) */
    uint64_t size; /* bytes put so far */
};

/* Items of a packed list. */
void protobuf_put_varint(struct protobuf_out *out, uint64_t value);
void protobuf_put_bits(struct protobuf_out *out, uint32_t bits); /* of a float */

void protobuf_put_integer(struct protobuf_out *out, uint32_t field, uint64_t value);
void protobuf_put_text(struct protobuf_out *out, uint32_t field, const char *text);

/* A message or a packed list: what `put` puts, which must be the same each time. */
typedef void protobuf_put(struct protobuf_out *out, const void *data);
void protobuf_put_message(struct protobuf_out *out, uint32_t field, protobuf_put *put,
                          const void *data);

#endif
