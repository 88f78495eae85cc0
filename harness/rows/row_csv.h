/* Writes rows as CSV (RFC 4180), with one line per row. Columns have the order of the JSON's keys.
 * The column "samples" has only the number of samples, and every counter has its own column. null
 * becomes an empty field. */
#ifndef HARNESS_ROWS_ROW_CSV_H
#define HARNESS_ROWS_ROW_CSV_H

#include "harness/rows/row.h"

#include <stdio.h>

void row_csv_write_header(FILE *stream);
void row_csv_write(const struct row *row, FILE *stream);

/* Appends a comma and the text, quoted if necessary. */
void row_csv_append_text(FILE *stream, const char *text);

/* Appends a comma and the number, with as few digits as identify it. If the number is not finite,
 * the field is empty. */
void row_csv_append_number(FILE *stream, double value);

#endif
