/* CODEGEN's generator: writes trees as C source. The functions for set nodes are in codegen_sets.c.
 */
#ifndef IMPLS_CODEGEN_CODEGEN_SOURCE_H
#define IMPLS_CODEGEN_CODEGEN_SOURCE_H

#include "impls/codegen/codegen_library.h"

/* The generated function of a group of consecutive trees. For each of the documents [begin, end),
 * it calls all trees of the group and adds the values of the exit leaves to the scores. */
typedef void codegen_group(const float *x, size_t stride, size_t begin, size_t end, double *scores);

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

/* Writes the statements that add the trees of a group to `score`, the scores of `document`. The
 * function of tree T is named tree_T`suffix`. Without votes, each output has its sum in a local
 * variable, so that the sum stays in a register between trees that the compiler inlines. */
void codegen_write_scores(FILE *stream, const struct ensemble *ensemble, struct span group,
                          const char *suffix);

/* What the function of a tree returns: the class that the exit leaf votes for, or its value. */
const char *codegen_leaf_type(const struct ensemble *ensemble);
void codegen_write_leaf(FILE *stream, const struct ensemble *ensemble, size_t leaf);

/* Writes groups of trees as codegen_writer asks for; context is not used. Every number in the
 * source is exact (the shortest decimals that read back as the same value). */
enum status codegen_write_source(const void *context, const struct ensemble *ensemble,
                                 const struct span *groups, size_t n_groups, FILE *stream,
                                 struct error *error);

#endif
