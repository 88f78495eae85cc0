/* Scoring by bit planes: what is computed, and what it is computed from. This file, planes_kernel.h
 * and the primitives of each kind of register (planes_avx2.h, ...) are also what `treebench export`
 * writes into a program of its own: they are C99 and C++, and include nothing else of treebench.
 *
 * A plane has one bit for each document of a block. From the documents on:
 *
 *   key   of a value: an integer that orders as the values do, -0 as 0 and NaN above all.
 *
 *   rank  of a value: how many of its feature's thresholds are less than it, found by a search tree
 *         over the keys of all distinct thresholds.
 *
 *   test  (feature, threshold): a plane of the documents that go right, which is rank > threshold's
 *         number. Equal tests of all trees are one plane. A set node's test is the XOR of planes of
 *         plain tests.
 *
 *   L_c   of a tree: the plane of documents whose exit leaf is c or one further to the right. An
 *         inner node with c leaves to the left of its split, in a subtree of the leaves from a to
 *         b - 1, gives L_c = L_b | (L_a & test): one step per node, whatever the tree's shape.
 *
 *   code  of an exit leaf i: i ^ (i >> 1), whose bit j is the parity of all L_c with j zero bits at
 *         the end of c. Leaf values lie in the order of the codes. */
#ifndef IMPLS_PLANES_TYPES_H
#define IMPLS_PLANES_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    PLANES_MAX_LEAVES = 256,
    PLANES_BUNDLE = 4,    /* trees whose nodes are worked on together */
    PLANES_SLOT_NONE = 0, /* where the planes L_c of a bundle lie: L_n, no document, */
    PLANES_SLOT_ALL = 1,  /* L_0, every document, and the others */
    PLANES_SLOTS = 2 + PLANES_BUNDLE * (PLANES_MAX_LEAVES - 1),
    PLANES_CODE_BITS = 8,     /* at most, of a code */
    PLANES_GROUP = 8,         /* separators are padded to whole groups of so many */
    PLANES_STEPS = 4,         /* nodes of a bundle are padded to a multiple of this */
    PLANES_VALUES_SLACK = 64, /* that may be read behind a tree's values */
    PLANES_MAX_LEVELS = 32,
    PLANES_BLOCKS = 4,
    PLANES_LEVEL_KEYS = 16,    /* of a level, at least, where nodes have two children */
    PLANES_TABLE_FAN_BITS = 3, /* where a level of up to so many nodes is tables */
    PLANES_TABLE_NODES = 16,
    PLANES_WORK = PLANES_SLOTS + 808, /* planes that scoring works in besides the tests */
    PLANES_LINE = 64 /* bytes of a cache line, and how tables and workspaces are aligned */
};

/* A node's step takes L_a, L_b and the test, and makes L_c. Planes are named by where they begin,
 * in bytes: L_a | L_b << 16 | test << 32, to be one load. */
typedef uint64_t planes_inputs;
typedef uint16_t planes_output;

struct planes_tree {
    const double *values;  /* by code; or NULL, and */
    const uint8_t *tables; /* of floats, byte by byte */
    uint32_t n_groups;     /* of separators, the one of no leaves on its left included */
    uint32_t first_slot;   /* L_c is in the slot first_slot + c, for c > 0; bit j of the codes in
                              first_slot + j where nodes are machine code */
    uint32_t output;
};

/* Some consecutive trees. Their nodes in the order of their depths, and so each far behind its
 * parent: a step that waits for the one before would cost the latency of a store and a load. Among
 * them are some that make empty planes, which fill up groups. */
struct planes_bundle {
    const planes_inputs *inputs;     /* [n_nodes] */
    const planes_output *separators; /* [n_nodes] */
    size_t n_nodes;
    const struct planes_tree *trees;
    size_t n_trees;
    const unsigned char *code; /* nodes as machine code, without inputs and separators; or NULL */
    size_t code_bytes;
    uint32_t table_codes; /* where values are floats: as many as the codes of any of the trees, a
                             power of two; else 0 */
};

/* A feature that some node tests. */
struct planes_feature {
    uint32_t feature;
    uint32_t n_bits; /* of its ranks */
    uint32_t n_tests, n_nan_left;
    const uint32_t *ranks; /* [n_tests + n_nan_left] a document with this rank or a higher goes
                              right: tests that send NaN right, then those that send it left */
    uint32_t nan_rank;     /* that of NaN alone, where n_nan_left > 0 */
    uint32_t n_levels;     /* of the search tree */
    /* Each level's nodes, the root's level first. A node has 2^fan_bits - 1 keys, and INT32_MAX;
     * the child of a value is the number of keys less than the value's. Where nodes have two
     * children, a node is one key, and a level has as many as fit it, INT32_MAX for those missing.
     * Where they have 8, levels of up to PLANES_TABLE_NODES are tables: the first keys of all
     * nodes, all second keys, and so on; there are 1, 8 or 16 nodes then, missing ones
     * included.
     */
    const int32_t *levels[PLANES_MAX_LEVELS];
};

/* Planes for the sets of set nodes, behind the planes of all tests: each is the XOR of n_operands
 * planes before it. */
struct planes_xors {
    const uint32_t *operands; /* [n_planes * n_operands] numbers of planes */
    uint32_t n_planes, n_operands;
};

/* What scoring reads. */
struct planes_view {
    size_t n_columns; /* of the documents, at least one more than the last feature */
    size_t n_outputs;
    const struct planes_feature *features;
    size_t n_features;
    const struct planes_bundle *bundles;
    size_t n_bundles;
    size_t n_blocks;    /* of documents, worked on side by side: at most PLANES_BLOCKS */
    size_t block_bytes; /* of the workspace, for each; any where n_blocks is 1 */
    const struct planes_xors *xors; /* in this order */
    size_t n_xors;
};

/* An order-preserving integer of a float: x <= t exactly when the key of x is <= that of t, for
 * every x and every t that is not NaN. */
static inline int32_t planes_key(float value) {
    int32_t bits, infinity = 0x7f800000;
    memcpy(&bits, &value, sizeof bits);
    int32_t magnitude = bits & INT32_MAX, sign = -(bits < 0);
    return magnitude > infinity ? INT32_MAX : (magnitude ^ sign) - sign;
}

#endif
