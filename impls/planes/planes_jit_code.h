/* Machine code for the nodes of trees. The code makes the separators L_c (step C of planes_types.h)
 * and the bits of the codes (step D). It is straight-line x86-64 code for the registers of AVX-512
 * (EVEX) or AVX2 (VEX).
 *
 * A test is an operand in memory. Each L_c stays in a register as long as it is needed. This is
 * possible because the smaller subtree of a node comes first: a tree of n leaves then has at most 2
 * log2(n) - 2 live separators, or 14 for 256 leaves. One more register is scratch. Each bit of the
 * codes takes two registers with EVEX and one with VEX. If the 16 VEX registers are used up, the
 * sum of a bit moves to memory. Oblivious trees have no separators (planes_jit_oblivious.c).
 *
 * The code is the body of a function in System V's calling convention:
 *     void code(const void *tests, void *bits);
 * It handles one register of each plane. Test i is at tests + plane_bytes * i. Bit j of the codes
 * of tree t is stored at bits + plane_bytes * (PLANES_CODE_BITS * t + j). */
#ifndef IMPLS_PLANES_PLANES_JIT_CODE_H
#define IMPLS_PLANES_PLANES_JIT_CODE_H

#include "impls/planes/planes_jit_instructions.h"
#include "impls/planes/planes_model.h"
#include "impls/shared/splits.h"

enum {
    PLANES_JIT_MAX_TESTS = INT32_MAX / 64, /* an offset to a test has 32 bits */
    /* Upper bounds of the code's size. With AVX2, a node takes an AND, an OR, an XOR and a store.
     * With AVX-512, a node takes a move and a ternary operation, and two nodes share another
     * ternary operation. A bit of the codes takes two operations and two stores. */
    PLANES_JIT_NODE_BYTES = 3 * JIT_MEMORY_BYTES + JIT_REGISTERS_BYTES,
    PLANES_JIT_TREE_BYTES = PLANES_CODE_BITS * 2 * (JIT_MEMORY_BYTES + JIT_REGISTERS_BYTES)
};

struct planes_jit_tree {
    const struct split *splits;  /* [n_nodes], breadth first */
    const int32_t *left, *right; /* [n_nodes] as in an ensemble */
    const uint32_t *tests;       /* [n_nodes] indices of tests, up to PLANES_JIT_MAX_TESTS */
    uint32_t n_nodes;            /* fewer than PLANES_MAX_LEAVES */
    uint32_t place;              /* the index of the tree in its bundle, t above */
};

/* The number of bits of a tree's codes, given its number of groups of separators. */
static inline unsigned planes_code_bits(uint32_t n_groups) {
    return n_groups > 1 ? 35 - (unsigned)__builtin_clz(n_groups - 1) : 3;
}

/* Appends the code of one tree to the writer's code. */
void planes_jit_add_tree(struct planes_jit_writer *writer, const struct planes_jit_tree *tree);

/* For oblivious trees, such as CatBoost's: all nodes of a depth have the same test. If the tree is
 * one and has at least 8 leaves, appends its code and returns true. Otherwise returns false.
 *
 * The tests' results are the bits of the leaf's number, the root's the highest. Bit j of the code
 * is bit j of the number XOR bit j + 1 (step D of planes_types.h), so it is the XOR of the tests
 * of two consecutive depths. No separators are needed. */
bool planes_jit_add_oblivious(struct planes_jit_writer *writer, const struct planes_jit_tree *tree);

/* Compile inner nodes into memory that a model owns. STATUS_MACHINE if the system does not execute
 * code generated at run time; STATUS_UNSUPPORTED if a model has too many tests. */
extern const struct planes_compiler planes_jit_vex;  /* for AVX2 */
extern const struct planes_compiler planes_jit_evex; /* for AVX-512 */

#endif
