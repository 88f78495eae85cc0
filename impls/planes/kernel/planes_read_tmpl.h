/* Bit planes, step A: reads documents as keys, 8 x 8 values at a time.
 *
 * The includer defines the same names as for planes_block_tmpl.h, with a KERNEL_STRIP of 8, and:
 *
 *   void kernel_read(const float *x, size_t stride, int32_t *keys, size_t keys_stride)
 *       stores the keys of 8 columns of 8 documents, column by column
 */

/* Stores the keys of at most KERNEL_STRIP columns. Keys after the last document are not written. */
static void kernel_read_strip(struct kernel_block *block, const float *x, size_t stride,
                              size_t n_columns, size_t n_docs) {
    size_t doc = 0;
    if (n_columns == KERNEL_STRIP)
        for (; doc + KERNEL_STRIP <= n_docs; doc += KERNEL_STRIP)
            kernel_read(x + doc * stride, stride, &block->keys[0][doc], KERNEL_BLOCK);
    for (; doc < n_docs; doc++)
        for (size_t i = 0; i < n_columns; i++)
            block->keys[i][doc] = float_key(x[doc * stride + i]);
}
