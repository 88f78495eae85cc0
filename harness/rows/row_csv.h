/* Writes rows as CSV (RFC 4180), one line per row. The columns are the JSON's keys in the same
 * order, except that "samples" is a count and every counter has its own column. JSON's null becomes
 * an empty field. */
#ifndef HARNESS_ROWS_ROW_CSV_H
#define HARNESS_ROWS_ROW_CSV_H

#include "harness/rows/row.h"

#include <stdio.h>

void row_csv_write_header(FILE *stream);
void row_csv_write(const struct row *row, FILE *stream);

/* Appends a comma and the shortest text that reads back as the same number. The field is empty if
 * the number is not finite. */
void row_csv_append_number(FILE *stream, double value);

#endif
