/* Bit planes, step A: finds ranks with a search tree, one document after the other. The ranks'
 * bytes then become planes.
 *
 * The includer defines the same names as for planes_block_tmpl.h, and:
 *
 *   KERNEL_FAN_BITS   nodes of search trees have 2^KERNEL_FAN_BITS children. Must not be
 *                     PLANES_TABLE_FAN_BITS, because kernel_child cannot read tables.
 *   uint32_t kernel_child(const int32_t *node, int32_t key)
 *       the index of the child for a key: the number of the node's keys that are less than it
 *   void kernel_transpose(kernel_vec row[8])   planes_transpose_tmpl.h
 */
static inline void kernel_find_ranks(struct kernel_block *block,
                                     const struct planes_feature *feature, const int32_t *keys,
                                     size_t n_docs, uint32_t n_levels, unsigned n_bytes) {
    enum { FAN = 1 << KERNEL_FAN_BITS };
    for (size_t doc = 0; doc < n_docs; doc++) {
        size_t rank = 0;
        for (uint32_t level = 0; level < n_levels; level++)
            rank = rank * FAN + kernel_child(feature->levels[level] + rank * FAN, keys[doc]);
        for (unsigned byte = 0; byte < n_bytes; byte++)
            block->ranks[byte][doc] = (uint8_t)(rank >> 8 * byte);
    }
}

static void kernel_search(struct kernel_block *block, const struct planes_feature *feature,
                          const int32_t *keys, size_t n_docs) {
    uint32_t n_levels = feature->n_levels;
    if (feature->n_bits > 16)
        kernel_find_ranks(block, feature, keys, n_docs, n_levels, 4);
    else if (feature->n_bits > 8)
        kernel_find_ranks(block, feature, keys, n_docs, n_levels, 2);
    else if (n_levels == 1)
        kernel_find_ranks(block, feature, keys, n_docs, 1, 1);
    else if (n_levels == 2)
        kernel_find_ranks(block, feature, keys, n_docs, 2, 1);
    else if (n_levels == 3)
        kernel_find_ranks(block, feature, keys, n_docs, 3, 1);
    else
        kernel_find_ranks(block, feature, keys, n_docs, n_levels, 1);
}

static inline void kernel_order_ranks(kernel_vec bits[8]) {
    kernel_transpose(bits);
}
