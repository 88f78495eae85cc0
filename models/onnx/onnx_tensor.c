/* Reads lists of numbers: attributes, and tensors, which are also the constants of a graph. */
#include "base/memory.h"
#include "base/number.h"
#include "models/onnx/onnx.h"

#include <inttypes.h>

enum status onnx_append(struct onnx_graph *g, const char *name, struct memory_list *list,
                        uint64_t value) {
    if (value > UINT32_MAX)
        return onnx_fail(g, STATUS_INPUT, "%s: value %zu must be from 0 to 4294967295", name,
                         list->count);
    const uint32_t item = (uint32_t)value;
    return memory_list_add(list, &item, sizeof item)
               ? STATUS_OK
               : error_memory(g->error, "an attribute of a model");
}

enum status onnx_append_number(struct onnx_graph *g, struct memory_list *list, double number) {
    return memory_list_add(list, &number, sizeof number)
               ? STATUS_OK
               : error_memory(g->error, "the numbers of a model");
}

static double to_number(uint64_t type, uint64_t bits) {
    return type == ELEMENT_DOUBLE  ? number_double_of(bits)
           : type == ELEMENT_FLOAT ? (double)number_float_of((uint32_t)bits)
                                   : (double)bits;
}

static enum status append_bytes(struct onnx_graph *g, const char *name, uint64_t type,
                                struct protobuf_span bytes, struct memory_list *list) {
    ptrdiff_t size = type == ELEMENT_DOUBLE ? 8 : type == ELEMENT_FLOAT ? 4 : 1;
    enum status status = STATUS_OK;
    if ((bytes.end - bytes.at) % size != 0)
        return onnx_fail(g, STATUS_INPUT, "%s: the list ends inside a number", name);
    for (; bytes.at < bytes.end && !status; bytes.at += size)
        status = onnx_append_number(g, list,
                                    to_number(type, number_little_endian(bytes.at, (size_t)size)));
    return status;
}

enum status onnx_read_floats(struct onnx_graph *g, const char *name, struct protobuf_span attribute,
                             struct memory_list *list) {
    struct protobuf_field field;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &attribute, &field, &status))
        if (field.number == ATTRIBUTE_FLOATS)
            status = field.bytes.at
                         ? append_bytes(g, name, ELEMENT_FLOAT, field.bytes, list)
                         : onnx_append_number(g, list, to_number(ELEMENT_FLOAT, field.integer));
    return status;
}

enum status onnx_read_integers(struct onnx_graph *g, const char *name,
                               struct protobuf_span attribute, struct memory_list *list) {
    struct protobuf_field field;
    uint64_t value;
    enum status status = STATUS_OK;
    while (protobuf_more(&g->file, &attribute, &field, &status)) {
        if (field.number != ATTRIBUTE_INTEGERS)
            continue;
        if (!field.bytes.at)
            status = onnx_append(g, name, list, field.integer);
        while (protobuf_more_packed(&g->file, &field.bytes, &value, &status))
            status = onnx_append(g, name, list, value);
    }
    return status;
}

/* --- tensors ---------------------------------------------------------------------------------- */

static enum status append_integers(struct onnx_graph *g, struct protobuf_span packed,
                                   struct memory_list *list) {
    enum status status = STATUS_OK;
    uint64_t value;
    while (protobuf_more_packed(&g->file, &packed, &value, &status))
        status = onnx_append_number(g, list, (double)value);
    return status;
}

static enum status append_field(struct onnx_graph *g, const char *name, uint64_t type,
                                const struct protobuf_field *field, struct memory_list *list) {
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
    uint64_t place = 0;
    *type = 0;
    enum status status = protobuf_integer(&g->file, tensor, CONSTANT_TYPE, type);
    if (!status)
        status = protobuf_integer(&g->file, tensor, CONSTANT_PLACE, &place);
    if (status)
        return status;
    if (place)
        return onnx_fail(g, STATUS_UNSUPPORTED,
                         "%s: the tensor is in a separate file, which is not supported. Save "
                         "the model as one file",
                         name);
    if (*type != ELEMENT_FLOAT && *type != ELEMENT_DOUBLE && *type != ELEMENT_UINT8)
        return onnx_fail(g, STATUS_UNSUPPORTED,
                         "%s: tensor type %" PRIu64 " is not supported; expected floats or doubles",
                         name, *type);
    return STATUS_OK;
}

enum status onnx_read_tensor(struct onnx_graph *g, const char *name, struct protobuf_span tensor,
                             struct memory_list *list) {
    struct protobuf_field field;
    uint64_t type;
    enum status status = read_type(g, name, tensor, &type);
    g->has_doubles = g->has_doubles || type == ELEMENT_DOUBLE;
    while (protobuf_more(&g->file, &tensor, &field, &status))
        status = append_field(g, name, type, &field, list);
    return status;
}
