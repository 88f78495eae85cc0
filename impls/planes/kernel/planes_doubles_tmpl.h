/* Bit planes, step E, with sums in doubles only.
 *
 * The includer defines the same names as for planes_block_tmpl.h, and kernel_add_trees as for
 * planes_sums_tmpl.h. */
enum { KERNEL_FLOAT_CODES = 0 };

struct kernel_work {
    struct kernel_block block;
};

struct kernel_adding {
    struct kernel_column column;
};

#include "impls/planes/kernel/planes_sums_tmpl.h"

static void kernel_add_values(const struct planes_bundle *bundle, size_t begin, size_t end,
                              struct kernel_adding *adding) {
    struct kernel_block *block = adding->column.block;
    size_t n_codes = kernel_round_up(adding->column.n_docs);
    kernel_add_doubles(bundle, begin, end, n_codes, block);
}

static inline void kernel_flush(struct kernel_adding *adding) {
    (void)adding; /* all sums are in the column */
}

PLANES_INLINE void kernel_prefetch_values(const struct planes_bundle *bundle) {
    kernel_prefetch_doubles(bundle);
}
