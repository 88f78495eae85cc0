/* An ensemble as RapidScorer reads it (Ye et al., KDD 2018; written from the published idea).
 *
 * A document's exit leaf in a tree is the leftmost leaf that none of the tree's failing tests takes
 * away: a test that sends the document right takes away the leaves of its left subtree, a run of
 * neighbours. The set of leaves left over is a bit vector of `rows` bytes, leaf 8 * row + bit, and
 * the paper's epitome of a test is the run's first byte, its last byte, and zeros between. Here an
 * epitome is spelled out as one op per byte it touches, most often one: then the ops of all tests
 * are one stream, and no loop's length depends on a single test.
 *
 * Trees come in blocks, the units of the scorer. In a block, the tests are sorted by feature and
 * threshold, and those that are equal are one, whatever trees they are of. */
#ifndef IMPLS_RAPIDSCORER_MODEL_H
#define IMPLS_RAPIDSCORER_MODEL_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

enum {
    RAPID_MAX_ROWS = 256,        /* of a tree: up to 2048 leaves */
    RAPID_MAX_BLOCK_ROWS = 65536 /* of a block's trees together */
};

/* Tests that are made before their ops are done: an op names its test in eight bits. */
enum { RAPID_STEP = 128 };

/* Where the test is failed: leaves[row] &= keep. */
struct rapid_op {
    uint8_t keep;
    uint8_t test; /* in its list, modulo RAPID_STEP */
    uint16_t row; /* of the block */
};

/* The tests of a block on one feature, with ascending thresholds. Where NaN goes left for some and
 * right for others they are two lists. */
struct rapid_list {
    uint32_t column; /* the feature is `features[column]` */
    uint32_t nan_left;
    size_t first_test;
};

struct rapid_tree {
    uint32_t rows, output;
    size_t first_value;
};

/* Each array ends with one more element, where the next would begin. */
struct rapid_block {
    size_t first_list, first_tree;
    uint32_t rows;
};

struct rapid_model {
    struct scorer scorer;
    struct rapid_block *blocks; /* [n_units + 1] */
    struct rapid_list *lists;
    struct rapid_tree *trees; /* [n_trees + 1] */
    float *thresholds;        /* of the tests */
    uint32_t *first_op;       /* of the tests */
    struct rapid_op *ops;
    double *values;     /* of the leaves, those of a tree from left to right */
    uint32_t *features; /* [n_columns] those that are tested, ascending */
    uint32_t n_columns;
    uint32_t max_rows; /* of a block */
};

extern const struct impl_param rapid_params[];

/* For `build` and `destroy` of the implementations. */
enum status rapid_build(const struct impl *impl, unsigned lanes, const struct ensemble *ensemble,
                        const struct options *options, struct scorer **scorer, struct error *error);
void rapid_destroy(struct scorer *scorer);

#endif
