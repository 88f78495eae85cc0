#include "harness/rows/row_index.h"

#include <stdlib.h>
#include <string.h>

/* Compares an entry with a point and a variant. If the variant is NULL, compares only the
 * points. */
static int compare_place(const struct row_entry *entry, const struct point *point,
                         const char *variant) {
    int order = point_compare(&entry->point, point);
    return order || !variant ? order : strcmp(entry->variant, variant);
}

static int by_place(const void *a, const void *b) {
    const struct row_entry *x = a, *y = b;
    int order = compare_place(x, &y->point, y->variant);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

enum status row_index_make(const struct rows *rows, struct row_index *index, struct error *error) {
    *index = (struct row_index){.rows = rows,
                                .entries = calloc(rows->count + 1, sizeof *index->entries),
                                .count = rows->count};
    if (!index->entries)
        return error_memory(error, "the index of rows");
    for (size_t i = 0; i < rows->count; i++) {
        struct row_entry *entry = &index->entries[i];
        entry->row = &rows->list[i];
        entry->point = point_of_row(entry->row);
        snprintf(entry->variant, sizeof entry->variant, "%s", row_variant(entry->row).text);
    }
    qsort(index->entries, index->count, sizeof *index->entries, by_place);
    return STATUS_OK;
}

void row_index_free(struct row_index *index) {
    free(index->entries);
    *index = (struct row_index){.entries = NULL};
}

/* Returns the index of the first entry that does not precede the point and variant. With `behind`,
 * returns the index of the first entry that follows them. */
static size_t search(const struct row_index *index, const struct point *point, const char *variant,
                     bool behind) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_place(&index->entries[middle], point, variant) < (behind ? 1 : 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct row_span row_index_find(const struct row_index *index, const struct point *point,
                               const char *variant) {
    if (index->count == 0)
        return (struct row_span){NULL, 0}; /* there may be no array to point into */
    size_t begin = search(index, point, variant, false);
    return (struct row_span){index->entries + begin, search(index, point, variant, true) - begin};
}

struct row_span row_index_at(const struct row_index *index, const struct point *point) {
    return row_index_find(index, point, NULL);
}

unsigned row_index_origin(const struct row_index *index, const struct point *point) {
    struct row_span span = row_index_at(index, point);
    unsigned origin = 0;
    for (size_t i = 0; i < span.count; i++)
        origin |= span.entries[i].row->origin;
    return origin;
}
