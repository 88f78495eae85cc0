/* The comparisons at the nodes of generated if-else trees, as C expressions. */
#ifndef IMPLS_FRAMING_IFELSE_TEST_H
#define IMPLS_FRAMING_IFELSE_TEST_H

#include "models/ensemble.h"

#include <stdio.h>

/* What documents hold, and how it is compared. */
enum ifelse_values {
    IFELSE_FLOAT,
    IFELSE_FLOAT_BITS, /* floats, compared by the integers that have the same bits */
    IFELSE_INT16,
    IFELSE_INT32
};

/* The C type of a document's values: "float", "short" or "int". */
const char *ifelse_value_type(enum ifelse_values values);

/* Writes what the tests of ifelse_write_test call with IFELSE_FLOAT_BITS. */
void ifelse_write_helpers(FILE *stream);

/* Writes an expression that is nonzero exactly if the document x goes left at a node (or right, if
 * !left). Integers have no NaN, and no sets: a node with a set is not written for them. */
void ifelse_write_test(FILE *stream, const struct ensemble *ensemble, size_t node, bool left,
                       enum ifelse_values values);

#endif
