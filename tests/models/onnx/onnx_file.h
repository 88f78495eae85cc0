/* Builds ONNX models byte by byte. Include after cmocka.h. */
#ifndef TESTS_MODELS_ONNX_ONNX_FILE_H
#define TESTS_MODELS_ONNX_ONNX_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    char data[1 << 14];
    size_t size;
};

static inline void put_varint(struct bytes *to, uint64_t value) {
    assert_true(to->size + 10 < sizeof to->data);
    for (; value > 127; value >>= 7)
        to->data[to->size++] = (char)(value | 128);
    to->data[to->size++] = (char)value;
}

static inline void put_bytes(struct bytes *to, unsigned field, const void *data, size_t size) {
    put_varint(to, field << 3 | 2);
    put_varint(to, size);
    assert_true(to->size + size <= sizeof to->data);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

static inline void put_text(struct bytes *to, unsigned field, const char *text) {
    put_bytes(to, field, text, strlen(text));
}

static inline void put_integer(struct bytes *to, unsigned field, uint64_t value) {
    put_varint(to, field << 3);
    put_varint(to, value);
}

static inline void put_raw(struct bytes *to, const void *data, size_t size) {
    assert_true(to->size + size <= sizeof to->data);
    memcpy(to->data + to->size, data, size);
    to->size += size;
}

enum { TENSOR_FLOATS = 1, TENSOR_BYTES = 2, TENSOR_DOUBLES = 11 };

/* A tensor of the numbers in a text. If `columns` is 0, it has no dimension. */
static inline struct bytes tensor_of(const char *numbers, int type, bool raw, unsigned columns) {
    struct bytes tensor = {.size = 0}, list = {.size = 0};
    char word[32];
    int length;
    for (const char *at = numbers; sscanf(at, " %31s%n", word, &length) == 1; at += length) {
        double real = strtod(word, NULL);
        float half = strtof(word, NULL);
        unsigned char byte = (unsigned char)strtoul(word, NULL, 10);
        if (type == TENSOR_FLOATS)
            put_raw(&list, &half, sizeof half);
        else if (type == TENSOR_DOUBLES)
            put_raw(&list, &real, sizeof real);
        else
            put_raw(&list, &byte, 1);
    }
    if (columns)
        put_integer(&tensor, 1, columns);
    put_integer(&tensor, 2, (uint64_t)type);
    put_bytes(&tensor,
              raw                      ? 9
              : type == TENSOR_DOUBLES ? 10
              : type == TENSOR_BYTES   ? 5
                                       : 4,
              list.data, list.size);
    return tensor;
}

/* "name=1 2 3" as integers, "name:1 2 3" as floats, "name'A B" as strings, "name#1" as one
 * integer, "name%1" as one float, "name$A" as one string, "name~1 2" as a tensor of floats,
 * "name!1 2" of bytes, "name&1 2" of doubles; packed: in one field. */
static inline void put_attribute(struct bytes *node, const char *text, bool packed) {
    struct bytes attribute = {.size = 0}, list = {.size = 0};
    const char *at = text + strcspn(text, "=:'#%$~!&");
    char kind = *at++, word[32];
    int length;
    put_bytes(&attribute, 1, text, (size_t)(at - 1 - text));
    if (strchr("~!&", kind)) {
        int type = kind == '~' ? TENSOR_FLOATS : kind == '!' ? TENSOR_BYTES : TENSOR_DOUBLES;
        struct bytes tensor = tensor_of(at, type, packed, 0);
        put_bytes(&attribute, 5, tensor.data, tensor.size);
        at = "";
    }
    for (; sscanf(at, " %31s%n", word, &length) == 1; at += length) {
        float real = strtof(word, NULL);
        uint64_t integer = strtoull(word, NULL, 10);
        struct bytes *to = packed ? &list : &attribute;
        if (kind == '\'' || kind == '$') {
            put_text(&attribute, kind == '$' ? 4 : 9, word);
        } else if (kind == '#') {
            put_integer(&attribute, 3, integer);
        } else if (kind == '%') {
            put_varint(&attribute, 2 << 3 | 5);
            put_raw(&attribute, &real, sizeof real);
        } else if (kind == '=') {
            if (!packed)
                put_varint(to, 8 << 3);
            put_varint(to, integer);
        } else {
            if (!packed)
                put_varint(to, 7 << 3 | 5);
            put_raw(to, &real, sizeof real);
        }
    }
    if (list.size)
        put_bytes(&attribute, kind == '=' ? 8 : 7, list.data, list.size);
    put_bytes(node, 5, attribute.data, attribute.size);
}

/* A node of the graph. The lines of a text are its attributes. `second` may be NULL. */
static inline void put_node(struct bytes *graph, const char *operator, const char * input,
                            const char *second, const char *output, const char *attributes,
                            bool packed) {
    struct bytes node = {.size = 0};
    char line[256];
    int length;
    put_text(&node, 1, input);
    if (second)
        put_text(&node, 1, second);
    put_text(&node, 2, output);
    put_text(&node, 3, "its-name");
    put_text(&node, 4, operator);
    for (const char *at = attributes; sscanf(at, " %255[^\n]%n", line, &length) == 1; at += length)
        put_attribute(&node, line, packed);
    put_bytes(graph, 1, node.data, node.size);
}

static inline void put_constant(struct bytes *graph, const char *name, const char *numbers,
                                int type, unsigned columns) {
    struct bytes tensor = tensor_of(numbers, type, true, columns);
    put_text(&tensor, 8, name);
    put_bytes(graph, 5, tensor.data, tensor.size);
}

/* The input X of this type. If `columns` is 0, any number is allowed. */
static inline void put_input(struct bytes *graph, int type, unsigned columns) {
    struct bytes value = {.size = 0}, kind = {.size = 0}, tensor = {.size = 0}, shape = {.size = 0},
                 dimension = {.size = 0};
    put_integer(&tensor, 1, (uint64_t)type);
    if (columns) {
        put_integer(&dimension, 1, columns);
        put_bytes(&shape, 1, "", 0);
        put_bytes(&shape, 1, dimension.data, dimension.size);
        put_bytes(&tensor, 2, shape.data, shape.size);
    }
    put_bytes(&kind, 1, tensor.data, tensor.size);
    put_text(&value, 1, "X");
    put_bytes(&value, 2, kind.data, kind.size);
    put_bytes(graph, 11, value.data, value.size);
}

static inline struct bytes model_of_graph(const struct bytes *graph) {
    struct bytes model = {.size = 0};
    put_integer(&model, 1, 8);
    put_bytes(&model, 7, graph->data, graph->size);
    return model;
}

/* A model with one node. */
static inline struct bytes model_of(const char *operator, const char * input,
                                    const char *attributes, bool packed) {
    struct bytes graph = {.size = 0};
    put_node(&graph, operator, input, NULL, "scores", attributes, packed);
    put_input(&graph, TENSOR_FLOATS, 0);
    return model_of_graph(&graph);
}

#endif
