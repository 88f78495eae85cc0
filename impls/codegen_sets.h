/* CODEGEN's tests of sets: categories as C expressions. */
#ifndef IMPLS_CODEGEN_SETS_H
#define IMPLS_CODEGEN_SETS_H

#include "models/ensemble.h"

#include <stdio.h>

/* A float as a C expression, exactly. */
void codegen_write_float(FILE *stream, float value);

/* What the tests need at the beginning of a source of an ensemble that has sets. */
void codegen_write_set_helpers(FILE *stream);

/* What the test of a set node needs before the function that it is in: a table, or nothing. */
void codegen_write_set_table(FILE *stream, const struct ensemble *ensemble, size_t node);

/* An expression that is not 0 exactly if the document x goes left at a set node. */
void codegen_write_set_test(FILE *stream, const struct ensemble *ensemble, size_t node);

#endif
