/* The result of `treebench scale`, and the forms in which it is printed. docs/latency.md documents
 * these forms. Change SCALES_SCHEMA whenever a key is renamed, removed or given another meaning. */
#ifndef HARNESS_CLI_OUTPUT_SCALES_H
#define HARNESS_CLI_OUTPUT_SCALES_H

#include "harness/cli/shared/measured.h"
#include "harness/latency/scaling.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define SCALES_SCHEMA 1

struct scales {
    struct measured_inputs inputs;
    struct scaling scaling;
};

/* The fields of the whole run and of a line, as JSON and CSV have them. */
extern const struct record scales_record, scales_line_record;

/* Makes the line with this index. Returns false if there is none. */
bool scales_line(const struct scales *scales, size_t index, struct scaling_summary *line);

/* Errors of the stream are left to the caller. */
void scales_print_table(const struct scales *scales, FILE *stream);
/* JSON or CSV. */
enum status scales_print_records(const struct scales *scales, const struct measured_output *output,
                                 struct error *error);

#endif
