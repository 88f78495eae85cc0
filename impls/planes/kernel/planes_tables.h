/* Tables of a tree's values. Values are looked up by permutations of bytes, so a table stores them
 * byte by byte: always for sums in floats, and for sums in doubles if planes_shape.byte_values. */
#ifndef IMPLS_PLANES_KERNEL_PLANES_TABLES_H
#define IMPLS_PLANES_KERNEL_PLANES_TABLES_H

#include <stddef.h>

enum {
    PLANES_VALUE_TABLE = 64, /* values per table; their lowest bytes come first. The only table of
                                doubles of a tree with fewer codes has fewer. */
    PLANES_FLOAT_TREES = 64  /* trees whose values are added in float before the sum is added to a
                               double; limits the rounding error */
};

/* The size of a tree's tables in bytes. */
static inline size_t planes_tables_bytes(size_t n_codes) {
    return (n_codes + PLANES_VALUE_TABLE - 1) / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE *
           sizeof(float);
}

/* The offset of byte number `byte` of a code's value. */
static inline size_t planes_table_place(size_t code, size_t byte) {
    return code / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE * sizeof(float) +
           PLANES_VALUE_TABLE * byte + code % PLANES_VALUE_TABLE;
}

#endif
