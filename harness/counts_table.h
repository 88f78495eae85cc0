/* What was counted, as a table for people. */
#ifndef HARNESS_COUNTS_TABLE_H
#define HARNESS_COUNTS_TABLE_H

#include "harness/row.h"

#include <stdio.h>

/* The counters of the rows of one cell that are ok, per document and tree, and why some are
 * missing. `asked`: the --counters that was asked for. */
void counts_table_print(const struct row *rows, size_t count, const char *asked, FILE *stream);

#endif
