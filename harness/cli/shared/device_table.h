/* The facts of a device beside those of lettich2018's GPU (Table 6). */
#ifndef HARNESS_CLI_SHARED_DEVICE_TABLE_H
#define HARNESS_CLI_SHARED_DEVICE_TABLE_H

#include "base/status.h"

/* Prints the table for the device of this name on standard output. Fails as device_open does. */
enum status device_table_print(const char *name, struct error *error);

#endif
