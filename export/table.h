/* Writes numbers as the elements of a C array, in lines of at most 100 columns. Every number is
 * exact. */
#ifndef EXPORT_TABLE_H
#define EXPORT_TABLE_H

#include <stdint.h>
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

enum { TABLE_NUMBER_SIZE = 40 };

/* Formats a float as a C expression, infinities included. */
void table_format_float(float value, char text[static TABLE_NUMBER_SIZE]);

#endif
