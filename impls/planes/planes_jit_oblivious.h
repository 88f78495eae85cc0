/* Machine code for oblivious trees, such as CatBoost's: all nodes of a depth have the same test.
 *
 * The tests' results are the bits of the leaf's number, the root's the highest. Bit j of the code
 * is bit j of the number XOR bit j + 1 (step D of planes_types.h), so it is the XOR of the tests
 * of two consecutive depths. No separators are needed. */
#ifndef IMPLS_PLANES_PLANES_JIT_OBLIVIOUS_H
#define IMPLS_PLANES_PLANES_JIT_OBLIVIOUS_H

#include "impls/planes/planes_jit_code.h"

/* If the tree is oblivious and has at least 8 leaves, appends its code and returns true. Otherwise
 * returns false. */
bool planes_jit_add_oblivious(struct planes_jit_writer *writer, const struct planes_jit_tree *tree);

#endif
