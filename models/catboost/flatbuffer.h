/* Reads FlatBuffers: tables with numbered fields, lists and text, all found by offsets in one
 * buffer. Nothing is copied. Every offset is checked before it is followed, because a file may be
 * truncated or corrupt. Several tables may point to the same data, as the format allows. */
#ifndef MODELS_CATBOOST_FLATBUFFER_H
#define MODELS_CATBOOST_FLATBUFFER_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct flatbuffer {
    const char *name;           /* of the file, for errors: "FILE: byte N: ..." */
    size_t before;              /* number of bytes in the file before the buffer */
    const unsigned char *bytes; /* [size] */
    size_t size;
    struct error *error;
};

struct flatbuffer_table {
    size_t at;     /* position in the buffer; 0 if there is no table */
    size_t fields; /* position of the list of field offsets */
    uint16_t n_fields;
    uint16_t size; /* size of the table in bytes */
};

/* A list or text. */
struct flatbuffer_list {
    const unsigned char *items; /* NULL if there is none */
    uint32_t count;
};

enum status flatbuffer_root(const struct flatbuffer *buffer, struct flatbuffer_table *root);

/* Each comment gives the form of a field in the struct. */
enum flatbuffer_type {
    FLATBUFFER_U8,  /* uint32_t */
    FLATBUFFER_U32, /* uint32_t */
    FLATBUFFER_FLOAT,
    FLATBUFFER_DOUBLE,
    FLATBUFFER_TABLE, /* struct flatbuffer_table */
    FLATBUFFER_LIST   /* struct flatbuffer_list */
};

struct flatbuffer_field {
    uint16_t number;
    enum flatbuffer_type type;
    size_t offset;    /* in the struct that is filled in */
    size_t item_size; /* of lists */
};

#define FIELDS(kind) kind##_fields, sizeof kind##_fields / sizeof *kind##_fields

/* Reads fields of a table into the struct at `data`. Absent numbers keep their values; an absent
 * table gets at = 0, and an absent list is empty. */
enum status flatbuffer_read(const struct flatbuffer *buffer, const struct flatbuffer_table *table,
                            const struct flatbuffer_field *fields, size_t n_fields, void *data);

/* Reads the table `place` of a list of tables. The items of such a list have 4 bytes. */
enum status flatbuffer_item(const struct flatbuffer *buffer, const struct flatbuffer_list *list,
                            uint32_t place, struct flatbuffer_table *value);

/* Reads the text `place` of a list of texts. */
enum status flatbuffer_text(const struct flatbuffer *buffer, const struct flatbuffer_list *list,
                            uint32_t place, struct flatbuffer_list *value);

/* Return the number `place` of a list of numbers. */
uint32_t flatbuffer_u16(const struct flatbuffer_list *list, size_t place);
uint32_t flatbuffer_u32(const struct flatbuffer_list *list, size_t place);
float flatbuffer_f32(const struct flatbuffer_list *list, size_t place);
double flatbuffer_f64(const struct flatbuffer_list *list, size_t place);

#endif
