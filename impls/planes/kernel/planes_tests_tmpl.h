/* Bit planes, step B: the planes of all tests, from the planes of the ranks' bits.
 *
 * The includer defines the same names as for planes_block_tmpl.h, and:
 *
 *   void kernel_read_strip(struct kernel_block *block, const float *x, size_t stride,
 *                          size_t n_columns, size_t n_docs)
 *       fills block->keys for at most KERNEL_STRIP columns
 *   void kernel_search(struct kernel_block *block, const struct planes_feature *feature,
 *                      const int32_t *keys, size_t n_docs)
 *       fills block->ranks for a column: for each byte of the ranks and each register of a plane,
 *       8 registers
 *   void kernel_order_ranks(kernel_vec bits[8])
 *       turns 8 such registers into planes of the ranks' bits, the lowest bit first
 */

/* Computes digit[v], the plane of documents whose digit is at least v, from the planes of the
 * digit's bits. */
static inline void kernel_compare_digit(struct kernel_plane digit[KERNEL_DIGIT_VALUES + 1],
                                        const kernel_vec *bits, int part) {
    const kernel_vec zero = {0};
    digit[0].part[part] = ~zero;
    digit[KERNEL_DIGIT_VALUES].part[part] = zero;
    for (int bit = KERNEL_DIGIT - 1; bit >= 0; bit--)
        for (int low = 0; low < KERNEL_DIGIT_VALUES; low += 2 << bit)
            digit[low + (1 << bit)].part[part] =
                digit[low + (2 << bit)].part[part] | (digit[low].part[part] & bits[bit]);
}

static void kernel_compare_digits(struct kernel_block *block,
                                  const struct planes_feature *feature) {
    for (unsigned byte = 0; 8 * byte < feature->n_bits; byte++)
        for (int part = 0; part < KERNEL_PARTS; part++) {
            kernel_vec bits[8];
            for (int i = 0; i < 8; i++)
                memcpy(&bits[i], &block->ranks[byte][(i * KERNEL_PARTS + part) * KERNEL_REGISTER],
                       sizeof bits[i]);
            kernel_order_ranks(bits);
            kernel_compare_digit(block->digits[2 * byte], bits, part);
            kernel_compare_digit(block->digits[2 * byte + 1], bits + KERNEL_DIGIT, part);
        }
}

/* The plane of documents whose rank is at least `bound`. */
static inline struct kernel_plane kernel_reaches(const struct kernel_block *block, uint32_t bound,
                                                 unsigned n_digits) {
    struct kernel_plane result = block->digits[0][bound % KERNEL_DIGIT_VALUES];
    for (unsigned i = 1; i < n_digits; i++) {
        uint32_t digit = bound >> KERNEL_DIGIT * i & (KERNEL_DIGIT_VALUES - 1);
        for (int part = 0; part < KERNEL_PARTS; part++)
            result.part[part] = block->digits[i][digit + 1].part[part] |
                                (block->digits[i][digit].part[part] & result.part[part]);
    }
    return result;
}

/* Compares all digits but the lowest: a rank is at least `upper` and a lowest digit if it is
 * `over`, or if it is `equal` and its lowest digit is large enough. */
static inline void kernel_compare_upper(const struct kernel_block *block, uint32_t upper,
                                        unsigned n_digits, struct kernel_plane *over,
                                        struct kernel_plane *equal) {
    const struct kernel_plane none = {{{0}}};
    *over = none;
    *equal = block->digits[1][0];
    for (unsigned i = 1; i < n_digits; i++, upper /= KERNEL_DIGIT_VALUES) {
        const struct kernel_plane *digit = &block->digits[i][upper % KERNEL_DIGIT_VALUES];
        for (int part = 0; part < KERNEL_PARTS; part++) {
            over->part[part] = digit[1].part[part] | (digit[0].part[part] & over->part[part]);
            equal->part[part] &= digit[0].part[part];
        }
    }
}

/* Like kernel_fill_tests, for the ranks [rank, end), which have two digits or more. */
static inline struct kernel_plane *kernel_fill_run(const struct kernel_block *block, uint32_t rank,
                                                   uint32_t end, unsigned n_digits,
                                                   struct kernel_plane *tests) {
    while (rank < end) {
        struct kernel_plane over, equal;
        uint32_t low = rank % KERNEL_DIGIT_VALUES, n = KERNEL_DIGIT_VALUES - low;
        kernel_compare_upper(block, rank / KERNEL_DIGIT_VALUES, n_digits, &over, &equal);
        n = n < end - rank ? n : end - rank;
        for (uint32_t i = low; i < low + n; i++, tests++)
            for (int part = 0; part < KERNEL_PARTS; part++)
                tests->part[part] =
                    over.part[part] | (equal.part[part] & block->digits[0][i].part[part]);
        rank += n;
    }
    return tests;
}

static inline struct kernel_plane *kernel_fill_tests(const struct kernel_block *block,
                                                     const struct planes_feature *feature,
                                                     struct kernel_plane *tests,
                                                     unsigned n_digits) {
    const uint32_t *ranks = feature->ranks;
    for (uint32_t i = 0; i < feature->n_tests; i++)
        *tests++ = kernel_reaches(block, *ranks++, n_digits);
    if (feature->n_nan_left == 0)
        return tests;
    struct kernel_plane nan = kernel_reaches(block, feature->nan_rank, n_digits);
    for (uint32_t i = 0; i < feature->n_nan_left; i++, tests++) {
        *tests = kernel_reaches(block, *ranks++, n_digits);
        for (int part = 0; part < KERNEL_PARTS; part++)
            tests->part[part] &= ~nan.part[part];
    }
    return tests;
}

static struct kernel_plane *kernel_fill_tests_of(const struct kernel_block *block,
                                                 const struct planes_feature *feature,
                                                 struct kernel_plane *tests) {
    unsigned n_digits = (feature->n_bits + KERNEL_DIGIT - 1) / KERNEL_DIGIT;
    if (n_digits == 1)
        return kernel_fill_tests(block, feature, tests, 1);
    uint32_t first = feature->ranks[0], n = feature->n_tests;
    int is_run = feature->n_nan_left == 0 && feature->ranks[n - 1] - first == n - 1;
    if (is_run && n_digits == 2)
        return kernel_fill_run(block, first, first + n, 2, tests);
    if (is_run)
        return kernel_fill_run(block, first, first + n, n_digits, tests);
    return kernel_fill_tests(block, feature, tests, n_digits);
}

/* Not inlined, so that the sums stay in registers. */
static __attribute__((noinline)) void kernel_xor_tests(const struct planes_xors *xors,
                                                       const struct kernel_plane *tests,
                                                       struct kernel_plane *to) {
    const uint32_t *operand = xors->operands;
    const kernel_vec none = {0};
    for (uint32_t i = 0; i < xors->n_planes; i++, to++) {
        kernel_vec sum[KERNEL_PARTS];
        for (int part = 0; part < KERNEL_PARTS; part++)
            sum[part] = none;
        for (uint32_t j = 0; j < xors->n_operands; j++, operand++)
            for (int part = 0; part < KERNEL_PARTS; part++)
                sum[part] ^= tests[*operand].part[part];
        for (int part = 0; part < KERNEL_PARTS; part++)
            to->part[part] = sum[part];
    }
}

static void kernel_test_documents(const struct planes_view *view, struct kernel_block *block,
                                  const float *x, size_t stride, size_t n_docs) {
    const struct planes_feature *feature = view->features;
    const struct planes_feature *end = feature + view->n_features;
    size_t n_columns = view->n_columns;
    size_t width = n_columns < KERNEL_STRIP ? n_columns : (size_t)KERNEL_STRIP;
    struct kernel_plane *tests = kernel_tests_of(block);
    while (feature < end) {
        size_t left = n_columns - feature->feature;
        size_t column = left < width ? n_columns - width : feature->feature;
        kernel_read_strip(block, x + column, stride, width, n_docs);
        for (; feature < end && feature->feature < column + width; feature++) {
            kernel_search(block, feature, block->keys[feature->feature - column], n_docs);
            kernel_compare_digits(block, feature);
            tests = kernel_fill_tests_of(block, feature, tests);
        }
    }
    for (size_t i = 0; i < view->n_xors; tests += view->xors[i++].n_planes)
        kernel_xor_tests(&view->xors[i], kernel_tests_of(block), tests);
}
