/* A row as one line of CSV (RFC 4180): the columns are the JSON's keys in their order, with
 * "samples" as a count, and one column for each counter. null is an empty field. */
#ifndef HARNESS_ROW_CSV_H
#define HARNESS_ROW_CSV_H

#include "harness/row.h"

#include <stdio.h>

void row_csv_write_header(FILE *stream);
void row_csv_write(const struct row *row, FILE *stream);

#endif
