/* Compares two variants at a point of a grid, using their rows. Claims, tables and figures use
 * these functions. */
#ifndef HARNESS_JUDGE_COMPARE_H
#define HARNESS_JUDGE_COMPARE_H

#include "harness/artefacts/panels.h"
#include "harness/instruments/stats.h"
#include "harness/rows/row_index.h"

#include <stdbool.h>

/* A point of a panel, in the rows of a run. */
struct place {
    const struct row_index *index;
    const struct panel *panel;
    const struct point *point;
};

/* The geometric mean of times over trials (ns per document) and its Student's t interval. Both are
 * computed from logarithms, because trials differ by factors. The mean is NaN if there are no
 * rows. */
struct estimate {
    double mean;
    struct interval interval;
    size_t trials;
};
struct estimate compare_time(const struct row_index *index, const struct point *point,
                             const char *variant);

/* Returns the time of `numerator` divided by the time of `denominator`. The ratio of each trial is
 * paired over rounds (row_paired_ratio). The result is the geometric mean over trials, with a t
 * interval. With a single trial, the interval is the bootstrap interval over its rounds. The value
 * is NaN if one of the variants has no row with times. */
struct ratio compare_ratio(const struct row_index *index, const struct point *point,
                           const char *numerator, const char *denominator);

/* Finds the variant of `family` ("vpred") with the least time in a panel, by the geometric mean
 * over the points. Only variants with at most one option compete. Only trial 0 decides, so that
 * comparing the variant on other trials (compare_fresh_ratio) has no selection bias. Returns false
 * if there are no rows. */
bool compare_best_variant(const struct row_index *index, const struct panel *panel,
                          const char *family, char *variant, size_t size);

/* Returns true for operands such as "bwqs=best", which choose at each point among all variants of
 * the implementation. Others, such as "vpred,v=best", choose over all points of a panel. */
bool compare_chooses_by_point(const char *operand);

/* Claims and tables refer to variants by operands. An operand is a variant, a variant with the
 * panel's own v ("vpred,v=panel"), or the best variant of a family ("vpred,v=best" over the points
 * of the panel, and "vpred=best" at the point itself). Each form may
 * end in a number of threads, as in "qs@16" (see panel_operand_point). The best variant is chosen
 * by compare_best_variant on trial 0, so its times and ratios are those of the other trials. */
bool compare_operand_variant(const struct place *at, const char *operand, char *variant,
                             size_t size);
struct estimate compare_operand_time(const struct place *at, const char *operand);

/* Returns true if both operands mean the same variant at the same point, such as "qs", "qs" and
 * "qs/trees" on one core. Orders of loops whose blocks have the same sizes are the same too.
 * "v=best" never counts as the same, because measuring chose the variant. */
bool compare_operands_are_one(const struct place *at, const char *a, const char *b);

/* Returns the time of `numerator` divided by the time of `denominator`. Returns NaN if both are the
 * same variant at the same point. */
struct ratio compare_operand_ratio(const struct place *at, const char *numerator,
                                   const char *denominator);

/* Returns the operand's time at `base` divided by its time at the place. Both points belong to the
 * panel but were not sampled in the same rounds, so rounds are not paired. With several trials, the
 * interval is computed as in compare_ratio. With one trial, it is computed from the intervals of
 * the two medians. */
struct ratio compare_operand_speedup(const struct place *at, const struct point *base,
                                     const char *operand);

/* Returns the variant's time at the point in the run of `numerator` divided by its time in the run
 * of `denominator`. Rounds are not paired, as in compare_operand_speedup. */
struct ratio compare_runs(const struct row_index *numerator, const struct row_index *denominator,
                          const struct point *point, const char *variant);

/* Returns the fewest rounds of the operand's rows with times at a point. */
size_t compare_operand_rounds(const struct place *at, const char *operand);

/* Returns a counter's value per document and tree, averaged over trials. The mean is NaN if nothing
 * was counted. */
struct estimate compare_operand_count(const struct place *at, const char *operand,
                                      enum counter counter);

/* Like compare_ratio, but without trial 0. Use this for variants that were chosen by their times on
 * trial 0. */
struct ratio compare_fresh_ratio(const struct row_index *index, const struct point *point,
                                 const char *numerator, const char *denominator);

enum { COMPARE_LESS_SIZE = 64 };

/* Describes the share that is saved: "36 % [30, 41]" if less = 0.36. `word` follows the percentage
 * if the share is positive: " less" gives "36 % less [30, 41]". A negative share gives "74 % more
 * [70, 80]". */
void compare_describe_less(double less, struct interval interval, const char *word,
                           char text[COMPARE_LESS_SIZE]);

#endif
