/* What rows say about two variants at one point of a grid: the shared ground of claims, tables and
 * figures. */
#ifndef HARNESS_COMPARE_H
#define HARNESS_COMPARE_H

#include "harness/panels.h"
#include "harness/stats.h"
#include "harness/store.h"

#include <stdbool.h>

/* The median times per document of a variant at a point, one per trial, at most `limit`. */
size_t compare_trial_times(const struct rows *rows, const struct point *point, const char *variant,
                           double *times, size_t limit);

/* Geometric mean over trials with Student's t interval on logarithms, as of ratios: times are
 * positive, and trials differ by factors. In ns per document; NaN without rows. */
struct estimate {
    double mean;
    struct interval interval;
    size_t trials;
};
struct estimate compare_time(const struct rows *rows, const struct point *point,
                             const char *variant);

/* The time of `numerator` over that of `denominator`: within each trial the paired ratio over
 * rounds; over trials the geometric mean, with a t interval over the trials' log-ratios (with one
 * trial: the bootstrap interval of that trial). Value NaN when a side has no ok rows. */
struct ratio compare_ratio(const struct rows *rows, const struct point *point,
                           const char *numerator, const char *denominator);

/* The variant of `family` ("vpred") with the least time in a panel: geometric mean over the points.
 * Chosen on trial 0 alone; `compare_ratio` on trials >= 1 is then free of selection. false: no
 * rows. */
bool compare_best_variant(const struct rows *rows, const struct panel *panel, const char *family,
                          char *variant, size_t size);

/* What claims and tables name: a variant as it stands, with the panel's own v, "vpred,v=panel", or
 * the best of a family, "vpred,v=best". Any of them may be followed by threads, "qs@16"
 * (see panel_operand_point). The best is chosen by compare_best_variant, and is then
 * looked at on trials >= 1 only. The point is one of the panel's. */
bool compare_operand_variant(const struct rows *rows, const struct panel *panel,
                             const char *operand, char *variant, size_t size);
struct estimate compare_operand_time(const struct rows *rows, const struct panel *panel,
                                     const struct point *point, const char *operand);
struct ratio compare_operand_ratio(const struct rows *rows, const struct panel *panel,
                                   const struct point *point, const char *numerator,
                                   const char *denominator);

/* How many times faster an operand is at `point` than at `base`, another of the panel's points.
 * These were not sampled together: over trials as compare_ratio, but with one trial the interval is
 * of the ends of the two medians' intervals. So it is with a ratio of different threads. */
struct ratio compare_operand_speedup(const struct rows *rows, const struct panel *panel,
                                     const struct point *base, const struct point *point,
                                     const char *operand);

/* A counter, per document and tree: the mean over trials. NaN where nothing was counted. */
struct estimate compare_operand_count(const struct rows *rows, const struct panel *panel,
                                      const struct point *point, const char *operand,
                                      enum counter counter);

/* The ratio on trials >= 1 only: for variants that were picked by their times on trial 0. */
struct ratio compare_fresh_ratio(const struct rows *rows, const struct point *point,
                                 const char *numerator, const char *denominator);

enum { COMPARE_LESS_SIZE = 64 };

/* By how much less: "36 % [30, 41]" for 0.36, or "36 % less [30, 41]" with the word " less"; below
 * 0 "74 % more [70, 80]". */
void compare_describe_less(double less, struct interval interval, const char *word,
                           char text[COMPARE_LESS_SIZE]);

#endif
