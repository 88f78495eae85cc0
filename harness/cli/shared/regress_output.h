/* Prints the results of `treebench regress`. */
#ifndef HARNESS_CLI_SHARED_REGRESS_OUTPUT_H
#define HARNESS_CLI_SHARED_REGRESS_OUTPUT_H

#include "harness/regress/gate.h"

#include <stdio.h>

/* Prints a line per cell, and a summary as the last line. */
void regress_print(const struct gate_cell *cells, size_t n_cells, double seconds, FILE *stream);

/* Prints one JSON object; docs/regression-checks.md documents its keys. */
enum status regress_print_json(const struct gate_request *request, const struct gate_cell *cells,
                               size_t n_cells, double seconds, FILE *stream, struct error *error);

#endif
