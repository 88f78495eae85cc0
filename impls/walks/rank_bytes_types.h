/* The data that `rank-bytes` reads, which evaluates all tests of a tree at once, on bytes.
 * `treebench export` copies this file, rank_avx512.h and rank_bytes_tmpl.h into its programs. They
 * are valid C99 and C++, and include no other file of the project.
 *
 * A document has a byte per *column*: the number of the column's thresholds that are less than the
 * document's value. A column has at most 255 thresholds of one feature. A feature has several
 * columns if it has more thresholds, or if NaN goes left at some nodes and right at others. A test
 * is `byte > index of the threshold`, which gives the same result as the test of the float values.
 *
 * A *bundle* has up to 64 tests, one per byte of a vector, and up to 64 exits. After all tests are
 * evaluated, each node points at one child. Pointers from 0 to 63 are tests of the bundle, and
 * pointers from 64 on are exits. An exit points at itself. One permutation replaces each pointer by
 * the pointer of the node at which it points, which doubles the length of the paths that the
 * pointers cover. This is repeated until each pointer is an exit.
 *
 * Small trees share a bundle. A tree of more than 64 leaves is cut into levels. The lowest level
 * has subtrees of at most 64 leaves. Each subtree of the next level has at most 64 subtrees of the
 * level below as its exits, and so on. All trees of a block have the same number of levels, so that
 * no jump depends on a document. If a tree has no tests on a level, it is a single exit there. A
 * subtree of a level, without the levels below, is a piece. The first bytes of a bundle are the
 * roots of its pieces. */
#ifndef IMPLS_WALKS_RANK_BYTES_TYPES_H
#define IMPLS_WALKS_RANK_BYTES_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANK_TESTS = 64, /* tests per bundle, and also exits per bundle */
    RANK_ROOTS = 16, /* most roots per bundle of the uppermost level */
    RANK_BLOCK = 64, /* trees per block */
    RANK_KEYS = 16,  /* keys that are compared at once */
    RANK_COLUMN_THRESHOLDS = 255,
    RANK_TABLE = 128, /* columns from which one look-up chooses */
    RANK_MAX_TABLES = 32,
    RANK_MAX_LEVELS = 8,
    RANK_DOCS = 32 /* documents whose bytes are made together */
};

/* RANK_KEYS neighbouring features, at least one of which is tested. `present` has a bit for each
 * feature that documents have. */
struct rank_group {
    uint32_t feature;
    uint16_t present;
};

/* Keys are float_keys, ascending. A column of at most RANK_KEYS thresholds has one line of
 * RANK_KEYS keys. A larger column has a line for each RANK_KEYS thresholds, and before them a line
 * with the last key of each full line. Lines are padded with INT32_MAX. */
struct rank_column {
    uint32_t source; /* index, among a document's keys, of the key for this column */
    uint32_t first_key;
};

struct rank_bundle {
    uint8_t column[RANK_TESTS]; /* index of each test's column in its table */
    uint8_t threshold[RANK_TESTS], left[RANK_TESTS], right[RANK_TESTS];
} __attribute__((aligned(64)));

/* `next` is the first member, so that a list of numbers can initialise exits: those of the lowest
 * level by the bits of their values. */
union rank_exit {
    uint64_t next; /* RANK_TESTS * bundle + root, if there is a level below */
    double value;
};

struct rank_block {
    uint32_t first_tree, n_trees;
    uint32_t first_bundle, n_bundles; /* bundles of the uppermost level */
    uint32_t levels, doublings;
};

/* The data that scoring reads. */
struct rank_view {
    uint32_t n_outputs;
    bool votes; /* exits name classes, and each tree adds 1 to the score of a class */
    const struct rank_block *blocks;
    const uint32_t *output;     /* [n_trees] read if there are several outputs */
    const uint32_t *first_exit; /* [n_blocks * RANK_BLOCK] The index in `exits` of a tree's exit on
                                   the uppermost level is this plus the tree's pointer, modulo
                                   2^32. */
    const struct rank_bundle *bundles;
    const uint64_t *in_table;     /* [n_bundles * (n_tables - 1)] bit masks of the tests that read
                                     table 1, 2, and so on */
    const uint8_t *n_roots;       /* [n_bundles] */
    const union rank_exit *exits; /* [n_bundles * RANK_TESTS] */

    uint32_t n_groups, n_columns, n_small, n_tables;
    bool two_sides; /* a document has 2 * n_groups * RANK_KEYS keys, first with NaN as the
                          greatest key, then with NaN as the least key */
    const struct rank_group *groups;
    const struct rank_column *columns; /* the first n_small have one line */
    const int32_t *keys;
};

/* The workspace has the keys of one document, and then the bytes of RANK_DOCS documents. A document
 * has rank_row bytes and rank_source_keys keys. */
static inline size_t rank_row(const struct rank_view *view) {
    return (size_t)view->n_tables * RANK_TABLE;
}

static inline size_t rank_source_keys(const struct rank_view *view) {
    return (size_t)view->n_groups * RANK_KEYS * (view->two_sides + 1);
}

/* Adds the values of the exits that a document reached in the trees of a block. `at` has the index
 * of each tree's exit in `exits`. */
static inline void rank_add_values(const struct rank_view *view, const struct rank_block *block,
                                   const uint32_t *at, double *scores) {
    if (view->n_outputs > 1) {
        for (uint32_t t = 0; t < block->n_trees; t++) {
            if (view->votes)
                scores[(size_t)view->exits[at[t]].value] += 1;
            else
                scores[view->output[block->first_tree + t]] += view->exits[at[t]].value;
        }
        return;
    }
    double sum = *scores;
    for (uint32_t t = 0; t < block->n_trees; t++)
        sum += view->exits[at[t]].value;
    *scores = sum;
}

#endif
