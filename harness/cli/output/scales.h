/* The result of `treebench scale`, and the forms in which it is printed. docs/latency.md documents
 * these forms. Change SCALES_SCHEMA whenever a key is renamed, removed or given another meaning. */
#ifndef HARNESS_CLI_OUTPUT_SCALES_H
#define HARNESS_CLI_OUTPUT_SCALES_H

#include "harness/latency/scaling.h"

#include <cjson/cJSON.h>
#include <stdio.h>

#define SCALES_SCHEMA 1

struct scales {
    const char *model, *data;
    size_t documents;
    uint32_t trees, features;
    struct scaling scaling;
};

/* The fields of the whole run and of a line, as JSON and CSV have them. */
extern const struct record scales_record, scales_line_record;

/* Calls `add` for each line that is printed. */
void scales_for_lines(const struct scales *scales,
                      void (*add)(const struct scaling_summary *summary, void *context),
                      void *context);

/* `machine` is the result of machine_manifest. Errors of the stream are left to the caller. */
void scales_print_table(const struct scales *scales, FILE *stream);
void scales_print_csv(const struct scales *scales, const cJSON *machine, FILE *stream);
enum status scales_print_json(const struct scales *scales, const cJSON *machine, FILE *stream,
                              struct error *error);

#endif
