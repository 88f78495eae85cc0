/* Scoring by bit planes: the computation, and the data structures that it reads. `treebench export`
 * copies this file and the templates (planes_block_tmpl.h) into its programs. They are valid C99
 * and C++, and include no other file of the project except float_key.h.
 *
 * A plane has one bit for each document of a block. The computation has five steps, A to E:
 *
 *   A: key   of a value: an integer. Keys have the same order as the values (float_key.h).
 *
 *      rank  of a value: the number of thresholds of the feature that are less than the value. It
 *            is found by a search tree over the keys of all distinct thresholds.
 *
 *   B: test  of a feature and a threshold: the plane of the documents that go right. A document
 *            goes right if the rank of its value is greater than the index of the threshold. Equal
 *            tests of all trees share one plane. The test of a set node is the XOR of planes of
 *            plain tests.
 *
 *   C: L_c   of a tree, also called a separator: the plane of the documents whose exit leaf is c or
 *            a leaf further to the right. If the subtree of an inner node has the leaves a to
 *            b - 1, and the right child's first leaf is c, then L_c = L_b | (L_a & test). This is
 *            one operation per node, for any tree shape. Planes L_c are stored in slots, the
 *            elements of kernel_block.exits (planes_block_tmpl.h).
 *
 *   D: code  of an exit leaf i: i ^ (i >> 1). Bit j of the code is the parity of all L_c for which
 *            c ends in exactly j zero bits.
 *
 *   E: value of the exit leaf: it is looked up by the code and added to the document's score. Leaf
 *            values are stored in the order of the codes. */
#ifndef IMPLS_PLANES_KERNEL_PLANES_TYPES_H
#define IMPLS_PLANES_KERNEL_PLANES_TYPES_H

#include "impls/shared/float_key.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PLANES_MAX_LEAVES = 256,
    PLANES_BUNDLE = 4,    /* most trees of a bundle */
    PLANES_SLOT_NONE = 0, /* the slot of L_n of a tree of n leaves: no document */
    PLANES_SLOT_ALL = 1,  /* the slot of L_0: every document; the other L_c follow */
    PLANES_SLOTS = 2 + PLANES_BUNDLE * (PLANES_MAX_LEAVES - 1),
    PLANES_CODE_BITS = 8,     /* most bits of a code */
    PLANES_GROUP = 8,         /* a tree's separators are padded to a multiple of this */
    PLANES_STEPS = 4,         /* a bundle's nodes are padded to a multiple of this */
    PLANES_VALUES_SLACK = 64, /* doubles after a tree's last value that may be read */
    PLANES_MAX_LEVELS = 32,
    PLANES_BLOCKS = 4,         /* most blocks of documents processed together */
    PLANES_LEVEL_KEYS = 16,    /* least keys per search level if nodes have two children */
    PLANES_TABLE_FAN_BITS = 3, /* 8 children per node: small levels are tables, see levels[] */
    PLANES_TABLE_NODES = 16,
    PLANES_DIGIT_BITS = 6,            /* bits per digit of a value in fixed point */
    PLANES_DIGITS = 9,                /* most digits of a value: two more bits than a double's 53 */
    PLANES_WORK = PLANES_SLOTS + 816, /* most planes in a struct kernel_work */
    PLANES_LINE = 64 /* bytes of a cache line; the alignment of tables and workspaces */
};

/* A node's step makes L_c from L_a, L_b and the test. The byte offsets of these three planes are
 * packed into one word, so that one load reads them: L_a | L_b << 16 | test << 32. */
typedef uint64_t planes_inputs;
typedef uint16_t planes_output; /* byte offset of L_c */

struct planes_tree {
    const double *values; /* In the order of codes, or byte by byte (planes_tables.h). NULL if there
                             are tables. */
    const uint8_t *tables; /* values as floats, byte by byte (planes_tables.h) */
    uint32_t n_groups;     /* groups of PLANES_GROUP separators, including L_0 */
    uint32_t first_slot;   /* L_c is in slot first_slot + c, for c > 0. If nodes are machine code,
                              bit j of the codes is in slot first_slot + j. */
    uint32_t output;
};

/* The unit of values in fixed point. */
struct planes_grid {
    double unit, per_unit; /* a power of two and its reciprocal */
    double room;           /* Sums are exact if they start from at most this many units. */
};

/* The values of a bundle's trees in fixed point. A value is an integer times the unit. From the
 * integers of each tree, the smallest is subtracted. */
struct planes_digits {
    const struct planes_grid *grid;
    const uint8_t *tables;          /* [n_digits - first_digit][n_trees][n_codes] digits */
    uint32_t first_digit, n_digits; /* digits below the first one are 0 in all values */
    uint32_t n_trees;
    uint32_t n_codes;             /* codes that a table has: 64, 128 or 256 */
    int64_t least[PLANES_BUNDLE]; /* what was subtracted */
};

/* Consecutive trees processed together. Nodes are ordered by depth, so a node never waits for a
 * parent that was just stored. Some nodes make empty planes, which pad the trees' groups. */
struct planes_bundle {
    const planes_inputs *inputs;     /* [n_nodes] */
    const planes_output *separators; /* [n_nodes] */
    size_t n_nodes;
    const struct planes_tree *trees;
    size_t n_trees;
    const unsigned char *code; /* nodes as machine code, which replaces inputs; NULL if none */
    size_t code_bytes;
    uint32_t table_codes; /* most codes that a tree of the bundle has, a power of two; 0 if values
                             are doubles */
    const struct planes_digits *digits; /* the values also in fixed point; NULL if not */
};

/* A feature that some node tests. */
struct planes_feature {
    uint32_t feature;
    uint32_t n_bits;              /* bits per rank */
    uint32_t n_tests, n_nan_left; /* tests that send NaN right, tests that send NaN left */
    const uint32_t *ranks; /* [n_tests + n_nan_left] A document with this rank or a higher one goes
                              right. Tests that send NaN right come first. */
    uint32_t nan_rank;     /* the rank of NaN, which no other value has; used if n_nan_left > 0 */
    uint32_t n_levels;     /* levels of the search tree */
    /* The nodes of each level, from the root down. A node with 2^fan_bits children has 2^fan_bits -
     * 1 keys, and the index of the child for a value is the number of keys that are less than the
     * value's key. If nodes have two children, a level with fewer than PLANES_LEVEL_KEYS keys is
     * filled up with INT32_MAX. In other search trees, INT32_MAX follows the keys of each node. If
     * nodes have 8 children, a level of up to PLANES_TABLE_NODES nodes consists of tables: the
     * first keys of all nodes, then the second keys, and so on. Tables are filled up to 1, 8 or 16
     * keys. */
    const int32_t *levels[PLANES_MAX_LEVELS];
};

/* Planes that are made for the sets of set nodes. They follow the planes of plain tests. Each plane
 * is the XOR of n_operands planes before it. */
struct planes_xors {
    const uint32_t *operands; /* [n_planes * n_operands] indices of planes */
    uint32_t n_planes, n_operands;
};

/* The data that scoring reads. */
struct planes_view {
    size_t n_columns; /* features per document: greater than the index of the last tested feature */
    size_t n_outputs;
    const struct planes_feature *features;
    size_t n_features;
    const struct planes_bundle *bundles;
    size_t n_bundles;
    size_t n_blocks;    /* blocks of documents processed together: at most PLANES_BLOCKS */
    size_t block_bytes; /* bytes of workspace per block; ignored if n_blocks is 1 */
    const struct planes_xors *xors; /* made in this order */
    size_t n_xors;
    int in_chain; /* sums are floats from the first tree to the last (sums=chain) */
};

/* Forces inlining: compilers assume that a function that only prefetches has no effect, and drop
 * calls to it. */
#define PLANES_INLINE static inline __attribute__((always_inline))

PLANES_INLINE void planes_prefetch(const void *begin, size_t bytes) {
#pragma GCC unroll 4
    for (size_t line = 0; line < bytes; line += PLANES_LINE)
        __builtin_prefetch((const char *)begin + line);
}

/* Prefetches code into the second-level cache, which data and instructions share. The first-level
 * data cache would be of no use, because instructions cannot be fetched from it. */
PLANES_INLINE void planes_prefetch_code(const unsigned char *begin, size_t bytes) {
#pragma GCC unroll 4
    for (size_t line = 0; line < bytes; line += PLANES_LINE)
        __builtin_prefetch(begin + line, 0, 2);
}

#endif
