/* Bit planes, step E: the code that sums in doubles and sums in floats share.
 *
 * The includer defines the same names as for planes_block_tmpl.h, and:
 *
 *   struct kernel_adding   with a first member `struct kernel_column column`
 *   void kernel_add_trees(const uint8_t *codes, const struct planes_tree *trees, size_t count,
 *                         size_t n_codes, double *column)
 *       adds the values of trees, in the trees' order, to sums. Each tree has KERNEL_BLOCK codes,
 *       and n_codes is a multiple of KERNEL_SUMS_MULTIPLE.
 */

PLANES_INLINE void kernel_add_doubles(const struct planes_bundle *bundle, size_t begin, size_t end,
                                      size_t n_codes, struct kernel_block *block) {
    if (end - begin == PLANES_BUNDLE)
        kernel_add_trees(block->codes[0], bundle->trees, PLANES_BUNDLE, n_codes, block->column);
    else
        kernel_add_trees(block->codes[begin], bundle->trees + begin, end - begin, n_codes,
                         block->column);
}

PLANES_INLINE void kernel_prefetch_doubles(const struct planes_bundle *bundle) {
    const struct planes_tree *first = bundle->trees, *last = &first[bundle->n_trees - 1];
    size_t count = (size_t)(last->values - first->values) + (size_t)last->n_groups * PLANES_GROUP;
    planes_prefetch(first->values, count * sizeof *first->values);
}
