/* Bit planes for one kind of registers: the working memory for a block of documents, and the order
 * of the documents in it. planes_types.h describes the computation.
 *
 * A kernel is a file that includes, in this order:
 *
 *   planes_KIND_tmpl.h      registers of one kind; it includes the templates of steps A and B
 *   planes_nodes_tmpl.h     steps C and D for nodes that are data, or jit/planes_jit_nodes_tmpl.h
 *   planes_doubles_tmpl.h   sums in doubles, or planes_floats_KIND_tmpl.h
 *   planes_run_tmpl.h       all steps, block by block: kernel_run
 *   planes_impl_tmpl.h      an implementation
 *
 * `treebench export` copies all of these except the last into its programs, so they are valid C99
 * and C++. An exported program has kernels of several kinds. Names at file scope therefore begin
 * with kernel_ or KERNEL_, and export appends the kind to them.
 *
 * The includer defines:
 *
 *   KERNEL_REGISTER        bytes per register, a power of two
 *   KERNEL_PARTS           registers per plane
 *   KERNEL_STRIP           columns (features) that are read together
 *   KERNEL_SUMS_MULTIPLE   documents whose values are added together. The number of sums is rounded
 *                          up to a multiple of it.
 *   KERNEL_IN_ROWS         0 if codes are in the order of documents. 1 if planes are in that order
 *                          and planes_transpose_tmpl.h turns them into codes. The codes and sums
 *                          of every 8th document are then neighbours, in rows.
 */
#include "impls/planes/kernel/planes_types.h"

#include <string.h>

enum {
    KERNEL_PLANE_BYTES = (int)KERNEL_REGISTER * (int)KERNEL_PARTS,
    KERNEL_BLOCK = KERNEL_PLANE_BYTES * 8, /* documents whose bits a plane holds */
    KERNEL_PART_DOCS = KERNEL_BLOCK / (int)KERNEL_PARTS,
    KERNEL_ROWS = 8, /* rows of codes from transposing eight planes: one row per bit of a byte */
    KERNEL_RANK_BYTES = 4,
    KERNEL_DIGIT = 4, /* bits of a rank */
    KERNEL_DIGITS = 8 * KERNEL_RANK_BYTES / KERNEL_DIGIT,
    KERNEL_DIGIT_VALUES = 1 << KERNEL_DIGIT
};

#define KERNEL_ALIGNED __attribute__((aligned(PLANES_LINE)))
typedef uint64_t kernel_vec __attribute__((vector_size(KERNEL_REGISTER)));

struct kernel_plane {
    kernel_vec part[KERNEL_PARTS];
};

/* The first member of a struct kernel_work. The workspace of each block begins with a struct
 * kernel_work, which the planes of the tests follow. */
struct kernel_block {
    struct kernel_plane exits[PLANES_SLOTS]; /* the planes L_c of a bundle's trees, or the planes of
                                                the codes' bits if nodes are machine code */
    /* digits[i][v]: the documents for which digit i of the rank is at least v. */
    struct kernel_plane digits[KERNEL_DIGITS][KERNEL_DIGIT_VALUES + 1];
    uint8_t codes[PLANES_BUNDLE][KERNEL_BLOCK] KERNEL_ALIGNED;
    double column[KERNEL_BLOCK];                    /* the sums of one output */
    uint8_t ranks[KERNEL_RANK_BYTES][KERNEL_BLOCK]; /* bytes of ranks, or planes of their bits */
    int32_t keys[KERNEL_STRIP][KERNEL_BLOCK];
};

/* Returns the planes of the tests. Defined in planes_run_tmpl.h. */
static inline struct kernel_plane *kernel_tests_of(struct kernel_block *block);

/* The number of a plane's registers that have documents. If planes are in the order of documents,
 * only the first registers have documents. Otherwise all registers count. */
static inline int kernel_count_parts(size_t n_docs) {
    return KERNEL_IN_ROWS ? (int)((n_docs + KERNEL_PART_DOCS - 1) / KERNEL_PART_DOCS)
                          : KERNEL_PARTS;
}

static inline size_t kernel_round_up(size_t n_docs) {
    return (n_docs + KERNEL_SUMS_MULTIPLE - 1) / KERNEL_SUMS_MULTIPLE * KERNEL_SUMS_MULTIPLE;
}

/* If KERNEL_IN_ROWS, the codes of a register are KERNEL_ROWS rows of this size. The rows of the
 * last register are shorter if it has fewer documents. */
static inline size_t kernel_row_size(size_t n_docs, size_t part) {
    size_t left = n_docs - part * KERNEL_PART_DOCS;
    return left < KERNEL_PART_DOCS ? kernel_round_up(left) / KERNEL_ROWS
                                   : KERNEL_PART_DOCS / KERNEL_ROWS;
}

/* The index of the first code of a row. */
static inline size_t kernel_row_place(size_t n_docs, size_t part, size_t row) {
    return KERNEL_IN_ROWS ? part * KERNEL_PART_DOCS + row * kernel_row_size(n_docs, part)
                          : (row * KERNEL_PARTS + part) * KERNEL_REGISTER;
}

/* The index of a document's code and sum. */
static inline size_t kernel_place_of(size_t n_docs, size_t doc) {
    size_t in_part = doc % KERNEL_PART_DOCS;
    return KERNEL_IN_ROWS
               ? kernel_row_place(n_docs, doc / KERNEL_PART_DOCS, in_part % KERNEL_ROWS) +
                     in_part / KERNEL_ROWS
               : doc;
}

/* The sums of a block for one output, in block->column. Outputs are processed one after the other.
 */
struct kernel_column {
    double *scores;
    struct kernel_block *block;
    size_t n_docs, n_outputs;
    uint32_t output; /* the output whose sums are in the column */
    int in_chain;    /* as in struct planes_view */
};
