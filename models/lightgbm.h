/* The parts of LightGBM's text format: lightgbm.c reads, lightgbm_split.c knows how a split
 * decides, lightgbm_facts.c what the training data were, lightgbm_write.c writes. */
#ifndef MODELS_LIGHTGBM_H
#define MODELS_LIGHTGBM_H

#include "models/ensemble.h"

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

/* How a split decides: numbers up to the first cut go to one side, numbers from there up to the
 * second to the other, and so on by turns. */
struct lightgbm_split {
    double *cuts; /* [n_cuts] increasing; the owner frees them */
    size_t capacity;
    uint32_t n_cuts;
    bool lowest_right; /* the side of the numbers up to the first cut */
    bool nan_left;
};

/* Fill in a split, whose memory is used again. False: no memory.
 * Numbers: left if x <= threshold, as doubles, but the missing ones go to their side:
 *   - missing type none: NaN counts as 0;
 *   - missing type NaN: NaN goes to the default side;
 *   - missing type zero: |x| <= 1e-35 (in float32) and NaN go to the default side.
 * |x| <= 1e-35 counts as 0 in all of them.
 * Categories: left if x, its fraction cut off, is in a set of integers, bit i % 32 of word i / 32
 * (words are integers of uint32). Negative integers, those behind the set, and NaN go right.
 * Source: LightGBM's Tree::NumericalDecision and Tree::CategoricalDecision, of 4.0; before, NaN was
 * category 0 on some machines. */
bool lightgbm_split_numbers(struct lightgbm_split *split, unsigned decision_type, double threshold);
bool lightgbm_split_categories(struct lightgbm_split *split, const double *words, uint32_t n_words);

/* The parts of a file that tell about its training data. */
struct lightgbm_facts {
    const char *name;              /* the file's, for errors */
    const char *infos, *infos_end; /* the values of feature_infos; NULL: there are none */
    const char *tail, *tail_end;   /* what follows the trees */
};

/* Sets first_is_empty and the categories of the ensemble, which has its feature names. */
enum status lightgbm_read_facts(const struct lightgbm_facts *facts, struct ensemble *ensemble,
                                struct error *error);

/* Version v4. Outputs take turns in LightGBM, so that an output with fewer trees than another gets
 * trees of one leaf 0; the base scores go into the first tree of each output. Neither changes a
 * bit of any score. A threshold of +inf, a leaf that the base makes infinite, and a count over
 * int32 are refused. Set nodes must have been rewritten. */
enum status lightgbm_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

#endif
