/* The columns of the machine in the CSV of commands that measure. */
#ifndef HARNESS_CLI_SHARED_MACHINE_COLUMNS_H
#define HARNESS_CLI_SHARED_MACHINE_COLUMNS_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Write the names, or the values, with commas between them and no end of line. `machine` is the
 * result of machine_manifest. Unknown values are empty. */
void machine_csv_header(FILE *stream);
void machine_csv(const cJSON *machine, FILE *stream);

#endif
