/* CODEGEN's generator: writes trees as C source. */
#ifndef IMPLS_CODEGEN_CODEGEN_SOURCE_H
#define IMPLS_CODEGEN_CODEGEN_SOURCE_H

#include "impls/impl.h"

#include <stdio.h>

/* The generated function of a tree. It adds the values of the exit leaves to the scores of the
 * documents [begin, end). */
typedef void codegen_tree(const float *x, size_t stride, size_t begin, size_t end, double *scores);

/* The symbol that a generated source exports: an array of codegen_tree *, one per tree. */
#define CODEGEN_TABLE "codegen_trees"

/* Writes the C source of some trees. Every number in it is exact (hexadecimal floats). The caller
 * checks the stream for write errors (ferror). */
enum status codegen_write_source(const struct ensemble *ensemble, struct span trees, FILE *stream,
                                 struct error *error);

#endif
