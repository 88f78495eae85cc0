/* Makes a form's kernels: a table `framing_kernels` of FRAMING_KERNELS functions, indexed by
 * framing_kernel_index.
 *
 * The includer defines:
 *
 *   uint32_t framing_exit(const struct framing_tree *tree, const void *x,
 *                         struct framing_widths widths, enum framing_values values,
 *                         bool any_nan_left)
 *       the prediction of the leaf that the document x reaches; all but the first two are constants
 *
 * Names such as walk_16_32_int_nan appear in profiles, and test_framing_code.bats searches for
 * them: the bits of a feature's and a child's number, then the comparison (_int: of the bits of
 * floats), whether some nodes send NaN left, and whether trees vote. */
#ifndef IMPLS_FRAMING_FRAMING_TMPL_H
#define IMPLS_FRAMING_FRAMING_TMPL_H

#include "impls/framing/framing_scorer.h"

#include "impls/framing/framing_node.h"

FRAMING_INLINE void framing_walk(const struct framing_tree *trees, size_t n_trees,
                                 const struct framing_docs *docs, struct framing_widths widths,
                                 enum framing_values values, bool any_nan_left, bool votes) {
    const struct framing_docs all = *docs; /* copies, so that stores cannot change them */
    for (size_t t = 0; t < n_trees; t++) {
        const struct framing_tree tree = trees[t];
        const float *x = all.x;
        double *scores = all.scores;
        for (size_t doc = all.n_docs; doc; doc--) {
            uint32_t prediction = framing_exit(&tree, x, widths, values, any_nan_left);
            if (votes)
                scores[prediction] += 1;
            else
                scores[tree.output] += tree.values[prediction];
            x += all.stride;
            scores += all.n_outputs;
        }
    }
}

#define FRAMING_KERNEL(name, feature_bytes, child_bytes, values, any_nan_left, votes)              \
    static void name(const struct framing_tree *trees, size_t n_trees,                             \
                     const struct framing_docs *docs) {                                            \
        const struct framing_widths widths = {feature_bytes, child_bytes};                         \
        framing_walk(trees, n_trees, docs, widths, values, any_nan_left, votes);                   \
    }
#define FRAMING_WIDTHS(suffix, values, any_nan_left, votes)                                        \
    FRAMING_KERNEL(walk_16_16##suffix, 2, 2, values, any_nan_left, votes)                          \
    FRAMING_KERNEL(walk_16_32##suffix, 2, 4, values, any_nan_left, votes)                          \
    FRAMING_KERNEL(walk_32_16##suffix, 4, 2, values, any_nan_left, votes)                          \
    FRAMING_KERNEL(walk_32_32##suffix, 4, 4, values, any_nan_left, votes)
#define FRAMING_NAMES(suffix)                                                                      \
    walk_16_16##suffix, walk_16_32##suffix, walk_32_16##suffix, walk_32_32##suffix

FRAMING_WIDTHS(, FRAMING_FLOAT, false, false)
FRAMING_WIDTHS(_nan, FRAMING_FLOAT, true, false)
FRAMING_WIDTHS(_int, FRAMING_BITS, false, false)
FRAMING_WIDTHS(_int_nan, FRAMING_BITS, true, false)
FRAMING_WIDTHS(_votes, FRAMING_FLOAT, false, true)
FRAMING_WIDTHS(_nan_votes, FRAMING_FLOAT, true, true)
FRAMING_WIDTHS(_int_votes, FRAMING_BITS, false, true)
FRAMING_WIDTHS(_int_nan_votes, FRAMING_BITS, true, true)
FRAMING_WIDTHS(_int16, FRAMING_INT16, false, false)
FRAMING_WIDTHS(_int32, FRAMING_INT32, false, false)
FRAMING_WIDTHS(_int16_votes, FRAMING_INT16, false, true)
FRAMING_WIDTHS(_int32_votes, FRAMING_INT32, false, true)

static framing_kernel *const framing_kernels[FRAMING_KERNELS] = {FRAMING_NAMES(),
                                                                 FRAMING_NAMES(_nan),
                                                                 FRAMING_NAMES(_int16),
                                                                 FRAMING_NAMES(_int16),
                                                                 FRAMING_NAMES(_int32),
                                                                 FRAMING_NAMES(_int32),
                                                                 FRAMING_NAMES(_int),
                                                                 FRAMING_NAMES(_int_nan),
                                                                 FRAMING_NAMES(_votes),
                                                                 FRAMING_NAMES(_nan_votes),
                                                                 FRAMING_NAMES(_int16_votes),
                                                                 FRAMING_NAMES(_int16_votes),
                                                                 FRAMING_NAMES(_int32_votes),
                                                                 FRAMING_NAMES(_int32_votes),
                                                                 FRAMING_NAMES(_int_votes),
                                                                 FRAMING_NAMES(_int_nan_votes)};

#endif
