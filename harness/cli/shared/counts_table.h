/* A table of counted events. */
#ifndef HARNESS_CLI_SHARED_COUNTS_TABLE_H
#define HARNESS_CLI_SHARED_COUNTS_TABLE_H

#include "harness/rows/row.h"

#include <stdio.h>

/* Prints a table of the counters of one cell's rows, per document and tree. If counters are
 * missing, prints the reason. `asked` is the value of --counters. */
void counts_table_print(const struct row *rows, size_t count, const char *asked, FILE *stream);

#endif
