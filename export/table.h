/* Writes numbers as the elements of a C array, in lines of at most 100 columns. Every number is
 * exact. */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H

#include "base/number.h"

#include <stdio.h>

struct table {
    FILE *stream;
    int column; /* current column of the current line */
};

/* Adds an element. `format` has no comma. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_add_double(struct table *table, double value); /* finite */
/* Ends a table. If the table has no elements, writes `instead`, because C has no empty arrays. */
void table_end(struct table *table, const char *instead);

/* All elements of an array. NUMBER_U64 are numbers or doubles of 64 bits. */
struct table_array {
    enum number_type type;
    const void *values;
    size_t count;
    const char
        *format; /* of a uint64_t; NULL: decimal, and of the type for floats and NUMBER_I32 */
    const char *instead; /* as in table_end */
};

void table_write(FILE *stream, const struct table_array *array);

enum { TABLE_NUMBER_SIZE = 40 };

/* Formats a float as a C expression, infinities included. */
void table_format_float(float value, char text[static TABLE_NUMBER_SIZE]);

#endif
