/* The data that `rank-paths-*` read. They evaluate all tests of a tree at once, on the bytes and
 * bundles of `rank-bytes` (rank_bytes_types.h), but on processors that cannot look up 64 bytes by
 * 64 bytes. The results of a bundle's tests are 64 bits. A document's exit is found in these bits.
 *
 * A *heavy path* starts at a node and always goes on to the heavy child, down to an exit. The heavy
 * child is the one below which more turns off heavy paths may follow. A tree of 64 exits has paths
 * with at most 6 such turns, and mostly 3. The tests of a heavy path are adjacent bits, in the
 * order of the path. A bit tells that the document leaves the path at that test. The first such bit
 * is the turn, and `after` tells what follows it.
 *
 * A *state* is a heavy path that a document has entered: index of its first test, and the number
 * of its tests << 8. An exit that is no path's end is a path without tests. The document is at the
 * end of a path if it does not leave the path. The index of the exit in its bundle is the low byte
 * of the state. The exit at the end of a path therefore has the index of the path's first test. */
#ifndef IMPLS_WALKS_RANK_PATHS_MODEL_H
#define IMPLS_WALKS_RANK_PATHS_MODEL_H

#include "impls/walks/rank_bytes_model.h"

enum {
    PATH_LANES = 4,             /* trees that a document goes down at once */
    PATH_LINE = 32,             /* states in a cache line */
    PATH_FAR_BYTES = 400 << 10, /* larger models leave a second-level cache of 512 KB */
    PATH_STATE_BITS = 16
};

/* The tests of a bundle, in the order of their bits. */
struct path_tests {
    uint8_t column[RANK_TESTS];
    int8_t threshold[RANK_TESTS]; /* minus 128, because processors compare signed bytes */
} __attribute__((aligned(64)));

/* `after` begins with the state after the turn at each test. Then, it has each state again, at the
 * index in its low byte. A document that is at the end of a path stays there. */
struct path_turns {
    uint16_t after[2 * RANK_TESTS];
} __attribute__((aligned(64)));

/* A tree of a block, on the block's uppermost level. */
struct path_lane {
    uint32_t bundle;
    uint16_t state; /* at the root */
    uint16_t tree;  /* index in the block */
};

/* The trees of a block are walked PATH_LANES at a time, in the order of the turns that they need.
 * Unused lanes repeat a tree. */
struct path_block {
    uint8_t hops[RANK_BLOCK / PATH_LANES]; /* the most turns of PATH_LANES trees */
    uint8_t lower_hops;                    /* the same, for all pieces of the levels below */
};

/* If there is a level below, an exit's `next` is (bundle << PATH_STATE_BITS | state). */
struct path_model {
    struct rank_model ranks;
    bool is_far;               /* the model is larger than PATH_FAR_BYTES */
    struct path_tests *tests;  /* [bundles] */
    struct path_turns *turns;  /* [bundles] */
    uint64_t *flips;           /* [bundles] the tests whose heavy child is the right one */
    struct path_block *blocks; /* [units] */
    struct path_lane *lanes;   /* [units * RANK_BLOCK] */
};

/* Fetches what is read after the bundle's tests, if it is far. Called between the tests of bundles,
 * because the processor drops requests that come all at once. */
static inline void path_prefetch(const struct path_model *model, uint32_t bundle) {
    for (size_t i = 0; model->is_far && i < 2 * RANK_TESTS; i += PATH_LINE)
        __builtin_prefetch(&model->turns[bundle].after[i]);
}

impl_build path_build;
enum status path_spread(const struct scorer *scorer, struct spread *spread, struct error *error);

#endif
