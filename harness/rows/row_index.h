/* Finds stored rows by point and variant, so that reports need not search all rows. */
#ifndef HARNESS_ROWS_ROW_INDEX_H
#define HARNESS_ROWS_ROW_INDEX_H

#include "base/status.h"
#include "harness/rows/point.h"
#include "harness/rows/store.h"

#include <stddef.h>

struct row_entry {
    struct point point;
    char variant[2 * ROW_NAME_SIZE]; /* "vpred,v=8" */
    const struct row *row;
};

struct row_index {
    const struct rows *rows;
    /* sorted by point, then by variant, then in the order of the store */
    struct row_entry *entries;
    size_t count;
};

/* Builds the index. The rows must not change while the index is in use. Free it with
 * row_index_free. */
enum status row_index_make(const struct rows *rows, struct row_index *index, struct error *error);
void row_index_free(struct row_index *index);

struct row_span {
    const struct row_entry *entries; /* part of the index */
    size_t count;
};

/* row_index_at returns all rows of a point, whatever their status. row_index_find returns only
 * those of one variant. */
struct row_span row_index_at(const struct row_index *index, const struct point *point);
struct row_span row_index_find(const struct row_index *index, const struct point *point,
                               const char *variant);

/* Returns the origins of all rows of a point: bits of base/origin.h. */
unsigned row_index_origin(const struct row_index *index, const struct point *point);

#endif
