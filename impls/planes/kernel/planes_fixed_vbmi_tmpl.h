/* Bit planes, step E, with AVX-512 and VBMI: sums in fixed point for models whose sums are exact in
 * double (planes_digits.c). Any order of exact additions gives the same bits as the trees' order.
 *
 * A value has digits of 6 bits, so a byte holds the sum of 4 trees' digits. For 64 documents, 4
 * trees take 4 loads of codes and, for each digit, 4 permutations, 3 additions of bytes, and 6
 * operations that add the bytes to sums of 16 bits: 23 instructions a tree if values have 7 digits,
 * of which 7 permute. Doubles take 49, of which 32 permute or unpack. The sums of 16 bits lie in
 * the memory of step A's keys.
 *
 * The includer defines the same names as for planes_vbmi_tmpl.h. */

enum {
    KERNEL_FIXED_BUNDLES = UINT16_MAX / (PLANES_BUNDLE << PLANES_DIGIT_BITS), /* until it is full */
    KERNEL_WORDS = 32 /* sums of 16 bits in a register: of the even or odd places of a chunk */
};

struct kernel_fixed {
    enum { KERNEL_UNDECIDED, KERNEL_EXACT, KERNEL_ROUNDED } sums; /* of the column */
    size_t n_bundles; /* bundles whose values are not in the column yet */
    int64_t least;    /* of their trees, added up */
    const struct planes_grid *grid;
};

typedef char kernel_digits_fit_into_keys
    [PLANES_DIGITS * sizeof(uint16_t) <= KERNEL_STRIP * sizeof(int32_t) ? 1 : -1];

static inline uint16_t *kernel_fixed_sums(struct kernel_block *block, size_t digit, size_t chunk) {
    return (uint16_t *)(void *)block->keys + digit * KERNEL_BLOCK + chunk * KERNEL_CHUNK;
}

/* Are the sums so far multiples of the unit, and small enough that all later sums are exact? -0 is
 * not, because it would become 0. */
static inline int kernel_on_grid(const double *column, size_t n_codes,
                                 const struct planes_grid *grid) {
    const __m512d per_unit = _mm512_set1_pd(grid->per_unit), room = _mm512_set1_pd(grid->room);
    const __m512i minus_zero = _mm512_set1_epi64(INT64_MIN);
    __mmask8 good = 0xff;
    for (size_t i = 0; i < n_codes; i += 8) {
        __m512d sum = _mm512_load_pd(column + i), units = _mm512_mul_pd(sum, per_unit);
        good &= _mm512_cmp_pd_mask(_mm512_roundscale_pd(units, 0), units, _CMP_EQ_OQ);
        good &= _mm512_cmp_pd_mask(_mm512_abs_pd(units), room, _CMP_LE_OQ);
        good &= _mm512_cmpneq_epi64_mask(_mm512_castpd_si512(sum), minus_zero);
    }
    return good == 0xff;
}

static inline __m512i kernel_find_digits(const uint8_t *table, uint32_t n_codes, __m512i code) {
    if (n_codes == KERNEL_CHUNK)
        return _mm512_permutexvar_epi8(code, _mm512_load_si512(table));
    __m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(table), code,
                                           _mm512_load_si512(table + KERNEL_CHUNK));
    if (n_codes == 2 * KERNEL_CHUNK)
        return low;
    __m512i high = _mm512_permutex2var_epi8(_mm512_load_si512(table + 2 * KERNEL_CHUNK), code,
                                            _mm512_load_si512(table + 3 * KERNEL_CHUNK));
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(code), low, high);
}

/* Adds a digit's sums of 4 trees to sums of 16 bits. */
static inline void kernel_widen(__m512i sum, uint16_t *even) {
    uint16_t *odd = even + KERNEL_WORDS;
    __m512i evens = _mm512_and_si512(sum, _mm512_set1_epi16(0xff));
    __m512i odds = _mm512_srli_epi16(sum, 8);
    _mm512_store_si512(even, _mm512_add_epi16(_mm512_load_si512(even), evens));
    _mm512_store_si512(odd, _mm512_add_epi16(_mm512_load_si512(odd), odds));
}

/* Adds the digits of trees for one chunk of documents, or for two, which share the loads of tables.
 * Always inlined, so that loops are unrolled for each number of chunks, trees and codes. */
PLANES_INLINE void kernel_add_chunks(const struct planes_digits *digits, size_t begin, size_t end,
                                     uint32_t n_codes, size_t chunk, size_t n_chunks,
                                     struct kernel_block *block) {
    const size_t digit_bytes = digits->n_trees * (size_t)n_codes, n_digits = digits->n_digits;
    const uint8_t *table = digits->tables + begin * n_codes;
    __m512i code[2][PLANES_BUNDLE];
    for (size_t c = 0; c < n_chunks; c++)
        for (size_t t = begin; t < end; t++)
            code[c][t] = _mm512_load_si512(block->codes[t] + (chunk + c) * KERNEL_CHUNK);
    for (size_t digit = digits->first_digit; digit < n_digits; digit++, table += digit_bytes) {
        __m512i sum[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
        for (size_t t = begin; t < end; t++)
            for (size_t c = 0; c < n_chunks; c++)
                sum[c] = _mm512_add_epi8(
                    sum[c], kernel_find_digits(table + (t - begin) * n_codes, n_codes, code[c][t]));
        for (size_t c = 0; c < n_chunks; c++)
            kernel_widen(sum[c], kernel_fixed_sums(block, digit, chunk + c));
    }
}

PLANES_INLINE void kernel_add_digits(const struct planes_digits *digits, size_t begin, size_t end,
                                     uint32_t n_codes, size_t n_docs, struct kernel_block *block) {
    size_t n_chunks = n_docs / KERNEL_CHUNK, chunk = 0;
    for (; chunk + 2 <= n_chunks; chunk += 2)
        kernel_add_chunks(digits, begin, end, n_codes, chunk, 2, block);
    if (chunk < n_chunks)
        kernel_add_chunks(digits, begin, end, n_codes, chunk, 1, block);
}

static inline void kernel_add_bundle_digits(const struct planes_digits *digits, size_t begin,
                                            size_t end, size_t n_docs, struct kernel_block *block) {
    if (digits->n_codes == KERNEL_CHUNK && end - begin == PLANES_BUNDLE)
        kernel_add_digits(digits, 0, PLANES_BUNDLE, KERNEL_CHUNK, n_docs, block);
    else if (digits->n_codes == KERNEL_CHUNK)
        kernel_add_digits(digits, begin, end, KERNEL_CHUNK, n_docs, block);
    else if (digits->n_codes == 2 * KERNEL_CHUNK)
        kernel_add_digits(digits, begin, end, 2 * KERNEL_CHUNK, n_docs, block);
    else
        kernel_add_digits(digits, begin, end, 4 * KERNEL_CHUNK, n_docs, block);
}

/* Adds 8 sums, whose digits begin at `words`, to the column at places that are 2 apart. */
static inline void kernel_flush_eight(const uint16_t *words, const struct kernel_fixed *fixed,
                                      double *column, size_t first_place) {
    __m512i sum = _mm512_setzero_si512();
    double sums[8];
    for (size_t digit = PLANES_DIGITS; digit-- > 0;) {
        __m128i eight =
            _mm_load_si128((const __m128i *)(const void *)(words + digit * KERNEL_BLOCK));
        sum = _mm512_add_epi64(_mm512_slli_epi64(sum, PLANES_DIGIT_BITS),
                               _mm512_cvtepu16_epi64(eight));
    }
    sum = _mm512_add_epi64(sum, _mm512_set1_epi64(fixed->least));
    _mm512_storeu_pd(sums,
                     _mm512_mul_pd(_mm512_cvtepi64_pd(sum), _mm512_set1_pd(fixed->grid->unit)));
    for (size_t i = 0; i < 8; i++)
        column[kernel_document_at(first_place + 2 * i)] += sums[i];
}

/* Adds the sums to the column. */
static void kernel_flush_fixed(struct kernel_fixed *fixed, size_t n_codes,
                               struct kernel_block *block) {
    for (size_t chunk = 0; fixed->n_bundles && chunk < n_codes / KERNEL_CHUNK; chunk++)
        for (size_t i = 0; i < 2 * KERNEL_WORDS; i += 8)
            kernel_flush_eight(kernel_fixed_sums(block, 0, chunk) + i, fixed,
                               block->column + chunk * KERNEL_CHUNK,
                               2 * (i % KERNEL_WORDS) + i / KERNEL_WORDS);
    fixed->n_bundles = 0;
}

static inline void kernel_end_fixed(struct kernel_fixed *fixed, size_t n_codes,
                                    struct kernel_block *block) {
    kernel_flush_fixed(fixed, n_codes, block);
    fixed->sums = KERNEL_UNDECIDED;
}

/* Adds the values of a bundle's trees if the sums are exact, or returns 0. */
static inline int kernel_add_fixed(const struct planes_digits *digits, size_t begin, size_t end,
                                   size_t n_codes, struct kernel_fixed *fixed,
                                   struct kernel_block *block) {
    if (!digits || fixed->sums == KERNEL_ROUNDED)
        return 0;
    if (fixed->sums == KERNEL_UNDECIDED) {
        fixed->grid = digits->grid;
        fixed->sums =
            kernel_on_grid(block->column, n_codes, digits->grid) ? KERNEL_EXACT : KERNEL_ROUNDED;
        return kernel_add_fixed(digits, begin, end, n_codes, fixed, block);
    }
    if (fixed->n_bundles == KERNEL_FIXED_BUNDLES)
        kernel_flush_fixed(fixed, n_codes, block);
    if (fixed->n_bundles++ == 0) {
        fixed->least = 0;
        for (size_t digit = 0; digit < PLANES_DIGITS; digit++)
            memset(kernel_fixed_sums(block, digit, 0), 0, n_codes * sizeof(uint16_t));
    }
    for (size_t t = begin; t < end; t++)
        fixed->least += digits->least[t];
    kernel_add_bundle_digits(digits, begin, end, n_codes, block);
    return 1;
}

PLANES_INLINE void kernel_prefetch_digits(const struct planes_digits *digits) {
    planes_prefetch(digits->tables, (size_t)(digits->n_digits - digits->first_digit) *
                                        digits->n_trees * digits->n_codes);
}
