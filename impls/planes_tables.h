/* Bit planes whose sums are made in floats: what a tree's values are then. They are looked up by
 * permutations of bytes, so a table has its values byte by byte. */
#ifndef IMPLS_PLANES_TABLES_H
#define IMPLS_PLANES_TABLES_H

#include <stddef.h>

enum {
    PLANES_VALUE_TABLE = 64, /* values, whose bytes lie side by side, the lowest ones first */
    PLANES_FLOAT_TREES = 64  /* whose values are added in floats before a double gets the sum: of
                               more trees, rounding grows no more than their leaves do */
};

/* Of a tree with so many codes. */
static inline size_t planes_tables_bytes(size_t n_codes) {
    return (n_codes + PLANES_VALUE_TABLE - 1) / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE *
           sizeof(float);
}

/* Where byte `byte` of the value of a code is. */
static inline size_t planes_table_place(size_t code, size_t byte) {
    return code / PLANES_VALUE_TABLE * PLANES_VALUE_TABLE * sizeof(float) +
           PLANES_VALUE_TABLE * byte + code % PLANES_VALUE_TABLE;
}

#endif
