/* Machine code for the nodes of trees: steps C and, as far as codes' bits go, D of planes_types.h
 * as straight-line code of x86-64 with AVX-512. A test is an operand in memory; all L_c stay in
 * registers, since the smaller subtree of a node comes first: of n leaves, log2(n) + 3 separators
 * are live at most, and a code's bits take two registers each, so that 256 leaves need 28 of 32.
 *
 * What is written is the body of a function
 *     void code(const void *tests, void *bits);
 * in System V's calling convention: a test's plane has 64 bytes and begins at tests + 64 times its
 * number; bit j of the codes of tree t goes to the plane at bits + 64 (PLANES_CODE_BITS t + j). */
#ifndef IMPLS_PLANES_JIT_CODE_H
#define IMPLS_PLANES_JIT_CODE_H

#include "impls/planes_types.h"
#include "impls/splits.h"

enum {
    PLANES_JIT_PLANE = 64,
    PLANES_JIT_MAX_TESTS = INT32_MAX / PLANES_JIT_PLANE, /* 32 bits say where a test lies */
    /* Bytes at most: a move, a ternary operation on memory and half a ternary operation a node; an
     * operation and a store a bit of the codes; a return. */
    PLANES_JIT_NODE_BYTES = 6 + 11 + 7,
    PLANES_JIT_TREE_BYTES = PLANES_CODE_BITS * (7 + 7),
    PLANES_JIT_RETURN_BYTES = 1
};

struct planes_jit_tree {
    const struct split *splits;  /* [n_nodes], the root first */
    const int32_t *left, *right; /* [n_nodes] as in an ensemble */
    const uint32_t *tests;       /* [n_nodes] numbers, up to PLANES_JIT_MAX_TESTS */
    uint32_t n_nodes;            /* fewer than PLANES_MAX_LEAVES */
    uint32_t place;              /* t, less than PLANES_BUNDLE */
};

/* How many bits are written of the codes of a tree with so many groups of separators. */
static inline unsigned planes_code_bits(uint32_t n_groups) {
    unsigned bits = 3;
    while (n_groups > 1u << (bits - 3))
        bits++;
    return bits;
}

/* Writes at `code`, which has room, and returns where that ends. */
uint8_t *planes_jit_add_tree(uint8_t *code, const struct planes_jit_tree *tree);
uint8_t *planes_jit_add_return(uint8_t *code);

#endif
