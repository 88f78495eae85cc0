/* The parts of LightGBM's text format: lightgbm.c reads, lightgbm_split.c knows how a split
 * decides, lightgbm_write.c writes. */
#ifndef MODELS_LIGHTGBM_H
#define MODELS_LIGHTGBM_H

#include "models/ensemble.h"
#include "models/rewrite.h"

#include <stdio.h>

/* A split's decision_type: a bit, a bit, and over them what counts as missing. */
enum {
    LIGHTGBM_CATEGORICAL = 1,
    LIGHTGBM_DEFAULT_LEFT = 2,
    LIGHTGBM_MISSING_SHIFT = 2,
    LIGHTGBM_MISSING_NONE = 0,
    LIGHTGBM_MISSING_ZERO = 1,
    LIGHTGBM_MISSING_NAN = 2,
    LIGHTGBM_MAX_DECISION = 11
};

/* Make the cuts of a split, and set its sides. False: no memory.
 * Numbers: left where x <= threshold, but the missing ones to their side:
 *   - missing type none: NaN counts as 0;
 *   - missing type NaN: NaN goes to the default side;
 *   - missing type zero: |x| <= 1e-35 (in float32) and NaN go to the default side.
 * Categories: left where x, its fraction cut off, is in a set of integers, bit i % 32 of word i /
 * 32 (words are integers of uint32). Negative integers, those behind the set, and NaN go right.
 * Source: LightGBM's Tree::NumericalDecision and Tree::CategoricalDecision, of 4.0; before, NaN was
 * category 0 on some machines. */
bool lightgbm_cut_numbers(struct rewrite_cuts *cuts, struct rewrite_split *split,
                          unsigned decision_type, double threshold);
bool lightgbm_cut_categories(struct rewrite_cuts *cuts, struct rewrite_split *split,
                             const double *words, uint32_t n_words);

/* Version v4. Outputs take turns in LightGBM, so that an output with fewer trees than another gets
 * trees of one leaf 0; the base scores go into the first tree of each output. Neither changes a
 * bit of any score. A threshold of +inf, a leaf that the base makes infinite, and a count over
 * int32 are refused. */
enum status lightgbm_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
