#include "impls/planes/planes_jit_code.h"

/* The test of the first node of a depth. Nodes are breadth first. */
static uint32_t test_at(const struct planes_jit_tree *tree, unsigned depth) {
    return tree->tests[(1u << depth) - 1];
}

/* In a perfect tree, the numbers of the nodes of depth d are 2^d - 1 to 2^(d + 1) - 2. The loop
 * ends at the first other node, so it never shifts by a large depth. */
static bool is_oblivious(const struct planes_jit_tree *tree) {
    uint32_t n_leaves = tree->n_nodes + 1;
    if (n_leaves < PLANES_GROUP || (n_leaves & (n_leaves - 1)))
        return false;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        uint32_t depth = tree->splits[i].depth;
        if ((i + 1) >> depth != 1 || tree->tests[i] != test_at(tree, depth))
            return false;
    }
    return true;
}

/* Writes the code for the bit that the test of a depth decides. Every other test is loaded. The
 * tests above and below it are operands in memory. */
static void add_bit(struct planes_jit_writer *writer, const struct planes_jit_tree *tree,
                    unsigned depth, unsigned bit) {
    enum { LOADED, SUM };
    const uint32_t place = tree->place * PLANES_CODE_BITS + bit;
    if (depth % 2 == 0)
        planes_jit_memory(writer, JIT_LOAD, LOADED, 0, JIT_TESTS, test_at(tree, depth));
    if (depth > 0)
        planes_jit_memory(writer, JIT_XOR, SUM, LOADED, JIT_TESTS,
                          test_at(tree, depth % 2 ? depth : depth - 1));
    planes_jit_memory(writer, JIT_STORE, depth > 0 ? SUM : LOADED, 0, JIT_BITS, place);
}

bool planes_jit_add_oblivious(struct planes_jit_writer *writer,
                              const struct planes_jit_tree *tree) {
    if (!is_oblivious(tree))
        return false;
    unsigned n_bits = planes_code_bits((tree->n_nodes + 1) / PLANES_GROUP);
    for (unsigned depth = 0; depth < n_bits; depth++)
        add_bit(writer, tree, depth, n_bits - 1 - depth);
    return true;
}
