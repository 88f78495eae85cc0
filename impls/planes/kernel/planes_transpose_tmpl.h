/* Bit planes: converts eight planes of bits to bytes, and bytes to planes.
 *
 * The includer defines the same names as for planes_block_tmpl.h. */
static inline kernel_vec kernel_broadcast(uint64_t value) {
    const kernel_vec zero = {0};
    return value - zero;
}

/* Swaps the bits of b that `mask` selects with the bits of a that are `by` positions higher. */
static inline void kernel_swap_bits(kernel_vec *a, kernel_vec *b, unsigned by, uint64_t mask) {
    kernel_vec change = ((*a >> by) ^ *b) & kernel_broadcast(mask);
    *b ^= change;
    *a ^= change << by;
}

/* At each byte position, the bytes of the eight registers form a matrix of 8 x 8 bits, one row per
 * register. Each matrix is transposed. The byte for bit 8 m + i of a plane is byte m of row i.
 * Transposing twice restores the order: first bytes of ranks become planes, later planes become
 * codes. If the search already makes planes in the order of documents, codes are in rows. */
static inline void kernel_transpose(kernel_vec row[8]) {
    for (int i = 0; i < 8; i += 2)
        kernel_swap_bits(&row[i], &row[i + 1], 1, 0x5555555555555555u);
    for (int i = 0; i < 4; i++)
        kernel_swap_bits(&row[i + (i & 2)], &row[i + (i & 2) + 2], 2, 0x3333333333333333u);
    for (int i = 0; i < 4; i++)
        kernel_swap_bits(&row[i], &row[i + 4], 4, 0x0f0f0f0f0f0f0f0fu);
}

/* If a row is shorter than a register, the whole register is stored, and the next row overwrites
 * the excess. */
static inline void kernel_make_codes(kernel_vec bits[8], size_t n_docs, int part, uint8_t *codes) {
    kernel_transpose(bits);
    for (size_t i = 0; i < KERNEL_ROWS; i++)
        memcpy(&codes[kernel_row_place(n_docs, (size_t)part, i)], &bits[i], sizeof bits[i]);
}
