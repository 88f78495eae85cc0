/* Machine code for the nodes of trees: steps C and, as far as codes' bits go, D of planes_types.h
 * as straight-line code of x86-64, of registers of AVX-512 (EVEX) or AVX2 (VEX). A test is an
 * operand in memory; all L_c stay in registers, since the smaller subtree of a node comes first: of
 * n leaves, 2 log2(n) - 2 separators are live at most, 14 of 256 leaves, in the worst of shapes,
 * and one register is worked in. A code's bits take two registers each with EVEX, 14 of its 32 for
 * 8 bits; with VEX one, or a plane in memory where the 16 do not suffice.
 *
 * What is written is the body of a function
 *     void code(const void *tests, void *bits);
 * in System V's calling convention, for one register of each plane: a test's is at tests + its
 * number times plane_bytes; that of bit j of the codes of tree t goes to bits + plane_bytes
 * (PLANES_CODE_BITS t + j). */
#ifndef IMPLS_PLANES_JIT_CODE_H
#define IMPLS_PLANES_JIT_CODE_H

#include "impls/planes_jit_instructions.h"
#include "impls/planes_types.h"
#include "impls/splits.h"

enum {
    PLANES_JIT_MAX_TESTS = INT32_MAX / 64, /* 32 bits say where a test lies */
    /* Bytes at most. With AVX2 a node is an AND, an OR, an XOR and a STORE, with AVX-512 a move, a
     * ternary operation and half another; a bit of the codes two operations and two stores. */
    PLANES_JIT_NODE_BYTES = 3 * JIT_MEMORY_BYTES + JIT_REGISTERS_BYTES,
    PLANES_JIT_TREE_BYTES = PLANES_CODE_BITS * 2 * (JIT_MEMORY_BYTES + JIT_REGISTERS_BYTES)
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
    return n_groups > 1 ? 35 - (unsigned)__builtin_clz(n_groups - 1) : 3;
}

void planes_jit_add_tree(struct planes_jit_writer *writer, const struct planes_jit_tree *tree);

#endif
