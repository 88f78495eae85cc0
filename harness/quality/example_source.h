/* Functions with a given number of splits and leaves: the isolated example of buschjaeger2018's
 * Table I. */
#ifndef HARNESS_QUALITY_EXAMPLE_SOURCE_H
#define HARNESS_QUALITY_EXAMPLE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes a C function that walks a balanced tree of if-else blocks, with n_splits + 1 leaves. */
void example_write_tree(FILE *stream, uint32_t n_splits, bool is_float);

/* Writes a C function with n_splits >= 1 splits one after another, and two leaves: a split leads to
 * the next one or to the second leaf. */
void example_write_chain(FILE *stream, uint32_t n_splits, bool is_float);

#endif
