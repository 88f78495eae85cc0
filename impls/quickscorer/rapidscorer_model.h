/* The data structure of RapidScorer (Ye et al., KDD 2018; written from the published idea).
 *
 * A test that sends the document right removes the leaves of the left subtree, which are
 * contiguous. The exit leaf is the leftmost leaf that no test removes. The set of remaining leaves
 * is a bit vector of `rows` bytes: leaf 8 * row + bit. In the paper, the epitome of a test is the
 * first changed byte, the last changed byte, and zeros between the two. Here an epitome consists of
 * ops. An op changes one byte, and most tests have a single op. The ops of all tests form one
 * stream, so no loop's length depends on a test.
 *
 * Trees are grouped into blocks, which are the units of the scorer. The tests of a block are sorted
 * by feature and threshold, and equal tests of different trees are merged. */
#ifndef IMPLS_QUICKSCORER_RAPIDSCORER_MODEL_H
#define IMPLS_QUICKSCORER_RAPIDSCORER_MODEL_H

#include "impls/impl.h"

#include <stddef.h>
#include <stdint.h>

enum {
    RAPID_MAX_ROWS = 256,        /* most rows of a tree: 2048 leaves */
    RAPID_MAX_BLOCK_ROWS = 65536 /* most rows of all trees of a block together */
};

/* The number of tests of a list that are evaluated before their ops run. At most 256, because an op
 * has eight bits for the index of its test. */
enum { RAPID_STEP = 128 };

/* For a document that fails the test and so goes right: leaves[row] &= keep. */
struct rapid_op {
    uint8_t keep;
    uint8_t test; /* index of the test in its list, modulo RAPID_STEP */
    uint16_t row; /* index of the row in the block */
};

/* The tests of a block on one feature, with ascending thresholds. A feature has two lists if NaN
 * goes left for some of its tests and right for others. */
struct rapid_list {
    uint32_t column; /* the feature is `features[column]` */
    uint32_t nan_left;
    size_t first_test;
};

struct rapid_tree {
    uint32_t rows, output;
    size_t first_value;
};

/* `blocks`, `lists` and `first_op` have one extra element at the end, so that element i + 1 tells
 * where element i ends. */
struct rapid_block {
    size_t first_list, first_tree;
    uint32_t rows;
};

struct rapid_model {
    struct scorer scorer;
    struct rapid_block *blocks; /* [n_units + 1] */
    struct rapid_list *lists;
    struct rapid_tree *trees; /* [n_trees] */
    float *thresholds;        /* one per test */
    uint32_t *first_op;       /* one per test: the index of its first op */
    struct rapid_op *ops;
    double *values;     /* leaf values, tree by tree, from left to right */
    uint32_t *features; /* [n_columns] the tested features, ascending */
    uint32_t n_columns;
    uint32_t max_rows; /* most rows of any block */
};

extern const struct impl_param rapid_params[];

/* Does the work of `build` for all RapidScorer implementations. */
enum status rapid_build(const struct impl *impl, unsigned lanes, const struct ensemble *ensemble,
                        const struct options *options, struct scorer **scorer, struct error *error);

#endif
