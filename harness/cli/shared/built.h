/* What it takes to load a model and to build a scorer, for the commands that time implementations.
 */
#ifndef HARNESS_CLI_SHARED_BUILT_H
#define HARNESS_CLI_SHARED_BUILT_H

#include "harness/cli/shared/grid.h"
#include "harness/rows/row.h"

/* NaN unless the status of the row is ok, and where it was not read. */
struct built {
    struct resident resident;
    double bytes, ns;
};
struct built built_of(const struct row *row);

/* The field of a run with the ns that reading the model took, and those of a line. */
#define LOAD_FIELD(TYPE, MEMBER)                                                                   \
    FIELD(TYPE, NUMBER, "load_ns", MEMBER, .help = "wall time of reading the model", .unit = "ns")
#define BUILT_FIELDS(TYPE, MEMBER)                                                                 \
    FIELD(TYPE, NUMBER, "resident_bytes", MEMBER.resident.held_bytes,                              \
          .help = "memory that the scorer holds", .unit = "bytes"),                                \
        FIELD(TYPE, NUMBER, "resident_peak_bytes", MEMBER.resident.most_bytes,                     \
              .help = "the most while building it", .unit = "bytes"),                              \
        FIELD(TYPE, NUMBER, "built_bytes", MEMBER.bytes, .help = "size of the built model",        \
              .unit = "bytes"),                                                                    \
        FIELD(TYPE, NUMBER, "build_ns", MEMBER.ns, .help = "wall time of building the model",      \
              .unit = "ns")

/* The same as a table: create it for a number of rows, put the rows, print it. Rows whose status is
 * not ok have no line. */
struct grid built_grid(size_t n_rows);
void built_put(const struct row *row, struct grid *grid);
void built_print(struct grid *grid, double load_ns, FILE *stream);

#endif
