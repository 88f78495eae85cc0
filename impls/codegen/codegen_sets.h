/* CODEGEN's set nodes: writes their tests as C expressions. */
#ifndef IMPLS_CODEGEN_CODEGEN_SETS_H
#define IMPLS_CODEGEN_CODEGEN_SETS_H

#include "models/ensemble.h"

#include <stdio.h>

/* Writes a C expression that has exactly the value of a float. */
void codegen_write_float(FILE *stream, float value);

/* Writes the helper functions of set tests. They belong at the beginning of a source, if the
 * ensemble has sets. */
void codegen_write_set_helpers(FILE *stream);

/* Writes the table that the test of a set node reads, if it needs one. The table belongs before
 * the function that contains the test. */
void codegen_write_set_table(FILE *stream, const struct ensemble *ensemble, size_t node);

/* Writes an expression that is nonzero exactly if the document x goes left at a set node. */
void codegen_write_set_test(FILE *stream, const struct ensemble *ensemble, size_t node);

#endif
