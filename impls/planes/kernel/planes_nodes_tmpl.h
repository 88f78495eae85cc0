/* Bit planes, steps C and D, for trees whose nodes are data, not machine code.
 *
 * The includer defines the same names as for planes_block_tmpl.h. */
static inline const struct kernel_plane *kernel_at(const void *planes, size_t bytes) {
    return (const struct kernel_plane *)((const char *)planes + bytes);
}

static inline void kernel_split(char *exits, const void *tests, planes_inputs inputs,
                                planes_output output) {
    const struct kernel_plane *above = kernel_at(exits, inputs & 0xffff),
                              *below = kernel_at(exits, (uint32_t)inputs >> 16);
    const struct kernel_plane *test = kernel_at(tests, inputs >> 32);
    struct kernel_plane *separator = (struct kernel_plane *)(exits + output);
    for (int part = 0; part < KERNEL_PARTS; part++)
        separator->part[part] = below->part[part] | (above->part[part] & test->part[part]);
}

/* Makes the planes L_c of a bundle's trees. */
static void kernel_split_leaves(struct kernel_block *block, const struct planes_bundle *bundle,
                                size_t n_docs) {
    (void)n_docs; /* all registers of a plane are handled, whatever the number of documents */
    for (size_t node = 0; node < bundle->n_nodes; node += PLANES_STEPS)
        for (size_t i = node; i < node + PLANES_STEPS; i++)
            kernel_split((char *)block->exits, kernel_tests_of(block), bundle->inputs[i],
                         bundle->separators[i]);
}

/* Makes bits 0 to 2 of the codes. A separator contributes to bit b if b is the lowest set bit of
 * the separator's index in its group. */
static inline void kernel_add_groups(kernel_vec bits[8], const struct kernel_plane *exits,
                                     uint32_t n_groups, int part) {
    for (const struct kernel_plane *group = exits; group < exits + (size_t)n_groups * PLANES_GROUP;
         group += PLANES_GROUP) {
        bits[0] ^=
            group[1].part[part] ^ group[3].part[part] ^ group[5].part[part] ^ group[7].part[part];
        bits[1] ^= group[2].part[part] ^ group[6].part[part];
        bits[2] ^= group[4].part[part];
    }
}

/* Makes bits 3 to 7 of the codes. The first separator of a group contributes to bit 3 + b if b is
 * the lowest set bit of the group's index. */
static inline void kernel_add_firsts(kernel_vec bits[8], const struct kernel_plane *exits,
                                     uint32_t n_groups, int part) {
#define FIRST(group) exits[(group)*PLANES_GROUP].part[part]
    for (size_t group = 1; group < n_groups; group += 2)
        bits[3] ^= FIRST(group);
    for (size_t group = 2; group < n_groups; group += 4)
        bits[4] ^= FIRST(group);
    for (size_t group = 4; group < n_groups; group += 8)
        bits[5] ^= FIRST(group);
    for (size_t group = 8; group < n_groups; group += 16)
        bits[6] ^= FIRST(group);
    if (n_groups > 16)
        bits[7] ^= FIRST(16);
#undef FIRST
}

/* Makes the planes of the bits of a tree's codes. */
static inline void kernel_find_bits(kernel_vec bits[8], const struct kernel_plane *exits,
                                    uint32_t n_groups, int part) {
    const kernel_vec none = {0};
    for (int i = 0; i < 8; i++)
        bits[i] = none;
    kernel_add_groups(bits, exits, n_groups, part);
    kernel_add_firsts(bits, exits, n_groups, part);
}
