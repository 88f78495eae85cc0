/* FlatBuffers: tables whose fields are found by number, lists and text, all by offsets into one
 * buffer. Nothing is copied. Every offset is checked before it is followed, since a file may be cut
 * or lie; tables may share what they point to, as the format allows. */
#ifndef MODELS_FLATBUFFER_H
#define MODELS_FLATBUFFER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flatbuffer {
    const char *name;           /* of the file, for errors: "FILE: byte N: ..." */
    size_t before;              /* bytes of the file before the buffer */
    const unsigned char *bytes; /* [size] */
    size_t size;
    struct error *error;
};

struct flatbuffer_table {
    size_t at;     /* 0: there is none */
    size_t fields; /* where the list of its fields' offsets begins */
    uint16_t n_fields;
    uint16_t size; /* bytes of the table itself */
};

/* A list, or text. */
struct flatbuffer_list {
    const unsigned char *items; /* NULL: there is none */
    uint32_t count;
};

enum status flatbuffer_root(const struct flatbuffer *buffer, struct flatbuffer_table *root);

/* What a field says. An absent field has no table or list, and a number that is its default. */
enum status flatbuffer_table(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                             uint16_t field, struct flatbuffer_table *value);
enum status flatbuffer_list(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                            uint16_t field, size_t item_size, struct flatbuffer_list *value);
enum status flatbuffer_number(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                              uint16_t field, unsigned size, uint64_t *bits);
enum status flatbuffer_double(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                              uint16_t field, double *value);

/* The table at a place of a list of tables (of items of 4 bytes). */
enum status flatbuffer_item(const struct flatbuffer *buffer, const struct flatbuffer_list *list,
                            uint32_t place, struct flatbuffer_table *value);

/* Items of a list of numbers. */
uint32_t flatbuffer_u16(const struct flatbuffer_list *list, size_t place);
uint32_t flatbuffer_u32(const struct flatbuffer_list *list, size_t place);
double flatbuffer_f64(const struct flatbuffer_list *list, size_t place);

#endif
