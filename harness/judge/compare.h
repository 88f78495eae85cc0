/* Compares two variants at one point of a grid by their rows. Used by claims, tables and
 * figures. */
#ifndef HARNESS_JUDGE_COMPARE_H
#define HARNESS_JUDGE_COMPARE_H

#include "harness/artefacts/panels.h"
#include "harness/instruments/stats.h"
#include "harness/rows/row_index.h"

#include <stdbool.h>

/* Writes the median times per document of a variant at a point, one per trial, but at most `limit`.
 * Returns the number of times. */
size_t compare_trial_times(const struct row_index *index, const struct point *point,
                           const char *variant, double *times, size_t limit);

/* A geometric mean over trials with Student's t interval, both computed on logarithms because
 * trials differ by factors. Times are in ns per document. The mean is NaN without rows. */
struct estimate {
    double mean;
    struct interval interval;
    size_t trials;
};
struct estimate compare_time(const struct row_index *index, const struct point *point,
                             const char *variant);

/* Returns the time of `numerator` divided by the time of `denominator`. Within a trial, this is the
 * paired ratio over rounds. Over trials, this is the geometric mean with a t interval of the
 * trials' log-ratios. With one trial, the interval is that trial's bootstrap interval. The value is
 * NaN if a side has no ok rows. */
struct ratio compare_ratio(const struct row_index *index, const struct point *point,
                           const char *numerator, const char *denominator);

/* Finds the variant of `family` ("vpred") with the least time in a panel, among those with at most
 * one option. Times are averaged over the points by the geometric mean. Only trial 0 decides, so
 * `compare_ratio` on trials >= 1 has no selection bias. Returns false if there are no rows. */
bool compare_best_variant(const struct row_index *index, const struct panel *panel,
                          const char *family, char *variant, size_t size);

/* Claims and tables name variants by operands. An operand is a variant, a variant with the panel's
 * own v ("vpred,v=panel"), or the best variant of a family ("vpred,v=best"). Each form may end in a
 * number of threads, as in "qs@16" (see panel_operand_point). compare_best_variant chooses the best
 * variant, which is then compared on trials >= 1 only. The point must belong to the panel. */
bool compare_operand_variant(const struct row_index *index, const struct panel *panel,
                             const char *operand, char *variant, size_t size);
struct estimate compare_operand_time(const struct row_index *index, const struct panel *panel,
                                     const struct point *point, const char *operand);

/* Returns true if both operands are the same variant at the same point, as "qs" and "qs@all" on one
 * core. "v=best" is never the same as a variant, because it was chosen by measuring. */
bool compare_operands_are_one(const struct row_index *index, const struct panel *panel,
                              const struct point *point, const char *a, const char *b);

/* Returns the time of `numerator` divided by the time of `denominator`. NaN if both are the same
 * variant at the same point. */
struct ratio compare_operand_ratio(const struct row_index *index, const struct panel *panel,
                                   const struct point *point, const char *numerator,
                                   const char *denominator);

/* Returns how many times faster an operand is at `point` than at `base`, another point of the
 * panel. The two points were not sampled together. With several trials, the interval is computed as
 * in compare_ratio. With one trial, the interval comes from the ends of both medians' intervals.
 * Ratios between different numbers of threads are computed in the same way. */
struct ratio compare_operand_speedup(const struct row_index *index, const struct panel *panel,
                                     const struct point *base, const struct point *point,
                                     const char *operand);

/* Returns a counter's value per document and tree, averaged over trials. NaN if nothing was
 * counted. */
struct estimate compare_operand_count(const struct row_index *index, const struct panel *panel,
                                      const struct point *point, const char *operand,
                                      enum counter counter);

/* Like compare_ratio, but on trials >= 1 only, for variants that were chosen by their times on
 * trial 0. */
struct ratio compare_fresh_ratio(const struct row_index *index, const struct point *point,
                                 const char *numerator, const char *denominator);

enum { COMPARE_LESS_SIZE = 64 };

/* Describes a share saved: "36 % [30, 41]" for 0.36, or "36 % less [30, 41]" if `word` is " less".
 * A negative share gives "74 % more [70, 80]". */
void compare_describe_less(double less, struct interval interval, const char *word,
                           char text[COMPARE_LESS_SIZE]);

#endif
