/* Step E of bit planes with values and sums in floats, for any width of registers. Included by
 * planes_floats_avx2.h and planes_floats_avx512.h, which define before:
 *   FLOAT_VALUES   values that a byte is looked up among at once
 *   floats         a register of floats
 *   find_values(const uint8_t *tables, uint32_t n_values, const uint8_t *codes, floats value[4])
 *                  of a tree with tables of so many values, a power of two from FLOAT_VALUES to
 *                  PLANES_FLOAT_CODES, those of as many codes as a register has bytes, in whatever
 *                  order
 * and planes_add_sums (planes_kernel.h), which knows that order. */
#define PLANES_FLOAT_CODES (4 * FLOAT_VALUES) /* of a tree at most */

/* Inlined by order: the loops are to be unrolled for each number of values. */
static inline __attribute__((always_inline)) void
add_tables(const uint8_t *const *tables, size_t count, uint32_t n_values, const uint8_t *codes,
           size_t codes_stride, size_t n_codes, float *sums) {
    for (size_t i = 0; i < n_codes; i += PLANES_REGISTER) {
        floats *place = (floats *)(sums + i);
        floats sum[4];
        for (size_t j = 0; j < 4; j++)
            sum[j] = place[j];
        for (size_t t = 0; t < count; t++) {
            floats value[4];
            find_values(tables[t], n_values, codes + t * codes_stride + i, value);
            for (size_t j = 0; j < 4; j++)
                sum[j] += value[j];
        }
        for (size_t j = 0; j < 4; j++)
            place[j] = sum[j];
    }
}

static inline void planes_add_floats(const uint8_t *const *tables, size_t count,
                                     uint32_t most_codes, const uint8_t *codes, size_t codes_stride,
                                     size_t n_codes, float *sums) {
#define ADD(n_values)                                                                              \
    if (most_codes <= (n_values)) {                                                                \
        if (count == PLANES_BUNDLE)                                                                \
            add_tables(tables, PLANES_BUNDLE, n_values, codes, codes_stride, n_codes, sums);       \
        else                                                                                       \
            add_tables(tables, count, n_values, codes, codes_stride, n_codes, sums);               \
        return;                                                                                    \
    }
    ADD(FLOAT_VALUES)
    ADD(2 * FLOAT_VALUES)
    ADD(4 * FLOAT_VALUES)
#undef ADD
}
