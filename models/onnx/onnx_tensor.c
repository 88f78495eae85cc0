/* Reads ONNX tensors: the constants of a graph, and attributes with many numbers. */
#include "base/memory.h"
#include "models/onnx/onnx.h"

#include <inttypes.h>
#include <string.h>

enum status onnx_append_number(struct onnx_graph *g, struct onnx_list *list, double number) {
    if (!memory_grow((void **)&list->numbers, &list->capacity, list->count, sizeof number))
        return error_memory(g->error, "the numbers of a model");
    list->numbers[list->count++] = number;
    return STATUS_OK;
}

static double number_at(const char *at, uint64_t type) {
    unsigned size = type == ELEMENT_DOUBLE ? 8 : type == ELEMENT_FLOAT ? 4 : 1;
    uint64_t bits = protobuf_little_endian(at, size);
    if (type == ELEMENT_UINT8)
        return (double)bits;
    if (type == ELEMENT_DOUBLE) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
    uint32_t half = (uint32_t)bits;
    float number;
    memcpy(&number, &half, sizeof number);
    return (double)number;
}

static enum status append_bytes(struct onnx_graph *g, const char *name, uint64_t type,
                                struct protobuf_span bytes, struct onnx_list *list) {
    ptrdiff_t size = type == ELEMENT_DOUBLE ? 8 : type == ELEMENT_FLOAT ? 4 : 1;
    enum status status = STATUS_OK;
    if ((bytes.end - bytes.at) % size != 0)
        return error_set(g->error, STATUS_INPUT, "%s: %s: the tensor ends inside a number", g->name,
                         name);
    for (; bytes.at < bytes.end && !status; bytes.at += size)
        status = onnx_append_number(g, list, number_at(bytes.at, type));
    return status;
}

static enum status append_integers(struct onnx_graph *g, struct protobuf_span packed,
                                   struct onnx_list *list) {
    enum status status = STATUS_OK;
    while (packed.at < packed.end && !status) {
        uint64_t value;
        const char *start = packed.at;
        if (!protobuf_varint(&packed, &value))
            return protobuf_error(&g->file, start, "a number does not end. Is the file corrupt?");
        status = onnx_append_number(g, list, (double)value);
    }
    return status;
}

static enum status append_field(struct onnx_graph *g, const char *name, uint64_t type,
                                const struct protobuf_field *field, struct onnx_list *list) {
    bool is_raw = field->number == CONSTANT_RAW;
    if (field->bytes.at && (is_raw || (field->number == CONSTANT_FLOATS && type == ELEMENT_FLOAT) ||
                            (field->number == CONSTANT_DOUBLES && type == ELEMENT_DOUBLE)))
        return append_bytes(g, name, type, field->bytes, list);
    if (field->number == CONSTANT_INTEGERS && type == ELEMENT_UINT8)
        return field->bytes.at ? append_integers(g, field->bytes, list)
                               : onnx_append_number(g, list, (double)field->integer);
    return STATUS_OK;
}

static enum status read_type(struct onnx_graph *g, const char *name, struct protobuf_span tensor,
                             uint64_t *type) {
    struct protobuf_field field;
    uint64_t place = 0;
    *type = 0;
    while (tensor.at < tensor.end) {
        enum status status = protobuf_next(&g->file, &tensor, &field);
        if (status)
            return status;
        if (field.number == CONSTANT_TYPE)
            *type = field.integer;
        if (field.number == CONSTANT_PLACE)
            place = field.integer;
    }
    if (place)
        return error_set(g->error, STATUS_UNSUPPORTED,
                         "%s: %s: the tensor is in a separate file, which is not supported. Save "
                         "the model as one file",
                         g->name, name);
    if (*type != ELEMENT_FLOAT && *type != ELEMENT_DOUBLE && *type != ELEMENT_UINT8)
        return error_set(g->error, STATUS_UNSUPPORTED,
                         "%s: %s: tensor type %" PRIu64
                         " is not supported; expected floats or doubles",
                         g->name, name, *type);
    return STATUS_OK;
}

enum status onnx_read_tensor(struct onnx_graph *g, const char *name, struct protobuf_span tensor,
                             struct onnx_list *list) {
    struct protobuf_field field;
    uint64_t type;
    enum status status = read_type(g, name, tensor, &type);
    g->has_doubles = g->has_doubles || type == ELEMENT_DOUBLE;
    while (!status && tensor.at < tensor.end) {
        status = protobuf_next(&g->file, &tensor, &field);
        if (!status)
            status = append_field(g, name, type, &field, list);
    }
    return status;
}
