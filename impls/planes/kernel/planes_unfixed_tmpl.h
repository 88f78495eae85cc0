/* Bit planes, step E: what planes_fixed_vbmi_tmpl.h defines, for kernels without sums in fixed
 * point. */
struct kernel_fixed {
    char unused;
};

static inline int kernel_add_fixed(const struct planes_digits *digits, size_t begin, size_t end,
                                   size_t n_codes, struct kernel_fixed *fixed,
                                   struct kernel_block *block) {
    (void)digits, (void)begin, (void)end, (void)n_codes, (void)fixed, (void)block;
    return 0;
}

static inline void kernel_end_fixed(struct kernel_fixed *fixed, size_t n_codes,
                                    struct kernel_block *block) {
    (void)fixed, (void)n_codes, (void)block;
}

PLANES_INLINE void kernel_prefetch_digits(const struct planes_digits *digits) {
    (void)digits;
}
