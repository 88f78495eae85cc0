#include "models/catboost/flatbuffer.h"

#include "base/number.h"

#include <string.h>

static enum status outside(const struct flatbuffer *b, size_t at, const char *what) {
    return error_set(b->error, STATUS_INPUT, "%s: byte %zu: %s. Is the file truncated or corrupt?",
                     b->name, b->before + at, what);
}

/* Follows the offset at a position in the buffer. */
static enum status follow(const struct flatbuffer *b, size_t at, size_t *to) {
    if (b->size < 4 || at > b->size - 4)
        return outside(b, at, "an offset is outside the model");
    uint32_t offset = (uint32_t)number_little_endian(b->bytes + at, 4);
    if (offset == 0 || offset > b->size - at)
        return outside(b, at, "an offset points outside the model");
    *to = at + offset;
    return STATUS_OK;
}

/* A table begins with the distance back to its list of field offsets. A negative distance points
 * forward. The list holds its own size, the size of the table, and an offset for each field, which
 * is 0 if the field is absent. */
static enum status open_table(const struct flatbuffer *b, size_t at,
                              struct flatbuffer_table *table) {
    static const char wrong[] = "a table is outside the model";
    if (b->size < 4 || at > b->size - 4)
        return outside(b, at, wrong);
    int64_t fields = (int64_t)at - (int32_t)number_little_endian(b->bytes + at, 4);
    if (fields < 0 || (uint64_t)fields > b->size - 4)
        return outside(b, at, wrong);
    size_t list = (size_t)fields;
    uint16_t list_size = (uint16_t)number_little_endian(b->bytes + list, 2);
    *table = (struct flatbuffer_table){
        .at = at,
        .fields = list + 4,
        .n_fields = (uint16_t)((list_size - 4) / 2),
        .size = (uint16_t)number_little_endian(b->bytes + list + 2, 2),
    };
    if (list_size < 4 || list_size % 2 != 0 || list_size > b->size - list || table->size < 4 ||
        table->size > b->size - at)
        return outside(b, at, wrong);
    return STATUS_OK;
}

/* Finds a field of the given size. *at is set to its position, or to 0 if the field is absent. */
static enum status find_field(const struct flatbuffer *b, const struct flatbuffer_table *table,
                              uint16_t field, unsigned size, size_t *at) {
    *at = 0;
    if (field >= table->n_fields)
        return STATUS_OK;
    size_t offset = (size_t)number_little_endian(b->bytes + table->fields + 2 * (size_t)field, 2);
    if (offset == 0)
        return STATUS_OK;
    if (offset < 4 || size > table->size || offset > table->size - size)
        return outside(b, table->at, "a field is outside its table");
    *at = table->at + offset;
    return STATUS_OK;
}

enum status flatbuffer_root(const struct flatbuffer *b, struct flatbuffer_table *root) {
    size_t at;
    enum status status = follow(b, 0, &at);
    return status ? status : open_table(b, at, root);
}

static enum status read_table(const struct flatbuffer *b, const struct flatbuffer_table *table,
                              uint16_t field, struct flatbuffer_table *value) {
    size_t at;
    *value = (struct flatbuffer_table){0};
    enum status status = find_field(b, table, field, 4, &at);
    if (status || !at || (status = follow(b, at, &at)))
        return status;
    return open_table(b, at, value);
}

/* Reads the list that the offset at a position leads to. */
static enum status open_list(const struct flatbuffer *b, size_t at, size_t item_size,
                             struct flatbuffer_list *value) {
    enum status status = follow(b, at, &at);
    if (status)
        return status;
    if (b->size < 4 || at > b->size - 4)
        return outside(b, at, "a list is outside the model");
    value->count = (uint32_t)number_little_endian(b->bytes + at, 4);
    value->items = b->bytes + at + 4;
    if (value->count > (b->size - at - 4) / item_size)
        return outside(b, at, "a list exceeds the rest of the model");
    return STATUS_OK;
}

static enum status read_list(const struct flatbuffer *b, const struct flatbuffer_table *table,
                             uint16_t field, size_t item_size, struct flatbuffer_list *value) {
    size_t at;
    *value = (struct flatbuffer_list){0};
    enum status status = find_field(b, table, field, 4, &at);
    return status || !at ? status : open_list(b, at, item_size, value);
}

static enum status read_number(const struct flatbuffer *b, const struct flatbuffer_table *table,
                               const struct flatbuffer_field *field, void *value) {
    static const unsigned sizes[] = {
        [FLATBUFFER_U8] = 1, [FLATBUFFER_U32] = 4, [FLATBUFFER_FLOAT] = 4, [FLATBUFFER_DOUBLE] = 8};
    unsigned size = sizes[field->type];
    size_t at;
    enum status status = find_field(b, table, field->number, size, &at);
    if (status || !at)
        return status;
    uint64_t bits = number_little_endian(b->bytes + at, size);
    uint32_t low = (uint32_t)bits;
    if (field->type == FLATBUFFER_DOUBLE)
        memcpy(value, &bits, sizeof bits);
    else
        memcpy(value, &low, sizeof low);
    return STATUS_OK;
}

enum status flatbuffer_read(const struct flatbuffer *b, const struct flatbuffer_table *table,
                            const struct flatbuffer_field *fields, size_t n_fields, void *data) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n_fields && !status; i++) {
        const struct flatbuffer_field *field = &fields[i];
        void *value = (char *)data + field->offset;
        if (field->type == FLATBUFFER_TABLE)
            status = read_table(b, table, field->number, value);
        else if (field->type == FLATBUFFER_LIST)
            status = read_list(b, table, field->number, field->item_size, value);
        else
            status = read_number(b, table, field, value);
    }
    return status;
}

static size_t item_at(const struct flatbuffer *b, const struct flatbuffer_list *list,
                      uint32_t place) {
    return (size_t)(list->items - b->bytes) + 4 * (size_t)place;
}

enum status flatbuffer_item(const struct flatbuffer *b, const struct flatbuffer_list *list,
                            uint32_t place, struct flatbuffer_table *value) {
    size_t at;
    enum status status = follow(b, item_at(b, list, place), &at);
    return status ? status : open_table(b, at, value);
}

enum status flatbuffer_text(const struct flatbuffer *b, const struct flatbuffer_list *list,
                            uint32_t place, struct flatbuffer_list *value) {
    return open_list(b, item_at(b, list, place), 1, value);
}

uint32_t flatbuffer_u16(const struct flatbuffer_list *list, size_t place) {
    return (uint32_t)number_little_endian(list->items + 2 * place, 2);
}

uint32_t flatbuffer_u32(const struct flatbuffer_list *list, size_t place) {
    return (uint32_t)number_little_endian(list->items + 4 * place, 4);
}

float flatbuffer_f32(const struct flatbuffer_list *list, size_t place) {
    return number_float_of(flatbuffer_u32(list, place));
}

double flatbuffer_f64(const struct flatbuffer_list *list, size_t place) {
    return number_double_of(number_little_endian(list->items + 8 * place, 8));
}
