/* The ensemble as `rank-bytes` reads it: all tests of a tree at once, by their bytes.
 *
 * A document has a byte per *column*: how many of the column's thresholds are less than its value,
 * 0 to 255. A column has at most 255 thresholds of one feature; a feature with more has several
 * columns, each with bytes of its own, and where NaN goes left at some nodes and right at others
 * these are on different columns, too. A test is `byte > number of the threshold`, which is exactly
 * that of the float values.
 *
 * A *bundle* has up to 64 tests, one per byte of its vectors, and up to 64 exits. Once all tests
 * are done, each node points at a child: at a test of the bundle, 0 to 63, or at an exit, from 64
 * on. An exit points at itself, so that looking pointers up by pointers, again and again, doubles
 * the length of the paths until each node points at its exit.
 *
 * Small trees share a bundle, one after the other; a tree of more than 64 leaves is cut into
 * levels: subtrees of at most 64 leaves at the bottom, above them subtrees of at most 64 of those,
 * and so on. In a block of trees all have as many levels (where there is nothing to decide, one
 * exit), so that no jump depends on a document. Roots are at the first bytes of a bundle. */
#ifndef IMPLS_RANK_BYTES_MODEL_H
#define IMPLS_RANK_BYTES_MODEL_H

#include "impls/impl.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANK_TESTS = 64, /* of a bundle; also its exits */
    RANK_ROOTS = 16, /* of a bundle of the uppermost level */
    RANK_BLOCK = 64, /* trees of a unit */
    RANK_KEYS = 16,  /* that are compared at once */
    RANK_COLUMN_THRESHOLDS = 255,
    RANK_TABLE = 128, /* columns that one look-up chooses from */
    RANK_MAX_TABLES = 32,
    RANK_MAX_LEVELS = 8,
    RANK_DOCS = 32 /* whose bytes are made at once */
};

/* RANK_KEYS neighbouring features, of which some are tested; `present` are those that documents
 * have. */
struct rank_group {
    uint32_t feature;
    uint16_t present;
};

/* Keys are as of planes_types.h, ascending; those missing are INT32_MAX. A column of at most
 * RANK_KEYS thresholds has one line of them. A larger one has a line for each RANK_KEYS thresholds,
 * and one before them with the last key of each. */
struct rank_column {
    uint32_t source; /* of the keys of a document */
    uint32_t first_key;
};

struct rank_bundle {
    _Alignas(64) uint8_t column[RANK_TESTS]; /* in its table */
    uint8_t threshold[RANK_TESTS], left[RANK_TESTS], right[RANK_TESTS];
};

union rank_exit {
    double value;
    uint32_t next; /* RANK_TESTS * bundle + root, where there is a level below */
};

struct rank_block {
    uint32_t first_tree, n_trees;
    uint32_t first_bundle, n_bundles; /* of the uppermost level */
    uint32_t levels, doublings;
};

struct rank_model {
    struct scorer scorer;
    struct rank_block *blocks; /* [n_units] */
    uint32_t *output;          /* [n_trees] */
    uint32_t *first_exit;      /* [n_units * RANK_BLOCK] what, added to a tree's pointer from the
                                  uppermost level, is its exit: 2^32 may be lacking */
    size_t n_bundles;
    struct rank_bundle *bundles;
    uint64_t *in_table;     /* [n_bundles * (n_tables - 1)] the tests of the tables from 1 on */
    uint8_t *n_roots;       /* [n_bundles] */
    union rank_exit *exits; /* [n_bundles * RANK_TESTS] */

    uint32_t n_groups, n_columns, n_small, n_tables;
    bool two_sides; /* keys of documents, [2][n_groups * RANK_KEYS]: NaN the greatest; the least */
    struct rank_group *groups;
    struct rank_column *columns; /* the first n_small have one line */
    int32_t *keys;
};

/* The workspace: keys of one document, and bytes of RANK_DOCS. */
static inline size_t rank_row(const struct rank_model *model) {
    return (size_t)model->n_tables * RANK_TABLE;
}

static inline size_t rank_source_keys(const struct rank_model *model) {
    return (size_t)model->n_groups * RANK_KEYS * (model->two_sides ? 2 : 1);
}

enum status rank_build(const struct impl *impl, const struct ensemble *ensemble,
                       struct scorer **scorer, struct error *error);
void rank_destroy(struct scorer *scorer);

#endif
