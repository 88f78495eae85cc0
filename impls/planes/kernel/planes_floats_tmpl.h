/* Bit planes, step E: sums in floats for bundles whose trees have tables of floats, and sums in
 * doubles for the other bundles. Sums in floats are of 64 trees, or in a chain of all trees.
 *
 * The includer defines the same names as for planes_block_tmpl.h, kernel_add_trees as for
 * planes_sums_tmpl.h, and:
 *
 *   KERNEL_FLOAT_VALUES   number of values whose bytes one look-up covers
 *   kernel_floats         a register of floats
 *   void kernel_find_values(const uint8_t *tables, uint32_t n_values, const uint8_t *codes,
 *                           kernel_floats value[4])
 *       looks up the values of KERNEL_FLOATS codes in a tree's tables, in an order that the
 *       includer chooses. n_values is a power of two from KERNEL_FLOAT_VALUES to
 *       KERNEL_FLOAT_CODES.
 *   kernel_fixed and its functions   in planes_fixed_vbmi_tmpl.h or planes_unfixed_tmpl.h
 *   size_t kernel_float_at(size_t place)
 *       the index in that order of the sum of a code
 *   void kernel_add_sums(const float *sums, size_t n_codes, double *column)
 *       adds sums in that order to doubles in the order of the codes
 */
#include "impls/planes/kernel/planes_tables.h"

enum {
    KERNEL_FLOAT_CODES = 4 * KERNEL_FLOAT_VALUES, /* most codes of a tree with float values */
    KERNEL_FLOATS = 4 * sizeof(kernel_floats) / sizeof(float)
};

struct kernel_work {
    struct kernel_block block;
    float floats[KERNEL_BLOCK] KERNEL_ALIGNED; /* sums in floats that are not in the column yet */
};

struct kernel_adding {
    struct kernel_column column;
    size_t n_float_trees; /* trees whose values are in kernel_work's floats */
    struct kernel_fixed fixed;
};

#include "impls/planes/kernel/planes_sums_tmpl.h"

/* Always inlined, so that the loops are unrolled for each number of values. */
PLANES_INLINE void kernel_add_tables(const uint8_t *const *tables, size_t count, uint32_t n_values,
                                     const uint8_t *codes, size_t codes_stride, size_t n_codes,
                                     float *sums) {
    for (size_t i = 0; i < n_codes; i += KERNEL_FLOATS) {
        kernel_floats *place = (kernel_floats *)(sums + i);
        kernel_floats sum[4];
        for (size_t j = 0; j < 4; j++)
            sum[j] = place[j];
        for (size_t t = 0; t < count; t++) {
            kernel_floats value[4];
            kernel_find_values(tables[t], n_values, codes + t * codes_stride + i, value);
            for (size_t j = 0; j < 4; j++)
                sum[j] += value[j];
        }
        for (size_t j = 0; j < 4; j++)
            place[j] = sum[j];
    }
}

/* Adds the values of some trees, given by the documents' codes, to the sums. */
static inline void kernel_add_float_trees(const uint8_t *const *tables, size_t count,
                                          uint32_t most_codes, const uint8_t *codes,
                                          size_t codes_stride, size_t n_codes, float *sums) {
#define ADD(n_values)                                                                              \
    if (most_codes <= (n_values)) {                                                                \
        if (count == PLANES_BUNDLE)                                                                \
            kernel_add_tables(tables, PLANES_BUNDLE, n_values, codes, codes_stride, n_codes,       \
                              sums);                                                               \
        else                                                                                       \
            kernel_add_tables(tables, count, n_values, codes, codes_stride, n_codes, sums);        \
        return;                                                                                    \
    }
    ADD(KERNEL_FLOAT_VALUES)
    ADD(2 * KERNEL_FLOAT_VALUES)
    ADD(4 * KERNEL_FLOAT_VALUES)
#undef ADD
}

static void kernel_flush(struct kernel_adding *adding) {
    struct kernel_work *work = (struct kernel_work *)adding->column.block;
    size_t n_codes = kernel_round_up(adding->column.n_docs);
    if (adding->n_float_trees)
        kernel_add_sums(work->floats, n_codes, work->block.column);
    adding->n_float_trees = 0;
    kernel_end_fixed(&adding->fixed, n_codes, &work->block);
}

/* Sums of a chain are moved here from the column. What stays there is -0, to which kernel_flush
 * adds them without a change. */
static void kernel_begin_floats(struct kernel_adding *adding, size_t n_codes) {
    struct kernel_work *work = (struct kernel_work *)adding->column.block;
    memset(work->floats, 0, n_codes * sizeof *work->floats);
    for (size_t i = 0; adding->column.in_chain && i < n_codes; i++) {
        work->floats[kernel_float_at(i)] = (float)work->block.column[i];
        work->block.column[i] = -0.0;
    }
}

static void kernel_add_floats(const struct planes_bundle *bundle, size_t begin, size_t end,
                              struct kernel_adding *adding) {
    struct kernel_work *work = (struct kernel_work *)adding->column.block;
    size_t count = end - begin, n_codes = kernel_round_up(adding->column.n_docs);
    const uint8_t *tables[PLANES_BUNDLE];
    for (size_t t = 0; t < count; t++)
        tables[t] = bundle->trees[begin + t].tables;
    if (!adding->column.in_chain && adding->n_float_trees + count > PLANES_FLOAT_TREES)
        kernel_flush(adding);
    if (adding->n_float_trees == 0)
        kernel_begin_floats(adding, n_codes);
    adding->n_float_trees += count;
    kernel_add_float_trees(tables, count, bundle->table_codes, work->block.codes[begin],
                           KERNEL_BLOCK, n_codes, work->floats);
}

/* Adds values that stay doubles to a chain. The sum of two floats in double, rounded to float, is
 * their sum in float. Inlined, it would cost sums in double 4 % of the instructions of planes-avx2.
 */
__attribute__((noinline)) static void kernel_add_rounded(const struct planes_bundle *bundle,
                                                         size_t begin, size_t end, size_t n_codes,
                                                         struct kernel_adding *adding) {
    struct kernel_block *block = adding->column.block;
    kernel_flush(adding);
    for (size_t t = begin; t < end; t++) {
        kernel_add_doubles(bundle, t, t + 1, n_codes, block);
        for (size_t i = 0; i < n_codes; i++)
            block->column[i] = (double)(float)block->column[i];
    }
}

static void kernel_add_values(const struct planes_bundle *bundle, size_t begin, size_t end,
                              struct kernel_adding *adding) {
    struct kernel_block *block = adding->column.block;
    size_t n_codes = kernel_round_up(adding->column.n_docs);
    if (kernel_add_fixed(bundle->digits, begin, end, n_codes, &adding->fixed, block))
        return;
    if (bundle->table_codes) {
        kernel_add_floats(bundle, begin, end, adding);
        return;
    }
    if (adding->column.in_chain)
        kernel_add_rounded(bundle, begin, end, n_codes, adding);
    else
        kernel_add_doubles(bundle, begin, end, n_codes, block);
}

PLANES_INLINE void kernel_prefetch_values(const struct planes_bundle *bundle) {
    const struct planes_tree *first = bundle->trees, *last = &first[bundle->n_trees - 1];
    if (bundle->digits) {
        kernel_prefetch_digits(bundle->digits);
        return;
    }
    if (bundle->table_codes) {
        planes_prefetch(first->tables, (size_t)(last->tables - first->tables) +
                                           planes_tables_bytes(bundle->table_codes));
        return;
    }
    kernel_prefetch_doubles(bundle);
}
