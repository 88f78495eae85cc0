/* The comparisons at the nodes of generated if-else trees, as C expressions. */
#ifndef IMPLS_FRAMING_IFELSE_TEST_H
#define IMPLS_FRAMING_IFELSE_TEST_H

#include "models/ensemble.h"

#include <stdio.h>

/* Writes what the tests of ifelse_write_test call if as_int. */
void ifelse_write_helpers(FILE *stream);

/* Writes an expression that is nonzero exactly if the document x goes left at a node (or right, if
 * !left). If as_int, floats are compared by the integers that have the same bits. */
void ifelse_write_test(FILE *stream, const struct ensemble *ensemble, size_t node, bool left,
                       bool as_int);

#endif
