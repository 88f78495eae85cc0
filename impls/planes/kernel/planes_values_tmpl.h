/* Bit planes, step E: loads the value of each code as a double and adds it.
 *
 * The includer defines the same names as for planes_block_tmpl.h. KERNEL_SUMS_MULTIPLE must be a
 * multiple of 4. */
enum { KERNEL_SUMS = 4 }; /* doubles that are added at once */
typedef double kernel_sums __attribute__((vector_size(32), aligned(8), may_alias));

/* Loads four codes at once, the first one in the lowest byte. The number of loads limits the speed
 * of this step. */
static inline uint32_t kernel_load_four(const uint8_t *codes) {
    uint32_t four;
    memcpy(&four, codes, sizeof four);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    four = __builtin_bswap32(four);
#endif
    return four;
}

/* Adds the values of trees, in the trees' order, to the sums. Each tree has KERNEL_BLOCK codes. */
static inline void kernel_add_trees(const uint8_t *codes, const struct planes_tree *trees,
                                    size_t count, size_t n_codes, double *column) {
    const double *values[PLANES_BUNDLE];
    for (size_t t = 0; t < count; t++)
        values[t] = trees[t].values;
    for (size_t i = 0; i < n_codes; i += KERNEL_SUMS) {
        kernel_sums *place = (kernel_sums *)(column + i), sum = *place;
        for (size_t t = 0; t < count; t++) {
            uint32_t code = kernel_load_four(codes + t * KERNEL_BLOCK + i);
            const double *of = values[t];
            const kernel_sums four = {of[code & 0xff], of[code >> 8 & 0xff], of[code >> 16 & 0xff],
                                      of[code >> 24]};
            sum += four;
        }
        *place = sum;
    }
}
