#include "models/onnx/protobuf_write.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2 }; /* wire types */

static void put(struct protobuf_out *out, const void *bytes, size_t size) {
    if (out->stream)
        fwrite(bytes, 1, size, out->stream);
    out->size += size;
}

void protobuf_put_varint(struct protobuf_out *out, uint64_t value) {
    unsigned char bytes[10];
    size_t size = 0;
    for (; value > 127; value >>= 7)
        bytes[size++] = (unsigned char)(value | 128);
    bytes[size++] = (unsigned char)value;
    put(out, bytes, size);
}

void protobuf_put_bits(struct protobuf_out *out, uint32_t bits) {
    const unsigned char bytes[] = {(unsigned char)bits, (unsigned char)(bits >> 8),
                                   (unsigned char)(bits >> 16), (unsigned char)(bits >> 24)};
    put(out, bytes, sizeof bytes);
}

void protobuf_put_integer(struct protobuf_out *out, uint32_t field, uint64_t value) {
    protobuf_put_varint(out, (uint64_t)field << 3 | VARINT);
    protobuf_put_varint(out, value);
}

void protobuf_put_text(struct protobuf_out *out, uint32_t field, const char *text) {
    protobuf_put_varint(out, (uint64_t)field << 3 | BYTES);
    protobuf_put_varint(out, strlen(text));
    put(out, text, strlen(text));
}

void protobuf_put_message(struct protobuf_out *out, uint32_t field, protobuf_put *put_content,
                          const void *data) {
    struct protobuf_out measured = {NULL, 0};
    put_content(&measured, data);
    protobuf_put_varint(out, (uint64_t)field << 3 | BYTES);
    protobuf_put_varint(out, measured.size);
    if (out->stream)
        put_content(out, data);
    else
        out->size += measured.size;
}
