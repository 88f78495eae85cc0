/* Bit planes, steps C and D, for trees whose nodes are machine code. The machine code stores only
 * the planes of the codes' bits.
 *
 * The includer defines the same names as for planes_block_tmpl.h. */
#include "impls/planes/planes_jit_code.h"

static void kernel_split_leaves(struct kernel_block *block, const struct planes_bundle *bundle,
                                size_t n_docs) {
    const char *tests = (const char *)kernel_tests_of(block);
    char *bits = (char *)block->exits;
    int n_parts = kernel_count_parts(n_docs);
    void (*code)(const void *, void *);
    memcpy(&code, &bundle->code, sizeof code); /* ISO C has no cast to function pointers */
    for (int part = 0; part < n_parts; part++)
        code(tests + part * KERNEL_REGISTER, bits + part * KERNEL_REGISTER);
}

static inline void kernel_find_bits(kernel_vec bits[8], const struct kernel_plane *planes,
                                    uint32_t n_groups, int part) {
    const kernel_vec none = {0};
    for (unsigned i = 0; i < 8; i++)
        bits[i] = i < planes_code_bits(n_groups) ? planes[i].part[part] : none;
}
