/* The members of the JSON, which are also the columns of the CSV. */
#ifndef HARNESS_CLI_COMPARISON_COMPARISON_FIELDS_H
#define HARNESS_CLI_COMPARISON_COMPARISON_FIELDS_H

#include "harness/cli/comparison/comparison.h"

/* Receives fields in the order of the output. */
struct field_sink {
    void (*text)(void *context, const char *name, const char *value); /* "": none */
    void (*number)(void *context, const char *name, double value);    /* NaN: none */
    void (*boolean)(void *context, const char *name, bool value);
    void *context;
};

/* Visit the fields of the whole comparison, and of one line. Lines have counters only if the
 * comparison has. */
void comparison_visit(const struct comparison *comparison, const struct field_sink *sink);
void comparison_visit_line(const struct comparison *comparison, const struct comparison_line *line,
                           const struct field_sink *sink);

#endif
