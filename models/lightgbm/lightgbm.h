/* The parts of LightGBM's formats: lightgbm.c and lightgbm_json.c read models (lightgbm_reader.h),
 * lightgbm_split.c converts splits, lightgbm_facts.c reads facts about the training data,
 * lightgbm_write.c writes models. */
#ifndef MODELS_LIGHTGBM_LIGHTGBM_H
#define MODELS_LIGHTGBM_LIGHTGBM_H

#include "models/ensemble.h"

#include <stdio.h>

/* The bits of a split's decision_type: one for categorical, one for the default side, two for the
 * missing type. */
enum {
    LIGHTGBM_CATEGORICAL = 1,
    LIGHTGBM_DEFAULT_LEFT = 2,
    LIGHTGBM_MISSING_SHIFT = 2,
    LIGHTGBM_MISSING_NONE = 0,
    LIGHTGBM_MISSING_ZERO = 1,
    LIGHTGBM_MISSING_NAN = 2,
    LIGHTGBM_MAX_DECISION = 11
};

/* How a split decides. Numbers up to the first cut go to one side, numbers between the first and
 * the second cut go to the other side, and so on, alternately. */
struct lightgbm_split {
    struct memory_list cuts; /* doubles, increasing; the owner frees them */
    bool lowest_right;       /* do numbers up to the first cut go right? */
    bool nan_left;
};

/* Fill in a split, reusing its memory. Return false if out of memory.
 *
 * Numbers go left if x <= threshold, compared as doubles. Missing values are an exception:
 *   - missing type none: NaN counts as 0;
 *   - missing type NaN: NaN goes to the default side;
 *   - missing type zero: |x| <= 1e-35 (in float32) and NaN go to the default side.
 * |x| <= 1e-35 counts as 0 for all types.
 *
 * Categories go left if x, with its fraction cut off, is in a set of integers: bit i % 32 of word i
 * / 32 (words are uint32 integers). Negative integers, integers beyond the set, and NaN go right.
 * Source: LightGBM 4.0, Tree::NumericalDecision and Tree::CategoricalDecision. In older versions,
 * NaN was category 0 on some machines. */
bool lightgbm_split_numbers(struct lightgbm_split *split, unsigned decision_type, double threshold);
bool lightgbm_split_categories(struct lightgbm_split *split, const double *words, uint32_t n_words);

/* The same for a list of categories: begins with the empty set, and adds categories, which must
 * increase. */
void lightgbm_split_nothing(struct lightgbm_split *split);
bool lightgbm_split_category(struct lightgbm_split *split, uint32_t category);

/* Does a threshold lie between numbers that count as 0? */
bool lightgbm_separates_zeros(double threshold);

/* What a file says about the values of a feature in the training data. */
enum { LIGHTGBM_NO_VALUES, LIGHTGBM_NUMBERS, LIGHTGBM_CATEGORIES };

struct lightgbm_facts {
    const char *name;           /* of the file, for errors */
    const unsigned char *infos; /* [n_infos] what is said of each feature; NULL if nothing is */
    uint32_t n_infos;
    const char *categories, *categories_end; /* JSON: pandas_categorical; NULL if absent */
};

/* Sets first_is_empty and the categories of the ensemble. Its feature names must be set. */
enum status lightgbm_read_facts(const struct lightgbm_facts *facts, struct ensemble *ensemble,
                                struct error *error);

/* What becomes of the leaf values of a text model. The format's reader uses LIGHTGBM_LEAF_SCORES.
 */
enum lightgbm_leaves {
    LIGHTGBM_LEAF_SCORES, /* scores are LightGBM's: random forests are averages */
    LIGHTGBM_LEAF_SUMS,   /* scores are sums, which LightGBM divides for random forests */
    LIGHTGBM_LEAF_NUMBERS /* the value of a leaf is its number in the file */
};

/* Reads a text model, as `read` of its struct model_format does. */
enum status lightgbm_read_leaves(const char *name, const char *text, size_t size,
                                 enum lightgbm_leaves leaves, struct ensemble **ensemble,
                                 struct error *error);

/* What a text model says about its scores, apart from the trees. */
struct lightgbm_header {
    uint32_t n_classes;
    bool averages; /* predictions are averages over the iterations (random forests) */
};

enum status lightgbm_read_header(const char *name, const char *text, size_t size,
                                 struct lightgbm_header *header, struct error *error);

/* Writes version v4. In LightGBM's files, the trees of the outputs alternate, so outputs with fewer
 * trees get additional trees with a single leaf of 0. The base scores are added to the first tree
 * of each output. Both changes keep all scores bit-for-bit equal, except for documents with numbers
 * that count as 0. Fails if a leaf becomes infinite by adding the base score, or if a count exceeds
 * int32. Callers must first replace set nodes by plain nodes (models/rewrite.h). */
enum status lightgbm_write(const struct ensemble *ensemble, FILE *stream, struct error *error);

/* Like lightgbm_write, but also fails if a threshold separates numbers that count as 0. */
enum status lightgbm_write_exact(const struct ensemble *ensemble, FILE *stream,
                                 struct error *error);

#endif
