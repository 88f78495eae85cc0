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

/* Writes the tables that the tests of a tree's set nodes read, if they need any. They belong before
 * the functions that contain the tests. */
void codegen_write_set_tables(FILE *stream, const struct ensemble *ensemble, uint32_t t);

/* Writes an expression that is nonzero exactly if the document x goes left at a set node. */
void codegen_write_set_test(FILE *stream, const struct ensemble *ensemble, size_t node);

#endif
