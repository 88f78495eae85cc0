/* CODEGEN's generator: writes trees as C source. */
#ifndef IMPLS_CODEGEN_CODEGEN_SOURCE_H
#define IMPLS_CODEGEN_CODEGEN_SOURCE_H

#include "impls/impl.h"

#include <stdio.h>

/* The generated function of a group of consecutive trees. For each of the documents [begin, end),
 * it calls all trees of the group and adds the values of the exit leaves to the scores. */
typedef void codegen_group(const float *x, size_t stride, size_t begin, size_t end, double *scores);

/* The symbol that a generated source exports: an array of codegen_group *, one per group. */
#define CODEGEN_TABLE "codegen_groups"

/* Writes the C source of n_groups groups of trees. Every number in it is exact (hexadecimal
 * floats). The caller checks the stream for write errors (ferror). */
enum status codegen_write_source(const struct ensemble *ensemble, const struct span *groups,
                                 size_t n_groups, FILE *stream, struct error *error);

#endif
